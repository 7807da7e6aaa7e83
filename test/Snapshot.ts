import * as RequestEventBody from "@headwater/domain/RequestEventBody"
import { readTogether } from "@headwater/log/database/Snapshot"
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

/** An event as its row has it. */
export interface EventRow {
  readonly emitter_id: string
  readonly stream: string
  readonly id: bigint
  readonly n: bigint
  readonly emit_id: string
  readonly payload: string
}

export interface HeadRow {
  readonly emitter_id: string
  readonly last_id: bigint
  readonly streams: Readonly<Record<string, number>>
}

/** A cursor, with the head in front of it and what its rows elsewhere say. */
export interface CursorRow {
  readonly subscription_id: string
  readonly emitter_id: string
  readonly listener_id: string
  readonly start_n: bigint
  readonly n: bigint
  readonly delivered: bigint
  readonly pending: bigint
  readonly exhausted: bigint
  readonly filtered: bigint
  readonly dropped: bigint
  /** The last number of the stream it reads. */
  readonly head_n: bigint
  /** Events that are in the log in front of it. */
  readonly ahead: bigint
  /** Events of the deliveries that wait for a retry. */
  readonly pending_rows: bigint
}

export interface DueRow {
  readonly owner_id: string
  readonly kind: string
  readonly items: bigint
}

export interface ProgramRow {
  readonly id: string
  readonly name: string
  readonly active: boolean
  readonly state: string
}

export interface BookRow {
  readonly program_id: string
  readonly received: bigint
  readonly done: bigint
  readonly failed: bigint
  readonly cancelled: bigint
  readonly waiting: bigint
  readonly at_work: bigint
}

/** Everything that is checked, as one moment of the database had it. */
export interface Snapshot {
  readonly heads: ReadonlyMap<string, HeadRow>
  /** Events after the places asked for, in log order within each stream. */
  readonly events: ReadonlyArray<EventRow>
  readonly cursors: ReadonlyArray<CursorRow>
  readonly due: ReadonlyArray<DueRow>
  readonly programs: ReadonlyArray<ProgramRow>
  readonly webhooks: ReadonlySet<string>
  readonly subscriptions: ReadonlySet<string>
  /** Parsed values of `$.service.db`, by program and key. */
  readonly state: ReadonlyMap<string, Readonly<Record<string, number>>>
  /** Numbers in data stores, by key. */
  readonly entries: ReadonlyMap<string, number>
  readonly invocations: ReadonlyMap<string, number>
  /** How many runs of a workflow have not ended, by how many of their steps are done. */
  readonly unended: ReadonlyArray<{ readonly workflow_id: string; readonly step: number; readonly runs: bigint }>
  /** The books about the runs of sources and workflows, and their runs that have not ended. */
  readonly books: ReadonlyArray<BookRow>
  /** Rows whose owner is gone, by table. */
  readonly orphans: ReadonlyArray<{ readonly what: string; readonly id: string }>
  /** Rows of one thing that do not fit those of another: deliveries, bulk actions, files and their bytes. */
  readonly unpaired: ReadonlyArray<{ readonly what: string; readonly id: string }>
}

/** Where the reader stands in each stream, by emitter and stream. */
export type Positions = ReadonlyMap<string, bigint>

export const positionKey = (emitterId: string, stream: string): string => `${emitterId} ${stream}`

const page = 5_000

/** A request with its body, as the code is handed it. */
const expanded = (payload: string): string => JSON.stringify(RequestEventBody.expand(JSON.parse(payload)))

const events = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, from: Positions) {
  const positions = new Map(from)
  const all: Array<EventRow> = []
  while (true) {
    const keys = JSON.stringify([...positions].map(([key, id]) => ({ key, id: String(id) })))
    const rows = yield* sql<EventRow>`
      SELECT e.emitter_id, e.stream, e.id, e.n, e.emit_id, e.payload
      FROM heads h
      CROSS JOIN LATERAL jsonb_object_keys(h.streams) AS s (stream)
      LEFT JOIN jsonb_to_recordset(${keys}::jsonb) AS k (key text, id bigint) ON k.key = h.emitter_id || ' ' || s.stream
      CROSS JOIN LATERAL (
        SELECT * FROM events
        WHERE emitter_id = h.emitter_id AND stream = s.stream AND id > coalesce(k.id, 0)
        ORDER BY id LIMIT ${page}
      ) AS e
      ORDER BY e.emitter_id, e.stream, e.id`
    for (const row of rows) all.push(row.stream === "$requests" ? { ...row, payload: expanded(row.payload) } : row)
    for (const row of rows) positions.set(positionKey(row.emitter_id, row.stream), row.id)
    if (rows.length < page) return all
  }
})

