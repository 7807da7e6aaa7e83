import type { EventId } from "@headwater/domain/EventId"
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { bigints, bytes, integers, numbers, texts } from "./internal/SqlArray.ts"

/** `pending` waits for a retry; `exhausted` has used them all, and can be replayed. */
export type DeliveryState = "pending" | "exhausted"

/** One event on its way to one webhook. It has a row only when its first attempt did not deliver it. */
export interface Delivery {
  readonly id: string
  readonly webhookId: string
  readonly subscriptionId: string
  readonly emitterId: string
  readonly stream: string
  readonly eventId: EventId
  /** How many attempts were made. */
  readonly attempts: number
  readonly state: DeliveryState
}

/** One send and what came of it. */
export interface Attempt {
  readonly deliveryId: string
  /** From 1. */
  readonly attempt: number
  readonly webhookId: string
  readonly subscriptionId: string
  readonly emitterId: string
  readonly stream: string
  readonly eventId: EventId
  readonly emitId: string
  /** Unix milliseconds. */
  readonly startedAt: number
  readonly durationMs: number
  readonly outcome: "delivered" | "failed"
  readonly status: number | null
  /** The address connected to. */
  readonly address: string | null
  readonly errorClass: string | null
  readonly errorMessage: string | null
  /** JSON text. */
  readonly responseHeaders: string | null
  readonly responseBody: Uint8Array | null
  /** When the next attempt is due, Unix milliseconds. */
  readonly nextAt: number | null
}

/** A row's next state, if it still stands at `fromAttempts`; a settled one loses its row. */
export interface DeliveryChange {
  readonly id: string
  readonly fromAttempts: number
  readonly attempts: number
  readonly state: DeliveryState | "settled"
}

interface DeliveryRow {
  readonly id: string
  readonly webhook_id: string
  readonly subscription_id: string
  readonly emitter_id: string
  readonly stream: string
  readonly event_id: bigint
  readonly attempts: number
  readonly state: DeliveryState
}

const fromRow = (row: DeliveryRow): Delivery => ({
  id: row.id,
  webhookId: row.webhook_id,
  subscriptionId: row.subscription_id,
  emitterId: row.emitter_id,
  stream: row.stream,
  eventId: row.event_id,
  attempts: row.attempts,
  state: row.state
})

