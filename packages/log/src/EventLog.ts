import type { EventMeta, LoggedEvent } from "@headwater/domain/Event"
import type { EventId } from "@headwater/domain/EventId"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { bigints, integers, numbers, texts } from "./internal/SqlArray.ts"

interface EventRow {
  readonly emitter_id: string
  readonly stream: string
  readonly id: bigint
  readonly n: bigint
  readonly emit_id: string
  readonly hops: number
  readonly meta: string | null
  readonly payload: string
}

const fromRow = (row: EventRow): LoggedEvent => ({
  emitterId: row.emitter_id,
  stream: row.stream,
  id: row.id,
  n: Number(row.n),
  emitId: row.emit_id,
  hops: row.hops,
  meta: row.meta === null ? {} : JSON.parse(row.meta) as EventMeta,
  payload: row.payload
})

const metaText = (meta: EventMeta): string | null => Object.keys(meta).length === 0 ? null : JSON.stringify(meta)

/** One stream of one emitter. */
export interface StreamAddress {
  readonly emitterId: string
  readonly stream: string
}

/** The `events` table: every emitter's log, append-only but for retention and asked-for deletion. */
export class EventLog extends Context.Service<EventLog, {
  /** Adds events whose ids and numbers their owner assigned, in the surrounding transaction. */
  readonly append: (events: ReadonlyArray<LoggedEvent>) => Effect.Effect<void, SqlError.SqlError>
  /** The events after `id`, oldest first. */
  readonly after: (
    address: StreamAddress,
    id: EventId,
    limit: number
  ) => Effect.Effect<ReadonlyArray<LoggedEvent>, SqlError.SqlError>
  readonly find: (
    address: StreamAddress,
    id: EventId
  ) => Effect.Effect<Option.Option<LoggedEvent>, SqlError.SqlError>
  /** The newest events first; `after` and `before` are places in that order, so `after` names older events. */
  readonly latest: (
    options: StreamAddress & {
      readonly limit: number
      readonly after?: EventId | undefined
      readonly before?: EventId | undefined
    }
  ) => Effect.Effect<ReadonlyArray<LoggedEvent>, SqlError.SqlError>
  readonly count: (address: StreamAddress) => Effect.Effect<number, SqlError.SqlError>
  /** Ids of the events a stream has taken in since `id`, by the `emit_id` they came with, oldest first. */
  readonly emitIdsSince: (
    address: StreamAddress,
    id: EventId
  ) => Effect.Effect<ReadonlyMap<string, EventId>, SqlError.SqlError>
  /** Deletes a stream's events up to and including `id`. */
  readonly prune: (address: StreamAddress, id: EventId) => Effect.Effect<void, SqlError.SqlError>
  readonly removeAll: (emitterId: string) => Effect.Effect<void, SqlError.SqlError>
}>()("@headwater/log/EventLog") {
  static readonly layer: Layer.Layer<EventLog, never, SqlClient.SqlClient> = Layer.effect(
    EventLog,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return EventLog.of({
        append: (events) =>
          Effect.asVoid(sql`
            INSERT INTO events (emitter_id, stream, id, n, emit_id, hops, meta, payload)
            SELECT * FROM unnest(
              ${texts(events.map((event) => event.emitterId))},
              ${texts(events.map((event) => event.stream))},
              ${bigints(events.map((event) => event.id))},
              ${numbers(events.map((event) => event.n))},
              ${texts(events.map((event) => event.emitId))},
              ${integers(events.map((event) => event.hops))},
              ${texts(events.map((event) => metaText(event.meta)))},
              ${texts(events.map((event) => event.payload))}
            )`),
        after: (address, id, limit) =>
          Effect.map(
            sql<EventRow>`
              SELECT * FROM events
              WHERE emitter_id = ${address.emitterId} AND stream = ${address.stream} AND id > ${id}
              ORDER BY id LIMIT ${limit}`,
            (rows) => rows.map(fromRow)
          ),
        find: (address, id) =>
          Effect.map(
            sql<EventRow>`
              SELECT * FROM events
              WHERE emitter_id = ${address.emitterId} AND stream = ${address.stream} AND id = ${id}`,
            ([row]) => Option.map(Option.fromUndefinedOr(row), fromRow)
          ),
        latest: ({ after, before, emitterId, limit, stream }) => {
          const place = sql`emitter_id = ${emitterId} AND stream = ${stream}`
          const older = after === undefined ? sql`` : sql`AND id < ${after}`
          return before === undefined
            ? Effect.map(
              sql<EventRow>`SELECT * FROM events WHERE ${place} ${older} ORDER BY id DESC LIMIT ${limit}`,
              (rows) => rows.map(fromRow)
            )
            : Effect.map(
              sql<EventRow>`
                SELECT * FROM events WHERE ${place} AND id > ${before} ${older} ORDER BY id LIMIT ${limit}`,
              (rows) => rows.map(fromRow).toReversed()
            )
        },
        count: (address) =>
          Effect.map(
            sql<{ count: bigint }>`
              SELECT count(*) AS count FROM events
              WHERE emitter_id = ${address.emitterId} AND stream = ${address.stream}`,
            ([row]) => Number(row!.count)
          ),
        emitIdsSince: (address, id) =>
          Effect.map(
            sql<{ emit_id: string; id: bigint }>`
              SELECT emit_id, id FROM events
              WHERE emitter_id = ${address.emitterId} AND stream = ${address.stream} AND id > ${id}
              ORDER BY id`,
            (rows) => new Map(rows.map((row) => [row.emit_id, row.id]))
          ),
        prune: (address, id) =>
          Effect.asVoid(sql`
            DELETE FROM events
            WHERE emitter_id = ${address.emitterId} AND stream = ${address.stream} AND id <= ${id}`),
        removeAll: (emitterId) => Effect.asVoid(sql`DELETE FROM events WHERE emitter_id = ${emitterId}`)
      })
    })
  )
}