const cursors = (sql: SqlClient.SqlClient) =>
  sql<CursorRow>`
    SELECT c.subscription_id, c.emitter_id, coalesce(s.listener_id, c.emitter_id) AS listener_id,
      c.start_n, c.n, c.delivered, c.pending, c.exhausted, c.dropped, c.filtered,
      coalesce((h.streams ->> coalesce(s.stream, '$requests'))::bigint, 0) AS head_n,
      (SELECT count(*) FROM events e
        WHERE e.emitter_id = c.emitter_id AND e.stream = coalesce(s.stream, '$requests') AND e.id > c.id) AS ahead,
      (SELECT coalesce(sum(event_count), 0)::bigint FROM deliveries d
        WHERE d.subscription_id = c.subscription_id AND d.emitter_id = c.emitter_id AND d.state = 'pending'
      ) AS pending_rows
    FROM cursors c
    JOIN heads h ON h.emitter_id = c.emitter_id
    LEFT JOIN subscriptions s ON s.id = c.subscription_id
    WHERE s.id IS NOT NULL OR c.subscription_id = '$requests'`

const orphans = (sql: SqlClient.SqlClient) =>
  sql<{ readonly what: string; readonly id: string }>`
    WITH owner AS (
      SELECT id FROM programs UNION ALL SELECT id FROM webhooks UNION ALL SELECT id FROM accounts
      UNION ALL SELECT id FROM consumers
    )
    SELECT DISTINCT * FROM (
      SELECT 'heads' AS what, emitter_id AS id FROM heads WHERE emitter_id NOT IN (SELECT id FROM owner)
      UNION ALL SELECT 'events', emitter_id FROM events WHERE emitter_id NOT IN (SELECT emitter_id FROM heads)
      UNION ALL SELECT 'cursors', subscription_id || ' on ' || emitter_id FROM cursors
        WHERE emitter_id NOT IN (SELECT emitter_id FROM heads)
          OR subscription_id <> '$requests' AND subscription_id NOT IN (SELECT id FROM subscriptions)
      UNION ALL SELECT 'due_work ' || kind, owner_id FROM due_work WHERE owner_id NOT IN (SELECT id FROM owner)
      UNION ALL SELECT 'program_state', program_id FROM program_state WHERE program_id NOT IN (SELECT id FROM owner)
      UNION ALL SELECT 'dedupe_marks', emitter_id FROM dedupe_marks WHERE emitter_id NOT IN (SELECT id FROM owner)
      UNION ALL SELECT 'workflow_runs', workflow_id FROM workflow_runs WHERE workflow_id NOT IN (SELECT id FROM owner)
      UNION ALL SELECT 'workflow_steps', run_id FROM workflow_steps WHERE run_id NOT IN (SELECT id FROM workflow_runs)
      UNION ALL SELECT 'deployments', workflow_id FROM deployments WHERE workflow_id NOT IN (SELECT id FROM owner)
      UNION ALL SELECT 'deliveries', webhook_id FROM deliveries WHERE webhook_id NOT IN (SELECT id FROM owner)
      UNION ALL SELECT 'consumers', id FROM consumers WHERE subscription_id NOT IN (SELECT id FROM subscriptions)
      UNION ALL SELECT 'fences', owner_id FROM fences WHERE owner_id NOT IN (SELECT id FROM owner)
      UNION ALL SELECT 'subscriptions', id FROM subscriptions WHERE listener_id NOT IN (SELECT id FROM owner)
    ) AS o (what, id)
    LIMIT 20`