/** The `deliveries` and `attempts` tables. */
export class Deliveries extends Context.Service<Deliveries, {
  readonly find: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Delivery>, SqlError.SqlError>
  readonly insert: (deliveries: ReadonlyArray<Delivery>) => Effect.Effect<void, SqlError.SqlError>
  /** Answers the ids that changed. */
  readonly change: (
    changes: ReadonlyArray<DeliveryChange>
  ) => Effect.Effect<ReadonlySet<string>, SqlError.SqlError>
  readonly record: (attempts: ReadonlyArray<Attempt>) => Effect.Effect<void, SqlError.SqlError>
  readonly attemptsOf: (webhookId: string) => Effect.Effect<ReadonlyArray<Attempt>, SqlError.SqlError>
  /** A subscription is gone: what waits for a retry is not tried again. */
  readonly removePendingOf: (
    webhookId: string,
    subscriptionId: string
  ) => Effect.Effect<void, SqlError.SqlError>
  readonly removeOfWebhook: (webhookId: string) => Effect.Effect<void, SqlError.SqlError>
}>()("@headwater/log/Deliveries") {
  static readonly layer: Layer.Layer<Deliveries, never, SqlClient.SqlClient> = Layer.effect(
    Deliveries,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return Deliveries.of({
        find: (ids) =>
          Effect.map(
            sql<DeliveryRow>`SELECT * FROM deliveries WHERE id = ANY (${texts(ids)})`,
            (rows) => rows.map(fromRow)
          ),
        insert: (deliveries) =>
          Effect.asVoid(sql`
            INSERT INTO deliveries (id, webhook_id, subscription_id, emitter_id, stream, event_id, attempts, state)
            SELECT * FROM unnest(
              ${texts(deliveries.map((delivery) => delivery.id))},
              ${texts(deliveries.map((delivery) => delivery.webhookId))},
              ${texts(deliveries.map((delivery) => delivery.subscriptionId))},
              ${texts(deliveries.map((delivery) => delivery.emitterId))},
              ${texts(deliveries.map((delivery) => delivery.stream))},
              ${bigints(deliveries.map((delivery) => delivery.eventId))},
              ${integers(deliveries.map((delivery) => delivery.attempts))},
              ${texts(deliveries.map((delivery) => delivery.state))}
            )`),
        change: (changes) =>
          Effect.map(
            sql<{ id: string }>`
              WITH change AS (
                SELECT * FROM unnest(
                  ${texts(changes.map((change) => change.id))},
                  ${integers(changes.map((change) => change.fromAttempts))},
                  ${integers(changes.map((change) => change.attempts))},
                  ${texts(changes.map((change) => change.state))}
                ) AS c (id, from_attempts, attempts, state)
              ), removed AS (
                DELETE FROM deliveries d USING change c
                WHERE d.id = c.id AND d.attempts = c.from_attempts AND c.state = 'settled'
                RETURNING d.id
              ), updated AS (
                UPDATE deliveries d SET attempts = c.attempts, state = c.state FROM change c
                WHERE d.id = c.id AND d.attempts = c.from_attempts AND c.state <> 'settled'
                RETURNING d.id
              )
              SELECT id FROM removed UNION ALL SELECT id FROM updated`,
            (rows) => new Set(rows.map((row) => row.id))
          ),
        record: (attempts) =>
          Effect.asVoid(sql`
            INSERT INTO attempts (delivery_id, attempt, webhook_id, subscription_id, emitter_id, stream, event_id,
              emit_id, started_at, duration_ms, outcome, status, address, error_class, error_message,
              response_headers, response_body, next_at)
            SELECT * FROM unnest(
              ${texts(attempts.map((attempt) => attempt.deliveryId))},
              ${integers(attempts.map((attempt) => attempt.attempt))},
              ${texts(attempts.map((attempt) => attempt.webhookId))},
              ${texts(attempts.map((attempt) => attempt.subscriptionId))},
              ${texts(attempts.map((attempt) => attempt.emitterId))},
              ${texts(attempts.map((attempt) => attempt.stream))},
              ${bigints(attempts.map((attempt) => attempt.eventId))},
              ${texts(attempts.map((attempt) => attempt.emitId))},
              ${numbers(attempts.map((attempt) => attempt.startedAt))},
              ${integers(attempts.map((attempt) => attempt.durationMs))},
              ${texts(attempts.map((attempt) => attempt.outcome))},
              ${integers(attempts.map((attempt) => attempt.status))},
              ${texts(attempts.map((attempt) => attempt.address))},
              ${texts(attempts.map((attempt) => attempt.errorClass))},
              ${texts(attempts.map((attempt) => attempt.errorMessage))},
              ${texts(attempts.map((attempt) => attempt.responseHeaders))},
              ${bytes(attempts.map((attempt) => attempt.responseBody))},
              ${numbers(attempts.map((attempt) => attempt.nextAt))}
            )`),
        attemptsOf: (webhookId) =>
          Effect.map(
            sql<AttemptRow>`
              SELECT * FROM attempts WHERE webhook_id = ${webhookId} ORDER BY started_at, delivery_id, attempt`,
            (rows) => rows.map(attemptFromRow)
          ),
        removePendingOf: (webhookId, subscriptionId) =>
          Effect.asVoid(sql`
            DELETE FROM deliveries
            WHERE webhook_id = ${webhookId} AND subscription_id = ${subscriptionId} AND state = 'pending'`),
        removeOfWebhook: (webhookId) =>
          Effect.andThen(
            sql`DELETE FROM deliveries WHERE webhook_id = ${webhookId}`,
            Effect.asVoid(sql`DELETE FROM attempts WHERE webhook_id = ${webhookId}`)
          )
      })
    })
  )
}

interface AttemptRow {
  readonly delivery_id: string
  readonly attempt: number
  readonly webhook_id: string
  readonly subscription_id: string
  readonly emitter_id: string
  readonly stream: string
  readonly event_id: bigint
  readonly emit_id: string
  readonly started_at: bigint
  readonly duration_ms: number
  readonly outcome: "delivered" | "failed"
  readonly status: number | null
  readonly address: string | null
  readonly error_class: string | null
  readonly error_message: string | null
  readonly response_headers: string | null
  readonly response_body: Uint8Array | null
  readonly next_at: bigint | null
}

const attemptFromRow = (row: AttemptRow): Attempt => ({
  deliveryId: row.delivery_id,
  attempt: row.attempt,
  webhookId: row.webhook_id,
  subscriptionId: row.subscription_id,
  emitterId: row.emitter_id,
  stream: row.stream,
  eventId: row.event_id,
  emitId: row.emit_id,
  startedAt: Number(row.started_at),
  durationMs: row.duration_ms,
  outcome: row.outcome,
  status: row.status,
  address: row.address,
  errorClass: row.error_class,
  errorMessage: row.error_message,
  responseHeaders: row.response_headers,
  responseBody: row.response_body,
  nextAt: row.next_at === null ? null : Number(row.next_at)
})
