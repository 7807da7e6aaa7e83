import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { churning } from "./Logs.ts"

/** The tables of the listeners' places in the logs, and the work that is due at a time. */
export const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // Few cursors have passed events whose filter was too costly, and an account's subscriptions are listed with their number.
  yield* sql`
    CREATE TABLE cursors_folded (
      subscription_id text COLLATE "C",
      emitter_id text COLLATE "C",
      n bigint NOT NULL,
      id bigint NOT NULL,
      start_n bigint NOT NULL,
      delivered bigint NOT NULL DEFAULT 0,
      pending bigint NOT NULL DEFAULT 0,
      exhausted bigint NOT NULL DEFAULT 0,
      dropped bigint NOT NULL DEFAULT 0,
      folded_seq bigint NOT NULL DEFAULT 0,
      filtered bigint NOT NULL DEFAULT 0,
      too_costly bigint NOT NULL DEFAULT 0,
      PRIMARY KEY (subscription_id, emitter_id)
    ) WITH (fillfactor = 50)`
  yield* sql`CREATE INDEX cursors_too_costly ON cursors_folded (subscription_id) WHERE too_costly > 0`
  yield* sql`
    CREATE TABLE cursors_journal (
      subscription_id text COLLATE "C",
      emitter_id text COLLATE "C",
      seq bigint DEFAULT nextval('journal_seq'),
      n bigint,
      id bigint,
      delivered bigint NOT NULL,
      pending bigint NOT NULL,
      exhausted bigint NOT NULL,
      dropped bigint NOT NULL,
      filtered bigint NOT NULL DEFAULT 0,
      too_costly bigint NOT NULL DEFAULT 0,
      PRIMARY KEY (subscription_id, emitter_id, seq)
    ) WITH (${sql.literal(churning)})`
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
    CREATE VIEW cursors AS
    SELECT b.subscription_id, b.emitter_id, ${place("n")}, ${place("id")}, b.start_n,
      ${tally("delivered")}, ${tally("pending")}, ${tally("exhausted")}, ${tally("dropped")}, ${tally("filtered")},
      ${tally("too_costly")}
    FROM cursors_folded b`
  // Scans go on behind the last owner they saw, however much is due at the same time.
  yield* sql`
    CREATE TABLE due_work (
      owner_id text COLLATE "C",
      kind text COLLATE "C",
      key text COLLATE "C",
      due_at bigint NOT NULL,
      payload text NOT NULL,
      PRIMARY KEY (owner_id, kind, key)
    ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)`
  yield* sql`CREATE INDEX due_work_owners ON due_work (due_at, owner_id)`
})
