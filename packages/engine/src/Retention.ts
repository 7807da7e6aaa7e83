import * as EventId from "@headwater/domain/EventId"
import * as RealTime from "@headwater/domain/RealTime"
import * as Recurring from "@headwater/domain/Recurring"
import * as Stream from "@headwater/domain/Stream"
import { AuditLog } from "@headwater/log/access/AuditLog"
import { Sessions } from "@headwater/log/access/Sessions"
import { Figures } from "@headwater/log/commit/Figures"
import { Usage } from "@headwater/log/commit/Usage"
import { DedupeMarks } from "@headwater/log/logs/DedupeMarks"
import { EventLog, type ExpiredStream } from "@headwater/log/logs/EventLog"
import { DataStoreEntries } from "@headwater/log/resources/DataStoreEntries"
import { StoredFiles } from "@headwater/log/resources/StoredFiles"
import { Attempts } from "@headwater/log/work/Attempts"
import { BulkActions } from "@headwater/log/work/BulkActions"
import { Cursors } from "@headwater/log/work/Cursors"
import { Deliveries } from "@headwater/log/work/Deliveries"
import { DueWork } from "@headwater/log/work/DueWork"
import { WorkflowFiles } from "@headwater/log/work/WorkflowFiles"
import { WorkflowRuns } from "@headwater/log/work/WorkflowRuns"
import { Clock, Effect, Exit, identity, Option } from "effect"
import { Singleton } from "effect/cluster"
import * as DueItems from "./ground/DueItems.ts"

const dayMs = 24 * 3_600_000

/** Events that stay in every stream, however old. */
const kept = 100

/** Dedupe ids are remembered for the retention of the log, and no less than this (components.md, "Running"). */
const dedupeDays = 30

/** Requests that have run are of use to tell repeats for a minute; the nodes' clocks may differ by more than that. */
const requestsKeptMs = 3_600_000

/** Usage is shown for a month back at most; older rows answer an operator's questions. */
const usageDays = 400

/** Streams are looked through for old events this often. */
const sweepInterval = "1 minute"

const emittersAtOnce = 500

/** Cleaning takes one part in so many of the time, so that it never slows appends by much. */
const dutyCycle = 10

/** Rests after a piece of work, in proportion to how long it took. */
const restingAfter = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.gen(function*() {
    const from = yield* RealTime.elapsed
    const answer = yield* work
    const took = (yield* RealTime.elapsed) - from
    if (took > 0) yield* Effect.sleep(took * (dutyCycle - 1))
    return answer
  })

/** Tells the account, on its own `$errors`, of events that a listener has not come to and never will. */
const droppedEvent = (
  { accountId, emitterId, range, stream }: ExpiredStream,
  unread: { readonly subscriptionId: string; readonly listenerId: string; readonly count: number },
  now: number
) =>
  DueItems.emit(accountId, {
    stream: Stream.errors,
    // Told once, also where a crash has the same events found again.
    emitId: `dropped-${unread.subscriptionId}-${emitterId}-${EventId.format(range.to)}`,
    hops: 0,
    meta: {},
    payload: JSON.stringify({
      type: "events.dropped",
      listener_id: unread.listenerId,
      subscription_id: unread.subscriptionId,
      emitter_id: emitterId,
      event_name: stream,
      count: unread.count,
      ts: now
    })
  }, now)

/** The days for which things are kept. */
export interface KeptDays {
  /** The events of accounts without a retention of their own. */
  readonly defaultDays: number
  readonly auditDays: number
}

/**
 * Removes what is beyond its retention, in small bites: events that are too old and not among the last 100 of their
 * stream, values of data stores whose time is over, requests that have run, attempts, deliveries that were given up, dedupe
 * ids, usage, figures, runs of workflows, files of runs that have ended, files of events, sessions that have ended, and the audit log. It does not wait for cursors; what a listener has not come to
 * is told.
 *
 * @param rests whether it leaves most of the time to others
 */
export const sweep = Effect.fnUntraced(function*(options: KeptDays, { rests } = { rests: true }) {
  const paced: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = rests ? restingAfter : identity
  const attempts = yield* Attempts
  const audit = yield* AuditLog
  const bulkActions = yield* BulkActions
  const cursors = yield* Cursors
  const storeEntries = yield* DataStoreEntries
  const deliveries = yield* Deliveries
  const files = yield* WorkflowFiles
  const due = yield* DueWork
  const events = yield* EventLog
  const figures = yield* Figures
  const marks = yield* DedupeMarks
  const runs = yield* WorkflowRuns
  const sessions = yield* Sessions
  const stored = yield* StoredFiles
  const usage = yield* Usage

  const trim = Effect.fnUntraced(function*(expired: ExpiredStream) {
    const now = yield* Clock.currentTimeMillis
    const unread = yield* cursors.unreadIn(expired, expired.range)
    if (unread.length > 0) yield* due.put(unread.map((one) => droppedEvent(expired, one, now)))
    let { from } = expired.range
    while (true) {
      const last = yield* paced(events.removeSome(expired, { ...expired.range, from }, { keepPending: true }))
      if (Option.isNone(last)) return
      from = last.value + 1n
    }
  })

  const now = yield* Clock.currentTimeMillis

  const trimAll = Effect.gen(function*() {
    let afterEmitter = ""
    while (true) {
      const page = yield* paced(events.expired({
        afterEmitter,
        emitters: emittersAtOnce,
        now,
        defaultDays: options.defaultDays,
        kept
      }))
      yield* Effect.forEach(page.streams, trim, { discard: true })
      if (page.lastEmitter === undefined) break
      afterEmitter = page.lastEmitter
    }
  })

  const passedRequests = EventId.make(Math.max(0, now - requestsKeptMs), 0)
  const oldest = now - options.defaultDays * dayMs
  // If one fails, the others do their part all the same.
  const exits = yield* Effect.forEach([
    attempts.prepare(now),
    trimAll,
    Effect.repeat(paced(events.removePassedRequests(passedRequests)), { while: (isMore) => isMore }),
    paced(attempts.expire(oldest)),
    paced(bulkActions.expire(oldest)),
    paced(storeEntries.removeExpired(now)),
    paced(deliveries.removeEnded(EventId.make(Math.max(0, oldest), 0))),
    paced(marks.expire({ now, defaultDays: options.defaultDays, leastDays: dedupeDays })),
    paced(runs.expire({ now, defaultDays: options.defaultDays })),
    paced(files.removeLeft(now)),
    paced(stored.expire({ now, defaultDays: options.defaultDays })),
    paced(stored.removeStray(now)),
    paced(sessions.removeEnded),
    paced(audit.expire(now - options.auditDays * dayMs)),
    paced(usage.expire(now - usageDays * dayMs)),
    paced(figures.fold(now))
  ], Effect.exit)
  yield* Exit.asVoidAll(exits)
})

/** Sweeps for as long as this is built: on one node, however many there are. */
export const layer = (options: KeptDays) =>
  Singleton.make(
    "Retention",
    Recurring.repeat("remove old events", sweepInterval, sweep(options))
  )
