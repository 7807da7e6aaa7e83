import * as EmitterPattern from "@headwater/domain/EmitterPattern"
import { type EventCause, type EventMeta, type LoggedEvent, maxPreviewBytes } from "@headwater/domain/Event"
import * as EventId from "@headwater/domain/EventId"
import type * as Id from "@headwater/domain/Id"
import * as Stream from "@headwater/domain/Stream"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import * as Insertion from "../internal/Insertion.ts"
import { removeRows } from "../internal/Removal.ts"
import { bigints, integers, numbers, texts } from "../internal/SqlArray.ts"
import * as Page from "../lists/Page.ts"
import { ownRequests } from "../work/Cursors.ts"

interface PlaceRow {
  readonly emitter_id: string
  readonly stream: string
  readonly id: bigint
  readonly n: bigint
  readonly emit_id: string
  readonly hops: number
}

interface EventRow extends PlaceRow {
  readonly meta: string | null
  readonly payload: string
}

export interface OutlineRow extends EventRow {
  readonly bytes: number
}

const placeFromRow = (row: PlaceRow): EventPlace => ({
  emitterId: row.emitter_id,
  stream: row.stream,
  id: row.id,
  n: Number(row.n),
  emitId: row.emit_id,
  hops: row.hops
})

const metaFromText = (text: string | null): EventMeta => text === null ? {} : JSON.parse(text) as EventMeta

const fromRow = (row: EventRow): LoggedEvent => ({
  ...placeFromRow(row),
  meta: metaFromText(row.meta),
  payload: row.payload
})

interface FoundRow extends PlaceRow {
  readonly meta: string | null
  readonly payload: string | null
  readonly bytes: number
}

const foundFromRow = (row: FoundRow): FoundEvent => ({
  ...placeFromRow(row),
  meta: metaFromText(row.meta),
  payload: row.payload,
  bytes: row.bytes
})

export const outlineFromRow = (row: OutlineRow): EventOutline => ({ ...fromRow(row), bytes: row.bytes })

const metaText = (meta: EventMeta): string | null => Object.keys(meta).length === 0 ? null : JSON.stringify(meta)

/** Rows deleted at once where a whole log goes. */
const bite = 5_000

/** Rows deleted at once beside appends. */
const smallBite = 1_000

const dayMs = 24 * 3_600_000

/** The most bytes of the newest events that are read at once. */
const latestBytes = 16 * 1024 * 1024

/** The characters of a large payload that an outline has: more than a preview shows, as that leaves some out. */
const beginningCharacters = 2 * maxPreviewBytes

/** The most bytes of an outline beside its meta. */
export const beginningBytes = 4 * beginningCharacters

interface CausedRow extends PlaceRow {
  readonly meta: string | null
  readonly cause_emitter: string | null
  readonly cause_id: bigint | null
}

/** An event, and the input over which its program emitted it: none where that is no event or request, or is not known. */
export interface CausedEvent extends EventPlace {
  readonly meta: EventMeta
  readonly cause: EventCause | undefined
}

const causedFromRow = (row: CausedRow): CausedEvent => ({
  ...placeFromRow(row),
  meta: metaFromText(row.meta),
  cause: row.cause_id === null ? undefined : { emitterId: row.cause_emitter, id: row.cause_id }
})

/** An event without what it says. */
export type EventPlace = Omit<LoggedEvent, "cause" | "meta" | "payload">

/** An event as lists show it: what it says is whole where it is short, and else cut to its beginning. */
export interface EventOutline extends LoggedEvent {
  /** Of the whole payload. */
  readonly bytes: number
}

/** An event whose payload may be left to be read later. */
export interface FoundEvent extends Omit<LoggedEvent, "payload"> {
  /** Null where it was left out. */
  readonly payload: string | null
  /** Of the whole payload. */
  readonly bytes: number
}

/** An event's place among those of all emitters, as one text. */
export const placeText = ({ emitterId, id }: Pick<EventPlace, "emitterId" | "id">): string => `${emitterId} ${id}`

/** True if an outline has the whole payload. */
export const isWhole = ({ bytes }: EventOutline): boolean => bytes <= maxPreviewBytes

