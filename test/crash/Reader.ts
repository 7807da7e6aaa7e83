import * as EventId from "@headwater/domain/EventId"
import * as Json from "@headwater/fixtures/Json"
import { Effect, Option } from "effect"
import { acknowledged, type Client } from "./Client.ts"
import type { Dice } from "./Dice.ts"
import type { Findings } from "./Findings.ts"
import type { Lanes } from "./Lanes.ts"

/** An event that was read. */
interface Read {
  readonly emitterId: string
  readonly id: bigint
  readonly emitId: string
  readonly body: string
}

/** How long the reader's lease lasts, in seconds. */
export const leaseSeconds = 3

/** What a reader may be told while another one has the lease: one that it was before itself. */
const conflict = 409

const readOf = (event: Json.Json): Read => {
  const { metadata } = event
  return {
    emitterId: Json.textOf(metadata!["emitter_id"]),
    id: Option.getOrThrow(EventId.parse(Json.textOf(event["id"]))),
    emitId: Json.textOf(metadata!["emit_id"]),
    body: JSON.stringify(event["event"]!["raw_event"])
  }
}

const byEmitter = (events: ReadonlyArray<Read>) => Map.groupBy(events, ({ emitterId }) => emitterId)

/**
 * Reads from a consumer and commits for as long as it runs, and tells the lanes what it has committed. Now and then it
 * commits a part of what it read, or is lost and begins anew without a lease. It alone reads, so it never loses one.
 */
export const run = (consumerId: string, { client, dice, findings, isStanding, lanes }: {
  readonly client: Client
  readonly dice: Dice
  readonly findings: Findings
  /** Whether nobody deletes an emitter's events. */
  readonly isStanding: (emitterId: string) => boolean
  readonly lanes: Lanes
}): Effect.Effect<never> => {
  const path = `/consumers/${consumerId}`
  /** The last event of each emitter that was committed. */
  const committed = new Map<string, bigint>()
  /** The first event of each emitter that was read and not committed. */
  const open = new Map<string, bigint>()

  const check = (page: ReadonlyArray<Read>) => {
    for (const [emitterId, events] of byEmitter(page)) {
      let last = committed.get(emitterId) ?? 0n
      const first = events[0]!.id
      if (first <= last) {
        findings.note("unjustified", "an event was read again that was committed", { emitterId, first, last })
      }
      const expected = open.get(emitterId)
      if (expected !== undefined && first !== expected && isStanding(emitterId)) {
        findings.note("lost", "a page skipped an event that was not committed", { emitterId, first, expected })
      }
      for (const { id } of events) {
        if (id <= last && id !== first) {
          findings.note("reordered", "a page is not in its log's order", { emitterId, id, last })
        }
        last = id
      }
      open.set(emitterId, first)
    }
  }

  const noteCommitted = (events: ReadonlyArray<Read>) => {
    for (const event of events) {
      committed.set(event.emitterId, event.id)
      lanes.received({
        at: Date.now(),
        webhook: "reader",
        subscriptionId: consumerId,
        emitterId: event.emitterId,
        eventId: event.id,
        emitId: event.emitId,
        attempt: 1,
        body: event.body,
        delivered: true,
        answered: true
      })
    }
  }

  /** A part of a page that can be committed: of some of its emitters the first events. */
  const partOf = (page: ReadonlyArray<Read>): ReadonlyArray<Read> => {
    if (!dice.chance(0.3)) return page
    return [...byEmitter(page).values()].flatMap((events) => events.slice(0, dice.between(0, events.length)))
  }

  /** Tries until it is known what came of it. */
  const commit = Effect.fnUntraced(function*(lease: string, events: ReadonlyArray<Read>) {
    const positions = Object.fromEntries(events.map(({ emitterId, id }) => [emitterId, EventId.format(id)]))
    while (true) {
      const answer = yield* client.call("POST", `${path}/commit`, { lease, positions }, [conflict])
      if (answer.status === conflict) {
        findings.note("unjustified", "the only reader has lost its lease", { lease, positions })
        return
      }
      if (acknowledged(answer)) break
      yield* Effect.sleep("100 millis")
    }
    noteCommitted(events)
    for (const emitterId of byEmitter(events).keys()) open.delete(emitterId)
  })

  return Effect.gen(function*() {
    let lease: string | undefined
    while (true) {
      const query = `max=${dice.between(1, 60)}&wait=1${lease === undefined ? "" : `&lease=${lease}`}`
      const answer = yield* client.call("GET", `${path}/events?${query}`, undefined, [conflict])
      if (answer.status === conflict && lease !== undefined) {
        findings.note("unjustified", "the only reader has lost its lease", { lease })
        lease = undefined
      }
      if (!acknowledged(answer)) {
        yield* Effect.sleep("100 millis")
        continue
      }
      const page = Json.listOf(answer.json["data"]).map(readOf)
      if (page.length === 0) continue
      lease = Json.textOf(answer.json["lease"]!["id"])
      check(page)
      if (dice.chance(0.05)) lease = undefined
      else yield* commit(lease, partOf(page))
    }
  })
}
