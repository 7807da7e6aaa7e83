import type { Ordering } from "@headwater/domain/WebhookSettings"
import type { EventRow } from "../Snapshot.ts"
import type { FaultTimes } from "./FaultTimes.ts"
import type { Findings } from "./Findings.ts"
import * as ListLane from "./ListLane.ts"

/** One request that a webhook's endpoint got, and what it answered. */
export interface Reception {
  readonly at: number
  readonly webhook: string
  readonly subscriptionId: string
  readonly emitterId: string
  readonly eventId: bigint
  /** Of a list: its last event, and how many they are. */
  readonly list?: { readonly lastEventId: bigint; readonly count: number } | undefined
  readonly emitId: string
  readonly attempt: number
  readonly body: string
  readonly delivered: boolean
  /** Whether it got an answer at all. */
  readonly answered: boolean
}

interface Lane {
  readonly what: string
  readonly ordering: Ordering
  /** Events that are to come, in log order. Undefined where events may be deleted before their turn. */
  readonly expected: Array<EventRow> | undefined
  /** First receptions that were not yet found in the log. */
  readonly firsts: Array<Reception>
  /** Everything up to here is settled: nothing of it comes again. */
  settled: bigint
  last: bigint
  readonly latest: Map<bigint, Reception>
  /** Events whose last attempt did not arrive. */
  readonly failing: Set<bigint>
}

/** Follows what webhooks get, by subscription and emitter. */
export interface Lanes {
  readonly received: (reception: Reception) => void
  /** An event that this subscription is to deliver. */
  readonly appended: (subscriptionId: string, event: EventRow) => void
  /** What is in the logs and was not delivered yet. */
  readonly missing: () => number
  /** All is delivered: what is not is lost, and nothing of it may come again. */
  readonly settle: () => void
  /** Events that were sent again over a fault. */
  readonly duplicates: () => number
  readonly deliveries: () => number
  /** A subscription is gone for good since then; nothing of it may start any more. */
  readonly close: (subscriptionId: string, at: number) => void
}

/** How long an attempt that had begun may take to arrive. */
const onItsWayMs = 1_000

