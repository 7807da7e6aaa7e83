import type { LoggedEvent } from "@headwater/domain/Event"
import { Cause, Clock, Context, Effect, Exit, Layer, Metric, PubSub, Queue, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, SqlError } from "effect/sql"
import { Attempts } from "./Attempts.ts"
import { byteCount, type Commit, rowCount } from "./Commit.ts"
import { CommitWriter, Fenced } from "./CommitWriter.ts"
import * as CrashPoint from "./CrashPoint.ts"
import { Cursors } from "./Cursors.ts"
import { DedupeMarks } from "./DedupeMarks.ts"
import { Deliveries } from "./Deliveries.ts"
import { DueWork } from "./DueWork.ts"
import { EventLog } from "./EventLog.ts"
import { Heads } from "./Heads.ts"
import { Pipeline } from "./Pipeline.ts"
import * as Places from "./Places.ts"
import { ProgramState } from "./ProgramState.ts"
import * as Submission from "./Submission.ts"
import { isLocked, isTransient, retrySchedule } from "./TransientSqlError.ts"
import { Usage } from "./Usage.ts"
import { WorkflowRuns } from "./WorkflowRuns.ts"
import { Writers } from "./Writers.ts"

/** The database refused this commit, and would again. Nothing of it was written. */
export class CommitRejected extends Schema.TaggedError<CommitRejected>()("CommitRejected", {
  cause: Schema.Defect()
}) {}

export type CommitError = Fenced | CommitRejected

const appendedTotal = Metric.counter("headwater_events_appended_total", {
  description: "Events appended to emitters' logs.",
  incremental: true
})

const appendDuration = Metric.histogram("headwater_append_duration_seconds", {
  description: "From when a batch of commits is taken until it is durable.",
  boundaries: Metric.boundariesFromIterable([0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5, 30])
})

export type MakeCommit = (submission: Submission.Submission<CommitError>) => Commit

/** What one commit appended. */
export interface CommittedEvents {
  readonly accountId: string
  readonly events: ReadonlyArray<LoggedEvent>
}

interface Waiting {
  readonly commit: Commit
  readonly end: (exit: Exit.Exit<void, CommitError>) => void
}

/** Bounds of one transaction, of what may wait for the next, and of what readers may be behind by. */
const maxBatchRows = 2_000
const maxBatchBytes = 8 * 1024 * 1024
const maxWaiting = 10_000
const maxUnread = 256

/** Where a process can be made to die within a transaction, which then has to be made a statement after the other. */
const pointsWithin = ["commit-heads", "commit-written"] as const

/** The database's error, also where it came of ending a transaction on a connection that is gone. */
const sqlErrorOf = (cause: Cause.Cause<Fenced | SqlError.SqlError>): SqlError.SqlError | undefined => {
  const error = Cause.squash(cause)
  return SqlError.isSqlError(error) ? error : undefined
}

/**
 * The node's one writer: takes what is waiting while the previous commit is in flight and writes it as one transaction
 * of multi-row statements.
 */