/**
 * The columns of outlines. No length here reads a value that is stored apart from its row, and a beginning reads no
 * more than that.
 */
export const outlineColumns = (sql: SqlClient.SqlClient) =>
  sql`
    emitter_id, stream, id, n, emit_id, hops, meta, octet_length(payload) AS bytes,
    CASE WHEN octet_length(payload) <= ${maxPreviewBytes} THEN payload ELSE substr(payload, 1, ${beginningCharacters}) END AS payload`

/** The part of a stream that is to go for its age. */
export interface ExpiredStream extends Stream.StreamAddress {
  readonly accountId: string
  readonly range: EventId.EventRange
}

/** The first events that a query finds, until they have so many bytes. */
const first = <Row extends object>(sql: SqlClient.SqlClient, { columns, maxBytes, query, whole, ...options }: {
  readonly columns: Statement.Fragment
  readonly query: Statement.Fragment
  readonly order: "ASC" | "DESC"
  readonly maxBytes: number
  /** True if payloads count as a whole; otherwise their parts in outlines count. */
  readonly whole: boolean
}) => {
  const order = sql.literal(`ORDER BY id ${options.order}, stream`)
  const payload = whole ? sql`octet_length(payload)` : sql`least(octet_length(payload), ${beginningBytes})`
  return sql<Row>`
    SELECT ${columns} FROM (
      SELECT *, sum(weight) OVER (${order}) - weight AS bytes_before FROM (
        SELECT *, ${payload} + coalesce(octet_length(meta), 0) AS weight FROM (${query}) AS found
      ) AS weighed
    ) AS summed
    WHERE bytes_before < ${maxBytes} ${order}`
}

/** The same as outlines. */
const outlines = (sql: SqlClient.SqlClient, options: Omit<Parameters<typeof first>[1], "columns">) =>
  Effect.map(first<OutlineRow>(sql, { ...options, columns: outlineColumns(sql) }), (rows) => rows.map(outlineFromRow))

/** As `e`, the events at places of several logs that are still there. */
const eventsAt = (
  sql: SqlClient.SqlClient,
  places: ReadonlyArray<Stream.StreamAddress & { readonly id: EventId.EventId }>
) =>
  sql`
    unnest(
      ${texts(places.map(({ emitterId }) => emitterId))},
      ${texts(places.map(({ stream }) => stream))},
      ${bigints(places.map(({ id }) => id))}
    ) AS p (emitter_id, stream, id)
    CROSS JOIN LATERAL (
      SELECT * FROM events
      WHERE emitter_id = p.emitter_id COLLATE "C" AND stream = p.stream COLLATE "C" AND id = p.id OFFSET 0
    ) AS e`

