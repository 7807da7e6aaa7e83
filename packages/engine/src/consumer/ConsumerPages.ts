import type { Consumer, Lease } from "@headwater/domain/Consumer"
import { maxHops } from "@headwater/domain/Event"
import type { Judged } from "@headwater/domain/SubscriptionFilter"
import { EventLog, type FoundEvent } from "@headwater/log/logs/EventLog"
import type { Fence } from "@headwater/log/logs/Fences"
import { type CursorMove, Cursors, noTally } from "@headwater/log/work/Cursors"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import { BadPosition, type PageEvent, type ReadRequest } from "../ground/ConsumerRequests.ts"
import { EngineLimits, type Limits } from "../ground/EngineLimits.ts"
import { type EventFilter, Look } from "../routing/EventFilter.ts"
import { FeedReader } from "../routing/Feed.ts"
import type { ConsumerLanes, Lane, Verdict } from "./ConsumerLanes.ts"

/** The memory of a consumer's owner: a cache of what the database says, dropped whole when a commit fails. */
export interface ConsumerMemory {
  readonly consumer: Consumer
  readonly fence: Fence
  readonly stream: string
  readonly filter: EventFilter | undefined
  lanes: ConsumerLanes
  lease: Lease | undefined
  /** The end of the lease as the database has it. */
  leaseWrittenUntil: number
  failed: boolean
}

/** The most bytes of payloads that come with a page. Those of its other events are read later. */
const pagePayloadBytes = 64 * 1024

/** Events that a commit looks through at once if it names one that is not known to have been read. */
const walkEvents = 1_000

/** A page, and the moves of cursors past events that are not for the reader, to be committed before it is given. */
interface ReadPage {
  readonly page: ReadonlyArray<PageEvent>
  readonly moves: ReadonlyArray<CursorMove>
}

type Most = Parameters<EventLog["Service"]["inTurns"]>[2]

const verdictOf = (outcome: Judged["outcome"]): Verdict => outcome === "passes" ? "delivered" : outcome

const behind = (lanes: ReadonlyArray<Lane>) =>
  lanes.map(({ emitterId, position, read }) => ({ emitterId, id: read.at(-1)?.id ?? position!.id }))

/** Judges events, in order. */
const judging = ({ consumer, filter }: ConsumerMemory) => {
  const look = new Look()
  return (found: FoundEvent): Verdict | Effect.Effect<Verdict> => {
    if (found.hops >= maxHops) return "dropped"
    if (filter === undefined) return "delivered"
    const event = { ...found, payload: found.payload! }
    const outcome = filter.judgeAtOnce(event, look)
    return outcome === undefined
      ? Effect.map(filter.decide(event, consumer.subscriptionId), verdictOf)
      : verdictOf(outcome)
  }
}

/** Reads the events behind a consumer's cursors, and judges them by its filter. */
export class ConsumerPages {
  private readonly cursors: Cursors["Service"]
  private readonly events: EventLog["Service"]
  private readonly limits: Limits
  private readonly reader: FeedReader["Service"]
  /** The mean size of the events that were read last, in bytes. */
  private eventBytes = 256

  private constructor(
    cursors: Cursors["Service"],
    events: EventLog["Service"],
    limits: Limits,
    reader: FeedReader["Service"]
  ) {
    this.cursors = cursors
    this.events = events
    this.limits = limits
    this.reader = reader
  }

  static readonly make = Effect.gen(function*() {
    return new ConsumerPages(yield* Cursors, yield* EventLog, yield* EngineLimits, yield* FeedReader)
  })

  /** Looks up the positions of lanes that were only hinted at. Answers those whose emitter is there. */
  place(
    { consumer, lanes, stream }: ConsumerMemory,
    some: ReadonlyArray<Lane>
  ): Effect.Effect<ReadonlyArray<Lane>, SqlError.SqlError> {
    const unplaced = some.filter(({ position }) => position === undefined)
    if (unplaced.length === 0) return Effect.succeed(some)
    const subscription = { id: consumer.subscriptionId, stream }
    return Effect.map(this.cursors.places(subscription, unplaced.map(({ emitterId }) => emitterId)), (places) => {
      for (const lane of unplaced) {
        const found = places.get(lane.emitterId)
        if (found === undefined) lanes.remove(lane)
        else lane.position = found.position
      }
      return some.filter(({ position }) => position !== undefined)
    })
  }

  /** Reads a page of events behind some lanes' cursors. */
  read(
    memory: ConsumerMemory,
    taken: ReadonlyArray<Lane>,
    request: ReadRequest
  ): Effect.Effect<ReadPage, SqlError.SqlError> {
    return Effect.gen({ self: this }, function*() {
      const { max, maxBytes } = request
      const { consumer, filter, lanes } = memory
      const { filteredRead } = this.limits
      const wanted = filter === undefined
        ? { limit: max, maxBytes }
        : { limit: Math.max(max, filteredRead.count), maxBytes: Math.max(maxBytes, filteredRead.bytes) }
      // Little more than fits: each row is weighed, though it may then be left out.
      const limit = Math.min(wanted.limit, Math.ceil(1.25 * wanted.maxBytes / this.eventBytes))
      const most = { ...wanted, limit, each: Math.ceil(limit / taken.length) }
      const { isCut, page } = yield* this.withPayloads(
        memory,
        request.mayLeaveOut === true ? pagePayloadBytes : Number.MAX_SAFE_INTEGER,
        (payloadBytes) => this.judged(memory, taken, { ...most, payloadBytes }, request)
      )
      const empty = taken.filter(({ read }) => read.length === 0)
      const others = taken.filter(({ read }) => read.length > 0)
      if (!isCut) { for (const lane of others) if (lane.read.length < most.each) lanes.complete(lane) }
      const passed = others.filter(({ read }) => read.every(({ verdict }) => verdict !== "delivered"))
        .flatMap((lane) => lanes.moveTo(consumer.subscriptionId, lane, 0n) ?? [])
      const deleted = isCut ? [] : yield* this.passDeleted(memory, empty)
      return { page, moves: [...passed, ...deleted] }
    })
  }

