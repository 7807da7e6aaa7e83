import * as EventId from "@headwater/domain/EventId"
import type { AccountId } from "@headwater/domain/Id"
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { ownRequests } from "./Cursors.ts"

/** The events that an account's listeners have not come to. */
export interface AccountBacklog {
  /** Events in front of cursors, by subscription: of those that have any. */
  readonly waiting: ReadonlyMap<string, number>
  /** Requests in front of programs, by program: of those that have any. */
  readonly requests: ReadonlyMap<string, number>
  /** Deliveries that wait for an attempt, by webhook. */
  readonly pending: ReadonlyMap<string, number>
  /**
   * The time at which the oldest of these events and requests was appended, in Unix milliseconds; undefined if there is
   * none.
   */
  readonly oldestAt: number | undefined
  /** The same by subscription and by program, of those whose wait began first. */
  readonly oldestAtOf: ReadonlyMap<string, number>
  /** True if there is more than was looked at. */
  readonly isCut: boolean
}

const sum = (numbers: Iterable<number>): number => {
  let all = 0
  for (const number of numbers) all += number
  return all
}

/** The number of events and requests that wait and of deliveries that are pending, in all. */
export const sizeOf = ({ pending, requests, waiting }: AccountBacklog) => ({
  waiting: sum(waiting.values()) + sum(requests.values()),
  pending: sum(pending.values())
})

/** Emitters, cursors and deliveries that are looked at; and cursors whose next event is. */
const mostEmitters = 5_000
const mostCursors = 5_000
const mostPending = 20_000
const mostOldest = 100

interface OwedRow {
  readonly subscription_id: string | null
  readonly emitter_id: string | null
  readonly waiting: bigint | null
  readonly first: bigint | null
  readonly cursors: bigint
  readonly emitters: bigint
}

/** The backlogs of accounts, by the tables of subscriptions, cursors and deliveries. */
export class Backlog extends Context.Service<Backlog, {
  /** Of all listeners of an account, whether or not they are in service. */
  readonly of: (accountId: AccountId) => Effect.Effect<AccountBacklog, SqlError.SqlError>
}>()("@headwater/log/work/Backlog") {
  static readonly layer: Layer.Layer<Backlog, never, SqlClient.SqlClient> = Layer.effect(
    Backlog,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return Backlog.of({
        of: Effect.fnUntraced(function*(accountId) {
          const rows = yield* sql<OwedRow>`
            WITH logs AS MATERIALIZED (
              SELECT emitter_id, streams FROM heads WHERE account_id = ${accountId} ORDER BY emitter_id LIMIT ${mostEmitters}
            ), heard AS MATERIALIZED (
              SELECT * FROM (
                SELECT s.id AS subscription_id, s.stream, l.emitter_id, (l.streams ->> s.stream)::bigint AS n
                FROM subscriptions s JOIN logs l ON l.emitter_id = s.emitter_id
                WHERE s.account_id = ${accountId} AND NOT s.is_glob
                UNION ALL
                SELECT s.id, s.stream, l.emitter_id, (l.streams ->> s.stream)::bigint
                FROM subscriptions s JOIN logs l ON l.emitter_id LIKE s.emitter_like AND l.emitter_id <> s.listener_id
                WHERE s.account_id = ${accountId} AND s.is_glob
                UNION ALL
                SELECT ${ownRequests}, ${ownRequests}, emitter_id, (streams ->> ${ownRequests})::bigint FROM logs
              ) AS r
              WHERE n > 0 LIMIT ${mostCursors}
            ), owed AS MATERIALIZED (
              SELECT h.*, h.n - coalesce(c.n, 0) AS waiting, coalesce(c.id, 0) AS id
              FROM heard h LEFT JOIN cursors c ON c.subscription_id = h.subscription_id AND c.emitter_id = h.emitter_id
              WHERE h.n > coalesce(c.n, 0)
            ), firsts AS MATERIALIZED (
              SELECT o.subscription_id, o.emitter_id, e.id
              FROM (SELECT * FROM owed ORDER BY id LIMIT ${mostOldest}) AS o CROSS JOIN LATERAL (
                SELECT id FROM events WHERE emitter_id = o.emitter_id AND stream = o.stream AND id > o.id ORDER BY id LIMIT 1
              ) AS e
            ), sums AS (
              SELECT o.subscription_id, CASE WHEN o.subscription_id = ${ownRequests} THEN o.emitter_id END AS emitter_id,
                sum(o.waiting)::bigint AS waiting, min(f.id) AS first
              FROM owed o LEFT JOIN firsts f ON f.subscription_id = o.subscription_id AND f.emitter_id = o.emitter_id
              GROUP BY 1, 2
            )
            SELECT s.*, (SELECT count(*) FROM heard) AS cursors, (SELECT count(*) FROM logs) AS emitters
            FROM (SELECT 1) AS one LEFT JOIN sums s ON true`
          const deliveries = yield* sql<{ readonly webhook_id: string; readonly pending: bigint }>`
            SELECT webhook_id, count(*) AS pending FROM (
              SELECT webhook_id FROM deliveries WHERE account_id = ${accountId} AND state = 'pending' LIMIT ${mostPending}
            ) AS d
            GROUP BY webhook_id`
          const waiting = new Map<string, number>()
          const requests = new Map<string, number>()
          const oldestAtOf = new Map<string, number>()
          for (const row of rows) {
            if (row.subscription_id === null) continue
            if (row.emitter_id === null) waiting.set(row.subscription_id, Number(row.waiting))
            else requests.set(row.emitter_id, Number(row.waiting))
            if (row.first !== null) {
              oldestAtOf.set(row.emitter_id ?? row.subscription_id, EventId.milliseconds(row.first))
            }
          }
          const pending = new Map(deliveries.map((row) => [row.webhook_id, Number(row.pending)]))
          const [first] = rows
          return {
            waiting,
            requests,
            pending,
            oldestAt: oldestAtOf.size === 0 ? undefined : Math.min(...oldestAtOf.values()),
            oldestAtOf,
            isCut: Number(first?.cursors ?? 0) === mostCursors || Number(first?.emitters ?? 0) === mostEmitters ||
              [...pending.values()].reduce((sum, count) => sum + count, 0) === mostPending
          }
        })
      })
    })
  )
}