/** Events of a log in its order. */
const pages = (sql: SqlClient.SqlClient) => {
  const following = (address: Stream.StreamAddress, id: EventId.EventId, limit: number) =>
    sql`
      SELECT * FROM events
      WHERE emitter_id = ${address.emitterId} AND stream = ${address.stream} AND id > ${id}
      ORDER BY id LIMIT ${limit}`

  return {
    /** The events after `id`, oldest first: at most `limit`, and no more once payloads have come to `maxBytes`. */
    after: (
      address: Stream.StreamAddress,
      id: EventId.EventId,
      limit: number,
      maxBytes: number
    ): Effect.Effect<ReadonlyArray<LoggedEvent>, SqlError.SqlError> =>
      Effect.map(
        first<EventRow>(sql, {
          columns: sql`*`,
          query: following(address, id, limit),
          order: "ASC",
          maxBytes,
          whole: true
        }),
        (rows) => rows.map(fromRow)
      ),
    /**
     * The events behind an id of each of several emitters' logs, in turns: the first of each, then the second of each.
     * There are at most `limit`, of an emitter `each`, and no more once payloads have come to `maxBytes`. Those payloads
     * are read that come to no more than `payloadBytes`.
     */
    inTurns: (
      stream: string,
      after: ReadonlyArray<{ readonly emitterId: string; readonly id: EventId.EventId }>,
      { each, limit, maxBytes, payloadBytes }: {
        readonly each: number
        readonly limit: number
        readonly maxBytes: number
        readonly payloadBytes: number
      }
    ): Effect.Effect<
      {
        readonly events: ReadonlyArray<FoundEvent>
        /** True if `limit` or `maxBytes` kept any out. */
        readonly isCut: boolean
      },
      SqlError.SqlError
    > =>
      Effect.map(
        sql<FoundRow & { readonly found: bigint }>`
          SELECT emitter_id, stream, id, n, emit_id, hops, meta, octet_length(payload) AS bytes, found,
            CASE WHEN bytes_before + weight <= ${payloadBytes} THEN payload END AS payload
          FROM (
            SELECT *, sum(weight) OVER in_turns - weight AS bytes_before, row_number() OVER in_turns AS place,
              count(*) OVER () AS found
            FROM (
              SELECT e.*, octet_length(e.payload) + coalesce(octet_length(e.meta), 0) AS weight, a.lane,
                row_number() OVER (PARTITION BY a.lane ORDER BY e.id) AS turn
              FROM unnest(
                ${texts(after.map(({ emitterId }) => emitterId))},
                ${bigints(after.map(({ id }) => id))}
              ) WITH ORDINALITY AS a (emitter_id, id, lane)
              CROSS JOIN LATERAL (
                SELECT * FROM events
                WHERE emitter_id = a.emitter_id COLLATE "C" AND stream = ${stream} AND id > a.id
                ORDER BY id LIMIT ${each}
              ) AS e
            ) AS weighed
            WINDOW in_turns AS (ORDER BY turn, lane ROWS UNBOUNDED PRECEDING)
          ) AS summed
          WHERE bytes_before < ${maxBytes} AND place <= ${limit} ORDER BY place`,
        (rows) => ({ events: rows.map(foundFromRow), isCut: rows.length < Number(rows[0]?.found ?? 0) })
      ),
    /** The newest events of a stream, newest first: at most `limit`, and no more once payloads have come to 16 MiB. */
    latest: (
      { emitterId, limit, stream }: Stream.StreamAddress & { readonly limit: number }
    ): Effect.Effect<ReadonlyArray<LoggedEvent>, SqlError.SqlError> =>
      Effect.map(
        first<EventRow>(sql, {
          columns: sql`*`,
          query: sql`
            SELECT * FROM events WHERE emitter_id = ${emitterId} AND stream = ${stream}
            ORDER BY id DESC LIMIT ${limit}`,
          order: "DESC",
          maxBytes: latestBytes,
          whole: true
        }),
        (rows) => rows.map(fromRow)
      ),
    /**
     * The newest events first, or the oldest; `after` and `before` are places in that order. There are
     * fewer than `limit` once they have come to `maxBytes`, but never none for that reason.
     */
    page: ({ emitterId, from, limit, maxBytes, stream, whole, ...request }:
      & Stream.StreamAddress
      & Page.PageBounds<EventId.EventId>
      & {
        readonly limit: number
        readonly maxBytes: number
        /**
         * True if whole payloads count towards `maxBytes`, since they are read next; otherwise their parts in outlines
         * count.
         */
        readonly whole: boolean
        /** Nothing older than this. */
        readonly from?: EventId.EventId | undefined
      }): Effect.Effect<ReadonlyArray<EventOutline>, SqlError.SqlError> =>
    {
      const bounds = [sql`emitter_id = ${emitterId}`, sql`stream = ${stream}`, ...Page.within(sql, "id", request)]
      if (from !== undefined) bounds.push(sql`id >= ${from}`)
      const order = Page.orderOf(request)
      return Effect.map(
        outlines(sql, {
          query: sql`SELECT * FROM events WHERE ${sql.and(bounds)} ORDER BY id ${sql.literal(order)} LIMIT ${limit}`,
          order,
          maxBytes,
          whole
        }),
        (found) => Page.inOrder(found, request)
      )
    },
    /** As `after`, without the payloads of large events. */
    outlinesAfter: (
      address: Stream.StreamAddress,
      id: EventId.EventId,
      limit: number,
      maxBytes: number
    ): Effect.Effect<ReadonlyArray<EventOutline>, SqlError.SqlError> =>
      outlines(sql, { query: following(address, id, limit), order: "ASC", maxBytes, whole: false })
  }
}

