import * as EventId from "@headwater/domain/EventId"
import type { AccountId } from "@headwater/domain/Id"
import * as Stream from "@headwater/domain/Stream"
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { bigints, texts } from "../internal/SqlArray.ts"
import { beginningBytes, type EventOutline, outlineColumns, outlineFromRow, type OutlineRow } from "../logs/EventLog.ts"
import { type CommitPosition, positionNow } from "./AccountTail.ts"
import * as Page from "./Page.ts"
import { Searches } from "./Searches.ts"

/** A place in the list. Of one emitter no two events have the same id. */
export interface EventListPlace {
  readonly id: EventId.EventId
  readonly emitterId: string
}

/** The events that are meant: those of which all of this holds. */
export interface EventListFilter {
  /** Of these emitters of the account. */
  readonly emitterIds?: ReadonlyArray<string> | undefined
  readonly stream?: Stream.StreamName | undefined
  readonly id?: EventId.EventId | undefined
  /** This id or a later one. */
  readonly from?: EventId.EventId | undefined
  /** Before this id. */
  readonly until?: EventId.EventId | undefined
  /** Found in the payload as it is stored. */
  readonly text?: string | undefined
}

/** The part of the list to read. */
export interface EventListRequest extends Page.PageBounds<EventListPlace> {
  readonly limit: number
  /** The most bytes of the events, if there is more than one. */
  readonly maxBytes: number
  /**
   * True if whole payloads count towards `maxBytes`, since they are read next; otherwise their parts in outlines count.
   */
  readonly whole: boolean
}

export interface EventListPage {
  /** In the order of the request. */
  readonly items: ReadonlyArray<EventOutline>
  /**
   * Behind which event, in the direction of the request, the list may go on; undefined at its end. This can be one that
   * the filter leaves out: a page looks into so many payloads at most.
   */
  readonly goesOnAt: EventListPlace | undefined
  /**
   * True if the list ends before the oldest event, or begins behind it, since the account has too many logs to look into
   * all of them.
   */
  readonly isCut: boolean
  /** The position up to which the list could have events: a tail from there on has all that comes later. */
  readonly position: CommitPosition
}

/** Logs that a page looks into, each a stream of an emitter: those of the emitters that emitted last. */
const mostLogs = 5_000

/** Payloads that a page looks into for a text, of few logs and of many; and how many bytes of them. */
const fewLogs = 10
const mostSeen = { few: 2_000, many: 150 }
const mostBytesSeen = 8 * 1024 * 1024

interface PlaceRow {
  readonly position: CommitPosition
  readonly most: bigint
  readonly horizon: bigint | null
  readonly emitter_id: string | null
  readonly stream: string | null
  readonly id: bigint | null
}

interface Place extends EventListPlace {
  readonly stream: string
}

interface SeenRow extends OutlineRow {
  readonly place: bigint
  readonly is_match: boolean
}

/**
 * The events of an account over all its emitters' logs, newest first. The first events over all logs are among the
 * first of those logs whose own first events come first: so a page costs one look into each log by its index, and what
 * it reads.
 */
