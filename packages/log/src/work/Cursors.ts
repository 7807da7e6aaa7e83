import * as EmitterPattern from "@headwater/domain/EmitterPattern"
import * as EventId from "@headwater/domain/EventId"
import * as Stream from "@headwater/domain/Stream"
import type { Subscription } from "@headwater/domain/Subscription"
import * as SubscriptionBatch from "@headwater/domain/SubscriptionBatch"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import * as Insertion from "../internal/Insertion.ts"
import { byPlace, shared } from "../internal/SharedStatement.ts"
import { bigints, numbers, texts } from "../internal/SqlArray.ts"

/** Stands in for a subscription id where a program reads its own `$requests`. */
export const ownRequests = "$requests"

/** The key of a cursor: one subscription's reading of one emitter. No row means the beginning. */
export interface CursorKey {
  readonly subscriptionId: string
  readonly emitterId: string
}

/** The position of a cursor: the number and id of the last event it has passed. */
export interface Position {
  readonly n: number
  readonly id: EventId.EventId
}

export const beginning: Position = { n: 0, id: 0n }

/** The outcomes of the events behind a cursor, or the changes to these counts (delivery.md, accounting). */
export interface Tally {
  readonly delivered: number
  readonly pending: number
  readonly exhausted: number
  readonly dropped: number
  /** Those of the dropped ones that it took too much work to judge by the filter of the subscription. */
  readonly tooCostly: number
  /** Kept from the listener by the filter of the subscription. */
  readonly filtered: number
}

export const noTally: Tally = { delivered: 0, pending: 0, exhausted: 0, dropped: 0, tooCostly: 0, filtered: 0 }

export const addTally = (a: Tally, b: Tally): Tally => ({
  delivered: a.delivered + b.delivered,
  pending: a.pending + b.pending,
  exhausted: a.exhausted + b.exhausted,
  dropped: a.dropped + b.dropped,
  tooCostly: a.tooCostly + b.tooCostly,
  filtered: a.filtered + b.filtered
})

/** Moves a cursor on. */
export interface CursorMove extends CursorKey {
  readonly from: number
  readonly to: Position
  readonly tally: Tally
}

/** Changes what became of events that a cursor has passed already. */
export interface CursorSettlement extends CursorKey {
  readonly tally: Tally
}

/** The change of commits to one cursor, all in all. */
export interface CursorChange extends CursorKey {
  readonly to: Position | undefined
  readonly tally: Tally
}

/** The position of a subscription's cursor, its filter and its batches. */
export interface FilteredPosition {
  readonly position: Position
  /** JSON text of the subscription's filter; null where it has none. */
  readonly filter: string | null
  /** None where each event goes alone. */
  readonly batch: SubscriptionBatch.SubscriptionBatch | undefined
}

/** A cursor that stands behind its emitter's head. */
export interface OwedCursor extends CursorKey, FilteredPosition {
  readonly stream: string
}

/** The events that a cursor has not passed. */
export interface Unpassed extends CursorKey {
  readonly from: number
  readonly head: Position
}

/** The position of a cursor, and the end of its log. */
export interface Place {
  readonly position: Position
  /** The number of the stream's last event; its id is no later than `id`. */
  readonly head: Position
}

/** The position of a cursor, and the outcomes of the events that it has passed since it started. */
export interface AccountedCursor extends Place {
  readonly emitterId: string
  readonly startN: number
  readonly tally: Tally
}

/** Cursors behind their emitters' heads, in the order of emitter and subscription. */
export interface OwedPage<Owed extends CursorKey> {
  readonly owed: ReadonlyArray<Owed>
  /** Behind which the next page begins; undefined where there is none. */
  readonly next: CursorKey | undefined
}

/** A cursor that stands behind its emitter's head, and who is to move it. */
export interface OwedListener extends CursorKey {
  readonly stream: string
  readonly listenerId: string
}

/** Before all cursors. */
export const beforeAll: CursorKey = { subscriptionId: "", emitterId: "" }

