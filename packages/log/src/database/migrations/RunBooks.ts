import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The books about the runs of each source and workflow, kept as its head is: folded, and journaled since. */
export const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE heads_journal ADD COLUMN runs_received bigint, ADD COLUMN runs_done bigint,
      ADD COLUMN runs_failed bigint, ADD COLUMN runs_cancelled bigint`
  yield* sql`
    ALTER TABLE heads_folded ADD COLUMN runs_received bigint NOT NULL DEFAULT 0,
      ADD COLUMN runs_done bigint NOT NULL DEFAULT 0, ADD COLUMN runs_failed bigint NOT NULL DEFAULT 0,
      ADD COLUMN runs_cancelled bigint NOT NULL DEFAULT 0`
  // The books of workflows begin with the runs that are kept.
  yield* sql`
    UPDATE heads_folded b SET runs_received = r.received, runs_done = r.done, runs_failed = r.failed,
      runs_cancelled = r.cancelled
    FROM (
      SELECT workflow_id, count(*) AS received, count(*) FILTER (WHERE status = 'success') AS done,
        count(*) FILTER (WHERE status = 'error') AS failed, count(*) FILTER (WHERE status = 'cancelled') AS cancelled
      FROM workflow_runs GROUP BY workflow_id
    ) AS r
    WHERE r.workflow_id = b.emitter_id`
  yield* sql`
    CREATE VIEW run_books AS
    SELECT b.emitter_id AS program_id, b.account_id,
      (b.runs_received + j.received)::bigint AS received, (b.runs_done + j.done)::bigint AS done,
      (b.runs_failed + j.failed)::bigint AS failed, (b.runs_cancelled + j.cancelled)::bigint AS cancelled
    FROM heads_folded b CROSS JOIN LATERAL (
      SELECT coalesce(sum(runs_received), 0) AS received, coalesce(sum(runs_done), 0) AS done,
        coalesce(sum(runs_failed), 0) AS failed, coalesce(sum(runs_cancelled), 0) AS cancelled
      FROM heads_journal WHERE emitter_id = b.emitter_id AND seq > b.folded_seq
    ) AS j`
})
