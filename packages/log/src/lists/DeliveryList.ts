import type { EventId } from "@headwater/domain/EventId"
import * as Id from "@headwater/domain/Id"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { texts } from "../internal/SqlArray.ts"
import { Attempts } from "../work/Attempts.ts"
import type { Attempt, AttemptBatch } from "../work/Attempts.ts"
import type { DeliveryState } from "../work/Deliveries.ts"
import * as Page from "./Page.ts"
import { Searches } from "./Searches.ts"

/** The state of a delivery. One that has arrived has no row of its own: its last attempt tells of it. */
export type ListedState = DeliveryState | "delivered"

/** A delivery as lists show it. */
export interface ListedDelivery {
  readonly id: string
  readonly state: ListedState
  readonly webhookId: string
  /** The workflow whose own requests it sends, if it is no webhook of the account's. */
  readonly workflowId: string | null
  readonly subscriptionId: string
  readonly emitterId: string
  readonly stream: string
  readonly eventId: EventId
  /** Of several events that go together, the last one and how many they are; `eventId` is the first. */
  readonly batch?: Omit<AttemptBatch, "eventIds"> | undefined
  /** The number of attempts that were made. */
  readonly attempts: number
  /** The time at which the last one began, in Unix milliseconds; null if there was none. */
  readonly lastAt: number | null
  readonly status: number | null
  readonly errorClass: string | null
  /** The time at which the next one is due, in Unix milliseconds. */
  readonly nextAt: number | null
}

/** The deliveries that are meant: those of which all of this holds. */
export interface DeliveryFilter {
  /** Of this webhook, whose account the caller has seen to. */
  readonly webhookId?: string | undefined
  readonly subscriptionId?: string | undefined
  readonly emitterId?: string | undefined
  readonly stream?: string | undefined
  readonly state?: ListedState | undefined
  /** In one of these states, where `state` is not given. */
  readonly states?: ReadonlyArray<ListedState> | undefined
  /** Of the last attempt. */
  readonly errorClass?: string | undefined
  /** The last attempt's, from the first to the second of them. */
  readonly status?: readonly [least: number, most: number] | undefined
  /** Begun at this time or later, Unix milliseconds. */
  readonly since?: number | undefined
  /** Begun before this time. */
  readonly until?: number | undefined
  /** Deliveries whose last attempt was made at this time or later. */
  readonly lastAttemptSince?: number | undefined
  /** Of this event, or of a batch that begins with it; with `emitterId`, of one that it is in. */
  readonly eventId?: EventId | undefined
  /** Of this event or a later one of its emitter, and of that one or an earlier one. */
  readonly from?: EventId | undefined
  readonly to?: EventId | undefined
  /** Found in the payload of one of its events as it is stored. */
  readonly text?: string | undefined
}

/** A delivery and what was tried. */
export interface DeliveryDetails {
  readonly delivery: ListedDelivery
  /** The newest that fit, oldest first. */
  readonly attempts: ReadonlyArray<Attempt>
}

/** Deliveries of each state that a page looks at, at most; and where it looks into payloads. */
const mostSeen = 3_000
const mostSeenInside = 500
const mostBytesInside = 8 * 1024 * 1024

interface ListedRow {
  readonly id: string
  readonly state: ListedState
  readonly webhook_id: string
  readonly workflow_id: string | null
  readonly subscription_id: string
  readonly emitter_id: string
  readonly stream: string
  readonly event_id: bigint
  readonly event_count: number | null
  readonly last_event_id: bigint | null
  readonly attempts: number
  readonly last_at: bigint | null
  readonly status: number | null
  readonly error_class: string | null
  readonly next_at: bigint | null
}

interface SeenRow extends ListedRow {
  readonly is_match: boolean
  /** Nothing is looked at behind it. */
  readonly is_last: boolean
}

const fromRow = (row: ListedRow): ListedDelivery => ({
  id: row.id,
  state: row.state,
  webhookId: row.webhook_id,
  workflowId: row.workflow_id,
  subscriptionId: row.subscription_id,
  emitterId: row.emitter_id,
  stream: row.stream,
  eventId: row.event_id,
  batch: row.event_count === null || row.last_event_id === null
    ? undefined
    : { lastEventId: row.last_event_id, events: row.event_count },
  attempts: row.attempts,
  lastAt: row.last_at === null ? null : Number(row.last_at),
  status: row.status,
  errorClass: row.error_class,
  nextAt: row.next_at === null ? null : Number(row.next_at)
})

