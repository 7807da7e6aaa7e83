import type { EventId } from "@headwater/domain/EventId"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import * as Insertion from "../internal/Insertion.ts"
import { inBites } from "../internal/Removal.ts"
import { bigints, bytes, integers, numbers, smallIntegers, texts } from "../internal/SqlArray.ts"

/** One send and what came of it. */
export interface Attempt {
  readonly accountId: string
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
  /** Milliseconds, at most 32,767; null for what it did not come to, or did not need. */
  readonly dnsMs: number | null
  readonly connectMs: number | null
  readonly tlsMs: number | null
  /** From sending the request until the answer began. */
  readonly firstByteMs: number | null
  /** The headers sent, as far as nothing else here tells them, with a mask for secrets. */
  readonly requestHeaders: string | null
  /** JSON text. */
  readonly responseHeaders: string | null
  readonly responseBody: Uint8Array | null
  /** The time at which the next attempt is due, in Unix milliseconds. */
  readonly nextAt: number | null
  /** The batch, if several events were sent together: `eventId` names the first, and `emitId` all of them. */
  readonly batch?: AttemptBatch | undefined
  /** The first request, which got no answer, if a second one was sent. */
  readonly firstRequest?: FirstRequest | undefined
}

/** The first of two requests of an attempt. */
export const FirstRequest = Schema.Struct({
  address: Schema.String,
  errorClass: Schema.String,
  errorMessage: Schema.String,
  /** Milliseconds; the phases as those of an attempt. */
  durationMs: Schema.Int,
  dnsMs: Schema.NullOr(Schema.Int),
  connectMs: Schema.NullOr(Schema.Int),
  tlsMs: Schema.NullOr(Schema.Int)
})
export type FirstRequest = typeof FirstRequest.Type

/** The events that an attempt sent beside its first one. */
export interface AttemptBatch {
  readonly lastEventId: EventId
  /** The number of events that were sent. */
  readonly events: number
  /** All that the batch held when it began, in order. */
  readonly eventIds: ReadonlyArray<EventId>
}

/** An attempt without what was sent and answered. */
export type AttemptOutline = Omit<
  Attempt,
  | "accountId"
  | "dnsMs"
  | "connectMs"
  | "tlsMs"
  | "firstByteMs"
  | "requestHeaders"
  | "responseHeaders"
  | "responseBody"
  | "firstRequest"
>

const dayMs = 24 * 3_600_000

/** Days that have a partition before they begin. */
const daysAhead = 3

/** Rows deleted at once where there is no partition to drop. */
const bite = 1_000

/** Of one delivery, so many attempts and bytes of what was sent and answered are read at most. */
const mostOfDelivery = 100
const mostBytesOfDelivery = 1024 * 1024

const reading = (sql: SqlClient.SqlClient) => {
  const outline = sql`
  a.delivery_id, a.attempt, a.webhook_id, a.subscription_id, a.emitter_id, a.stream, a.event_id, a.emit_id,
  a.started_at, a.duration_ms, a.outcome, a.status, a.address, a.error_class, a.error_message, a.next_at,
  a.event_count, a.last_event_id, a.batch_event_ids`

  return {
    /** Oldest first. */
    ofWebhook: (webhookId: string): Effect.Effect<ReadonlyArray<Attempt>, SqlError.SqlError> =>
      Effect.map(
        sql<AttemptRow>`
          SELECT * FROM attempts WHERE webhook_id = ${webhookId} ORDER BY started_at, delivery_id, attempt`,
        (rows) => rows.map(fromRow)
      ),
    /** The newest of a delivery that began at a time, in Unix milliseconds: as many as fit, oldest first. */
    ofDelivery: (
      accountId: string,
      deliveryId: string,
      begunAt: number
    ): Effect.Effect<ReadonlyArray<Attempt>, SqlError.SqlError> =>
      Effect.map(
        sql<AttemptRow>`
          SELECT * FROM (
            SELECT *, sum(octet_length(coalesce(response_headers, '')) + octet_length(coalesce(response_body, '')) +
              octet_length(coalesce(request_headers, ''))) OVER (ORDER BY attempt DESC) AS bytes
            FROM attempts
            WHERE account_id = ${accountId} AND delivery_id = ${deliveryId} AND started_at >= ${begunAt}
            ORDER BY attempt DESC LIMIT ${mostOfDelivery}
          ) AS newest
          WHERE bytes <= ${mostBytesOfDelivery} ORDER BY attempt`,
        (rows) => rows.map(fromRow)
      ),
    /** Those of one event, over all webhooks, oldest first, without what was answered. */
    ofEvent: (emitterId: string, eventId: EventId): Effect.Effect<ReadonlyArray<AttemptOutline>, SqlError.SqlError> =>
      Effect.map(
        sql<OutlineRow>`
          SELECT ${outline}
          FROM attempts a WHERE event_id = ${eventId} AND emitter_id = ${emitterId}
          ORDER BY started_at, delivery_id, attempt`,
        (rows) => rows.map(outlineFromRow)
      ),
    /** Those of the batch that an event was in behind another, of each of these subscriptions, oldest first. */
    ofBatches: (
      accountId: string,
      emitterId: string,
      eventId: EventId,
      subscriptionIds: ReadonlyArray<string>
    ): Effect.Effect<ReadonlyArray<AttemptOutline>, SqlError.SqlError> =>
      subscriptionIds.length === 0 ? Effect.succeed([]) : Effect.map(
        sql<OutlineRow>`
          SELECT ${outline} FROM unnest(${texts(subscriptionIds)}) AS s (id)
          CROSS JOIN LATERAL (
            SELECT DISTINCT delivery_id FROM (
              SELECT delivery_id, event_id FROM attempts
              WHERE subscription_id = s.id AND emitter_id = ${emitterId}
                AND last_event_id > event_id AND last_event_id >= ${eventId}
              ORDER BY last_event_id FETCH FIRST ROW WITH TIES
            ) AS nearest
            WHERE event_id < ${eventId}
          ) AS found
          JOIN attempts a ON a.account_id = ${accountId} AND a.delivery_id = found.delivery_id
          ORDER BY a.started_at, a.delivery_id, a.attempt`,
        (rows) => rows.map(outlineFromRow).filter(({ batch }) => batch?.eventIds.includes(eventId))
      )
  }
}

