import type { EventRow } from "../Snapshot.ts"
import type { FaultTimes } from "./FaultTimes.ts"
import type { Findings } from "./Findings.ts"
import type { Reception } from "./Lanes.ts"

/** Follows what a webhook gets of one subscription and emitter in lists. */
export interface ListLane {
  readonly received: (reception: Reception) => void
  readonly appended: (event: EventRow) => void
  /** What is in the log and has not arrived, and what was received and not found in the log. */
  readonly missing: () => number
  readonly settle: () => void
}

/** A list that is yet to be found in the log. */
interface Unmatched {
  readonly reception: Reception
  /** The event that it is to follow on; none where it is sent again. */
  readonly after: bigint | undefined
}

const lastOf = ({ eventId, list }: Reception): bigint => list?.lastEventId ?? eventId

/**
 * Each event arrives in a list, in the order of the log. Over a fault what was sent may come again, divided otherwise; a
 * retry is of the same list.
 *
 * @param again told of what was sent again
 */
export const make = (findings: Findings, faults: FaultTimes, what: string, again: () => void): ListLane => {
  /** What is to come, in log order, since all was last settled. */
  const log: Array<EventRow> = []
  const arrived = new Set<bigint>()
  const unmatched: Array<Unmatched> = []
  /** By webhook-id, since all was last settled. */
  const latest = new Map<string, Reception>()
  let last = 0n
  let settled = 0n

  const find = ({ after, reception }: Unmatched) => {
    const from = log.findIndex(({ id }) => id === reception.eventId)
    const to = log.findIndex(({ id }) => id === lastOf(reception))
    const events = from < 0 ? [] : log.slice(from, to + 1)
    const body = `[${events.map(({ payload }) => payload).join(",")}]`
    if (body !== reception.body || events.length !== reception.list?.count) {
      findings.note("torn", `${what}: a list is not what is in the log`, { reception, body })
    }
    const before = from > 0 ? log[from - 1]!.id : settled
    if (after !== undefined && after !== before) {
      findings.note("reordered", `${what}: a list does not follow on the one before it`, { reception, after, before })
    }
    if (reception.delivered) { for (const { id } of events) arrived.add(id) }
  }

  const match = () => {
    const end = log.at(-1)?.id ?? 0n
    while (unmatched.length > 0 && lastOf(unmatched[0]!.reception) <= end) find(unmatched.shift()!)
  }

  /** Whether it may come although its first event came before. */
  const isJustified = (reception: Reception): boolean => {
    for (const before of latest.values()) {
      if (before.eventId > reception.eventId || lastOf(before) < reception.eventId) continue
      const isSame = before.emitId === reception.emitId
      if (isSame && (before.body !== reception.body || lastOf(before) !== lastOf(reception))) return false
      if (isSame && !before.delivered && reception.attempt === before.attempt + 1) return true
      if (isSame && !before.answered && reception.attempt === before.attempt) return true
      again()
      if (!faults.between(before.at, reception.at)) return false
    }
    return reception.eventId > settled
  }

  return {
    received: (reception) => {
      const isAgain = reception.eventId <= last
      if (isAgain && !isJustified(reception)) {
        findings.note("unjustified", `${what}: a list was sent again and nothing had gone wrong`, {
          reception,
          before: latest.get(reception.emitId)
        })
      }
      latest.set(reception.emitId, reception)
      unmatched.push({ reception, after: isAgain ? undefined : last })
      // What is divided anew goes on from there.
      if (reception.attempt === 1) last = lastOf(reception)
      match()
    },
    appended: (event) => {
      log.push(event)
      match()
    },
    missing: () => unmatched.length + log.length - arrived.size,
    settle: () => {
      const missing = log.filter(({ id }) => !arrived.has(id))
      if (missing.length > 0) {
        findings.note("lost", `${what}: events did not arrive`, { first: missing[0], count: missing.length })
      }
      if (unmatched.length > 0) {
        findings.note("lost", `${what}: a list arrived that is not in the log`, { first: unmatched[0] })
      }
      settled = last
      log.length = 0
      unmatched.length = 0
      arrived.clear()
      latest.clear()
    }
  }
}
