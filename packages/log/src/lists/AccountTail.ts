import type * as EventId from "@headwater/domain/EventId"
import type { AccountId } from "@headwater/domain/Id"
import * as Stream from "@headwater/domain/Stream"
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { bigints, texts } from "../internal/SqlArray.ts"
import { beginningBytes, type EventOutline, outlineColumns, outlineFromRow, type OutlineRow } from "../logs/EventLog.ts"
import type { EventListFilter } from "./EventList.ts"
import { Searches } from "./Searches.ts"

/** The events that are followed: those of which all of this holds. */
export type AccountTailFilter = Pick<EventListFilter, "emitterIds" | "stream" | "text">

/**
 * The extent of what had been committed at one moment: the oldest transaction that was under way then. All that an
 * older one wrote could be seen, and nothing that a later one writes.
 */
export type CommitPosition = string

/** The position of a statement's own snapshot, which is part of that statement. */
export const positionNow = (sql: SqlClient.SqlClient) => sql`pg_snapshot_xmin(pg_current_snapshot())::text`

/** An event of a log, and the transaction that committed it. */
export interface LogPlace extends Stream.StreamAddress {
  readonly id: EventId.EventId
  readonly committedIn: bigint
}

/** A part of a log: what comes behind the event that was seen last, 0 where none was, up to its end. */
export interface LogPart extends Stream.StreamAddress {
  readonly seen: EventId.EventId
  readonly last: EventId.EventId
  readonly lastCommittedIn: bigint
}

/** Logs that have grown. */
export interface GrownLogs {
  /** The position at which that is so. */
  readonly position: CommitPosition
  /**
   * The parts that were not committed before the given position, of at most 1,000 logs in the order of their addresses.
   */
  readonly parts: ReadonlyArray<LogPart>
  /** Behind which log there may be more. */
  readonly goesOnAt: GrownLogsPlace | undefined
}

/** A place in the order of logs: a log, or all of an emitter's. */
export interface GrownLogsPlace {
  readonly emitterId: string
  readonly stream: Stream.StreamName | undefined
}

/** The events that one read of several logs finds. */
export interface ArrivedEvents {
  /** Those that the filter lets through, in the order of their ids. */
  readonly events: ReadonlyArray<EventOutline>
  /** The last that was looked into of each log of which there were any. */
  readonly reached: ReadonlyArray<LogPlace>
}

/** Events that one read looks into, and how many bytes of their payloads. A tail repeats a search that took too long. */
const mostSeen = 200
const mostBytesSeen = 1024 * 1024

/** The numbers of transactions that a row holds begin again after so many, less one. */
const transactionMask = 0xffff_ffff

/** Emitters, and logs, that one look tells of. */
const mostGrown = 1_000

interface GrownRow {
  readonly position: CommitPosition
  readonly emitters: number
  readonly last_emitter: string | null
  readonly emitter_id: string | null
  readonly stream: string | null
  readonly seen: bigint
  readonly last: bigint
  readonly last_committed_in: bigint
}

