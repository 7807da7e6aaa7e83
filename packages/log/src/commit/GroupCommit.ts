import type { LoggedEvent } from "@headwater/domain/Event"
import { Sharers } from "@headwater/domain/Sharers"
import {
  Cause,
  Clock,
  Context,
  Deferred,
  Effect,
  Exit,
  Latch,
  Layer,
  Metric,
  PartitionedSemaphore,
  Schema,
  type Scope
} from "effect"
import { SqlError } from "effect/sql"
import { DatabaseSockets } from "../database/DatabaseClient.ts"
import { describe, isLocked, isTransient, repeated } from "../database/TransientSqlError.ts"
import { DedupeMarks } from "../logs/DedupeMarks.ts"
import { EventLog } from "../logs/EventLog.ts"
import { Fences } from "../logs/Fences.ts"
import { Heads } from "../logs/Heads.ts"
import * as Journals from "../logs/Journals.ts"
import { ProgramState } from "../logs/ProgramState.ts"
import { Attempts } from "../work/Attempts.ts"
import { BulkActions } from "../work/BulkActions.ts"
import { Cursors } from "../work/Cursors.ts"
import { Deliveries } from "../work/Deliveries.ts"
import { DueWork } from "../work/DueWork.ts"
import { WorkflowRuns } from "../work/WorkflowRuns.ts"
import { BatchTransaction, mostBeside } from "./BatchTransaction.ts"
import { accountOf, type Commit, ownerOf } from "./Commit.ts"
import { CommitLine, isLarge } from "./CommitLine.ts"
import { CommitWriter, Fenced } from "./CommitWriter.ts"
import * as CrashPoint from "./CrashPoint.ts"
import { FaultSearch } from "./FaultSearch.ts"
import * as Figures from "./Figures.ts"
import * as LargeCommits from "./LargeCommits.ts"
import { Pipeline } from "./Pipeline.ts"
import { type CommitError, CommitRejected, Submission } from "./Submission.ts"
import { TransactionsUnderWay } from "./TransactionsUnderWay.ts"
import { Usage } from "./Usage.ts"
import { Writers } from "./Writers.ts"

const appendedTotal = Metric.counter("headwater_events_appended_total", {
  description: "Events appended to emitters' logs.",
  incremental: true
})

const appendDuration = Metric.histogram("headwater_append_duration_seconds", {
  description: "Time from taking a batch of commits until it is durable.",
  boundaries: Metric.boundariesFromIterable([0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5, 30])
})

/**
 * A batch that the database has not taken after so long, in milliseconds, may never be answered: the connections become
 * suspect, and the writer asks on another one what became of it.
 */
export const batchDeadlineMs = 10_000
const lookEvery = "1 second"

/** Tries a commit until the database takes or refuses it. The caller deals with rows that somebody else has locked. */
const untilTaken = (attempt: Effect.Effect<ReadonlyArray<Commit>, Fenced | SqlError.SqlError>) =>
  repeated(attempt, {
    while: (error) => SqlError.isSqlError(error) && isTransient(error) && !isLocked(error),
    told: (error) =>
      Effect.logWarning("The database is not taking commits; trying again").pipe(
        Effect.annotateLogs({ error: SqlError.isSqlError(error) ? describe(error) : error.message })
      )
  })

/** The events that one commit appended. */
export interface CommittedEvents {
  readonly accountId: string
  readonly events: ReadonlyArray<LoggedEvent>
}

export type CommittedBatch = ReadonlyArray<CommittedEvents>

/** Tells of events as they are committed, in log order per emitter, once the owners of the commits have their answers. */
export class CommittedTopic {
  private readonly listeners = new Set<(batch: CommittedBatch) => void>()
  private readonly arrived = Latch.makeUnsafe(false)
  private untold: Array<CommittedBatch> = []

  /** True if every listener has heard of all that was committed. */
  get isTold(): boolean {
    return this.untold.length === 0
  }

  /** Has a listener hear of what is committed from now on, which holds up the thread as long as it listens. */
  listen(listener: (batch: CommittedBatch) => void): Effect.Effect<void, never, Scope.Scope> {
    return Effect.acquireRelease(
      Effect.sync(() => void this.listeners.add(listener)),
      () => Effect.sync(() => this.listeners.delete(listener))
    )
  }

  tell(batch: CommittedBatch): void {
    this.untold.push(batch)
    this.arrived.openUnsafe()
  }