const waitingStates: ReadonlyArray<DeliveryState> = ["pending", "exhausted", "dropped"]

const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** The states that what is asked for can be in. */
const statesOf = ({ errorClass, state, states: wanted, status }: DeliveryFilter): ReadonlyArray<ListedState> => {
  const mayHaveArrived = errorClass === undefined && (status === undefined || (status[0] < 300 && status[1] >= 200))
  const mayHaveFailed = status === undefined || !(isSuccess(status[0]) && isSuccess(status[1]))
  const states: ReadonlyArray<ListedState> = [
    ...(mayHaveArrived ? ["delivered" as const] : []),
    ...(mayHaveFailed ? waitingStates : [])
  ]
  const among = state === undefined ? wanted : [state]
  return among === undefined ? states : states.filter((one) => among.includes(one))
}

/** The columns of deliveries: of those that arrived, of those that did not, and of both. */
const columnsOf = (sql: SqlClient.SqlClient) => {
  const arrived = sql`
    delivery_id AS id, 'delivered' AS state, webhook_id, subscription_id, emitter_id, stream, event_id,
    event_count, last_event_id, batch_event_ids, attempt AS attempts, started_at AS last_at, status, error_class,
    outcome`
  const waiting = sql`
    id, state, webhook_id, subscription_id, emitter_id, stream, event_id, event_count, last_event_id,
    batch_event_ids, attempts, last_at, status, error_class, 'failed' AS outcome`
  const workflowId = sql`(SELECT workflow_id FROM webhooks w WHERE w.id = d.webhook_id) AS workflow_id`
  const nextAt = sql`
    (SELECT due_at FROM due_work w WHERE d.state = 'pending' AND w.owner_id = d.webhook_id AND w.kind = 'retry'
      AND w.key = d.id) AS next_at`
  return { arrived, waiting, workflowId, nextAt }
}

/** The deliveries that a page is asked for. */
interface Asked {
  readonly accountId: string
  readonly filter: DeliveryFilter
  readonly request: Page.PageRequest
  /** Deliveries of batches that the event is in behind another. */
  readonly inBatches: ReadonlyArray<string>
}

/** The deliveries of the batches that an event was in behind another. */
const batchesWith = (sql: SqlClient.SqlClient, accountId: string, { emitterId, eventId }: DeliveryFilter) =>
  emitterId === undefined || eventId === undefined ? Effect.succeed([]) : Effect.map(
    sql<{ readonly id: string }>`
      SELECT DISTINCT found.id FROM subscriptions s CROSS JOIN LATERAL (
        (
          SELECT delivery_id AS id, event_id, batch_event_ids FROM attempts
          WHERE subscription_id = s.id AND emitter_id = ${emitterId}
            AND last_event_id > event_id AND last_event_id >= ${eventId}
          ORDER BY last_event_id FETCH FIRST ROW WITH TIES
        ) UNION ALL (
          SELECT id, event_id, batch_event_ids FROM deliveries
          WHERE subscription_id = s.id AND emitter_id = ${emitterId}
            AND last_event_id > event_id AND last_event_id >= ${eventId}
          ORDER BY last_event_id FETCH FIRST ROW WITH TIES
        )
      ) AS found
      WHERE s.account_id = ${accountId} AND found.event_id < ${eventId}
        AND ${eventId} = ANY (string_to_array(found.batch_event_ids, ' ')::bigint[])`,
    (rows) => rows.map(({ id }) => id)
  )