const keeping = (sql: SqlClient.SqlClient) => {
  /** While a change waits for who reads the table, as a backup does, nobody can write to it: it gives up soon. */
  const briefly = (change: Effect.Effect<unknown, SqlError.SqlError>) =>
    sql.withTransaction(Effect.andThen(sql`SET LOCAL lock_timeout = '100ms'`, change))

  const prepareDay = Effect.fnUntraced(function*(from: number) {
    const name = partitionOf(from)
    const [found] = yield* sql<{ name: string | null }>`SELECT to_regclass(${name})::text AS name`
    if (found?.name != null) return
    // A day that has begun without a partition goes on so: its rows lie where those of no day do.
    const begun = yield* sql`
      SELECT FROM attempts_default WHERE started_at >= ${from} AND started_at < ${from + dayMs} LIMIT 1`
    if (begun.length > 0) return
    yield* briefly(sql`
      CREATE TABLE IF NOT EXISTS ${sql(name)} PARTITION OF attempts
      FOR VALUES FROM (${sql.literal(String(from))}) TO (${sql.literal(String(from + dayMs))})`)
  })

  return {
    removeOfWebhook: (webhookId: string): Effect.Effect<void, SqlError.SqlError> =>
      inBites(
        bite,
        sql`
          DELETE FROM attempts a USING (
            SELECT account_id, delivery_id, attempt, started_at FROM attempts
            WHERE webhook_id = ${webhookId} LIMIT ${bite}
          ) AS b
          WHERE a.account_id = b.account_id AND a.delivery_id = b.delivery_id AND a.attempt = b.attempt
            AND a.started_at = b.started_at RETURNING true`
      ),
    /**
     * Makes the partitions of the UTC day of `now`, in Unix milliseconds, and of those after it, unless they have rows
     * already.
     */
    prepare: Effect.fnUntraced(function*(now: number) {
      const today = Math.floor(now / dayMs) * dayMs
      for (let day = 0; day <= daysAhead; day++) yield* prepareDay(today + day * dayMs)
    }),
    /** Drops the days that ended before a time, in Unix milliseconds. */
    expire: Effect.fnUntraced(function*(before: number) {
      const partitions = yield* sql<{ name: string }>`
        SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'attempts'::regclass AND c.relname ~ '^attempts_[0-9]{8}$' ORDER BY 1`
      for (const { name } of partitions) {
        // The name of the day that holds `before` itself comes after those of the days that are over.
        if (name < partitionOf(before)) yield* briefly(sql`DROP TABLE IF EXISTS ${sql(name)}`)
      }
      yield* inBites(
        bite,
        sql`
          DELETE FROM attempts_default d USING (
            SELECT account_id, delivery_id, attempt, started_at FROM attempts_default
            WHERE started_at < ${before} LIMIT ${bite}
          ) AS b
          WHERE d.account_id = b.account_id AND d.delivery_id = b.delivery_id AND d.attempt = b.attempt
            AND d.started_at = b.started_at RETURNING true`
      )
    })
  }
}