/** @param isExact whether every event of the subscription is told by `appended` */
export const make = (findings: Findings, faults: FaultTimes, options: {
  readonly isExact: (subscriptionId: string, emitterId: string) => boolean
  readonly orderingOf: (subscriptionId: string) => Ordering
  /** Whether its events go in lists. */
  readonly hasLists: (subscriptionId: string) => boolean
}): Lanes => {
  const lanes = new Map<string, Lane>()
  const listLanes = new Map<string, ListLane.ListLane>()
  const closed = new Map<string, number>()
  let duplicates = 0
  let deliveries = 0

  const laneOf = (subscriptionId: string, emitterId: string): Lane => {
    const what = `${subscriptionId} on ${emitterId}`
    const known = lanes.get(what)
    if (known !== undefined) return known
    const isExact = options.isExact(subscriptionId, emitterId)
    const lane: Lane = {
      what,
      ordering: options.orderingOf(subscriptionId),
      expected: isExact ? [] : undefined,
      firsts: [],
      settled: 0n,
      last: 0n,
      latest: new Map(),
      failing: new Set()
    }
    lanes.set(what, lane)
    return lane
  }

  const listLaneOf = (subscriptionId: string, emitterId: string): ListLane.ListLane => {
    const what = `${subscriptionId} on ${emitterId}`
    const lane = listLanes.get(what) ?? ListLane.make(findings, faults, what, () => void (duplicates += 1))
    listLanes.set(what, lane)
    return lane
  }

  /** Finds first receptions in the log that may have come in any order. */
  const matchAny = (expected: Array<EventRow>, firsts: Array<Reception>) => {
    const wanted = new Set(expected.map(({ id }) => id))
    const got = new Set(firsts.map(({ eventId }) => eventId))
    expected.splice(0, expected.length, ...expected.filter(({ id }) => !got.has(id)))
    firsts.splice(0, firsts.length, ...firsts.filter(({ eventId }) => !wanted.has(eventId)))
  }

  /** Finds first receptions in the log as far as both are known. */
  const match = ({ expected, firsts, ordering, what }: Lane) => {
    if (expected === undefined) return
    if (ordering === "none") return matchAny(expected, firsts)
    while (firsts.length > 0 && expected.length > 0) {
      const got = firsts.shift()!
      const wanted = expected.shift()!
      if (got.eventId !== wanted.id) {
        findings.note("reordered", `${what}: a first attempt is not that of the next event`, { got, wanted })
        firsts.length = 0
        expected.splice(0, expected.findIndex(({ id }) => id > got.eventId))
        return
      }
      if (got.emitId !== wanted.emit_id || got.body !== wanted.payload) {
        findings.note("torn", `${what}: what was delivered is not what is in the log`, { got, wanted })
      }
    }
  }

  const again = (lane: Lane, before: Reception, reception: Reception) => {
    if (before.emitId !== reception.emitId || before.body !== reception.body) {
      findings.note("unjustified", `${lane.what}: an event came again under another webhook-id or body`, {
        before,
        reception
      })
    }
    if (!before.delivered && reception.attempt === before.attempt + 1) return
    // A connection that was closed without an answer may have been closed before the request came.
    if (!before.answered && reception.attempt === before.attempt) return
    duplicates += 1
    if (!faults.between(before.at, reception.at)) {
      findings.note("unjustified", `${lane.what}: an event was sent again and nothing had gone wrong`, {
        before,
        reception
      })
    }
  }

  return {
    received: (reception) => {
      deliveries += 1
      if (options.hasLists(reception.subscriptionId)) {
        return listLaneOf(reception.subscriptionId, reception.emitterId).received(reception)
      }
      const lane = laneOf(reception.subscriptionId, reception.emitterId)
      const closedAt = closed.get(reception.subscriptionId)
      if (closedAt !== undefined && reception.at > closedAt + onItsWayMs) {
        findings.note("unbalanced", `${lane.what}: delivered after its subscription was deleted`, { reception })
      }
      const before = lane.latest.get(reception.eventId)
      lane.latest.set(reception.eventId, reception)
      if (lane.ordering === "strict" && before === undefined && lane.failing.size > 0) {
        findings.note("reordered", `${lane.what}: a first attempt came behind an event that has not arrived`, {
          reception,
          failing: [...lane.failing]
        })
      }
      if (reception.delivered) lane.failing.delete(reception.eventId)
      else lane.failing.add(reception.eventId)
      if (before !== undefined) return again(lane, before, reception)
      if (reception.eventId <= lane.settled) {
        findings.note("unjustified", `${lane.what}: an event was sent again after all was settled`, { reception })
      } else if (lane.ordering !== "none" && reception.eventId <= lane.last) {
        findings.note("reordered", `${lane.what}: a first attempt came after that of a later event`, {
          reception,
          last: lane.last
        })
      } else {
        if (reception.eventId > lane.last) lane.last = reception.eventId
        if (lane.expected !== undefined) {
          lane.firsts.push(reception)
          match(lane)
        }
      }
    },
    appended: (subscriptionId, event) => {
      if (options.hasLists(subscriptionId)) return listLaneOf(subscriptionId, event.emitter_id).appended(event)
      const lane = laneOf(subscriptionId, event.emitter_id)
      lane.expected?.push(event)
      match(lane)
    },
    missing: () => {
      let missing = 0
      for (const lane of listLanes.values()) missing += lane.missing()
      for (const { expected, firsts, latest } of lanes.values()) {
        missing += (expected?.length ?? 0) + firsts.length
        if (expected !== undefined) {
          for (const { delivered } of latest.values()) if (!delivered) missing += 1
        }
      }
      return missing
    },
    settle: () => {
      for (const lane of listLanes.values()) lane.settle()
      for (const lane of lanes.values()) {
        const { expected, firsts, latest, what } = lane
        if (expected !== undefined && expected.length > 0) {
          findings.note("lost", `${what}: events were not delivered`, { first: expected[0], count: expected.length })
          expected.length = 0
        }
        if (firsts.length > 0) {
          findings.note("lost", `${what}: events were delivered that are not in the log`, { first: firsts[0] })
          firsts.length = 0
        }
        lane.settled = lane.last
        for (const [id, { delivered }] of latest) if (delivered) latest.delete(id)
      }
    },
    duplicates: () => duplicates,
    deliveries: () => deliveries,
    close: (subscriptionId, at) => {
      closed.set(subscriptionId, at)
    }
  }
}