export class GroupCommit extends Context.Service<GroupCommit, {
  /**
   * Takes the commit that `make` answers, whether there is room or not. It is in line at once, so an actor that assigns ids
   * in `make` has its commits in the order of their ids.
   *
   * While the database is away the commit waits and is tried again, and what is unclear is found out first, so who can't
   * wait that long does not learn the outcome.
   */
  readonly submitUnsafe: (make: MakeCommit) => Submission.Submission<CommitError>
  /** Whether there is no room in line: the database is far behind. */
  readonly isFull: () => boolean
  /** Returns when there is room, first to whoever waits for longest. */
  readonly room: Effect.Effect<void>
  /** Events as they are committed, in log order per emitter. A hint: a slow reader loses the oldest. */
  readonly committed: PubSub.PubSub<ReadonlyArray<CommittedEvents>>
  /** The emitters that were appended to since this was last called. */
  readonly takeAppendedTo: () => ReadonlySet<string>
}>()("@headwater/log/GroupCommit") {
  static readonly layerNoTables = Layer.effect(
    GroupCommit,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const writer = yield* CommitWriter
      const writers = yield* Writers
      const pipeline = yield* Pipeline
      const id = Buffer.from(SecureRandom.randomBytesUnsafe(16)).toString("hex")
      yield* Effect.acquireRelease(writers.register(id), () => Effect.ignore(writers.remove(id)))
      const queue = yield* Queue.unbounded<Waiting>()
      /** Of commits that were taken and have not ended. */
      const places = Places.make(maxWaiting)
      const committed = yield* PubSub.sliding<ReadonlyArray<CommittedEvents>>(maxUnread)
      let appendedTo = new Set<string>()
      let lastBatch = 0n

      /** Whether a batch committed, asked until the database knows. If not, it will not any more. */
      const isWritten = (batch: bigint): Effect.Effect<boolean> =>
        Effect.suspend(() => writers.settle(id, batch, ++lastBatch)).pipe(
          Effect.sandbox,
          Effect.tapError((cause) => Effect.logWarning("Can't learn the outcome of a commit yet", cause)),
          Effect.retry(retrySchedule),
          Effect.orDie
        )

      /** A statement after the other, so that who is fenced or refused is told apart from the others. */
      const stepByStep = (commits: ReadonlyArray<Commit>) =>
        Effect.suspend(() => {
          const batch = ++lastBatch
          let members: ReadonlyArray<Commit> | undefined
          return writers.note(id, batch).pipe(
            Effect.andThen(writer.write(commits)),
            Effect.tap((written) =>
              Effect.sync(() => {
                members = written
                CrashPoint.reached("commit-written")
              })
            ),
            sql.withTransaction,
            Effect.catchCause((cause) => {
              const error = sqlErrorOf(cause)
              if (error === undefined) return Effect.failCause(cause)
              const written = members
              return written === undefined || !isTransient(error)
                ? Effect.fail(error)
                : Effect.flatMap(isWritten(batch), (done) => done ? Effect.succeed(written) : Effect.fail(error))
            })
          )
        })

      /** All at once, which is all there is to it but for where something stands against a commit. */
      const atOnce = (
        commits: ReadonlyArray<Commit>,
        statements: ReadonlyArray<Effect.Effect<void, SqlError.SqlError>>
      ) =>
        Effect.gen(function*() {
          const batch = ++lastBatch
          // By another connection, and not by a new one: where connections are cut all the time, that is never made.
          const done = yield* pipeline.transact([writers.note(id, batch), ...statements]).pipe(
            Effect.catch(() => isWritten(batch))
          )
          return done ? commits : yield* stepByStep(commits)
        })

      /** One transaction. After a lost connection it is found out whether it had committed. */
      const attempt = (
        commits: ReadonlyArray<Commit>
      ): Effect.Effect<ReadonlyArray<Commit>, Fenced | SqlError.SqlError> =>
        Effect.suspend(() => {
          CrashPoint.reached("commit-taken")
          const statements = CrashPoint.isAsked(pointsWithin) ? undefined : writer.statements(commits)
          return statements === undefined ? stepByStep(commits) : atOnce(commits, statements)
        })

      /** Tried until the database takes or refuses it. What somebody else has locked is for the caller to deal with. */
      const transact = (commits: ReadonlyArray<Commit>) =>
        attempt(commits).pipe(
          Effect.tapError((error) =>
            SqlError.isSqlError(error) && isTransient(error)
              ? Effect.logWarning("The database is not taking commits; trying again", error)
              : Effect.void
          ),
          Effect.retry({
            schedule: retrySchedule,
            while: (error) => SqlError.isSqlError(error) && isTransient(error) && !isLocked(error)
          })
        )

      const succeed = Effect.fnUntraced(function*(batch: ReadonlyArray<Waiting>, members: ReadonlyArray<Commit>) {
        CrashPoint.reached("commit-done")
        const appended: Array<CommittedEvents> = []
        let count = 0
        for (const { events, head } of members) {
          if (head === undefined || events === undefined || events.length === 0) continue
          appended.push({ accountId: head.accountId, events })
          count += events.length
          appendedTo.add(head.emitterId)
        }
        yield* Metric.update(appendedTotal, count)
        if (appended.length > 0) yield* PubSub.publish(committed, appended)
        const written = new Set(members)
        for (const { commit, end } of batch) {
          end(written.has(commit) ? Exit.void : Exit.fail(new Fenced({ what: `head of ${commit.head?.emitterId}` })))
        }
      })

      /**
       * Epochs under which a commit was refused. What the same owner had queued behind it builds on ids and numbers that
       * were never written, so it is refused too, until the actor starts over under a new epoch.
       */
      const refused = new Map<string, bigint>()

      const isRefused = ({ commit: { head } }: Waiting): boolean => {
        if (head === undefined) return false
        const epoch = refused.get(head.emitterId)
        if (epoch !== undefined && epoch < head.epoch) refused.delete(head.emitterId)
        return epoch !== undefined && epoch >= head.epoch
      }

      const refuse = ({ commit: { head }, end }: Waiting, error: CommitError) => {
        if (head !== undefined && (refused.get(head.emitterId) ?? -1n) < head.epoch) {
          refused.set(head.emitterId, head.epoch)
        }
        end(Exit.fail(error))
      }

      const errorOf = (cause: Cause.Cause<Fenced | SqlError.SqlError>): CommitError => {
        const error = Cause.squash(cause)
        if (Schema.is(Fenced)(error)) return error
        // Nothing is wrong with the commit: its owner reads what there is and does it again.
        return SqlError.isSqlError(error) && isLocked(error)
          ? new Fenced({ what: "rows that somebody else keeps locked" })
          : new CommitRejected({ cause: error })
      }

      const commitBatch = (batch: ReadonlyArray<Waiting>): Effect.Effect<void> => {
        const late = batch.filter(isRefused)
        const current = late.length === 0 ? batch : batch.filter((waiting) => !late.includes(waiting))
        for (const waiting of late) refuse(waiting, new Fenced({ what: "a commit before this was refused" }))
        return current.length === 0 ? Effect.void : commitCurrent(current)
      }

      const commitCurrent = (batch: ReadonlyArray<Waiting>): Effect.Effect<void> =>
        Effect.matchCauseEffect(transact(batch.map(({ commit }) => commit)), {
          onSuccess: (members) => succeed(batch, members),
          onFailure: (cause) =>
            batch.length === 1
              ? Effect.sync(() => refuse(batch[0]!, errorOf(cause)))
              // One member spoils the batch: each alone, so that only it fails.
              : Effect.forEach(batch, (waiting) => Effect.suspend(() => commitBatch([waiting])), { discard: true })
        })

      const timed = Effect.fnUntraced(function*(commit: Effect.Effect<void>) {
        const from = yield* Clock.currentTimeMillis
        yield* commit
        yield* Metric.update(appendDuration, ((yield* Clock.currentTimeMillis) - from) / 1_000)
      })

      const takeBatch = Effect.fnUntraced(function*(first: Waiting) {
        const batch = [first]
        // What is ready to run comes first: its commits join the batch.
        yield* Effect.yieldNow
        let rows = rowCount(first.commit)
        let bytes = byteCount(first.commit)
        while (rows < maxBatchRows && bytes < maxBatchBytes) {
          const next = Queue.takeUnsafe(queue)
          if (next === undefined || next._tag === "Failure") break
          batch.push(next.value)
          rows += rowCount(next.value.commit)
          bytes += byteCount(next.value.commit)
        }
        return batch
      })

      const writeNext = Effect.uninterruptibleMask((restore) =>
        restore(Queue.take(queue)).pipe(
          Effect.flatMap(takeBatch),
          Effect.flatMap((batch) =>
            timed(Effect.suspend(() => commitBatch(batch))).pipe(
              Effect.andThen(Effect.sync(() => places.release(batch.length)))
            )
          )
        )
      )

      yield* writeNext.pipe(
        Effect.forever,
        Effect.forkScoped
      )

      return GroupCommit.of({
        committed,
        isFull: places.isFull,
        room: places.free,
        takeAppendedTo: () => {
          const taken = appendedTo
          appendedTo = new Set()
          return taken
        },
        submitUnsafe: (make) => {
          const { end, submission } = Submission.make<CommitError>()
          Queue.offerUnsafe(queue, { commit: make(submission), end })
          places.take()
          return submission
        }
      })
    })
  )

  /** The writer and every table it writes to. */
  static readonly layer = GroupCommit.layerNoTables.pipe(
    Layer.provide(CommitWriter.layer),
    Layer.provide([Pipeline.layer, Writers.layer]),
    Layer.provideMerge(
      Layer.mergeAll(
        Heads.layer,
        EventLog.layer,
        Cursors.layer,
        ProgramState.layer,
        DedupeMarks.layer,
        DueWork.layer,
        Attempts.layer,
        Deliveries.layer,
        Usage.layer,
        WorkflowRuns.layer
      )
    )
  )
}
