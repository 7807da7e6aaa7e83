import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE fences (
      owner_id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL,
      epoch bigint NOT NULL
    ) WITH (fillfactor = 50)`
  yield* sql`
    INSERT INTO fences (owner_id, account_id, epoch)
    SELECT emitter_id, account_id, epoch FROM heads UNION ALL SELECT id, account_id, 0 FROM webhooks`

  yield* sql`ALTER TABLE heads RENAME TO heads_folded`
  yield* sql`ALTER INDEX heads_pkey RENAME TO heads_folded_pkey`
  yield* sql`ALTER INDEX heads_account RENAME TO heads_folded_account`
  yield* sql`ALTER TABLE heads_folded RENAME CONSTRAINT heads_account_id_fkey TO heads_folded_account_id_fkey`
  yield* sql`ALTER TABLE heads_folded DROP COLUMN epoch`
  yield* sql`ALTER TABLE heads_folded ADD COLUMN folded_seq bigint NOT NULL DEFAULT 0`
  yield* sql`ALTER TABLE cursors RENAME TO cursors_folded`
  yield* sql`ALTER INDEX cursors_pkey RENAME TO cursors_folded_pkey`
  yield* sql`ALTER TABLE cursors_folded ADD COLUMN folded_seq bigint NOT NULL DEFAULT 0`
  yield* sql`ALTER TABLE usage RENAME TO usage_folded`
  yield* sql`ALTER INDEX usage_pkey RENAME TO usage_folded_pkey`
  yield* sql`ALTER INDEX usage_account_day RENAME TO usage_folded_account_day`
  yield* sql`ALTER TABLE usage_folded RENAME CONSTRAINT usage_account_id_fkey TO usage_folded_account_id_fkey`
  yield* sql`ALTER TABLE program_state RENAME TO program_state_folded`
  yield* sql`ALTER INDEX program_state_pkey RENAME TO program_state_folded_pkey`

  // Without a cache of numbers in each session: what is written later has the higher number.
  yield* sql`CREATE SEQUENCE journal_seq AS bigint CACHE 1`
  yield* sql`
    CREATE TABLE heads_journal (
      emitter_id text COLLATE "C" NOT NULL,
      seq bigint NOT NULL DEFAULT nextval('journal_seq'),
      last_id bigint,
      streams jsonb,
      day date,
      invocations bigint,
      compute_ms bigint,
      PRIMARY KEY (emitter_id, seq)
    )`
  yield* sql`
    CREATE TABLE cursors_journal (
      subscription_id text COLLATE "C" NOT NULL,
      emitter_id text COLLATE "C" NOT NULL,
      seq bigint NOT NULL DEFAULT nextval('journal_seq'),
      n bigint,
      id bigint,
      delivered bigint NOT NULL,
      pending bigint NOT NULL,
      exhausted bigint NOT NULL,
      dropped bigint NOT NULL,
      PRIMARY KEY (subscription_id, emitter_id, seq)
    )`
  yield* sql`
    CREATE TABLE program_state_journal (
      program_id text COLLATE "C" NOT NULL,
      seq bigint NOT NULL DEFAULT nextval('journal_seq'),
      key text NOT NULL,
      value text,
      PRIMARY KEY (program_id, seq)
    )`
  yield* sql`
    CREATE TABLE batches (
      writer_id text COLLATE "C" NOT NULL,
      batch bigint NOT NULL,
      written boolean NOT NULL,
      seen_at bigint NOT NULL,
      PRIMARY KEY (writer_id, batch)
    )`
  yield* sql`DROP TABLE writers`
  // Their rows come and go for ever. A table that shrinks to nothing is planned for as if it stayed so.
  for (const table of ["heads_journal", "cursors_journal", "program_state_journal", "batches"]) {
    yield* sql`
      ALTER TABLE ${sql(table)} SET (vacuum_truncate = false,
        autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
        autovacuum_vacuum_insert_threshold = -1,
        autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 2000)`
  }

  // What is true: what was folded, and what was journaled since. Each column is a query of its own, so that one nobody
  // asks for costs nothing. Whoever reads stays above `folded_seq`: below it are rows that were folded, and cannot be
  // removed yet where somebody holds an old snapshot.
  yield* sql`
    CREATE VIEW heads AS
    SELECT b.emitter_id, b.account_id,
      (SELECT f.epoch FROM fences f WHERE f.owner_id = b.emitter_id) AS epoch,
      coalesce((
        SELECT j.last_id FROM heads_journal j
        WHERE j.emitter_id = b.emitter_id AND j.seq > b.folded_seq AND j.last_id IS NOT NULL
        ORDER BY j.seq DESC LIMIT 1
      ), b.last_id) AS last_id,
      coalesce((
        SELECT j.streams FROM heads_journal j
        WHERE j.emitter_id = b.emitter_id AND j.seq > b.folded_seq AND j.last_id IS NOT NULL
        ORDER BY j.seq DESC LIMIT 1
      ), b.streams) AS streams
    FROM heads_folded b`
  const tally = (name: string) =>
    sql`
      b.${sql(name)} + coalesce((
        SELECT sum(j.${sql(name)}) FROM cursors_journal j
        WHERE j.subscription_id = b.subscription_id AND j.emitter_id = b.emitter_id AND j.seq > b.folded_seq
      ), 0)::bigint AS ${sql(name)}`
  const place = (name: string) =>
    sql`
      coalesce((
        SELECT j.${sql(name)} FROM cursors_journal j
        WHERE j.subscription_id = b.subscription_id AND j.emitter_id = b.emitter_id AND j.seq > b.folded_seq
          AND j.n IS NOT NULL
        ORDER BY j.seq DESC LIMIT 1
      ), b.${sql(name)}) AS ${sql(name)}`
  yield* sql`
    CREATE VIEW cursors AS
    SELECT b.subscription_id, b.emitter_id, ${place("n")}, ${place("id")}, b.start_n,
      ${tally("delivered")}, ${tally("pending")}, ${tally("exhausted")}, ${tally("dropped")}
    FROM cursors_folded b`
  yield* sql`
    CREATE VIEW usage AS
    SELECT emitter_id, account_id, day, invocations, compute_ms FROM usage_folded
    UNION ALL
    SELECT j.emitter_id, b.account_id, j.day, j.invocations, j.compute_ms FROM heads_folded b
    JOIN heads_journal j ON j.emitter_id = b.emitter_id AND j.seq > b.folded_seq
    WHERE j.day IS NOT NULL`
  yield* sql`
    CREATE VIEW program_state AS
    SELECT s.program_id, s.key, s.value FROM program_state_folded s
    WHERE NOT EXISTS (
      SELECT FROM heads_folded b JOIN program_state_journal j ON j.program_id = b.emitter_id AND j.seq > b.folded_seq
      WHERE b.emitter_id = s.program_id AND j.key = s.key
    )
    UNION ALL
    SELECT program_id, key, value FROM (
      SELECT DISTINCT ON (j.program_id, j.key) j.program_id, j.key, j.value FROM heads_folded b
      JOIN program_state_journal j ON j.program_id = b.emitter_id AND j.seq > b.folded_seq
      ORDER BY j.program_id, j.key, j.seq DESC
    ) AS newest
    WHERE value IS NOT NULL`
})