/** Follows the logs of an account in the order in which their events are committed, which their ids do not tell. */
export class AccountTail extends Context.Service<AccountTail, {
  /**
   * The logs of which not all was committed before a position, or before now. Events that came in at about the position
   * may have been seen there already. Costs a row's look for each emitter of the account, and more for those that have
   * grown alone.
   *
   * @param behind where a look before this one ended
   */
  readonly grown: (
    accountId: AccountId,
    filter: AccountTailFilter,
    since: CommitPosition | undefined,
    behind: GrownLogsPlace | undefined
  ) => Effect.Effect<GrownLogs, SqlError.SqlError>
  /** The first events of parts of several logs, at most 200. With `text` it is one of the account's searches. */
  readonly arrived: (
    accountId: AccountId,
    parts: ReadonlyArray<LogPart>,
    filter: AccountTailFilter
  ) => Effect.Effect<ArrivedEvents, SqlError.SqlError>
}>()("@headwater/log/lists/AccountTail") {
  static readonly layer: Layer.Layer<AccountTail, never, SqlClient.SqlClient> = Layer.effect(
    AccountTail,
    Effect.gen(function*() {
      const searches = yield* Searches
      const sql = yield* SqlClient.SqlClient

      /** The transaction of which a row is, of those before `xmax`. */
      const transactionOf = (row: string, xmax: Statement.Fragment) =>
        sql`${xmax} - ((${xmax} - ${sql.literal(row)}.xmin::text::bigint) & ${transactionMask}::bigint)`

      const isOfFollowed = (accountId: AccountId, { emitterIds }: AccountTailFilter) =>
        emitterIds === undefined
          ? sql`h.account_id = ${accountId}`
          : sql`h.account_id = ${accountId} AND h.emitter_id = ANY (${texts(emitterIds)})`

      const isBehind = (place: GrownLogsPlace | undefined) =>
        place === undefined ? { emitter: sql`true`, log: sql`true` } : place.stream === undefined
          ? { emitter: sql`h.emitter_id > ${place.emitterId}`, log: sql`true` }
          : {
            emitter: sql`h.emitter_id >= ${place.emitterId}`,
            log: sql`(h.emitter_id > ${place.emitterId} OR s.stream COLLATE "C" > ${place.stream})`
          }

      const isOfStream = ({ stream }: AccountTailFilter) =>
        stream === undefined ? sql`s.stream <> ${Stream.requests}` : sql`s.stream = ${stream}`

      return AccountTail.of({
        // A head changes with each commit of its log: its rows in the journal, or what they were folded into
        // afterwards, are of that transaction or a later one. A log's events are committed in the order of their ids:
        // from its end back, what was committed before a position begins with the first such.
        grown: (accountId, filter, since, behind) => {
          const [xmax, from] = [sql`(SELECT xmax FROM now)`, sql`(SELECT since FROM now)`]
          const isNew = (row: string) => sql`${transactionOf(row, xmax)} >= ${from}`
          const isWanted = sql`${isOfFollowed(accountId, filter)} AND ${isBehind(behind).emitter}`
          return Effect.map(
            sql<GrownRow>`
              WITH now AS MATERIALIZED (
                SELECT position, xmax, coalesce(${
              since === undefined ? null : BigInt(since)
            }::bigint, position) AS since FROM (
                  SELECT pg_snapshot_xmin(s)::text::bigint AS position, pg_snapshot_xmax(s)::text::bigint AS xmax
                  FROM pg_current_snapshot() AS s
                ) AS s
              ), grown AS MATERIALIZED (
                SELECT emitter_id FROM (
                  SELECT h.emitter_id FROM heads_folded h WHERE ${isWanted} AND ${isNew("h")}
                  UNION
                  SELECT h.emitter_id FROM heads_folded h JOIN heads_journal j USING (emitter_id)
                  WHERE ${isWanted} AND j.last_id IS NOT NULL AND ${isNew("j")}
                ) AS heads
                ORDER BY emitter_id LIMIT ${mostGrown}
              ), parts AS MATERIALIZED (
                SELECT l.emitter_id, l.stream, coalesce(old.id, 0) AS seen, newest.id AS last, newest.committed_in
                FROM (
                  SELECT h.emitter_id, s.stream
                  FROM grown JOIN heads h USING (emitter_id) CROSS JOIN LATERAL jsonb_object_keys(h.streams) AS s (stream)
                  WHERE ${isOfStream(filter)} AND ${isBehind(behind).log}
                  ORDER BY h.emitter_id, s.stream COLLATE "C" OFFSET 0
                ) AS l CROSS JOIN LATERAL (
                  SELECT e.id, ${transactionOf("e", xmax)} AS committed_in FROM events e
                  WHERE e.emitter_id = l.emitter_id AND e.stream = l.stream ORDER BY e.id DESC LIMIT 1
                ) AS newest LEFT JOIN LATERAL (
                  SELECT e.id FROM events e
                  WHERE e.emitter_id = l.emitter_id AND e.stream = l.stream AND NOT ${isNew("e")}
                  ORDER BY e.id DESC LIMIT 1
                ) AS old ON true
                WHERE newest.committed_in >= ${from}
                ORDER BY l.emitter_id, l.stream COLLATE "C" LIMIT ${mostGrown}
              )
              SELECT n.position::text, g.emitters::float8 AS emitters, g.last_emitter, p.emitter_id, p.stream, p.seen, p.last,
                p.committed_in AS last_committed_in
              FROM now n CROSS JOIN (SELECT count(*) AS emitters, max(emitter_id) AS last_emitter FROM grown) AS g
              LEFT JOIN parts p ON true`,
            (rows) => {
              const { emitters, last_emitter, position } = rows[0]!
              const parts = rows.flatMap((row): ReadonlyArray<LogPart> =>
                row.emitter_id === null || row.stream === null ? [] : [{
                  emitterId: row.emitter_id,
                  stream: row.stream,
                  seen: row.seen,
                  last: row.last,
                  lastCommittedIn: row.last_committed_in
                }]
              )
              const goesOnAt = parts.length === mostGrown
                ? parts.at(-1)
                : emitters === mostGrown && last_emitter !== null
                ? { emitterId: last_emitter, stream: undefined }
                : undefined
              return { position, parts, goesOnAt }
            }
          )
        },
        // The first events over all logs are among the first of those logs whose own first events come first.
        arrived: (accountId, parts, { text }) => {
          const xmax = sql`(SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)`
          const arrived = Effect.map(
            sql<OutlineRow & { readonly is_match: boolean; readonly committed_in: bigint }>`
              WITH first AS MATERIALIZED (
                SELECT p.*, e.id FROM unnest(
                  ${texts(parts.map(({ emitterId }) => emitterId))},
                  ${texts(parts.map(({ stream }) => stream))},
                  ${bigints(parts.map(({ seen }) => seen))},
                  ${bigints(parts.map(({ last }) => last))}
                ) AS p (emitter, log, seen, last) CROSS JOIN LATERAL (
                  SELECT id FROM events
                  WHERE emitter_id = p.emitter COLLATE "C" AND stream = p.log COLLATE "C" AND id > p.seen AND id <= p.last
                  ORDER BY id LIMIT 1
                ) AS e
                ORDER BY e.id, p.emitter COLLATE "C", p.log COLLATE "C" LIMIT ${mostSeen}
              ), enough AS (
                SELECT max(id) AS id FROM first HAVING count(*) = ${mostSeen}
              )
              SELECT is_match, committed_in, ${outlineColumns(sql)} FROM (
                SELECT *, ${text === undefined ? sql`true` : sql`strpos(payload, ${text}) > 0`} AS is_match FROM (
                  SELECT *, sum(weight) OVER (ORDER BY id, emitter_id, stream) - weight AS bytes_before FROM (
                    SELECT e.*, ${
              text === undefined ? sql`least(octet_length(e.payload), ${beginningBytes})` : sql`octet_length(e.payload)`
            } + coalesce(octet_length(e.meta), 0) AS weight
                    FROM first p CROSS JOIN LATERAL (
                      SELECT *, ${transactionOf("events", xmax)} AS committed_in FROM events
                      WHERE emitter_id = p.emitter COLLATE "C" AND stream = p.log COLLATE "C" AND id > p.seen
                        AND id <= least(p.last, (SELECT id FROM enough))
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
                reached: [...reached.values()].map(({ committed_in, emitter_id, id, stream }) => ({
                  emitterId: emitter_id,
                  stream,
                  id,
                  committedIn: committed_in
                }))
              }
            }
          )
          return text === undefined ? arrived : searches.run(accountId, arrived)
        }
      })
    })
  ).pipe(Layer.provide(Searches.layer))
}