export class EventList extends Context.Service<EventList, {
  /** A page with `text` is one of the account's searches. */
  readonly page: (
    accountId: AccountId,
    filter: EventListFilter,
    request: EventListRequest
  ) => Effect.Effect<EventListPage, SqlError.SqlError>
}>()("@headwater/log/lists/EventList") {
  static readonly layer: Layer.Layer<EventList, never, SqlClient.SqlClient> = Layer.effect(
    EventList,
    Effect.gen(function*() {
      const searches = yield* Searches
      const sql = yield* SqlClient.SqlClient

      /** Of a log `l`, the events that a page is about. */
      const within = (filter: EventListFilter, request: EventListRequest) => {
        const { newer, older } = Page.between(request)
        const bounds: Array<Statement.Fragment> = [
          sql`e.emitter_id = l.emitter_id AND e.stream = l.stream`,
          sql`e.id > coalesce((SELECT horizon FROM bound), -1)`
        ]
        if (filter.id !== undefined) bounds.push(sql`e.id = ${filter.id}`)
        if (filter.from !== undefined) bounds.push(sql`e.id >= ${filter.from}`)
        if (filter.until !== undefined) bounds.push(sql`e.id < ${filter.until}`)
        if (newer !== undefined) {
          bounds.push(
            sql`e.id <= CASE WHEN l.emitter_id < ${newer.emitterId} THEN ${newer.id}::bigint ELSE ${
              newer.id - 1n
            }::bigint END`
          )
        }
        if (older !== undefined) {
          bounds.push(
            sql`e.id > CASE WHEN l.emitter_id > ${older.emitterId} THEN ${
              older.id - 1n
            }::bigint ELSE ${older.id}::bigint END`
          )
        }
        return sql.and(bounds)
      }

      const places = (
        accountId: AccountId,
        filter: EventListFilter,
        request: EventListRequest,
        order: "ASC" | "DESC"
      ) => {
        const by = sql.literal(order)
        const [lastOf, noFurther] = (order === "ASC" ? ["max", "<="] : ["min", ">="]).map((text) => sql.literal(text))
        const allIds = order === "ASC" ? EventId.last : 0n
        const bounds = within(filter, request)
        const most = filter.text === undefined
          ? sql`${request.limit + 1}::int`
          : sql`CASE WHEN count(*) <= ${fewLogs} THEN ${mostSeen.few} ELSE ${mostSeen.many} END`
        return sql<PlaceRow>`
          WITH logs AS MATERIALIZED (
            SELECT h.emitter_id, s.stream, h.last_id FROM (
              SELECT emitter_id, last_id, streams FROM heads
              WHERE account_id = ${accountId} AND ${
          filter.emitterIds === undefined ? sql`true` : sql`emitter_id = ANY (${texts(filter.emitterIds)})`
        }
              ORDER BY last_id DESC, emitter_id LIMIT ${mostLogs + 1}
            ) AS h CROSS JOIN LATERAL jsonb_object_keys(h.streams) AS s (stream)
            WHERE ${
          filter.stream === undefined ? sql`s.stream <> ${Stream.requests}` : sql`s.stream = ${filter.stream}`
        }
            ORDER BY h.last_id DESC, h.emitter_id LIMIT ${mostLogs + 1}
          ), bound AS MATERIALIZED (
            SELECT ${most} AS most, CASE WHEN count(*) > ${mostLogs} THEN min(last_id) END AS horizon FROM logs
          ), first AS MATERIALIZED (
            SELECT l.emitter_id, l.stream, e.id FROM logs l CROSS JOIN LATERAL (
              SELECT e.id FROM events e WHERE ${bounds} ORDER BY e.id ${by} LIMIT 1
            ) AS e
            ORDER BY e.id ${by}, l.emitter_id ${by} LIMIT (SELECT most FROM bound)
          ), enough AS MATERIALIZED (
            SELECT CASE WHEN count(*) = (SELECT most FROM bound) THEN ${lastOf}(id) END AS id FROM first
          ), found AS (
            SELECT l.emitter_id, l.stream, e.id FROM first l CROSS JOIN LATERAL (
              SELECT e.id FROM events e
              WHERE ${bounds} AND e.id ${noFurther} coalesce((SELECT id FROM enough), ${allIds}::bigint)
              ORDER BY e.id ${by} LIMIT (SELECT most FROM bound)
            ) AS e
            ORDER BY e.id ${by}, l.emitter_id ${by} LIMIT (SELECT most FROM bound)
          )
          SELECT ${positionNow(sql)} AS position, b.most::bigint AS most, b.horizon, f.emitter_id, f.stream, f.id
          FROM bound b LEFT JOIN found f ON true ORDER BY f.id ${by}, f.emitter_id ${by}`
      }

      const read = (found: ReadonlyArray<Place>, { text }: EventListFilter, request: EventListRequest) => {
        const weight = request.whole || text !== undefined
          ? sql`octet_length(payload)`
          : sql`least(octet_length(payload), ${beginningBytes})`
        const maxBytes = text === undefined ? request.maxBytes : mostBytesSeen
        return sql<SeenRow>`
          SELECT place, is_match, ${outlineColumns(sql)} FROM (
            SELECT *, max(place) FILTER (WHERE bytes_before < ${maxBytes}) OVER () AS last_seen FROM (
              SELECT *, coalesce(sum(weight) OVER (ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS bytes_before
              FROM (
                SELECT e.*, p.place, coalesce(${weight} + coalesce(octet_length(e.meta), 0), 0) AS weight
                FROM unnest(
                  ${texts(found.map(({ emitterId }) => emitterId))},
                  ${texts(found.map(({ stream }) => stream))},
                  ${bigints(found.map(({ id }) => id))}
                ) WITH ORDINALITY AS p (emitter, log, event, place)
                LEFT JOIN LATERAL (
                  SELECT * FROM events
                  WHERE emitter_id = p.emitter COLLATE "C" AND stream = p.log COLLATE "C" AND id = p.event OFFSET 0
                ) AS e ON true
              ) AS weighed
            ) AS summed
          ) AS seen, LATERAL (
            SELECT emitter_id IS NOT NULL AND ${
          text === undefined ? sql`true` : sql`strpos(payload, ${text}) > 0`
        } AS is_match
          ) AS matched
          WHERE bytes_before < ${maxBytes} AND (is_match OR place = last_seen)
          ORDER BY place LIMIT ${request.limit + 1}`
      }

      const page: EventList["Service"]["page"] = Effect.fnUntraced(
        function*(accountId, filter, request) {
          const order = Page.orderOf(request)
          const rows = yield* places(accountId, filter, request, order)
          const { horizon, most, position } = rows[0]!
          const found = rows.flatMap(({ emitter_id, id, stream }): ReadonlyArray<Place> =>
            emitter_id === null || stream === null || id === null ? [] : [{ emitterId: emitter_id, stream, id }]
          )
          const hasOldest = (goesOnAt: EventListPlace | undefined) =>
            order === "DESC" ? goesOnAt === undefined : request.after === undefined && request.before === undefined
          if (found.length === 0) {
            return { items: [], goesOnAt: undefined, isCut: horizon !== null && hasOldest(undefined), position }
          }
          const seen = yield* read(found, filter, request)
          const matching = seen.filter((row) => row.is_match)
          const items = fitting(matching.slice(0, request.limit), request)
          const lastSeen = Number(seen.at(-1)?.place ?? 0)
          const isAtEnd = lastSeen === found.length && found.length < Number(most)
          const last = items.at(-1)
          const goesOnAt = last !== undefined && items.length < matching.length
            ? found[Number(last.place) - 1]
            : isAtEnd
            ? undefined
            : found[lastSeen - 1]
          return {
            items: Page.inOrder(items.map(outlineFromRow), request),
            goesOnAt,
            isCut: horizon !== null && hasOldest(goesOnAt),
            position
          }
        },
        (reads, accountId, { text }) => text === undefined ? reads : searches.run(accountId, reads)
      )

      return EventList.of({ page })
    })
  ).pipe(Layer.provide(Searches.layer))
}

/** As many as come to no more than what a page may have, and at least one. */
const fitting = (rows: ReadonlyArray<SeenRow>, { maxBytes, whole }: EventListRequest): ReadonlyArray<SeenRow> => {
  let bytes = 0
  const more = rows.findIndex((row) => {
    const isOver = bytes >= maxBytes
    bytes += whole ? row.bytes : Math.min(row.bytes, beginningBytes)
    return isOver
  })
  return more < 0 ? rows : rows.slice(0, more)
}
