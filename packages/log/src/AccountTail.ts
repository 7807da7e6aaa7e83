import type * as EventId from "@headwater/domain/EventId"
import type { AccountId } from "@headwater/domain/Id"
import * as Stream from "@headwater/domain/Stream"
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { EventListFilter } from "./EventList.ts"
import { beginningBytes, type EventOutline, outlineColumns, outlineFromRow, type OutlineRow } from "./EventLog.ts"
import { bigints, texts } from "./internal/SqlArray.ts"

/** Which events are followed: those of which all of this holds. */
export type AccountTailFilter = Pick<EventListFilter, "emitterIds" | "stream" | "text">

/**
 * What had been committed at one moment: the oldest transaction that was under way then. All that an older one wrote could be
 * seen, and nothing that a later one writes.
 */
export type CommitPosition = string

/** The position of a statement's own snapshot, which is part of that statement. */
export const positionNow = (sql: SqlClient.SqlClient) => sql`pg_snapshot_xmin(pg_current_snapshot())::text`

/** A log, and how far it goes. */
export interface LogEnd extends Stream.StreamAddress {
  /** The number of its last event. */
  readonly n: number
  /** No event of it has a later id. */
  readonly lastId: EventId.EventId
}

/** A log, and the last event of it that was seen: 0 where none was. */
export interface LogPlace extends Stream.StreamAddress {
  readonly seen: EventId.EventId
}

/** A part of a log: what comes behind the event that was seen last, up to another one. */
export interface LogPart extends LogPlace {
  readonly lastId: EventId.EventId
}

/** What one read has of several logs. */
export interface ArrivedEvents {
  /** Those that the filter lets through, in the order of their ids. */
  readonly events: ReadonlyArray<EventOutline>
  /** The logs of which there were any, the last of these seen. */
  readonly reached: ReadonlyArray<LogPlace>
}

/** Events that one read looks into, and how many bytes of their payloads. */
const mostSeen = 200
const mostBytesSeen = 8 * 1024 * 1024

/** The numbers of transactions that a row holds begin again after so many, less one. */
const transactionMask = 0xffff_ffff

interface EndRow {
  readonly position: string
  readonly emitter_id: string | null
  readonly stream: string | null
  readonly n: number | null
  readonly last_id: bigint | null
}