  /** Tells the listeners, for as long as it runs. */
  readonly telling: Effect.Effect<never> = Effect.suspend(() => this.arrived.await).pipe(
    Effect.andThen(Effect.yieldNow),
    Effect.andThen(Effect.suspend(() => this.tellAll())),
    Effect.forever({ disableYield: true })
  )

  private tellAll(): Effect.Effect<void> {
    const defects: Array<unknown> = []
    for (const batch of this.untold) {
      for (const listener of this.listeners) {
        try {
          listener(batch)
        } catch (defect) {
          defects.push(defect)
        }
      }
    }
    this.untold = []
    this.arrived.closeUnsafe()
    return defects.length === 0 ? Effect.void : Effect.logError(
      "A listener did not hear of what was committed; a scan will find what is owed",
      Cause.die(defects[0])
    )
  }
}

/** The due work that commits put in, for one who waits for it. */
class DueArrivals {
  private soonest = Infinity
  private waiting: { readonly before: number; readonly wake: () => void } | undefined

  /** Returns once a commit has put in work that is due before a time, or has since this last returned. */
  before(time: number): Effect.Effect<void> {
    return Effect.callback((resume) => {
      this.waiting = { before: time, wake: () => resume(Effect.void) }
      this.tell()
      return Effect.sync(() => {
        this.waiting = undefined
      })
    })
  }

  note({ duePut }: Commit): void {
    if (duePut === undefined || duePut.length === 0) return
    for (const { dueAt } of duePut) this.soonest = Math.min(this.soonest, dueAt)
    this.tell()
  }

  private tell(): void {
    const { waiting } = this
    if (waiting === undefined || this.soonest >= waiting.before) return
    this.waiting = undefined
    this.soonest = Infinity
    waiting.wake()
  }
}

/** Suspects the connections while a transaction waits for too long. */
const suspecting = (sockets: DatabaseSockets["Service"], underWay: TransactionsUnderWay): Effect.Effect<never> =>
  underWay.busy.await.pipe(
    Effect.andThen(Effect.sleep(lookEvery)),
    Effect.andThen(Effect.suspend(() => underWay.ageMs < batchDeadlineMs ? Effect.void : sockets.suspect)),
    Effect.forever
  )

/** A failed commit's cause in one line, for the log; a defect with its stack. */
export const explain = (cause: Cause.Cause<CommitError>): string => {
  const error = Cause.squash(cause)
  if (Schema.is(Fenced)(error)) return `fenced: ${error.what}`
  const reason = Schema.is(CommitRejected)(error) ? error.cause : error
  return SqlError.isSqlError(reason) ? describe(reason) : Cause.pretty(Cause.die(reason))
}

/**
 * The node's one writer: takes what is waiting while the previous commit is in flight and writes it as one transaction
 * of multi-row statements.
 */