/** Adds attempts. */
export const intoAttempts = Insertion.into<Attempt>("attempts")`
  INSERT INTO attempts (account_id, delivery_id, attempt, webhook_id, subscription_id, emitter_id, stream, event_id,
    emit_id, started_at, duration_ms, outcome, status, address, error_class, error_message, response_headers,
    response_body, next_at, request_headers, dns_ms, connect_ms, tls_ms, first_byte_ms, event_count, last_event_id,
    batch_event_ids, first_request)
  SELECT * FROM unnest(
    ${(attempts) => texts(attempts.map((attempt) => attempt.accountId))},
    ${(attempts) => texts(attempts.map((attempt) => attempt.deliveryId))},
    ${(attempts) => integers(attempts.map((attempt) => attempt.attempt))},
    ${(attempts) => texts(attempts.map((attempt) => attempt.webhookId))},
    ${(attempts) => texts(attempts.map((attempt) => attempt.subscriptionId))},
    ${(attempts) => texts(attempts.map((attempt) => attempt.emitterId))},
    ${(attempts) => texts(attempts.map((attempt) => attempt.stream))},
    ${(attempts) => bigints(attempts.map((attempt) => attempt.eventId))},
    ${(attempts) => texts(attempts.map((attempt) => attempt.emitId))},
    ${(attempts) => numbers(attempts.map((attempt) => attempt.startedAt))},
    ${(attempts) => integers(attempts.map((attempt) => attempt.durationMs))},
    ${(attempts) => texts(attempts.map((attempt) => attempt.outcome))},
    ${(attempts) => integers(attempts.map((attempt) => attempt.status))},
    ${(attempts) => texts(attempts.map((attempt) => attempt.address))},
    ${(attempts) => texts(attempts.map((attempt) => attempt.errorClass))},
    ${(attempts) => texts(attempts.map((attempt) => attempt.errorMessage))},
    ${(attempts) => texts(attempts.map((attempt) => attempt.responseHeaders))},
    ${(attempts) => bytes(attempts.map((attempt) => attempt.responseBody))},
    ${(attempts) => numbers(attempts.map((attempt) => attempt.nextAt))},
    ${(attempts) => texts(attempts.map((attempt) => attempt.requestHeaders))},
    ${(attempts) => smallIntegers(attempts.map((attempt) => attempt.dnsMs))},
    ${(attempts) => smallIntegers(attempts.map((attempt) => attempt.connectMs))},
    ${(attempts) => smallIntegers(attempts.map((attempt) => attempt.tlsMs))},
    ${(attempts) => smallIntegers(attempts.map((attempt) => attempt.firstByteMs))},
    ${(attempts) => integers(attempts.map(({ batch }) => batch?.events ?? null))},
    ${(attempts) => bigints(attempts.map(({ batch }) => batch?.lastEventId ?? null))},
    ${(attempts) => texts(attempts.map(({ batch }) => batch?.eventIds.join(" ") ?? null))},
    ${(attempts) =>
  texts(attempts.map(({ firstRequest }) => firstRequest === undefined ? null : JSON.stringify(firstRequest)))}
  ) AS a`

const make = Effect.map(SqlClient.SqlClient, (sql) => ({
  ...reading(sql),
  ...keeping(sql),
  record: (attempts: ReadonlyArray<Attempt>): Effect.Effect<void, SqlError.SqlError> => intoAttempts.run(sql, attempts)
}))

/** The `attempts` table: append-only, in a partition for each UTC day. */
export class Attempts extends Context.Service<Attempts, Effect.Success<typeof make>>()("@headwater/log/work/Attempts") {
  static readonly layer: Layer.Layer<Attempts, never, SqlClient.SqlClient> = Layer.effect(Attempts, make)
}

const partitionOf = (ms: number): string =>
  `attempts_${DateTime.formatIsoDateUtc(DateTime.makeUnsafe(ms)).replaceAll("-", "")}`

interface OutlineRow {
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
  readonly next_at: bigint | null
  readonly event_count: number | null
  readonly last_event_id: bigint | null
  readonly batch_event_ids: string | null
}

interface AttemptRow extends OutlineRow {
  readonly account_id: string
  readonly dns_ms: number | null
  readonly connect_ms: number | null
  readonly tls_ms: number | null
  readonly first_byte_ms: number | null
  readonly request_headers: string | null
  readonly response_headers: string | null
  readonly response_body: Uint8Array | null
  readonly first_request: string | null
}

const firstRequestOf = Schema.decodeSync(Schema.fromJsonString(FirstRequest))

const fromRow = (row: AttemptRow): Attempt => ({
  ...outlineFromRow(row),
  accountId: row.account_id,
  dnsMs: row.dns_ms,
  connectMs: row.connect_ms,
  tlsMs: row.tls_ms,
  firstByteMs: row.first_byte_ms,
  requestHeaders: row.request_headers,
  responseHeaders: row.response_headers,
  responseBody: row.response_body,
  ...(row.first_request === null ? {} : { firstRequest: firstRequestOf(row.first_request) })
})

const outlineFromRow = (row: OutlineRow): AttemptOutline => ({
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
  nextAt: row.next_at === null ? null : Number(row.next_at),
  batch: row.event_count === null || row.last_event_id === null || row.batch_event_ids === null
    ? undefined
    : {
      lastEventId: row.last_event_id,
      events: row.event_count,
      eventIds: row.batch_event_ids.split(" ").map(BigInt)
    }
})
