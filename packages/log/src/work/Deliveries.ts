import type { EventId } from "@headwater/domain/EventId"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { exactly } from "../internal/Exactly.ts"
import { inBites, removeRows } from "../internal/Removal.ts"
import { bigints, booleans, integers, numbers, texts } from "../internal/SqlArray.ts"

/**
 * `pending` waits for an attempt; `exhausted` has used them all; `dropped` lost its event or its subscription before it
 * arrived, or was skipped. Those that have ended can be opened again.
 */
export type DeliveryState = "pending" | "exhausted" | "dropped"

/** Of a delivery of several events together: what each attempt is to be made of. */
export interface DeliveryBatch {
  /** The webhook-id of every attempt. */
  readonly id: string
  readonly lastEventId: EventId
  /** All that it held when it began, in order: the first is the delivery's own event. */
  readonly eventIds: ReadonlyArray<EventId>
}

/**
 * One event, or one batch of them, on its way to one webhook. It has a row only when its first attempt did not deliver
 * it.
 */
export interface Delivery {
  readonly id: string
  readonly accountId: string
  readonly webhookId: string
  readonly subscriptionId: string
  readonly emitterId: string
  readonly stream: string
  readonly eventId: EventId
  /** The number of attempts that were made. */
  readonly attempts: number
  readonly state: DeliveryState
  readonly last: LastAttempt
  /** Its cursor does not account for what becomes of it: it arrived before, or is sent again by a replay. */
  readonly apart: boolean
  /** None where it is of one event. */
  readonly batch?: DeliveryBatch | undefined
}

/** The number of events of a delivery. */
export const eventCount = ({ batch }: Pick<Delivery, "batch">): number => batch?.eventIds.length ?? 1

/** The facts about the last attempt that a delivery's row has. */
export interface LastAttempt {
  /** The time at which it began, in Unix milliseconds; null if there was none. */
  readonly at: number | null
  readonly status: number | null
  readonly errorClass: string | null
}

/** Of a delivery that was not attempted yet. */
export const noAttempt: LastAttempt = { at: null, status: null, errorClass: null }

/** A row's next state, if it still is in the state `from` and stands at `fromAttempts`; a settled one loses its row. */
export interface DeliveryChange {
  readonly id: string
  readonly from: DeliveryState
  readonly fromAttempts: number
  readonly attempts: number
  readonly state: DeliveryState | "settled"
  readonly last: LastAttempt
}

interface DeliveryRow {
  readonly id: string
  readonly account_id: string
  readonly webhook_id: string
  readonly subscription_id: string
  readonly emitter_id: string
  readonly stream: string
  readonly event_id: bigint
  readonly attempts: number
  readonly state: DeliveryState
  readonly last_at: bigint | null
  readonly status: number | null
  readonly error_class: string | null
  readonly apart: boolean
  readonly last_event_id: bigint | null
  readonly batch_id: string | null
  readonly batch_event_ids: string | null
}

const batchFromRow = ({ batch_event_ids, batch_id, last_event_id }: DeliveryRow): DeliveryBatch | undefined =>
  batch_id === null || last_event_id === null || batch_event_ids === null
    ? undefined
    : { id: batch_id, lastEventId: last_event_id, eventIds: batch_event_ids.split(" ").map(BigInt) }

const fromRow = (row: DeliveryRow): Delivery => ({
  id: row.id,
  accountId: row.account_id,
  webhookId: row.webhook_id,
  subscriptionId: row.subscription_id,
  emitterId: row.emitter_id,
  stream: row.stream,
  eventId: row.event_id,
  attempts: row.attempts,
  state: row.state,
  last: {
    at: row.last_at === null ? null : Number(row.last_at),
    status: row.status,
    errorClass: row.error_class
  },
  apart: row.apart,
  batch: batchFromRow(row)
})

/** The delivery that an emitter's line to a webhook stands on. */
export interface LineHead {
  readonly id: string
  readonly emitterId: string
}

const headFromRow = (row: { readonly id: string; readonly emitter_id: string }): LineHead => ({
  id: row.id,
  emitterId: row.emitter_id
})

/** Rows deleted at once. */
const bite = 1_000

