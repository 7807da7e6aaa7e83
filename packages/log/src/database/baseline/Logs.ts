import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Options of a table whose rows come and go for ever: the planner takes one that has shrunk to nothing for one that stays so. */
export const churning =
  "vacuum_truncate = false, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, " +
  "autovacuum_vacuum_insert_threshold = -1, autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 2000"

/** The tables of the emitters' logs, their heads, and the programs' memory. */
export const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE fences (
      owner_id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL,
      epoch bigint NOT NULL
    ) WITH (fillfactor = 50)`
  yield* sql`
    CREATE TABLE batches (
      writer_id text COLLATE "C",
      batch bigint,
      written boolean NOT NULL,
      seen_at bigint NOT NULL,
      PRIMARY KEY (writer_id, batch)
    ) WITH (${sql.literal(churning)})`
  // Sessions cache no numbers: a row that is written later has the higher one.
  yield* sql`CREATE SEQUENCE journal_seq AS bigint CACHE 1`
  // No column that a commit changes is indexed, so that updates stay on their page (HOT).
  yield* sql`
    CREATE TABLE heads_folded (
      emitter_id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
      last_id bigint NOT NULL,
      streams jsonb NOT NULL,
      folded_seq bigint NOT NULL DEFAULT 0
    ) WITH (fillfactor = 50)`
  yield* sql`CREATE INDEX heads_folded_account ON heads_folded (account_id, emitter_id)`
  yield* sql`
    CREATE TABLE heads_journal (
      emitter_id text COLLATE "C",
      seq bigint DEFAULT nextval('journal_seq'),
      last_id bigint,
      streams jsonb,
      day date,
      invocations bigint,
      compute_ms bigint,
      PRIMARY KEY (emitter_id, seq)
    ) WITH (${sql.literal(churning)})`
  yield* sql`
    CREATE TABLE events (
      emitter_id text COLLATE "C",
      stream text COLLATE "C",
      id bigint,
      n bigint NOT NULL,
      emit_id text COLLATE "C" NOT NULL,
      hops smallint NOT NULL,
      meta text,
      payload text NOT NULL,
      cause_emitter text COLLATE "C",
      cause_id bigint,
      PRIMARY KEY (emitter_id, stream, id)
    ) WITH (
      autovacuum_vacuum_scale_factor = 0,
      autovacuum_vacuum_threshold = 20000,
      autovacuum_vacuum_insert_scale_factor = 0.1,
      autovacuum_analyze_scale_factor = 0.1
    )`
  yield* sql`CREATE INDEX events_cause ON events (cause_emitter, cause_id) WHERE cause_emitter IS NOT NULL`
  yield* sql`
    CREATE TABLE trims (
      emitter_id text COLLATE "C",
      stream text COLLATE "C",
      removed bigint NOT NULL,
      PRIMARY KEY (emitter_id, stream)
    )`
  // Marks are written in the order of their time, which such an index wants: it costs next to nothing. Rows are vacuumed by
  // count and not by share, so that a large table is not left to bloat.
  yield* sql`
    CREATE TABLE dedupe_marks (
      emitter_id text COLLATE "C",
      mark text COLLATE "C",
      value text NOT NULL,
      seen_at bigint NOT NULL,
      PRIMARY KEY (emitter_id, mark)
    ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000)`
  yield* sql`CREATE INDEX dedupe_marks_seen_at ON dedupe_marks USING brin (seen_at)`
  yield* sql`
    CREATE TABLE program_state_folded (
      program_id text COLLATE "C",
      key text,
      value text NOT NULL,
      PRIMARY KEY (program_id, key)
    )`
  yield* sql`
    CREATE TABLE program_state_journal (
      program_id text COLLATE "C",
      seq bigint DEFAULT nextval('journal_seq'),
      key text NOT NULL,
      value text,
      PRIMARY KEY (program_id, seq)
    ) WITH (${sql.literal(churning)})`
  yield* sql`
    CREATE TABLE usage_folded (
      emitter_id text COLLATE "C",
      account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
      day date,
      invocations bigint NOT NULL,
      compute_ms bigint NOT NULL,
      PRIMARY KEY (emitter_id, day)
    ) WITH (fillfactor = 50)`
  yield* sql`CREATE INDEX usage_folded_account_day ON usage_folded (account_id, day)`
  // The true state is what was folded and what was journaled since. Each column is a query of its own, so that one nobody asks
  // for costs nothing. Readers stay above `folded_seq`: the rows below it were folded, and can't be removed yet where
  // somebody holds an old snapshot.
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