export class GroupCommit extends Context.Service<GroupCommit, {
  /**
   * Puts a commit in line, whether there is room or not. An actor that assigns ids before in the same step has its
   * commits in the order of their ids.
   *
   * While the database is away the commit waits and is tried again, and what is unclear is found out first, so who can't
   * wait that long does not learn the outcome.
   */
  readonly submit: (commit: Commit) => Submission
  /** True if there is no room in line for an account: it has much there already, or the database is far behind. */
  readonly isFull: (accountId: string) => boolean
  /** Returns when there is room, first to who waits longest of the account. */
  readonly room: (accountId: string) => Effect.Effect<void>
  /** True if no commit is in line or under way. */
  readonly isIdle: Effect.Effect<boolean>
  /** The age of the oldest transaction under way, in milliseconds; 0 if there is none. */
  readonly ageMs: () => number
  /** Returns the cause when the writer has died of a defect: nothing is written any more. */
  readonly died: Effect.Effect<Cause.Cause<unknown>>
  /** Tells of events as they are committed. */
  readonly committed: CommittedTopic
  /**
   * Returns once a commit has put in work that is due before a time, in Unix milliseconds, or has since this last
   * returned. For one at a time.
   */
  readonly dueBefore: (time: number) => Effect.Effect<void>
  /** The emitters that were appended to since this was last called. */
  readonly takeAppendedTo: () => ReadonlySet<string>
}>()("@headwater/log/commit/GroupCommit") {
  static readonly layerNoTables = Layer.effect(
    GroupCommit,
    Effect.gen(function*() {
      const transaction = yield* BatchTransaction
      const context = yield* Effect.context<never>()
      const clock = yield* Clock.Clock
      const scope = yield* Effect.scope
      const sockets = yield* DatabaseSockets
      const large = yield* LargeCommits.make
      const slots = yield* PartitionedSemaphore.make<string>({ permits: mostBeside })
      const journals = yield* Journals.Journals
      const figures = yield* Figures.Figures
      const died = yield* Deferred.make<Cause.Cause<unknown>>()
      const line = new CommitLine(yield* Sharers)
      const committed = new CommittedTopic()
      const underWay = new TransactionsUnderWay(clock)
      const dueArrivals = new DueArrivals()
      let appendedTo = new Set<string>()

      const orDied = <A>(work: Effect.Effect<A>) =>
        Effect.tapCause(work, (cause) => Cause.hasInterruptsOnly(cause) ? Effect.void : Deferred.succeed(died, cause))

      const succeed = (batch: ReadonlyArray<Submission>, members: ReadonlyArray<Commit>): void => {
        CrashPoint.reached("commit-done")
        journals.note(members)
        figures.noteCommits(members)
        const appended: Array<CommittedEvents> = []
        let count = 0
        for (const commit of members) {
          dueArrivals.note(commit)
          const { events, head } = commit
          if (head === undefined || events === undefined || events.length === 0) continue
          appended.push({ accountId: head.accountId, events })
          count += events.length
          appendedTo.add(head.emitterId)
        }
        appendedTotal.updateUnsafe(count, context)
        if (appended.length > 0) committed.tell(appended)
        const written = new Set(members)
        for (const submission of batch) {
          const { commit } = submission
          line.end(submission, written.has(commit) ? Exit.void : Exit.fail(new Fenced({ what: ownerOf(commit) })))
        }
      }

      const search = new FaultSearch(line, {
        together: (commits) => untilTaken(transaction.together(commits)),
        beside: (commits) => untilTaken(transaction.beside(commits)),
        succeed,
        turn: (run, write) => {
          const account = accountOf(run[0]!.commit)
          const inSlot = slots.withPermit(account)(underWay.during(write))
          return run.some(isLarge) ? large.write(account, inSlot) : inSlot
        },
        fork: (work) => Effect.asVoid(Effect.forkIn(orDied(work), scope)),
        now: () => clock.currentTimeMillisUnsafe()
      })

      const writeBatch = repeated(Effect.uninterruptible(Effect.suspend(() => search.write(line.takeBatch()))), {
        while: () => true,
        told: () =>
          Effect.logWarning(
            "No commit can be written, because of locks that somebody holds in the database; trying again"
          )
      }).pipe(
        Effect.orDie,
        (write) => underWay.during(write, (ms) => appendDuration.updateUnsafe(ms / 1_000, context))
      )

      yield* line.arrived.await.pipe(
        // Fibers that are ready to run come first: their commits join the batch.
        Effect.andThen(Effect.yieldNow),
        Effect.andThen(writeBatch),
        Effect.forever({ disableYield: true }),
        orDied,
        Effect.forkScoped
      )

      yield* Effect.forkScoped(committed.telling)
      yield* Effect.forkScoped(suspecting(sockets, underWay))

      return GroupCommit.of({
        committed,
        isIdle: Effect.sync(() => line.isIdle),
        ageMs: () => underWay.ageMs,
        died: Deferred.await(died),
        isFull: (accountId) => line.isFull(accountId),
        room: (accountId) => line.room(accountId),
        dueBefore: (time) => dueArrivals.before(time),
        takeAppendedTo: () => {
          const taken = appendedTo
          appendedTo = new Set()
          return taken
        },
        submit: (commit) => {
          const submission = new Submission(commit)
          line.put(submission)
          return submission
        }
      })
    })
  )

  /** The writer and every table it writes to. */
  static readonly layer = GroupCommit.layerNoTables.pipe(
    Layer.provide(BatchTransaction.layer),
    Layer.provide([CommitWriter.layer, Pipeline.layer, Writers.layer]),
    Layer.provideMerge(Layer.merge(Journals.layerFolding, Figures.layerWriting)),
    Layer.provideMerge(
      Layer.mergeAll(
        Fences.layer,
        Heads.layer,
        Figures.Figures.layer,
        Journals.Journals.layer,
        EventLog.layer,
        Cursors.layer,
        ProgramState.layer,
        DedupeMarks.layer,
        DueWork.layer,
        Attempts.layer,
        Deliveries.layer,
        Usage.layer,
        WorkflowRuns.layer,
        BulkActions.layer
      )
    )
  )
}