/** The `deliveries` table. */
export class Deliveries extends Context.Service<Deliveries, {
  readonly find: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Delivery>, SqlError.SqlError>
  /**
   * Those of one event that were not delivered at once, and when the next attempt of each is due, in Unix milliseconds.
   *
   * @param subscriptionIds whose batches it may have been in behind another
   */
  readonly ofEvent: (
    emitterId: string,
    stream: string,
    eventId: EventId,
    subscriptionIds: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<Delivery & { readonly nextAt: number | null }>, SqlError.SqlError>
  /** The numbers of a webhook's deliveries that wait for an attempt, by the emitters of their events. */
  readonly pendingByEmitter: (webhookId: string) => Effect.Effect<ReadonlyMap<string, number>, SqlError.SqlError>
  readonly insert: (deliveries: ReadonlyArray<Delivery>) => Effect.Effect<void, SqlError.SqlError>
  /** Answers the ids that changed. */
  readonly change: (
    changes: ReadonlyArray<DeliveryChange>
  ) => Effect.Effect<ReadonlySet<string>, SqlError.SqlError>
  /** The same, where it is an error if any did not change. */
  readonly changeAll: (changes: ReadonlyArray<DeliveryChange>) => Effect.Effect<void, SqlError.SqlError>
  /** A subscription is gone: what waits for a retry is not tried again. */
  readonly dropPendingOf: (
    webhookId: string,
    subscriptionId: string
  ) => Effect.Effect<void, SqlError.SqlError>
  readonly removeOfWebhook: (webhookId: string) => Effect.Effect<void, SqlError.SqlError>
  /**
   * The delivery that each emitter's line to a webhook stands on, in the order of emitters behind one: of those that
   * wait for an attempt the one whose event comes first in the log.
   */
  readonly headsOfLines: (
    webhookId: string,
    afterEmitter: string,
    limit: number
  ) => Effect.Effect<ReadonlyArray<LineHead>, SqlError.SqlError>
  readonly headOfLine: (
    webhookId: string,
    emitterId: string
  ) => Effect.Effect<Option.Option<LineHead>, SqlError.SqlError>
  /** Those of a webhook that wait for an attempt, in the order of their ids behind one. */
  readonly pendingOf: (
    webhookId: string,
    after: string,
    limit: number
  ) => Effect.Effect<ReadonlyArray<Delivery>, SqlError.SqlError>
  /** Forgets those that were given up or dropped, and whose events are older than `before`. */
  readonly removeEnded: (before: EventId) => Effect.Effect<void, SqlError.SqlError>
}>()("@headwater/log/work/Deliveries") {
  static readonly layer: Layer.Layer<Deliveries, never, SqlClient.SqlClient> = Layer.effect(
    Deliveries,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient

      const changing = (changes: ReadonlyArray<DeliveryChange>) =>
        sql`
          WITH change AS (
            SELECT * FROM unnest(
              ${texts(changes.map((change) => change.id))},
              ${texts(changes.map((change) => change.from))},
              ${integers(changes.map((change) => change.fromAttempts))},
              ${integers(changes.map((change) => change.attempts))},
              ${texts(changes.map((change) => change.state))},
              ${numbers(changes.map((change) => change.last.at))},
              ${integers(changes.map((change) => change.last.status))},
              ${texts(changes.map((change) => change.last.errorClass))}
            ) AS c (id, from_state, from_attempts, attempts, state, last_at, status, error_class)
          ), removed AS (
            DELETE FROM deliveries d USING change c
            WHERE d.id = c.id AND d.attempts = c.from_attempts AND d.state = c.from_state AND c.state = 'settled'
            RETURNING d.id
          ), updated AS (
            UPDATE deliveries d SET attempts = c.attempts, state = c.state, last_at = c.last_at, status = c.status,
              error_class = c.error_class
            FROM change c
            WHERE d.id = c.id AND d.attempts = c.from_attempts AND d.state = c.from_state AND c.state <> 'settled'
            RETURNING d.id
          ), changed AS (
            SELECT id FROM removed UNION ALL SELECT id FROM updated
          )`

      return Deliveries.of({
        find: (ids) =>
          Effect.map(
            sql<DeliveryRow>`SELECT * FROM deliveries WHERE id = ANY (${texts(ids)})`,
            (rows) => rows.map(fromRow)
          ),
        ofEvent: (emitterId, stream, eventId, subscriptionIds) =>
          Effect.map(
            sql<DeliveryRow & { next_at: bigint | null }>`
              SELECT d.*, w.due_at AS next_at FROM deliveries d
              LEFT JOIN due_work w ON w.owner_id = d.webhook_id AND w.kind = 'retry' AND w.key = d.id
              WHERE d.id IN (
                SELECT id FROM deliveries
                WHERE event_id = ${eventId} AND emitter_id = ${emitterId} AND stream = ${stream}
                UNION
                SELECT nearest.id FROM unnest(${texts(subscriptionIds)}) AS s (id)
                CROSS JOIN LATERAL (
                  SELECT id, event_id FROM deliveries
                  WHERE subscription_id = s.id AND emitter_id = ${emitterId}
                    AND last_event_id > event_id AND last_event_id >= ${eventId}
                  ORDER BY last_event_id FETCH FIRST ROW WITH TIES
                ) AS nearest
                WHERE nearest.event_id < ${eventId}
              )
              ORDER BY d.id`,
            (rows) =>
              rows.map((row) => ({ ...fromRow(row), nextAt: row.next_at === null ? null : Number(row.next_at) }))
                .filter(({ batch }) => batch === undefined || batch.eventIds.includes(eventId))
          ),
        pendingByEmitter: (webhookId) =>
          Effect.map(
            sql<{ readonly emitter_id: string; readonly count: bigint }>`
              SELECT emitter_id, count(*) AS count FROM deliveries
              WHERE webhook_id = ${webhookId} AND state = 'pending' GROUP BY emitter_id`,
            (rows) => new Map(rows.map((row) => [row.emitter_id, Number(row.count)]))
          ),
        insert: (deliveries) =>
          Effect.asVoid(sql`
            INSERT INTO deliveries (id, account_id, webhook_id, subscription_id, emitter_id, stream, event_id, attempts,
              state, last_at, status, error_class, apart, event_count, last_event_id, batch_id, batch_event_ids)
            SELECT * FROM unnest(
              ${texts(deliveries.map((delivery) => delivery.id))},
              ${texts(deliveries.map((delivery) => delivery.accountId))},
              ${texts(deliveries.map((delivery) => delivery.webhookId))},
              ${texts(deliveries.map((delivery) => delivery.subscriptionId))},
              ${texts(deliveries.map((delivery) => delivery.emitterId))},
              ${texts(deliveries.map((delivery) => delivery.stream))},
              ${bigints(deliveries.map((delivery) => delivery.eventId))},
              ${integers(deliveries.map((delivery) => delivery.attempts))},
              ${texts(deliveries.map((delivery) => delivery.state))},
              ${numbers(deliveries.map((delivery) => delivery.last.at))},
              ${integers(deliveries.map((delivery) => delivery.last.status))},
              ${texts(deliveries.map((delivery) => delivery.last.errorClass))},
              ${booleans(deliveries.map((delivery) => delivery.apart))},
              ${integers(deliveries.map(eventCount))},
              ${bigints(deliveries.map(({ batch }) => batch?.lastEventId ?? null))},
              ${texts(deliveries.map(({ batch }) => batch?.id ?? null))},
              ${texts(deliveries.map(({ batch }) => batch?.eventIds.join(" ") ?? null))}
            )`),
        change: (changes) =>
          Effect.map(
            sql<{ id: string }>`${changing(changes)} SELECT id FROM changed`,
            (rows) => new Set(rows.map((row) => row.id))
          ),
        changeAll: (changes) => Effect.asVoid(sql`${changing(changes)} ${exactly(sql, "changed", changes.length)}`),
        dropPendingOf: (webhookId, subscriptionId) =>
          Effect.asVoid(sql`
            UPDATE deliveries SET state = 'dropped'
            WHERE webhook_id = ${webhookId} AND subscription_id = ${subscriptionId} AND state = 'pending'`),
        removeOfWebhook: (webhookId) => removeRows(sql, "deliveries", sql`webhook_id = ${webhookId}`, bite),
        headsOfLines: (webhookId, afterEmitter, limit) =>
          Effect.map(
            sql<{ id: string; emitter_id: string }>`
              SELECT DISTINCT ON (emitter_id) id, emitter_id FROM deliveries
              WHERE webhook_id = ${webhookId} AND state = 'pending' AND emitter_id > ${afterEmitter}
              ORDER BY emitter_id, event_id LIMIT ${limit}`,
            (rows) => rows.map(headFromRow)
          ),
        headOfLine: (webhookId, emitterId) =>
          Effect.map(
            sql<{ id: string; emitter_id: string }>`
              SELECT id, emitter_id FROM deliveries
              WHERE webhook_id = ${webhookId} AND emitter_id = ${emitterId} AND state = 'pending'
              ORDER BY event_id LIMIT 1`,
            ([row]) => Option.map(Option.fromUndefinedOr(row), headFromRow)
          ),
        pendingOf: (webhookId, after, limit) =>
          Effect.map(
            sql<DeliveryRow>`
              SELECT * FROM deliveries WHERE webhook_id = ${webhookId} AND state = 'pending' AND id > ${after}
              ORDER BY id LIMIT ${limit}`,
            (rows) => rows.map(fromRow)
          ),
        removeEnded: (before) =>
          inBites(
            bite,
            sql`
            DELETE FROM deliveries d USING (
              SELECT id FROM deliveries WHERE state <> 'pending' AND event_id < ${before}
              ORDER BY event_id LIMIT ${bite}
            ) AS b
            WHERE d.id = b.id RETURNING d.id`
          )
      })
    })
  )
}