/** Cursors of one page. */
const owedPage = 1_000

const pageOf = <Owed extends CursorKey>(owed: ReadonlyArray<Owed>): OwedPage<Owed> => ({
  owed,
  next: owed.length === owedPage ? owed.at(-1) : undefined
})

/** Events that a listener has not come to. */
export interface UnreadEvents {
  readonly subscriptionId: string
  readonly listenerId: string
  readonly count: number
}

interface OwedRow {
  readonly place: bigint
  readonly subscription_id: string
  readonly emitter_id: string
  readonly stream: string
  readonly n: bigint
  readonly id: bigint
  readonly filter: string | null
  readonly batch: string | null
}

const owedFromRow = (row: OwedRow): OwedCursor => ({
  subscriptionId: row.subscription_id,
  emitterId: row.emitter_id,
  stream: row.stream,
  position: { n: Number(row.n), id: row.id },
  filter: row.filter,
  batch: SubscriptionBatch.fromText(row.batch)
})

/** A cursor's key as one text. */
export const keyText = (key: CursorKey): string => `${key.subscriptionId} ${key.emitterId}`

/** Removes cursors that a condition holds for, with what is journaled of them. */
export const removeCursors = (sql: SqlClient.SqlClient, where: Statement.Fragment) =>
  sql`
    WITH gone AS (
      DELETE FROM cursors_folded WHERE ${where} RETURNING subscription_id, emitter_id, folded_seq
    )
    DELETE FROM cursors_journal j USING gone g
    WHERE j.subscription_id = g.subscription_id AND j.emitter_id = g.emitter_id AND j.seq > g.folded_seq`

/**
 * Has the cursors of a subscription start, in the surrounding transaction: of each emitter that exists, at the end of its
 * log, or before its first event from the id `from` on that is still there. One that is there already starts anew.
 *
 * @param emitterId of this emitter alone
 */
export const placeCursors = (
  sql: SqlClient.SqlClient,
  subscription: Pick<Subscription, "id" | "accountId" | "emitterId" | "listenerId" | "eventName">,
  from: EventId.EventId | undefined,
  emitterId?: string
) => {
  const { accountId, id } = subscription
  const stream = Stream.normalize(subscription.eventName)
  const first = from === undefined
    ? sql`(SELECT NULL::bigint AS n, NULL::bigint AS id)`
    : sql`(
        SELECT e.n, e.id FROM events e
        WHERE e.emitter_id = h.emitter_id AND e.stream = ${stream} AND e.id >= ${from} ORDER BY e.id LIMIT 1
      )`
  return sql`
    INSERT INTO cursors_folded AS c (subscription_id, emitter_id, n, id, start_n)
    SELECT ${id}, emitter_id, start.n, start.id, start.n
    FROM heads h
      LEFT JOIN LATERAL ${first} AS first ON true
      CROSS JOIN LATERAL (
        SELECT coalesce(first.n - 1, (h.streams ->> ${stream}::text)::bigint, 0) AS n,
          coalesce(first.id - 1, h.last_id) AS id
      ) AS start
    WHERE h.account_id = ${accountId} AND ${emittersOf(sql, subscription)}
      AND ${emitterId === undefined ? sql`true` : sql`h.emitter_id = ${emitterId}`}
    ORDER BY emitter_id
    ON CONFLICT (subscription_id, emitter_id) DO UPDATE SET
      n = excluded.n, id = excluded.id, start_n = excluded.start_n,
      delivered = 0, pending = 0, exhausted = 0, dropped = 0, filtered = 0, too_costly = 0,
      folded_seq = nextval('journal_seq')`
}

/** The condition for heads of emitters that a subscription hears. */
const emittersOf = (
  sql: SqlClient.SqlClient,
  { emitterId, listenerId }: Pick<Subscription, "emitterId" | "listenerId">
) =>
  EmitterPattern.isGlob(emitterId)
    ? sql`h.emitter_id LIKE ${EmitterPattern.toLike(emitterId)} AND h.emitter_id <> ${listenerId}`
    : sql`h.emitter_id = ${emitterId}`