const unpaired = (sql: SqlClient.SqlClient) =>
  sql<{ readonly what: string; readonly id: string }>`
    SELECT 'a delivery that waits for a retry which is not owed' AS what, d.id FROM deliveries d
    WHERE d.state = 'pending'
      AND NOT EXISTS (SELECT FROM due_work w WHERE w.owner_id = d.webhook_id AND w.kind = 'retry' AND w.key = d.id)
    UNION ALL
    SELECT 'a bulk action that is not owed', p.bulk_id FROM bulk_parts p
    WHERE p.ended_at IS NULL
      AND NOT EXISTS (SELECT FROM due_work w WHERE w.owner_id = p.owner_id AND w.kind = 'bulk' AND w.key = p.bulk_id)
    UNION ALL
    SELECT 'a bulk action that has counted wrong', p.bulk_id FROM bulk_parts p
    CROSS JOIN LATERAL (
      SELECT count(*) AS marks FROM bulk_marks m WHERE m.bulk_id = p.bulk_id AND m.owner_id = p.owner_id
    ) AS m
    WHERE p.matched < p.done + p.failed + p.skipped + m.marks
      OR p.ended_at IS NOT NULL AND p.matched > p.done + p.failed + p.skipped
        AND p.owner_id IN (SELECT id FROM webhooks)
    UNION ALL
    SELECT 'a file without all of its bytes', f.run_id || '/' || f.path FROM workflow_files f
    WHERE f.content IS NOT NULL AND f.size <> (
      SELECT coalesce(sum(p.size), 0) FROM workflow_file_parts p WHERE p.run_id = f.run_id AND p.content = f.content
    )
    UNION ALL
    SELECT 'a stored file without all of its bytes', f.path FROM stored_files f
    WHERE f.size <> (SELECT coalesce(sum(p.size), 0) FROM stored_file_parts p WHERE p.content = f.content)
    LIMIT 20`

const readAll = Effect.fnUntraced(function*(from: Positions) {
  const sql = yield* SqlClient.SqlClient
  const heads = yield* sql<HeadRow>`SELECT emitter_id, last_id, streams FROM heads`
  const state = new Map<string, Record<string, number>>()
  const rows = yield* sql<{ program_id: string; key: string; value: string }>`SELECT * FROM program_state`
  for (const { key, program_id, value } of rows) {
    state.set(program_id, { ...state.get(program_id), [key]: Number(JSON.parse(value)) })
  }
  const entries = yield* sql<{ key: string; value: string }>`SELECT key, value FROM data_store_entries`
  const invocations = yield* sql<{ emitter_id: string; invocations: bigint }>`
    SELECT emitter_id, sum(invocations)::bigint AS invocations FROM usage GROUP BY emitter_id`
  const webhooks = yield* sql<{ id: string }>`SELECT id FROM webhooks`
  const subscriptions = yield* sql<{ id: string }>`SELECT id FROM subscriptions`
  return {
    heads: new Map(heads.map((head) => [head.emitter_id, head])),
    events: yield* events(sql, from),
    cursors: yield* cursors(sql),
    due: yield* sql<DueRow>`SELECT owner_id, kind, count(*) AS items FROM due_work GROUP BY owner_id, kind`,
    programs: yield* sql<ProgramRow>`SELECT id, name, active, state FROM programs`,
    webhooks: new Set(webhooks.map(({ id }) => id)),
    subscriptions: new Set(subscriptions.map(({ id }) => id)),
    state,
    entries: new Map(entries.map(({ key, value }) => [key, Number(JSON.parse(value))])),
    invocations: new Map(invocations.map((row) => [row.emitter_id, Number(row.invocations)])),
    unended: yield* sql<Snapshot["unended"][number]>`
      SELECT workflow_id, step, count(*) AS runs FROM workflow_runs WHERE ended_at IS NULL GROUP BY workflow_id, step`,
    orphans: yield* orphans(sql),
    books: yield* sql<BookRow>`
      SELECT b.program_id, b.received, b.done, b.failed, b.cancelled, r.waiting, r.at_work
      FROM run_books b CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE status = 'waiting') AS waiting, count(*) FILTER (WHERE status = 'running') AS at_work
        FROM workflow_runs WHERE workflow_id = b.program_id AND ended_at IS NULL
      ) AS r WHERE b.received > 0`,
    unpaired: yield* unpaired(sql)
  } satisfies Snapshot
})

/** Reads everything at one moment, the events from where the reader stands. */
export const read = (from: Positions): Effect.Effect<Snapshot, SqlError.SqlError, SqlClient.SqlClient> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => readTogether(sql)(readAll(from)))
