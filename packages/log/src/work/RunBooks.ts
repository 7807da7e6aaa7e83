import type { AccountId } from "@headwater/domain/Id"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

/** Runs by what became of them: inputs that were taken to be run, and those of them that have ended. */
export interface RunCounts {
  readonly received: number
  readonly done: number
  readonly failed: number
  readonly cancelled: number
}

/** received = done + failed + cancelled + waiting + at work. */
export interface RunBook extends RunCounts {
  /** Runs of a workflow that wait for a time, or to be resumed. */
  readonly waiting: number
  /** Those that are at a step, or about to be. */
  readonly atWork: number
}

export const noRuns: RunCounts = { received: 0, done: 0, failed: 0, cancelled: 0 }

/** True if there is anything to be written down. */
export const isBooked = ({ cancelled, done, failed, received }: RunCounts): boolean =>
  received + done + failed + cancelled > 0

export const add = (one: RunCounts, other: RunCounts): RunCounts => ({
  received: one.received + other.received,
  done: one.done + other.done,
  failed: one.failed + other.failed,
  cancelled: one.cancelled + other.cancelled
})

type Row = Readonly<Record<"received" | "done" | "failed" | "cancelled" | "waiting" | "at_work", bigint>>

/** The books about the runs of sources and workflows: the view `run_books`, with the runs that have not ended. */
export class RunBooks extends Context.Service<RunBooks, {
  readonly of: (accountId: AccountId, programId: string) => Effect.Effect<Option.Option<RunBook>, SqlError.SqlError>
}>()("@headwater/log/work/RunBooks") {
  static readonly layer: Layer.Layer<RunBooks, never, SqlClient.SqlClient> = Layer.effect(
    RunBooks,
    Effect.map(SqlClient.SqlClient, (sql) =>
      RunBooks.of({
        of: (accountId, programId) =>
          Effect.map(
            // One statement: all of it is of the same moment.
            sql<Row>`
              SELECT b.*, r.waiting, r.at_work FROM run_books b CROSS JOIN LATERAL (
                SELECT count(*) FILTER (WHERE status = 'waiting') AS waiting,
                  count(*) FILTER (WHERE status = 'running') AS at_work
                FROM workflow_runs WHERE workflow_id = b.program_id AND ended_at IS NULL
              ) AS r
              WHERE b.program_id = ${programId} AND b.account_id = ${accountId}`,
            ([row]) =>
              Option.map(Option.fromUndefinedOr(row), ({ at_work, cancelled, done, failed, received, waiting }) => ({
                received: Number(received),
                done: Number(done),
                failed: Number(failed),
                cancelled: Number(cancelled),
                waiting: Number(waiting),
                atWork: Number(at_work)
              }))
          )
      }))
  )
}
