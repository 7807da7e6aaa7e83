import * as Stream from "@headwater/domain/Stream"
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type * as Snapshot from "../Snapshot.ts"

export interface EventRow extends Snapshot.EventRow {
  readonly hops: number
}

export type CursorRow = Omit<Snapshot.CursorRow, "listener_id" | "head_n" | "ahead" | "pending_rows">

export interface DueRow {
  readonly owner_id: string
  readonly kind: string
  readonly key: string
  readonly due_at: bigint
}

export interface DeliveryRow {
  readonly id: string
  readonly subscription_id: string
  readonly emitter_id: string
  readonly event_id: bigint
  readonly attempts: number
  readonly state: "pending" | "exhausted"
  readonly apart: boolean
}

export interface WebhookRow {
  readonly id: string
  readonly active: boolean
  readonly throttled_until: bigint | null
}

export interface BulkPartRow {
  readonly webhook_id: string
  readonly action: "retry" | "replay" | "skip" | "cancel"
  readonly ended_at: bigint | null
}

export interface EntryRow {
  readonly key: string
  /** JSON text. */
  readonly value: string
  readonly expires_at: bigint | null
}

/** The account over OAuth. */
export interface TokenRow {
  readonly generation: number
  readonly expires_at: bigint
}

export interface WorkflowRunRow {
  readonly id: string
  readonly workflow_id: string
  readonly status: "running" | "waiting" | "success" | "error" | "cancelled"
}

/** All there is, at one moment. */
export interface Observation {
  readonly heads: ReadonlyMap<string, Readonly<Record<string, number>>>
  /** In log order within each stream. */
  readonly events: ReadonlyArray<EventRow>
  readonly cursors: ReadonlyArray<CursorRow>
  readonly due: ReadonlyArray<DueRow>
  readonly deliveries: ReadonlyArray<DeliveryRow>
  readonly sources: ReadonlyArray<{ readonly id: string; readonly active: boolean; readonly state: string }>
  readonly webhooks: ReadonlyArray<WebhookRow>
  readonly subscriptions: ReadonlyArray<{ readonly id: string }>
  readonly workflowRuns: ReadonlyArray<WorkflowRunRow>
  readonly token: TokenRow | undefined
  readonly bulkParts: ReadonlyArray<BulkPartRow>
  /** What is in the data store, by key, and has not been removed, also where its time is over. */
  readonly entries: ReadonlyMap<string, EntryRow>
  /** What `$.service.db` counts, by source. */
  readonly counts: ReadonlyMap<string, number>
}

const readAll = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`
  const heads = yield* sql<{ emitter_id: string; streams: Record<string, number> }>`
    SELECT emitter_id, streams FROM heads WHERE emitter_id NOT LIKE 'u\\_%'`
  const counts = yield* sql<{ program_id: string; value: string }>`
    SELECT program_id, value FROM program_state WHERE key = 'count'`
  const [token] = yield* sql<TokenRow>`SELECT generation, expires_at FROM oauth_accounts`
  const entries = yield* sql<EntryRow>`SELECT key, value, expires_at FROM data_store_entries`
  return {
    token,
    entries: new Map(entries.map((entry) => [entry.key, entry])),
    heads: new Map(heads.map(({ emitter_id, streams }) => [emitter_id, streams])),
    events: yield* sql<EventRow>`
      SELECT emitter_id, stream, id, n, emit_id, hops, payload FROM events
      WHERE stream <> '$requests' AND emitter_id NOT LIKE 'u\\_%' ORDER BY emitter_id, stream, id`,
    cursors: yield* sql<CursorRow>`
      SELECT subscription_id, emitter_id, start_n, n, delivered, pending, exhausted, dropped, filtered FROM cursors`,
    due: yield* sql<DueRow>`SELECT owner_id, kind, key, due_at FROM due_work`,
    deliveries: yield* sql<DeliveryRow>`
      SELECT id, subscription_id, emitter_id, event_id, attempts, state, apart FROM deliveries`,
    sources: yield* sql<{ id: string; active: boolean; state: string }>`SELECT id, active, state FROM programs`,
    webhooks: yield* sql<WebhookRow>`SELECT id, active, throttled_until FROM webhooks`,
    // No workflow of the model sends objects.
    subscriptions: yield* sql<{ id: string }>`SELECT id FROM subscriptions WHERE stream <> ${Stream.objects}`,
    bulkParts: yield* sql<BulkPartRow>`
      SELECT p.owner_id AS webhook_id, b.action, p.ended_at
      FROM bulk_parts p JOIN bulk_actions b ON b.id = p.bulk_id`,
    workflowRuns: yield* sql<WorkflowRunRow>`SELECT id, workflow_id, status FROM workflow_runs`,
    counts: new Map(counts.map(({ program_id, value }) => [program_id, Number(JSON.parse(value))]))
  } satisfies Observation
})

export const read: Effect.Effect<Observation, SqlError.SqlError, SqlClient.SqlClient> = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql.withTransaction(readAll)
)