/** The most bytes of metadata in which a summary is looked for. */
const summaryBytes = 16 * 1024

/** Single events of a stream, and figures of it. */
const lookups = (sql: SqlClient.SqlClient) => ({
  find: (
    address: Stream.StreamAddress,
    id: EventId.EventId
  ): Effect.Effect<Option.Option<LoggedEvent>, SqlError.SqlError> =>
    Effect.map(
      sql<EventRow>`
        SELECT * FROM events
        WHERE emitter_id = ${address.emitterId} AND stream = ${address.stream} AND id = ${id}`,
      ([row]) => Option.map(Option.fromUndefinedOr(row), fromRow)
    ),
  /** The event of a range, ends included, that came with this `emit_id`. It looks through all of the range. */
  byEmitId: (
    address: Stream.StreamAddress,
    { from, to }: EventId.EventRange,
    emitId: string
  ): Effect.Effect<Option.Option<LoggedEvent>, SqlError.SqlError> =>
    Effect.map(
      sql<EventRow>`
        SELECT * FROM events
        WHERE emitter_id = ${address.emitterId} AND stream = ${address.stream}
          AND id BETWEEN ${from} AND ${to} AND emit_id = ${emitId}`,
      ([row]) => Option.map(Option.fromUndefinedOr(row), fromRow)
    ),
  /** Those of these that are there, in order. */
  some: (
    address: Stream.StreamAddress,
    ids: ReadonlyArray<EventId.EventId>
  ): Effect.Effect<ReadonlyArray<LoggedEvent>, SqlError.SqlError> =>
    Effect.map(
      sql<EventRow>`
        SELECT * FROM events
        WHERE emitter_id = ${address.emitterId} AND stream = ${address.stream} AND id = ANY (${bigints(ids)})
        ORDER BY id`,
      (rows) => rows.map(fromRow)
    ),
  /** The whole payloads of events that are still there, by id. */
  payloads: (
    address: Stream.StreamAddress,
    ids: ReadonlyArray<EventId.EventId>
  ): Effect.Effect<ReadonlyMap<EventId.EventId, string>, SqlError.SqlError> =>
    Effect.map(
      sql<{ id: bigint; payload: string }>`
        SELECT id, payload FROM events
        WHERE emitter_id = ${address.emitterId} AND stream = ${address.stream} AND id = ANY (${bigints(ids)})`,
      (rows) => new Map(rows.map((row) => [row.id, row.payload]))
    ),
  /** The same for events of several logs, each found under the text of its place. */
  payloadsAt: (
    places: ReadonlyArray<Stream.StreamAddress & { readonly id: EventId.EventId }>
  ): Effect.Effect<ReadonlyMap<string, string>, SqlError.SqlError> =>
    Effect.map(
      sql<{ emitter_id: string; id: bigint; payload: string }>`
        SELECT e.emitter_id, e.id, e.payload FROM ${eventsAt(sql, places)}`,
      (rows) => new Map(rows.map((row) => [placeText({ emitterId: row.emitter_id, id: row.id }), row.payload]))
    ),
  /**
   * The summaries that emits gave events of several logs, each found under the text of its place. Those are left out
   * that are deleted, or whose metadata has more than 16 KiB.
   */
  summariesAt: (
    places: ReadonlyArray<Stream.StreamAddress & { readonly id: EventId.EventId }>
  ): Effect.Effect<ReadonlyMap<string, string>, SqlError.SqlError> =>
    Effect.map(
      sql<{ emitter_id: string; id: bigint; meta: string | null }>`
        SELECT e.emitter_id, e.id, e.meta FROM ${eventsAt(sql, places)}
        WHERE octet_length(e.meta) <= ${summaryBytes}`,
      (rows) =>
        new Map(rows.flatMap(({ emitter_id, id, meta }) => {
          const { summary } = metaFromText(meta)
          return summary === undefined ? [] : [[placeText({ emitterId: emitter_id, id }), summary]]
        }))
    ),
  /** Ids of the events a stream has taken in since `id`, by the `emit_id` they came with, oldest first. */
  emitIdsSince: (
    address: Stream.StreamAddress,
    id: EventId.EventId
  ): Effect.Effect<ReadonlyMap<string, EventId.EventId>, SqlError.SqlError> =>
    Effect.map(
      sql<{ emit_id: string; id: bigint }>`
        SELECT emit_id, id FROM events
        WHERE emitter_id = ${address.emitterId} AND stream = ${address.stream} AND id > ${id}
        ORDER BY id`,
      (rows) => new Map(rows.map((row) => [row.emit_id, row.id]))
    ),
  /** The number of events among the last `most`, and the oldest of these; reads ids alone. */
  tail: (
    address: Stream.StreamAddress,
    most: number
  ): Effect.Effect<{ readonly count: number; readonly oldest: EventId.EventId | undefined }, SqlError.SqlError> =>
    Effect.map(
      sql<{ count: bigint; oldest: bigint | null }>`
        SELECT count(*) AS count, min(id) AS oldest FROM (
          SELECT id FROM events
          WHERE emitter_id = ${address.emitterId} AND stream = ${address.stream}
          ORDER BY id DESC LIMIT ${most}
        ) AS last`,
      ([row]) => ({ count: Number(row?.count ?? 0), oldest: row?.oldest ?? undefined })
    ),
  /** The number of events of a stream: those appended less those removed, so it is no slower for a long log. */
  count: ({ emitterId, stream }: Stream.StreamAddress): Effect.Effect<number, SqlError.SqlError> =>
    Effect.map(
      sql<{ count: bigint }>`
        SELECT coalesce((h.streams ->> ${stream})::bigint, 0) - coalesce(t.removed, 0) AS count
        FROM heads h LEFT JOIN trims t ON t.emitter_id = h.emitter_id AND t.stream = ${stream}
        WHERE h.emitter_id = ${emitterId}`,
      ([row]) => Number(row?.count ?? 0)
    ),
  /** Bytes of payload after `id`. */
  bytesAfter: (address: Stream.StreamAddress, id: EventId.EventId): Effect.Effect<number, SqlError.SqlError> =>
    Effect.map(
      sql<{ bytes: bigint }>`
        SELECT coalesce(sum(octet_length(payload)), 0)::bigint AS bytes FROM events
        WHERE emitter_id = ${address.emitterId} AND stream = ${address.stream} AND id > ${id}`,
      ([row]) => Number(row!.bytes)
    )
})