/** The positions of cursors. */
const places = (sql: SqlClient.SqlClient) => ({
  /** The position of a subscription's cursor; none once the subscription or the emitter is gone. */
  position: (key: CursorKey): Effect.Effect<Option.Option<FilteredPosition>, SqlError.SqlError> =>
    Effect.map(
      sql<{ n: bigint; id: bigint; filter: string | null; batch: string | null }>`
        SELECT coalesce(c.n, 0) AS n, coalesce(c.id, 0) AS id, s.filter, s.batch FROM subscriptions s
        LEFT JOIN cursors c ON c.subscription_id = s.id AND c.emitter_id = ${key.emitterId}
        WHERE s.id = ${key.subscriptionId}
          AND EXISTS (SELECT FROM heads h WHERE h.emitter_id = ${key.emitterId})`,
      ([row]) =>
        row === undefined
          ? Option.none()
          : Option.some({
            position: { n: Number(row.n), id: row.id },
            filter: row.filter,
            batch: SubscriptionBatch.fromText(row.batch)
          })
    ),
  /** The positions of a subscription's cursors on emitters that are there. */
  places: (
    { id, stream }: { readonly id: string; readonly stream: string },
    emitterIds: ReadonlyArray<string>
  ): Effect.Effect<ReadonlyMap<string, Place>, SqlError.SqlError> =>
    Effect.map(
      sql<{ emitter_id: string; n: bigint; id: bigint; head_n: bigint; last_id: bigint }>`
        SELECT h.emitter_id, coalesce(c.n, 0) AS n, coalesce(c.id, 0) AS id,
          coalesce((h.streams ->> ${stream}::text)::bigint, 0) AS head_n, h.last_id
        FROM heads h LEFT JOIN cursors c ON c.subscription_id = ${id} AND c.emitter_id = h.emitter_id
        WHERE h.emitter_id = ANY (${texts(emitterIds)})`,
      (rows) =>
        new Map(rows.map((row) => [row.emitter_id, {
          position: { n: Number(row.n), id: row.id },
          head: { n: Number(row.head_n), id: row.last_id }
        }]))
    ),
  /** The cursors of a subscription, in the order of its emitters; those included that have no row yet. */
  ofSubscription: (
    subscription: Pick<Subscription, "id" | "accountId" | "emitterId" | "listenerId" | "eventName">,
    after: string,
    limit: number
  ): Effect.Effect<ReadonlyArray<AccountedCursor>, SqlError.SqlError> =>
    Effect.map(
      sql<
        & Record<"n" | "id" | "start_n" | "head_n" | "last_id" | "too_costly", bigint>
        & Record<Exclude<keyof Tally, "tooCostly">, bigint>
        & { emitter_id: string }
      >`
              SELECT h.emitter_id, coalesce(c.n, 0) AS n, coalesce(c.id, 0) AS id, coalesce(c.start_n, 0) AS start_n,
                coalesce((h.streams ->> ${
        Stream.normalize(subscription.eventName)
      }::text)::bigint, 0) AS head_n, h.last_id,
                coalesce(c.delivered, 0) AS delivered, coalesce(c.pending, 0) AS pending,
                coalesce(c.exhausted, 0) AS exhausted, coalesce(c.dropped, 0) AS dropped, coalesce(c.filtered, 0) AS filtered,
                coalesce(c.too_costly, 0) AS too_costly
              FROM heads h LEFT JOIN cursors c ON c.subscription_id = ${subscription.id} AND c.emitter_id = h.emitter_id
              WHERE h.account_id = ${subscription.accountId} AND ${
        emittersOf(sql, subscription)
      } AND h.emitter_id > ${after}
              ORDER BY h.emitter_id LIMIT ${limit}`,
      (rows) =>
        rows.map((row) => ({
          emitterId: row.emitter_id,
          startN: Number(row.start_n),
          position: { n: Number(row.n), id: row.id },
          head: { n: Number(row.head_n), id: row.last_id },
          tally: {
            delivered: Number(row.delivered),
            pending: Number(row.pending),
            exhausted: Number(row.exhausted),
            dropped: Number(row.dropped),
            tooCostly: Number(row.too_costly),
            filtered: Number(row.filtered)
          }
        }))
    ),
  /** The positions of cursors on logs, and the positions at which they started, by the text of their keys. */
  standing: (
    keys: ReadonlyArray<CursorKey>
  ): Effect.Effect<ReadonlyMap<string, { readonly n: number; readonly startN: number }>, SqlError.SqlError> =>
    Effect.map(
      sql<{ subscription_id: string; emitter_id: string; n: bigint; start_n: bigint }>`
        SELECT c.subscription_id, c.emitter_id, c.n, c.start_n
        FROM unnest(
          ${texts(keys.map(({ subscriptionId }) => subscriptionId))},
          ${texts(keys.map(({ emitterId }) => emitterId))}
        ) AS k (subscription_id, emitter_id)
        JOIN cursors c ON c.subscription_id = k.subscription_id COLLATE "C" AND c.emitter_id = k.emitter_id COLLATE "C"`,
      (rows) =>
        new Map(rows.map((row) => [
          keyText({ subscriptionId: row.subscription_id, emitterId: row.emitter_id }),
          { n: Number(row.n), startN: Number(row.start_n) }
        ]))
    ),
  /**
   * The numbers of events that subscriptions have dropped because it took too much work to judge them; those with none
   * are left out.
   */
  tooCostly: (subscriptionIds: ReadonlyArray<string>): Effect.Effect<ReadonlyMap<string, number>, SqlError.SqlError> =>
    Effect.map(
      sql<{ subscription_id: string; count: bigint }>`
        SELECT subscription_id, sum(too_costly)::bigint AS count FROM (
          SELECT b.subscription_id, b.too_costly FROM cursors_folded b
          WHERE b.too_costly > 0 AND b.subscription_id = ANY (${texts(subscriptionIds)})
          UNION ALL
          SELECT b.subscription_id, j.too_costly FROM cursors_journal j
          JOIN cursors_folded b
            ON b.subscription_id = j.subscription_id AND b.emitter_id = j.emitter_id AND j.seq > b.folded_seq
          WHERE j.too_costly > 0 AND j.subscription_id = ANY (${texts(subscriptionIds)})
        ) AS counted
        GROUP BY subscription_id`,
      (rows) => new Map(rows.map((row) => [row.subscription_id, Number(row.count)]))
    ),
  /** The position of a program in its own requests. */
  requestsPosition: (emitterId: string): Effect.Effect<Position, SqlError.SqlError> =>
    Effect.map(
      sql<{ n: bigint; id: bigint }>`
        SELECT n, id FROM cursors WHERE subscription_id = ${ownRequests} AND emitter_id = ${emitterId}`,
      ([row]) => row === undefined ? beginning : { n: Number(row.n), id: row.id }
    ),
  /** The cursors that stand before the end of a range of events, and how many of those in front of them it holds. */
  unreadIn: (
    { accountId, emitterId, stream }: Stream.StreamAddress & { readonly accountId: string },
    { from, to }: EventId.EventRange
  ): Effect.Effect<ReadonlyArray<UnreadEvents>, SqlError.SqlError> =>
    Effect.map(
      sql<{ subscription_id: string; listener_id: string; count: bigint }>`
        SELECT s.id AS subscription_id, s.listener_id, (
          SELECT count(*) FROM events e
          WHERE e.emitter_id = ${emitterId} AND e.stream = ${stream} AND e.id > coalesce(c.id, 0)
            AND e.id BETWEEN ${from} AND ${to}
        ) AS count
        FROM subscriptions s
        LEFT JOIN cursors c ON c.subscription_id = s.id AND c.emitter_id = ${emitterId}
        WHERE s.account_id = ${accountId} AND s.stream = ${stream} AND ${emitterId} LIKE s.emitter_like
          AND (s.listener_id <> ${emitterId} OR s.emitter_id = ${emitterId}) AND coalesce(c.id, 0) < ${to}`,
      (rows) =>
        rows.filter((row) => row.count > 0n).map((row) => ({
          subscriptionId: row.subscription_id,
          listenerId: row.listener_id,
          count: Number(row.count)
        }))
    )
})