/** The deliveries of one state that may be asked for, in the order of the list, as the scan of an index gives them. */
const scans = (sql: SqlClient.SqlClient) => {
  const { arrived, waiting } = columnsOf(sql)

  const boundsOf = (column: string, { accountId, filter, inBatches, request }: Asked) => {
    const { eventId, since, until, webhookId } = filter
    const id = sql(column)
    const bounds = [
      webhookId === undefined ? sql`account_id = ${accountId}` : sql`webhook_id = ${webhookId}`,
      ...Page.within(sql, column, request)
    ]
    if (since !== undefined) bounds.push(sql`${id} >= ${Id.firstAt("delivery", since)}`)
    if (until !== undefined) bounds.push(sql`${id} < ${Id.firstAt("delivery", until)}`)
    if (eventId !== undefined) {
      bounds.push(
        inBatches.length === 0
          ? sql`event_id = ${eventId}`
          : sql`(event_id = ${eventId} OR ${id} = ANY (${texts(inBatches)}))`
      )
    }
    return bounds
  }

  return (state: ListedState, asked: Asked): Statement.Fragment => {
    const where = boundsOf(state === "delivered" ? "delivery_id" : "id", asked)
    const order = sql.literal(Page.orderOf(asked.request))
    if (state !== "delivered") {
      return sql`
        SELECT ${waiting} FROM deliveries WHERE state = ${state} AND ${sql.and(where)}
        ORDER BY id ${order}`
    }
    const { lastAttemptSince = 0, since = 0 } = asked.filter
    // No attempt is older than its delivery.
    const attemptedSince = Math.max(since, lastAttemptSince)
    if (attemptedSince > 0) where.push(sql`started_at >= ${attemptedSince}`)
    // Of each delivery the last attempt: one before it can have arrived too.
    return sql`
      SELECT DISTINCT ON (delivery_id) ${arrived} FROM attempts WHERE ${sql.and(where)}
      ORDER BY delivery_id ${order}, attempt DESC`
  }
}

/** The matches among the scanned deliveries of a state, and the last row that was looked at if that is not the end. */
const views = (sql: SqlClient.SqlClient) => {
  const { nextAt, workflowId } = columnsOf(sql)
  const scan = scans(sql)

  const matching = (filter: DeliveryFilter) => {
    const { emitterId, errorClass, from, lastAttemptSince, status, stream, subscriptionId, text, to } = filter
    const where: Array<Statement.Fragment> = [sql`(state <> 'delivered' OR outcome = 'delivered')`]
    if (subscriptionId !== undefined) where.push(sql`subscription_id = ${subscriptionId}`)
    if (emitterId !== undefined) where.push(sql`emitter_id = ${emitterId}`)
    if (from !== undefined) where.push(sql`event_id >= ${from}`)
    if (to !== undefined) where.push(sql`event_id <= ${to}`)
    if (stream !== undefined) where.push(sql`stream = ${stream}`)
    if (errorClass !== undefined) where.push(sql`error_class = ${errorClass}`)
    if (status !== undefined) where.push(sql`coalesce(status BETWEEN ${status[0]} AND ${status[1]}, false)`)
    if (lastAttemptSince !== undefined) where.push(sql`coalesce(last_at >= ${lastAttemptSince}, false)`)
    if (text !== undefined) where.push(sql`coalesce(strpos(payload, ${text}) > 0, false)`)
    // One that is to be sent again has a row of its own, which tells of it. OFFSET keeps Postgres from reading all of
    // these rows into a hash table first.
    where.push(sql`(state <> 'delivered' OR NOT EXISTS (SELECT FROM deliveries o WHERE o.id = r.id OFFSET 0))`)
    return sql.and(where)
  }

  return (state: ListedState, asked: Asked): Statement.Fragment => {
    const { filter, request } = asked
    const scanned = scan(state, asked)
    const isInside = filter.text !== undefined
    const most = isInside ? mostSeenInside : mostSeen
    const rows = isInside
      ? sql`
        SELECT s.*, e.payload, row_number() OVER () AS n,
          sum(octet_length(e.payload)) OVER (ROWS UNBOUNDED PRECEDING) AS bytes
        FROM (${scanned} LIMIT ${most}) AS s
        LEFT JOIN LATERAL (
          SELECT string_agg(payload, ',' ORDER BY id) AS payload FROM events
          WHERE emitter_id = s.emitter_id AND stream = s.stream
            AND id = ANY (coalesce(string_to_array(s.batch_event_ids, ' ')::bigint[], ARRAY[s.event_id]))
        ) AS e ON true`
      : sql`SELECT s.*, row_number() OVER () AS n FROM (${scanned} LIMIT ${most}) AS s`
    const isLast = isInside
      ? sql`(n = ${most} OR coalesce(bytes, 0) >= ${mostBytesInside})`
      : sql`(n = ${most})`
    return sql`
      SELECT d.id, ${state}::text AS state, d.webhook_id, d.subscription_id, d.emitter_id, d.stream, d.event_id,
        d.event_count, d.last_event_id, d.attempts, d.last_at, d.status, d.error_class, d.is_match, d.is_last,
        ${workflowId}, ${nextAt}
      FROM (
        SELECT * FROM (SELECT *, ${matching(filter)} AS is_match, ${isLast} AS is_last FROM (${rows}) AS r) AS m
        WHERE is_match OR is_last LIMIT ${request.limit + 1}
      ) AS d`
  }
}

