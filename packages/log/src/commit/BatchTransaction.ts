import * as Recurring from "@headwater/domain/Recurring"
import { Cause, Context, Effect, Exit, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, SqlError } from "effect/sql"
import { hasNoSuchRows, isLocked, isTransient, retrySchedule } from "../database/TransientSqlError.ts"
import type { Commit } from "./Commit.ts"
import { CommitWriter, type Fenced } from "./CommitWriter.ts"
import * as CrashPoint from "./CrashPoint.ts"
import { Pipeline } from "./Pipeline.ts"
import { Writers } from "./Writers.ts"

/**
 * The points at which a process can be made to die within a transaction, which then is made one statement after the
 * other.
 */
const pointsWithin = ["commit-held", "commit-written"] as const

/** The most commits that are written by themselves at the same time. */
export const mostBeside = 4

/** The interval at which the fates of earlier batches are forgotten. */
const forgetEvery = "5 seconds"

/** A writer of one transaction at a time, under numbers that grow. */
interface WriterRow {
  readonly id: string
  batch: bigint
  /** Up to which of them nothing is kept. */
  forgotten: bigint
}

/** The database's error, also where it came of ending a transaction on a connection that is gone. */
const sqlErrorOf = (cause: Cause.Cause<unknown>): SqlError.SqlError | undefined => {
  const error = Cause.squash(cause)
  return SqlError.isSqlError(error) ? error : undefined
}

/** A transaction's error, and the commits that it wrote: those whose owner is still the owner. */
type Written = Effect.Effect<ReadonlyArray<Commit>, Fenced | SqlError.SqlError>

/** Writes commits in one transaction, and finds out what became of it where the connection is lost in it. */
export class BatchTransaction extends Context.Service<BatchTransaction, {
  /** As one message to the database. One transaction at a time. */
  readonly together: (commits: ReadonlyArray<Commit>) => Written
  /** Commits of one owner, a statement after the other, on another connection; no more than `mostBeside` at a time. */
  readonly beside: (commits: ReadonlyArray<Commit>) => Written
}>()("@headwater/log/commit/BatchTransaction") {
  static readonly layer = Layer.effect(
    BatchTransaction,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const writer = yield* CommitWriter
      const writers = yield* Writers
      const pipeline = yield* Pipeline

      const newWriter = (): WriterRow => ({
        id: Buffer.from(SecureRandom.randomBytesUnsafe(16)).toString("hex"),
        batch: 0n,
        forgotten: 0n
      })
      const own = newWriter()
      const free = Array.from({ length: mostBeside }, newWriter)
      const all = [own, ...free]

      // The fates of the batches before a writer's last one are known.
      const forget = Effect.forEach(all, (writer) => {
        const [from, to] = [writer.forgotten + 1n, writer.batch - 1n]
        if (to < from) return Effect.void
        return Effect.tap(writers.forget(writer.id, from, to), () =>
          Effect.sync(() => {
            writer.forgotten = to
          }))
      }, { discard: true })
      yield* writers.sweep
      yield* Recurring.every("forget batches whose outcome is known", forgetEvery, forget)

      /** True if a batch committed, asked until the database knows. If not, it will not any more. */
      const isWritten = (row: WriterRow, batch: bigint): Effect.Effect<boolean> =>
        writers.settle(row.id, batch).pipe(
          Effect.sandbox,
          Effect.tapError((cause) => Effect.logWarning("Can't learn the outcome of a commit yet", cause)),
          Effect.retry(retrySchedule),
          Effect.orDie
        )

      /** A statement after the other, so that who is fenced is told apart from the others. */
      const stepByStep = (row: WriterRow, commits: ReadonlyArray<Commit>): Written =>
        Effect.suspend(() => {
          const batch = ++row.batch
          let members: ReadonlyArray<Commit> | undefined
          return writers.note(row.id, batch).pipe(
            Effect.flatMap((note) => note.run(sql)),
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
              if (!isTransient(error) || isLocked(error)) return Effect.fail(error)
              // If the connection is lost, the transaction may go on for a while, with its rows locked: the next one
              // waits for its end here, also where it is known that it does not commit.
              return Effect.flatMap(isWritten(row, batch), (done) =>
                done && members !== undefined ? Effect.succeed(members) : Effect.fail(error))
            })
          )
        })

      /** All at once, which is all there is to it but for where something stands against a commit. */
      const atOnce = (commits: ReadonlyArray<Commit>): Written =>
        Effect.gen(function*() {
          const batch = ++own.batch
          const note = yield* writers.note(own.id, batch)
          const outcome = yield* Effect.exit(pipeline.transact(writer.statements(commits, note)))
          // By another connection, and not by a new one: where connections are cut all the time, that is never made.
          if (Exit.isFailure(outcome)) {
            return (yield* isWritten(own, batch)) ? commits : yield* stepByStep(own, commits)
          }
          if (Option.isNone(outcome.value)) return commits
          // Heads, cursors or deliveries do not stand where a commit has them: it is found out which.
          if (hasNoSuchRows(outcome.value.value)) return yield* stepByStep(own, commits)
          return yield* outcome.value.value
        })

      return BatchTransaction.of({
        together: (commits) =>
          Effect.suspend(() => {
            CrashPoint.reached("commit-taken")
            const isForeseen = !CrashPoint.isAsked(pointsWithin) && writer.isForeseen(commits)
            return isForeseen ? atOnce(commits) : stepByStep(own, commits)
          }),
        beside: (commits) =>
          Effect.suspend(() => {
            const row = free.pop()!
            return Effect.ensuring(stepByStep(row, commits), Effect.sync(() => free.push(row)))
          })
      })
    })
  )
}
