import type { EventId } from "@headwater/domain/EventId"
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { texts } from "../internal/SqlArray.ts"

/** An event that a subscription of a webhook has passed, whatever became of it. */
export interface PassedEvent {
  /** Its place in the list. */
  readonly key: string
  readonly subscriptionId: string
  readonly emitterId: string
  readonly stream: string
  /** JSON text of the subscription's filter; null where it has none. */
  readonly filter: string | null
  readonly eventId: EventId
}

/** The events that are meant: those of which all of this holds. */
export interface ReplayFilter {
  readonly subscriptionId?: string | undefined
  readonly emitterId?: string | undefined
  readonly stream?: string | undefined
  readonly from: EventId
  readonly to: EventId
}

export interface ReplayPage {
  readonly items: ReadonlyArray<PassedEvent>
  /** Behind which place the list goes on; undefined at its end. */
  readonly goesOnAt: string | undefined
}

/** Logs that a page looks at, at most. */
const mostLogs = 500

const digits = 19
const lastId = "9".repeat(digits)

const keyOf = (emitterId: string, subscriptionId: string, id: string): string =>
  `${emitterId} ${subscriptionId} ${id.padStart(digits, "0")}`

interface LogRow {
  readonly subscription_id: string
  readonly emitter_id: string
  readonly stream: string
  readonly filter: string | null
}

/**
 * The events that a webhook's subscriptions have passed, log by log and each in its order: what can be sent again.
 * Events in front of a cursor are not in it, and come by themselves.
 */
export class ReplayList extends Context.Service<ReplayList, {
  /** @param after a place, or the empty text for the beginning */
  readonly page: (
    webhookId: string,
    filter: ReplayFilter,
    after: string,
    limit: number
  ) => Effect.Effect<ReplayPage, SqlError.SqlError>
}>()("@headwater/log/lists/ReplayList") {
  static readonly layer: Layer.Layer<ReplayList, never, SqlClient.SqlClient> = Layer.effect(
    ReplayList,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient

      return ReplayList.of({
        page: Effect.fnUntraced(function*(webhookId, { emitterId, from, stream, subscriptionId, to }, after, limit) {
          const [afterEmitter = "", afterSubscription = "", afterId = "0"] = after.split(" ")
          const meant: Array<Statement.Fragment> = [sql`s.listener_id = ${webhookId}`]
          if (subscriptionId !== undefined) meant.push(sql`s.id = ${subscriptionId}`)
          if (stream !== undefined) meant.push(sql`s.stream = ${stream}`)
          if (emitterId !== undefined) meant.push(sql`h.emitter_id = ${emitterId}`)
          const logs = yield* sql<LogRow>`
            SELECT * FROM (
              SELECT s.id AS subscription_id, h.emitter_id, s.stream, s.filter
              FROM subscriptions s JOIN heads_folded h ON h.account_id = s.account_id AND h.emitter_id = s.emitter_id
              WHERE NOT s.is_glob AND ${sql.and(meant)}
              UNION ALL
              SELECT s.id, h.emitter_id, s.stream, s.filter
              FROM subscriptions s JOIN heads_folded h
                ON h.account_id = s.account_id AND h.emitter_id LIKE s.emitter_like AND h.emitter_id <> s.listener_id
              WHERE s.is_glob AND ${sql.and(meant)}
            ) AS l
            WHERE (emitter_id, subscription_id) >= (${afterEmitter}, ${afterSubscription})
            ORDER BY emitter_id, subscription_id LIMIT ${mostLogs}`
          const last = logs.at(-1)
          if (last === undefined) return { items: [], goesOnAt: undefined }
          const rows = yield* sql<LogRow & { readonly id: bigint }>`
            SELECT l.subscription_id, l.emitter_id, l.stream, l.filter, e.id FROM unnest(
              ${texts(logs.map((log) => log.emitter_id))},
              ${texts(logs.map((log) => log.subscription_id))},
              ${texts(logs.map((log) => log.stream))},
              ${texts(logs.map((log) => log.filter))}
            ) AS l (emitter_id, subscription_id, stream, filter)
            LEFT JOIN cursors c ON c.subscription_id = l.subscription_id AND c.emitter_id = l.emitter_id
            CROSS JOIN LATERAL (
              SELECT id FROM events e
              WHERE e.emitter_id = l.emitter_id AND e.stream = l.stream AND e.id >= ${from}
                AND e.id <= least(${to}::bigint, coalesce(c.id, 0))
                AND e.id > CASE
                  WHEN l.emitter_id = ${afterEmitter} AND l.subscription_id = ${afterSubscription} THEN ${
            BigInt(afterId)
          }::bigint
                  ELSE 0 END
              ORDER BY e.id LIMIT ${limit}
            ) AS e
            ORDER BY l.emitter_id COLLATE "C", l.subscription_id COLLATE "C", e.id LIMIT ${limit}`
          const items = rows.map((row) => ({
            key: keyOf(row.emitter_id, row.subscription_id, String(row.id)),
            subscriptionId: row.subscription_id,
            emitterId: row.emitter_id,
            stream: row.stream,
            filter: row.filter,
            eventId: row.id
          }))
          if (items.length === limit) return { items, goesOnAt: items.at(-1)!.key }
          return {
            items,
            goesOnAt: logs.length === mostLogs ? keyOf(last.emitter_id, last.subscription_id, lastId) : undefined
          }
        })
      })
    })
  )
}
