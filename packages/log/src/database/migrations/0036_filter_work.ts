import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE cursors_folded ADD COLUMN too_costly bigint NOT NULL DEFAULT 0`
  yield* sql`ALTER TABLE cursors_journal ADD COLUMN too_costly bigint NOT NULL DEFAULT 0`
  // Few cursors have any, and the subscriptions of an account are listed with how many.
  yield* sql`CREATE INDEX cursors_too_costly ON cursors_folded (subscription_id) WHERE too_costly > 0`
  const place = (name: string) =>
    sql`
      coalesce((
        SELECT j.${sql(name)} FROM cursors_journal j
        WHERE j.subscription_id = b.subscription_id AND j.emitter_id = b.emitter_id AND j.seq > b.folded_seq
          AND j.n IS NOT NULL
        ORDER BY j.seq DESC LIMIT 1
      ), b.${sql(name)}) AS ${sql(name)}`
  const tally = (name: string) =>
    sql`
      b.${sql(name)} + coalesce((
        SELECT sum(j.${sql(name)}) FROM cursors_journal j
        WHERE j.subscription_id = b.subscription_id AND j.emitter_id = b.emitter_id AND j.seq > b.folded_seq
      ), 0)::bigint AS ${sql(name)}`
  yield* sql`
    CREATE OR REPLACE VIEW cursors AS
    SELECT b.subscription_id, b.emitter_id, ${place("n")}, ${place("id")}, b.start_n,
      ${tally("delivered")}, ${tally("pending")}, ${tally("exhausted")}, ${tally("dropped")}, ${tally("filtered")},
      ${tally("too_costly")}
    FROM cursors_folded b`
})