/**
 * Moves cursors in a transaction that holds their owners' fences, each once: `to` is none where its place stays. A move
 * of a cursor that is gone comes to nothing.
 */
export const intoCursorsJournal = Insertion.into<CursorChange>("cursors_journal")`
  INSERT INTO cursors_journal
    (subscription_id, emitter_id, n, id, delivered, pending, exhausted, dropped, filtered, too_costly)
  SELECT * FROM unnest(
    ${(moves) => texts(moves.map((move) => move.subscriptionId))},
    ${(moves) => texts(moves.map((move) => move.emitterId))},
    ${(moves) => numbers(moves.map((move) => move.to?.n ?? null))},
    ${(moves) => bigints(moves.map((move) => move.to?.id ?? null))},
    ${(moves) => numbers(moves.map((move) => move.tally.delivered))},
    ${(moves) => numbers(moves.map((move) => move.tally.pending))},
    ${(moves) => numbers(moves.map((move) => move.tally.exhausted))},
    ${(moves) => numbers(moves.map((move) => move.tally.dropped))},
    ${(moves) => numbers(moves.map((move) => move.tally.filtered))},
    ${(moves) => numbers(moves.map((move) => move.tally.tooCostly))}
  ) AS m`

/** Changes of positions. */
const moves = (sql: SqlClient.SqlClient) => ({
  move: (moves: ReadonlyArray<CursorChange>): Effect.Effect<void, SqlError.SqlError> =>
    intoCursorsJournal.run(sql, moves),
  /**
   * Makes the rows of cursors that stand at the beginning, where they are not there yet. One whose subscription or
   * emitter is gone does not come back.
   */
  begin: (keys: ReadonlyArray<CursorKey>): Effect.Effect<void, SqlError.SqlError> =>
    Effect.asVoid(sql`
      WITH first AS MATERIALIZED (
        SELECT * FROM unnest(
          ${texts(keys.map((key) => key.subscriptionId))},
          ${texts(keys.map((key) => key.emitterId))}
        ) AS k (subscription_id, emitter_id)
      ), emitter AS MATERIALIZED (
        SELECT f.owner_id FROM fences f WHERE f.owner_id IN (SELECT emitter_id FROM first)
        ORDER BY f.owner_id FOR KEY SHARE
      ), subscription AS MATERIALIZED (
        SELECT s.id FROM subscriptions s WHERE s.id IN (SELECT subscription_id FROM first)
        ORDER BY s.id FOR KEY SHARE
      )
      INSERT INTO cursors_folded (subscription_id, emitter_id, start_n, n, id)
      SELECT f.subscription_id, f.emitter_id, 0, 0, 0 FROM first f
      WHERE f.emitter_id IN (SELECT owner_id FROM emitter)
        AND (f.subscription_id = ${ownRequests} OR f.subscription_id IN (SELECT id FROM subscription))
      ORDER BY f.subscription_id, f.emitter_id
      ON CONFLICT DO NOTHING`),
  removeOfEmitter: (emitterId: string): Effect.Effect<void, SqlError.SqlError> =>
    Effect.asVoid(removeCursors(sql, sql`emitter_id = ${emitterId}`))
})