/**
 * The deliveries of an account, in the order in which they began. Those that arrived are rows of `attempts`, those that
 * did not of `deliveries`. Each state is read along an index in the order of the list, so a page costs what it looks
 * at, however long the list is.
 */
export class DeliveryList extends Context.Service<DeliveryList, {
  /** A page with `text` is one of the account's searches. */
  readonly page: (
    accountId: string,
    filter: DeliveryFilter,
    request: Page.PageRequest
  ) => Effect.Effect<Page.UncountedPage<ListedDelivery>, SqlError.SqlError>
  readonly get: (accountId: string, id: string) => Effect.Effect<Option.Option<DeliveryDetails>, SqlError.SqlError>
}>()("@headwater/log/lists/DeliveryList") {
  static readonly layer: Layer.Layer<DeliveryList, never, Attempts | SqlClient.SqlClient> = Layer.effect(
    DeliveryList,
    Effect.gen(function*() {
      const attempts = yield* Attempts
      const searches = yield* Searches
      const sql = yield* SqlClient.SqlClient
      const { nextAt, waiting, workflowId } = columnsOf(sql)
      const view = views(sql)

      return DeliveryList.of({
        page: Effect.fnUntraced(function*(accountId, filter, request) {
          const states = statesOf(filter)
          if (states.length === 0) return { items: [], goesOnAt: undefined }
          const asked = { accountId, filter, request, inBatches: yield* batchesWith(sql, accountId, filter) }
          const parts = states.map((state) => sql`(${view(state, asked)})`)
          const rows = yield* sql<SeenRow>`${sql.join(" UNION ALL ", false)(parts)}`
          return pageOf(rows, states, request)
        }, (reads, accountId, { text }) => text === undefined ? reads : searches.run(accountId, reads)),
        get: Effect.fnUntraced(function*(accountId, id) {
          const [row] = yield* sql<ListedRow>`
            SELECT ${waiting}, ${workflowId}, ${nextAt} FROM deliveries d
            WHERE id = ${id} AND account_id = ${accountId}`
          const made = yield* attempts.ofDelivery(accountId, id, Id.timeOf(id))
          if (row !== undefined) return Option.some({ delivery: fromRow(row), attempts: made })
          const last = made.at(-1)
          if (last === undefined) return Option.none()
          const [{ workflow_id } = { workflow_id: null }] = yield* sql<Pick<ListedRow, "workflow_id">>`
            SELECT workflow_id FROM webhooks WHERE id = ${last.webhookId}`
          return Option.some({
            delivery: {
              ...last,
              id,
              state: last.outcome === "delivered" ? "delivered" : "dropped",
              workflowId: workflow_id,
              attempts: last.attempt,
              lastAt: last.startedAt,
              nextAt: null
            },
            attempts: made
          })
        })
      })
    })
  ).pipe(Layer.provide(Searches.layer))
}

/** The rows of all states in one order. If one of them was not seen to its end, nothing behind that is told. */
const pageOf = (
  rows: ReadonlyArray<SeenRow>,
  states: ReadonlyArray<ListedState>,
  request: Page.PageRequest
): Page.UncountedPage<ListedDelivery> => {
  const isBehind = Page.orderOf(request) === "ASC"
    ? (id: string, other: string) => id > other
    : (id: string, other: string) => id < other
  let horizon: string | undefined
  const found: Array<SeenRow> = []
  for (const state of states) {
    const own = rows.filter((row) => row.state === state)
    own.sort((one, other) => one.id === other.id ? 0 : isBehind(one.id, other.id) ? 1 : -1)
    const stop = own.find((row) => row.is_last)
    if (stop !== undefined && (horizon === undefined || isBehind(horizon, stop.id))) horizon = stop.id
    found.push(...own.filter((row) => row.is_match))
  }
  found.sort((one, other) => one.id === other.id ? 0 : isBehind(one.id, other.id) ? 1 : -1)
  const within = found.filter(({ id }) => horizon === undefined || !isBehind(id, horizon))
  return Page.uncounted(within.map(fromRow), request, ({ id }) => id, horizon)
}