/** Events in whichever stream, and those that led to others. */
const searches = (sql: SqlClient.SqlClient) => ({
  /** The event of that id, in whichever stream. */
  findInAny: (emitterId: string, id: EventId.EventId): Effect.Effect<Option.Option<EventOutline>, SqlError.SqlError> =>
    Effect.map(
      sql<OutlineRow>`
        SELECT ${outlineColumns(sql)} FROM (
          SELECT e.* FROM heads h CROSS JOIN LATERAL jsonb_object_keys(h.streams) AS s (stream)
          JOIN events e ON e.emitter_id = h.emitter_id AND e.stream = s.stream AND e.id = ${id}
          WHERE h.emitter_id = ${emitterId} AND s.stream <> ${Stream.requests}
        ) AS found`,
      ([row]) => Option.map(Option.fromUndefinedOr(row), outlineFromRow)
    ),
  /** The event or request of that id, in whichever stream, and the input over which it was emitted. */
  withCause: (emitterId: string, id: EventId.EventId): Effect.Effect<Option.Option<CausedEvent>, SqlError.SqlError> =>
    Effect.map(
      sql<CausedRow>`
        SELECT e.emitter_id, e.stream, e.id, e.n, e.emit_id, e.hops, e.meta, e.cause_emitter, e.cause_id
        FROM heads h CROSS JOIN LATERAL jsonb_object_keys(h.streams) AS s (stream)
        JOIN events e ON e.emitter_id = h.emitter_id AND e.stream = s.stream AND e.id = ${id}
        WHERE h.emitter_id = ${emitterId}`,
      ([row]) => Option.map(Option.fromUndefinedOr(row), causedFromRow)
    ),
  /** The emits of programs over events, in no order: of each event at most `limit`, console lines included. */
  causedBy: (
    causes: ReadonlyArray<{ readonly emitterId: string; readonly id: EventId.EventId }>,
    limit: number
  ): Effect.Effect<ReadonlyArray<CausedEvent>, SqlError.SqlError> =>
    Effect.map(
      sql<CausedRow>`
        SELECT e.* FROM unnest(
          ${texts(causes.map(({ emitterId }) => emitterId))},
          ${bigints(causes.map(({ id }) => id))}
        ) AS c (emitter_id, id)
        CROSS JOIN LATERAL (
          SELECT emitter_id, stream, id, n, emit_id, hops, meta, cause_emitter, cause_id FROM events
          WHERE cause_emitter = c.emitter_id COLLATE "C" AND cause_id = c.id LIMIT ${limit}
        ) AS e`,
      (rows) => rows.map(causedFromRow)
    ),
  /** The emits of a program over a request, among the events next to one of them: a run's are next to each other. */
  besideOverRequest: (
    { emitterId, id }: Pick<EventPlace, "emitterId" | "id">,
    requestId: EventId.EventId,
    limit: number
  ): Effect.Effect<ReadonlyArray<CausedEvent>, SqlError.SqlError> =>
    Effect.map(
      sql<CausedRow>`
        SELECT e.emitter_id, e.stream, e.id, e.n, e.emit_id, e.hops, e.meta, e.cause_emitter, e.cause_id
        FROM heads h CROSS JOIN LATERAL jsonb_object_keys(h.streams) AS s (stream)
        JOIN events e ON e.emitter_id = h.emitter_id AND e.stream = s.stream
          AND e.id BETWEEN ${id - BigInt(limit)} AND ${id + BigInt(limit)}
        WHERE h.emitter_id = ${emitterId} AND e.cause_emitter IS NULL AND e.cause_id = ${requestId} LIMIT ${limit}`,
      (rows) => rows.map(causedFromRow)
    ),
  /**
   * Events of a range in any stream but requests, oldest first: at most `limit`, and no more once they have come to
   * `maxBytes`.
   */
  inRange: (
    emitterId: string,
    range: EventId.EventRange,
    limit: number,
    maxBytes: number
  ): Effect.Effect<ReadonlyArray<EventOutline>, SqlError.SqlError> =>
    outlines(sql, {
      query: sql`
        SELECT e.* FROM heads h CROSS JOIN LATERAL jsonb_object_keys(h.streams) AS s (stream)
        JOIN events e ON e.emitter_id = h.emitter_id AND e.stream = s.stream
          AND e.id BETWEEN ${range.from} AND ${range.to}
        WHERE h.emitter_id = ${emitterId} AND s.stream <> ${Stream.requests}
        ORDER BY e.id LIMIT ${limit}`,
      order: "ASC",
      maxBytes,
      whole: false
    }),
  /** The newest events of all emitters of an account that a pattern matches, of any stream but requests, newest first. */
  latestMatching: (
    accountId: Id.AccountId,
    pattern: EmitterPattern.EmitterPattern,
    limit: number
  ): Effect.Effect<ReadonlyArray<EventPlace>, SqlError.SqlError> =>
    Effect.map(
      sql<PlaceRow>`
        SELECT e.* FROM heads h CROSS JOIN LATERAL jsonb_object_keys(h.streams) AS s (stream)
        CROSS JOIN LATERAL (
          SELECT emitter_id, stream, id, n, emit_id, hops FROM events
          WHERE emitter_id = h.emitter_id AND stream = s.stream
          ORDER BY id DESC LIMIT ${limit}
        ) AS e
        WHERE h.account_id = ${accountId} AND h.emitter_id LIKE ${EmitterPattern.toLike(pattern)}
          AND s.stream <> ${Stream.requests}
        ORDER BY e.id DESC, e.emitter_id LIMIT ${limit}`,
      (rows) => rows.map(placeFromRow)
    )
})