/** Cursors that stand behind their heads. */
const owing = (sql: SqlClient.SqlClient) => {
  // In two parts, so that literal subscriptions, of which an account may have one for each emitter, join by equality.
  const owed = sql`
    (
      SELECT s.id AS subscription_id, s.listener_id, s.stream, s.filter, s.batch, h.emitter_id, h.streams
      FROM subscriptions s JOIN heads h ON h.account_id = s.account_id AND h.emitter_id = s.emitter_id
      WHERE NOT s.is_glob
      UNION ALL
      SELECT s.id, s.listener_id, s.stream, s.filter, s.batch, h.emitter_id, h.streams
      FROM subscriptions s JOIN heads h
        ON h.account_id = s.account_id AND h.emitter_id LIKE s.emitter_like AND h.emitter_id <> s.listener_id
      WHERE s.is_glob
    ) AS r
    LEFT JOIN cursors c ON c.subscription_id = r.subscription_id AND c.emitter_id = r.emitter_id
    WHERE (r.streams ->> r.stream)::bigint > coalesce(c.n, 0)`

  const owedTo = shared((asked: ReadonlyArray<{ readonly listenerId: string; readonly after: CursorKey }>) =>
    Effect.map(
      sql<OwedRow>`
        SELECT o.*, l.place FROM unnest(
          ${texts(asked.map(({ listenerId }) => listenerId))},
          ${texts(asked.map(({ after }) => after.emitterId))},
          ${texts(asked.map(({ after }) => after.subscriptionId))}
        ) WITH ORDINALITY AS l (id, emitter_id, subscription_id, place)
        CROSS JOIN LATERAL (
          SELECT r.subscription_id, r.emitter_id, r.stream, r.filter, r.batch, coalesce(c.n, 0) AS n,
            coalesce(c.id, 0) AS id
          FROM ${owed} AND r.listener_id = l.id
            AND (r.emitter_id, r.subscription_id) > (l.emitter_id COLLATE "C", l.subscription_id COLLATE "C")
          ORDER BY r.emitter_id, r.subscription_id LIMIT ${owedPage}
        ) AS o
        ORDER BY l.place, o.emitter_id, o.subscription_id`,
      (rows) => byPlace(rows, asked.length).map((group) => pageOf(group.map(owedFromRow)))
    )
  )

  return {
    /** The cursors of a listener that stand behind their heads, over all its subscriptions. */
    owedTo: (listenerId: string, after: CursorKey): Effect.Effect<OwedPage<OwedCursor>, SqlError.SqlError> =>
      owedTo({ listenerId, after }),
    /** The same, with the heads: to pass all of it at once. */
    unpassedBy: (listenerId: string, after: CursorKey): Effect.Effect<OwedPage<Unpassed>, SqlError.SqlError> =>
      Effect.map(
        sql<{ subscription_id: string; emitter_id: string; n: bigint; head_n: bigint; head_id: bigint }>`
          SELECT r.subscription_id, r.emitter_id, coalesce(c.n, 0) AS n, (r.streams ->> r.stream)::bigint AS head_n,
            (SELECT h.last_id FROM heads h WHERE h.emitter_id = r.emitter_id) AS head_id
          FROM ${owed} AND r.listener_id = ${listenerId}
            AND (r.emitter_id, r.subscription_id) > (${after.emitterId}, ${after.subscriptionId})
          ORDER BY r.emitter_id, r.subscription_id LIMIT ${owedPage}`,
        (rows) =>
          pageOf(rows.map((row) => ({
            subscriptionId: row.subscription_id,
            emitterId: row.emitter_id,
            from: Number(row.n),
            head: { n: Number(row.head_n), id: row.head_id }
          })))
      ),
    /**
     * The listeners that stand behind the head of one of these emitters. A program owes its own requests (`ownRequests`).
     */
    listenersOwed: (
      emitterIds: ReadonlyArray<string>,
      after: CursorKey
    ): Effect.Effect<OwedPage<OwedListener>, SqlError.SqlError> =>
      Effect.map(
        sql<{ emitter_id: string; listener_id: string; subscription_id: string; stream: string }>`
          SELECT * FROM (
            SELECT r.emitter_id, r.listener_id, r.subscription_id, r.stream FROM ${owed}
              AND r.emitter_id = ANY (${texts(emitterIds)})
              AND (
                EXISTS (SELECT FROM programs l WHERE l.id = r.listener_id AND l.active)
                OR EXISTS (SELECT FROM webhooks l WHERE l.id = r.listener_id AND l.active)
              )
            UNION ALL
            SELECT h.emitter_id, h.emitter_id, ${ownRequests}, ${ownRequests} FROM heads h
            LEFT JOIN cursors c ON c.subscription_id = ${ownRequests} AND c.emitter_id = h.emitter_id
            WHERE (h.streams ->> ${ownRequests})::bigint > coalesce(c.n, 0)
              AND h.emitter_id = ANY (${texts(emitterIds)})
              AND EXISTS (SELECT FROM programs l WHERE l.id = h.emitter_id AND l.active)
          ) AS o
          WHERE (emitter_id, subscription_id) > (${after.emitterId}, ${after.subscriptionId})
          ORDER BY emitter_id, subscription_id LIMIT ${owedPage}`,
        (rows) =>
          pageOf(rows.map((row) => ({
            emitterId: row.emitter_id,
            listenerId: row.listener_id,
            subscriptionId: row.subscription_id,
            stream: row.stream
          })))
      ),
    /**
     * The time at which the oldest event was appended that a listener of a kind has not come to, in Unix milliseconds;
     * undefined if there is none. Events that wait for listeners that are inactive, or of a suspended account, do not
     * count.
     */
    oldestOwed: Effect.gen(function*() {
      const [row] = yield* sql<{ source: bigint | null; webhook: bigint | null; request: bigint | null }>`
        WITH owed AS (
          SELECT r.listener_id, r.emitter_id, r.stream, coalesce(c.id, 0) AS id FROM ${owed}
          UNION ALL
          SELECT ${ownRequests}, h.emitter_id, ${ownRequests}, coalesce(c.id, 0) FROM heads h
          LEFT JOIN cursors c ON c.subscription_id = ${ownRequests} AND c.emitter_id = h.emitter_id
          WHERE (h.streams ->> ${ownRequests})::bigint > coalesce(c.n, 0)
        ), waiting AS (
          SELECT o.listener_id, o.emitter_id, (
            SELECT e.id FROM events e WHERE e.emitter_id = o.emitter_id AND e.stream = o.stream AND e.id > o.id
            ORDER BY e.id LIMIT 1
          ) AS id
          FROM owed o
        )
        SELECT
          min(w.id) FILTER (WHERE EXISTS (
            SELECT FROM programs l JOIN accounts a ON a.id = l.account_id
            WHERE l.id = w.listener_id AND l.active AND a.suspended_at IS NULL
          )) AS source,
          min(w.id) FILTER (WHERE EXISTS (
            SELECT FROM webhooks l JOIN accounts a ON a.id = l.account_id
            WHERE l.id = w.listener_id AND l.active AND a.suspended_at IS NULL
          )) AS webhook,
          min(w.id) FILTER (WHERE w.listener_id = ${ownRequests} AND EXISTS (
            SELECT FROM programs l JOIN accounts a ON a.id = l.account_id
            WHERE l.id = w.emitter_id AND l.active AND a.suspended_at IS NULL
          )) AS request
        FROM waiting w`
      const at = (id: bigint | null | undefined) => id == null ? undefined : EventId.milliseconds(id)
      return { source: at(row?.source), webhook: at(row?.webhook), request: at(row?.request) }
    })
  }
}

const make = Effect.map(SqlClient.SqlClient, (sql) => ({
  ...places(sql),
  ...moves(sql),
  ...owing(sql)
}))

/** The positions of cursors: the view `cursors`, of the tables `cursors_folded` and `cursors_journal` (`Journals`). */
export class Cursors extends Context.Service<Cursors, Effect.Success<typeof make>>()("@headwater/log/work/Cursors") {
  static readonly layer: Layer.Layer<Cursors, never, SqlClient.SqlClient> = Layer.effect(Cursors, make)
}
