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

/** Rows deleted at once where a whole log goes. */
const bite = 5_000

/** Rows deleted at once beside appends. */
const smallBite = 1_000

/** One stream of one emitter. */
export interface StreamAddress {
  readonly emitterId: string
  readonly stream: string
}

/** The `events` table: every emitter's log, append-only but for retention and asked-for deletion. */
export class EventLog extends Context.Service<EventLog, {
  /** Adds events whose ids and numbers their owner assigned, in the surrounding transaction. */
  readonly append: (events: ReadonlyArray<LoggedEvent>) => Effect.Effect<void, SqlError.SqlError>
  /** The events after `id`, oldest first: at most `limit`, and no more once payloads have come to `maxBytes`. */
  readonly after: (
    address: StreamAddress,
    id: EventId,
    limit: number,
    maxBytes: number
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
      /** Nothing older than this. */
      readonly from?: EventId | undefined
    }
  ) => Effect.Effect<ReadonlyArray<LoggedEvent>, SqlError.SqlError>
  /** How many events there are among the last `most`, and the oldest of these; reads ids alone. */
  readonly tail: (
    address: StreamAddress,
    most: number
  ) => Effect.Effect<{ readonly count: number; readonly oldest: EventId | undefined }, SqlError.SqlError>
  /** Ids of the events a stream has taken in since `id`, by the `emit_id` they came with, oldest first. */
  readonly emitIdsSince: (
    address: StreamAddress,
    id: EventId
  ) => Effect.Effect<ReadonlyMap<string, EventId>, SqlError.SqlError>
  /** Bytes of payload after `id`. */
  readonly bytesAfter: (address: StreamAddress, id: EventId) => Effect.Effect<number, SqlError.SqlError>
  /** Deletes a stream's events up to and including `id`. */
  readonly prune: (address: StreamAddress, id: EventId) => Effect.Effect<void, SqlError.SqlError>
  /**
   * Deletes the first events of a range, ends included, as many as go at once without anybody noticing. Answers the last
   * that went; none when the range is empty.
   */
  readonly removeSome: (
    address: StreamAddress,
    range: { readonly from: EventId; readonly to: EventId }
  ) => Effect.Effect<Option.Option<EventId>, SqlError.SqlError>
  /** Deletes an emitter's events, a bite at a time. */
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
        after: (address, id, limit, maxBytes) =>
          Effect.map(
            sql<EventRow>`
              SELECT emitter_id, stream, id, n, emit_id, hops, meta, payload FROM (
                SELECT *, sum(octet_length(payload)) OVER (ORDER BY id) - octet_length(payload) AS bytes_before
                FROM (
                  SELECT * FROM events
                  WHERE emitter_id = ${address.emitterId} AND stream = ${address.stream} AND id > ${id}
                  ORDER BY id LIMIT ${limit}
                ) AS page
              ) AS sized
              WHERE bytes_before < ${maxBytes} ORDER BY id`,
            (rows) => rows.map(fromRow)
          ),
        find: (address, id) =>
          Effect.map(
            sql<EventRow>`
              SELECT * FROM events
              WHERE emitter_id = ${address.emitterId} AND stream = ${address.stream} AND id = ${id}`,
            ([row]) => Option.map(Option.fromUndefinedOr(row), fromRow)
          ),
        latest: ({ after, before, emitterId, from, limit, stream }) => {
          const bounds = [sql`emitter_id = ${emitterId}`, sql`stream = ${stream}`]
          if (after !== undefined) bounds.push(sql`id < ${after}`)
          if (before !== undefined) bounds.push(sql`id > ${before}`)
          if (from !== undefined) bounds.push(sql`id >= ${from}`)
          // With `before` alone the page is the one that ends just before that event.
          const towardsNewer = before !== undefined && after === undefined
          return Effect.map(
            sql<EventRow>`
              SELECT * FROM events WHERE ${sql.and(bounds)}
              ORDER BY id ${sql.literal(towardsNewer ? "ASC" : "DESC")} LIMIT ${limit}`,
            (rows) => towardsNewer ? rows.map(fromRow).toReversed() : rows.map(fromRow)
          )
        },
        tail: (address, most) =>
          Effect.map(
            sql<{ count: bigint; oldest: bigint | null }>`
              SELECT count(*) AS count, min(id) AS oldest FROM (
                SELECT id FROM events
                WHERE emitter_id = ${address.emitterId} AND stream = ${address.stream}
                ORDER BY id DESC LIMIT ${most}
              ) AS last`,
            ([row]) => ({ count: Number(row?.count ?? 0), oldest: row?.oldest ?? undefined })
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
        bytesAfter: (address, id) =>
          Effect.map(
            sql<{ bytes: bigint }>`
              SELECT coalesce(sum(octet_length(payload)), 0)::bigint AS bytes FROM events
              WHERE emitter_id = ${address.emitterId} AND stream = ${address.stream} AND id > ${id}`,
            ([row]) => Number(row!.bytes)
          ),
        removeSome: (address, { from, to }) =>
          Effect.map(
            sql<{ last: bigint | null }>`
              WITH removed AS (
                DELETE FROM events e USING (
                  SELECT id FROM events
                  WHERE emitter_id = ${address.emitterId} AND stream = ${address.stream} AND id BETWEEN ${from} AND ${to}
                  ORDER BY id LIMIT ${smallBite}
                ) AS b
                WHERE e.emitter_id = ${address.emitterId} AND e.stream = ${address.stream} AND e.id = b.id
                RETURNING e.id
              )
              SELECT max(id) AS last FROM removed`,
            ([row]) => Option.fromNullOr(row?.last ?? null)
          ),
        removeAll: (emitterId) =>
          sql<{ id: bigint }>`
            DELETE FROM events e USING (
              SELECT stream, id FROM events WHERE emitter_id = ${emitterId} LIMIT ${bite}
            ) AS b
            WHERE e.emitter_id = ${emitterId} AND e.stream = b.stream AND e.id = b.id
            RETURNING e.id`.pipe(
            Effect.repeat({ until: (rows) => rows.length < bite }),
            Effect.asVoid
          )
      })
    })
  )
}