const removals = (sql: SqlClient.SqlClient) => ({
  /**
   * Deletes some of the requests up to and including `id` that their programs have passed; answers whether there may be
   * more.
   */
  removePassedRequests: (id: EventId.EventId): Effect.Effect<boolean, SqlError.SqlError> =>
    Effect.map(
      sql`
        DELETE FROM events WHERE ctid = ANY (ARRAY (
          SELECT r.ctid FROM cursors c CROSS JOIN LATERAL (
            SELECT ctid FROM events
            WHERE emitter_id = c.emitter_id AND stream = ${Stream.requests} AND id <= least(c.id, ${id})
            ORDER BY id LIMIT ${smallBite}
          ) AS r
          WHERE c.subscription_id = ${ownRequests} LIMIT ${smallBite}
        )) RETURNING true`,
      (rows) => rows.length === smallBite
    ),
  /** Leaves nothing of a request to a program but that it came. */
  eraseRequest: (emitterId: string, id: EventId.EventId): Effect.Effect<void, SqlError.SqlError> =>
    Effect.asVoid(sql`
      UPDATE events SET payload = '{}'
      WHERE emitter_id = ${emitterId} AND stream = ${Stream.requests} AND id = ${id}`),
  /** Deletes a stream's events up to and including `id`. */
  prune: (address: Stream.StreamAddress, id: EventId.EventId): Effect.Effect<void, SqlError.SqlError> =>
    Effect.asVoid(sql`
      DELETE FROM events
      WHERE emitter_id = ${address.emitterId} AND stream = ${address.stream} AND id <= ${id}`),
  /**
   * Deletes the first events of a range, ends included, as many as go at once without anybody noticing. Answers the last
   * that was looked at; none when the range is empty.
   */
  removeSome: (address: Stream.StreamAddress, { from, to }: EventId.EventRange, options: {
    /** Leaves those that a delivery still waits to be retried with. */
    readonly keepPending: boolean
  } = { keepPending: false }): Effect.Effect<Option.Option<EventId.EventId>, SqlError.SqlError> =>
    Effect.map(
      sql<{ last: bigint | null }>`
              WITH bite AS MATERIALIZED (
                SELECT min(id) AS first, max(id) AS last FROM (
                  SELECT id FROM events
                  WHERE emitter_id = ${address.emitterId} AND stream = ${address.stream} AND id BETWEEN ${from} AND ${to}
                  ORDER BY id LIMIT ${smallBite}
                ) AS b
              ), ${
        options.keepPending
          ? sql`pending AS MATERIALIZED (
                SELECT d.event_id AS id FROM deliveries d, bite
                WHERE d.emitter_id = ${address.emitterId} AND d.stream = ${address.stream} AND d.state = 'pending'
                  AND d.event_id BETWEEN bite.first AND bite.last
                UNION ALL
                SELECT unnest(string_to_array(d.batch_event_ids, ' ')::bigint[]) FROM deliveries d, bite
                WHERE d.emitter_id = ${address.emitterId} AND d.stream = ${address.stream} AND d.state = 'pending'
                  AND d.last_event_id > d.event_id AND d.last_event_id >= bite.first AND d.event_id <= bite.last
              ),`
          : sql``
      } removed AS (
                DELETE FROM events
                WHERE emitter_id = ${address.emitterId} AND stream = ${address.stream}
                  AND id BETWEEN (SELECT first FROM bite) AND (SELECT last FROM bite) ${
        options.keepPending ? sql`AND id NOT IN (SELECT id FROM pending)` : sql``
      }
                RETURNING id
              ), counted AS (
                INSERT INTO trims AS t (emitter_id, stream, removed)
                SELECT ${address.emitterId}, ${address.stream}, count(*) FROM removed HAVING count(*) > 0
                ON CONFLICT (emitter_id, stream) DO UPDATE SET removed = t.removed + excluded.removed
              )
              SELECT last FROM bite`,
      ([row]) => Option.fromNullOr(row?.last ?? null)
    ),
  /**
   * The streams with events beyond their account's retention, and which these are: those that are too old and not among
   * the stream's last `kept`. Looks at a page of emitters, in the order of their ids.
   */
  expired: Effect.fnUntraced(function*({ afterEmitter, defaultDays, emitters, kept, now }: {
    readonly afterEmitter: string
    readonly emitters: number
    /** Unix milliseconds. */
    readonly now: number
    /** The retention of an account that has none of its own. */
    readonly defaultDays: number
    readonly kept: number
  }) {
    const [page] = yield* sql<{ last: string | null }>`
      SELECT max(emitter_id) AS last FROM (
        SELECT emitter_id FROM heads WHERE emitter_id > ${afterEmitter} ORDER BY emitter_id LIMIT ${emitters}
      ) AS page`
    const last = page?.last ?? undefined
    if (last === undefined) return { lastEmitter: undefined, streams: [] }
    const rows = yield* sql<{ emitter_id: string; account_id: string; stream: string; until: bigint }>`
      SELECT h.emitter_id, h.account_id, s.stream, least(a.oldest, keep.id) - 1 AS until
      FROM heads h
      JOIN LATERAL (
        SELECT (${now} - coalesce(retention_days, ${defaultDays}) * ${dayMs}::bigint) << ${EventId.sequenceBits} AS oldest
        FROM accounts WHERE id = h.account_id
      ) AS a ON true
      CROSS JOIN LATERAL jsonb_object_keys(h.streams) AS s (stream)
      CROSS JOIN LATERAL (
        SELECT id FROM events e WHERE e.emitter_id = h.emitter_id AND e.stream = s.stream
        ORDER BY id DESC OFFSET ${kept - 1} LIMIT 1
      ) AS keep
      WHERE h.emitter_id > ${afterEmitter} AND h.emitter_id <= ${last} AND s.stream <> ${Stream.requests}
        AND EXISTS (
          SELECT FROM events e WHERE e.emitter_id = h.emitter_id AND e.stream = s.stream
            AND e.id < least(a.oldest, keep.id))
      ORDER BY h.emitter_id, s.stream`
    return {
      lastEmitter: last,
      streams: rows.map((row) => ({
        accountId: row.account_id,
        emitterId: row.emitter_id,
        stream: row.stream,
        range: { from: 0n, to: row.until }
      }))
    }
  }),
  /** Deletes an emitter's events, a bite at a time. */
  removeAll: (emitterId: string): Effect.Effect<void, SqlError.SqlError> =>
    removeRows(sql, "events", sql`emitter_id = ${emitterId}`, bite).pipe(
      Effect.andThen(sql`DELETE FROM trims WHERE emitter_id = ${emitterId}`),
      Effect.asVoid
    )
})