  /** Reads on until a lane has read up to an event. */
  walkTo(memory: ConsumerMemory, lane: Lane, id: bigint): Effect.Effect<void, BadPosition | SqlError.SqlError> {
    return Effect.gen({ self: this }, function*() {
      const { emitterId } = lane
      for (let walks = 0; (lane.read.at(-1)?.id ?? lane.position!.id) < id; walks++) {
        if (walks * walkEvents >= this.limits.consumerWalk) {
          return yield* new BadPosition({ emitterId, message: "is far ahead of what was read: seek there" })
        }
        const walked = yield* this.withPayloads(memory, 0, (payloadBytes) => this.judgeNext(memory, lane, payloadBytes))
        if (walked > 0) continue
        const { consumer, stream } = memory
        const places = yield* this.cursors.places({ id: consumer.subscriptionId, stream }, [emitterId])
        if ((places.get(emitterId)?.head.id ?? id) < id) {
          return yield* new BadPosition({ emitterId, message: "is beyond the emitter's last event" })
        }
        return
      }
    })
  }

  /** Reads events and judges them: under a filter with their payloads, in one of the account's slots for that. */
  private withPayloads<A, E>(
    { consumer, filter }: ConsumerMemory,
    payloadBytes: number,
    work: (payloadBytes: number) => Effect.Effect<A, E>
  ): Effect.Effect<A, E> {
    return filter === undefined
      ? work(payloadBytes)
      : this.reader.filteredPages.hold(consumer.accountId, work(Number.MAX_SAFE_INTEGER))
  }

  /** Reads some events behind lanes' cursors and judges them. */
  private judged(
    memory: ConsumerMemory,
    taken: ReadonlyArray<Lane>,
    most: Most,
    { max, maxBytes, mayLeaveOut }: ReadRequest
  ) {
    return Effect.gen({ self: this }, function*() {
      const { lanes, stream } = memory
      for (const lane of taken) lanes.forgetRead(lane)
      const byEmitter = new Map(taken.map((lane) => [lane.emitterId, lane]))
      const found = yield* this.events.inTurns(stream, behind(taken), most)
      const judge = judging(memory)
      const page: Array<PageEvent> = []
      let bytes = 0
      if (found.events.length > 0) {
        this.eventBytes = Math.max(1, found.events.reduce((sum, event) => sum + event.bytes, 0) / found.events.length)
      }
      for (const event of found.events) {
        const judged = judge(event)
        const verdict = typeof judged === "string" ? judged : yield* judged
        if (verdict === "delivered") {
          if (page.length >= max || (bytes >= maxBytes && page.length > 0)) return { page, isCut: true }
          bytes += event.bytes
          page.push(mayLeaveOut === true && bytes > pagePayloadBytes ? { ...event, payload: null } : event)
        }
        lanes.note(byEmitter.get(event.emitterId)!, event, verdict)
      }
      return { page, isCut: found.isCut }
    })
  }

  /** Reads and judges the next events of one lane. Answers their number. */
  private judgeNext(memory: ConsumerMemory, lane: Lane, payloadBytes: number) {
    return Effect.gen({ self: this }, function*() {
      const judge = judging(memory)
      const { events: found } = yield* this.events.inTurns(memory.stream, behind([lane]), {
        each: walkEvents,
        limit: walkEvents,
        maxBytes: this.limits.filteredRead.bytes,
        payloadBytes
      })
      for (const event of found) {
        const judged = judge(event)
        memory.lanes.note(lane, event, typeof judged === "string" ? judged : yield* judged)
      }
      return found.length
    })
  }

  /** The moves by which lanes pass the deleted events up to their emitters' heads. */
  private passDeleted(
    memory: ConsumerMemory,
    empty: ReadonlyArray<Lane>
  ): Effect.Effect<ReadonlyArray<CursorMove>, SqlError.SqlError> {
    if (empty.length === 0) return Effect.succeed([])
    return Effect.gen({ self: this }, function*() {
      const { consumer, lanes, stream } = memory
      const subscription = { id: consumer.subscriptionId, stream }
      const places = yield* this.cursors.places(subscription, empty.map(({ emitterId }) => emitterId))
      const owed: Array<Lane> = []
      for (const lane of empty) {
        const found = places.get(lane.emitterId)
        if (found === undefined) lanes.remove(lane)
        else if (found.head.n > lane.position!.n) owed.push(lane)
        else lanes.complete(lane)
      }
      if (owed.length === 0) return []
      // Read after the heads: the events that these count were committed, so they are there or were deleted.
      const there = yield* this.events.inTurns(stream, behind(owed), {
        each: 1,
        limit: owed.length,
        maxBytes: 1,
        payloadBytes: 0
      })
      if (there.events.length > 0) return []
      return owed.map((lane): CursorMove => {
        const { head } = places.get(lane.emitterId)!
        const from = lane.position!.n
        return {
          subscriptionId: consumer.subscriptionId,
          emitterId: lane.emitterId,
          from,
          to: head,
          tally: { ...noTally, dropped: head.n - from }
        }
      })
    })
  }
}