/** Follows the logs of an account in the order in which their events are committed, which their ids do not tell. */
export class AccountTail extends Context.Service<AccountTail, {
  /** How far each log goes, and the position at which that is so. */
  readonly ends: (accountId: AccountId, filter: AccountTailFilter) => Effect.Effect<
    { readonly position: CommitPosition; readonly ends: ReadonlyArray<LogEnd> },
    SqlError.SqlError
  >
  /**
   * Where each log was at a position, at the latest: nothing was committed later than that and before it. What is behind it
   * may have been seen there already.
   */
  readonly placesAt: (
    accountId: AccountId,
    filter: AccountTailFilter,
    position: CommitPosition
  ) => Effect.Effect<ReadonlyArray<LogPlace>, SqlError.SqlError>
  /** The first events of parts of several logs, at most 200. */
  readonly arrived: (
    parts: ReadonlyArray<LogPart>,
    filter: AccountTailFilter
  ) => Effect.Effect<ArrivedEvents, SqlError.SqlError>
}>()("@headwater/log/AccountTail") {
  static readonly layer: Layer.Layer<AccountTail, never, SqlClient.SqlClient> = Layer.effect(
    AccountTail,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient

      const ofEmitters = ({ emitterIds }: AccountTailFilter) =>
        emitterIds === undefined ? sql`true` : sql`emitter_id = ANY (${texts(emitterIds)})`

      const ofStream = ({ stream }: AccountTailFilter) =>
        stream === undefined ? sql`s.stream <> ${Stream.requests}` : sql`s.stream = ${stream}`

      return AccountTail.of({
        ends: (accountId, filter) =>
          Effect.map(
            sql<EndRow>`
              SELECT p.position, l.emitter_id, l.stream, l.n::float8 AS n, l.last_id
              FROM (SELECT ${positionNow(sql)} AS position) AS p LEFT JOIN (
                SELECT h.emitter_id, h.last_id, s.stream, s.n
                FROM (SELECT emitter_id, last_id, streams FROM heads WHERE account_id = ${accountId} AND ${
              ofEmitters(filter)
            } OFFSET 0) AS h CROSS JOIN LATERAL jsonb_each_text(h.streams) AS s (stream, n)
                WHERE ${ofStream(filter)}
              ) AS l ON true`,
            (rows) => ({
              position: rows[0]!.position,
              ends: rows.flatMap(({ emitter_id, last_id, n, stream }): ReadonlyArray<LogEnd> =>
                emitter_id === null || stream === null || n === null || last_id === null
                  ? []
                  : [{ emitterId: emitter_id, stream, n, lastId: last_id }]
              )
            })
          ),
        // A log's events are committed in the order of their ids: from its end back, what is old begins with the first.
        placesAt: (accountId, filter, position) =>
          Effect.map(
            sql<{ readonly emitter_id: string; readonly stream: string; readonly seen: bigint }>`
              WITH now AS MATERIALIZED (
                SELECT xmax, xmax - ${BigInt(position)}::bigint AS age FROM (
                  SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS xmax
                ) AS now
              )
              SELECT h.emitter_id, s.stream, coalesce(old.id, 0) AS seen
              FROM heads h CROSS JOIN LATERAL jsonb_object_keys(h.streams) AS s (stream) LEFT JOIN LATERAL (
                SELECT e.id FROM events e
                WHERE e.emitter_id = h.emitter_id AND e.stream = s.stream
                  AND (((SELECT xmax FROM now) - e.xmin::text::bigint) & ${transactionMask}::bigint) > (SELECT age FROM now)
                ORDER BY e.id DESC LIMIT 1
              ) AS old ON true
              WHERE h.account_id = ${accountId} AND ${ofEmitters(filter)} AND ${ofStream(filter)}`,
            (rows) => rows.map(({ emitter_id, seen, stream }) => ({ emitterId: emitter_id, stream, seen }))
          ),
        arrived: (parts, { text }) =>
          Effect.map(
            sql<OutlineRow & { readonly is_match: boolean }>`
              SELECT is_match, ${outlineColumns(sql)} FROM (
                SELECT *, ${text === undefined ? sql`true` : sql`strpos(payload, ${text}) > 0`} AS is_match FROM (
                  SELECT *, sum(weight) OVER (ORDER BY id, emitter_id, stream) - weight AS bytes_before FROM (
                    SELECT e.*, ${
              text === undefined ? sql`least(octet_length(e.payload), ${beginningBytes})` : sql`octet_length(e.payload)`
            } + coalesce(octet_length(e.meta), 0) AS weight
                    FROM unnest(
                      ${texts(parts.map(({ emitterId }) => emitterId))},
                      ${texts(parts.map(({ stream }) => stream))},
                      ${bigints(parts.map(({ seen }) => seen))},
                      ${bigints(parts.map(({ lastId }) => lastId))}
                    ) AS p (emitter, log, seen, last) CROSS JOIN LATERAL (
                      SELECT * FROM events
                      WHERE emitter_id = p.emitter COLLATE "C" AND stream = p.log COLLATE "C" AND id > p.seen AND id <= p.last
                      ORDER BY id LIMIT ${mostSeen}
                    ) AS e
                    ORDER BY e.id, e.emitter_id, e.stream LIMIT ${mostSeen}
                  ) AS found
                ) AS weighed
                WHERE bytes_before < ${mostBytesSeen}
              ) AS seen
              ORDER BY id, emitter_id, stream`,
            (rows) => {
              const reached = new Map(rows.map((row) => [`${row.emitter_id} ${row.stream}`, row]))
              return {
                events: rows.filter((row) => row.is_match).map(outlineFromRow),
                reached: [...reached.values()].map(({ emitter_id, id, stream }) => ({
                  emitterId: emitter_id,
                  stream,
                  seen: id
                }))
              }
            }
          )
      })
    })
  )
}