/** Adds events whose ids and numbers their owner assigned, in a transaction that holds its fence. */
export const intoEvents = Insertion.into<LoggedEvent>("events")`
  INSERT INTO events (emitter_id, stream, id, n, emit_id, hops, meta, payload, cause_emitter, cause_id)
  SELECT * FROM unnest(
    ${(events) => texts(events.map((event) => event.emitterId))},
    ${(events) => texts(events.map((event) => event.stream))},
    ${(events) => bigints(events.map((event) => event.id))},
    ${(events) => numbers(events.map((event) => event.n))},
    ${(events) => texts(events.map((event) => event.emitId))},
    ${(events) => integers(events.map((event) => event.hops))},
    ${(events) => texts(events.map((event) => metaText(event.meta)))},
    ${(events) => texts(events.map((event) => event.payload))},
    ${(events) => texts(events.map(({ cause }) => cause === undefined ? null : cause.emitterId))},
    ${(events) => bigints(events.map(({ cause }) => cause === undefined ? null : cause.id))}
  ) AS e`

const make = Effect.map(SqlClient.SqlClient, (sql) => ({
  ...pages(sql),
  ...lookups(sql),
  ...searches(sql),
  ...removals(sql),
  append: (events: ReadonlyArray<LoggedEvent>): Effect.Effect<void, SqlError.SqlError> => intoEvents.run(sql, events)
}))

/**
 * The `events` table, and `trims`, which counts what was removed of it: every emitter's log, append-only but for
 * retention and asked-for deletion.
 */
export class EventLog extends Context.Service<EventLog, Effect.Success<typeof make>>()("@headwater/log/logs/EventLog") {
  static readonly layer: Layer.Layer<EventLog, never, SqlClient.SqlClient> = Layer.effect(EventLog, make)
}
