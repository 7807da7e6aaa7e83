import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"

/** The counts that do not add up between one subscription and one emitter. */
export interface Imbalance {
  readonly subscriptionId: string
  readonly emitterId: string
  /** Events that the cursor passed and whose outcome is not counted; negative where more are counted than were passed. */
  readonly uncounted: number
  /** Deliveries counted as waiting for a retry beyond those that do; negative where more wait than are counted. */
  readonly unheldPending: number
  /** The distance of the cursor beyond the emitter's last event. */
  readonly beyondHead: number
}

/** The most that are told. */
const mostTold = 100

/** Cursors that are checked of one account. */
const mostOfAccount = 5_000

/**
 * The accounting that must always balance, per subscription and emitter: what a cursor has passed is delivered, pending,
 * exhausted, dropped or filtered, each pending delivery is there, and no cursor stands beyond its emitter's head.
 */
export class Accounting extends Context.Service<Accounting, {
  /** The imbalances of an account, in one snapshot: of its first 5,000 cursors. */
  readonly ofAccount: (accountId: string) => Effect.Effect<ReadonlyArray<Imbalance>, SqlError.SqlError>
  /** All imbalances, in one snapshot. */
  readonly imbalances: Effect.Effect<ReadonlyArray<Imbalance>, SqlError.SqlError>
}>()("@headwater/log/work/Accounting") {
  static readonly layer: Layer.Layer<Accounting, never, SqlClient.SqlClient> = Layer.effect(
    Accounting,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      /**
       * @param checked the cursors to check
       * @param meant which deliveries are theirs
       */
      const imbalancesOf = (checked: Statement.Fragment, meant: Statement.Fragment) =>
        Effect.map(
          sql<{
            subscription_id: string
            emitter_id: string
            uncounted: bigint
            unheld_pending: bigint
            beyond_head: bigint
          }>`
            SELECT * FROM (
              SELECT c.subscription_id, c.emitter_id,
                c.n - c.start_n - (c.delivered + c.pending + c.exhausted + c.dropped + c.filtered) AS uncounted,
                c.pending - coalesce(d.pending, 0) AS unheld_pending,
                greatest(0, c.n - (h.streams ->> s.stream)::bigint) AS beyond_head
              FROM ${checked}
              JOIN heads h ON h.emitter_id = c.emitter_id
              LEFT JOIN (
                SELECT subscription_id, emitter_id, sum(event_count)::bigint AS pending FROM deliveries
                WHERE state = 'pending' AND NOT apart AND ${meant}
                GROUP BY subscription_id, emitter_id
              ) AS d ON d.subscription_id = c.subscription_id AND d.emitter_id = c.emitter_id
            ) AS checked
            WHERE uncounted <> 0 OR unheld_pending <> 0 OR beyond_head <> 0
            ORDER BY subscription_id, emitter_id LIMIT ${mostTold}`,
          (rows) =>
            rows.map((row) => ({
              subscriptionId: row.subscription_id,
              emitterId: row.emitter_id,
              uncounted: Number(row.uncounted),
              unheldPending: Number(row.unheld_pending),
              beyondHead: Number(row.beyond_head)
            }))
        )

      return Accounting.of({
        ofAccount: (accountId) =>
          imbalancesOf(
            sql`(
              SELECT s.id, s.stream, f.emitter_id FROM subscriptions s JOIN cursors_folded f ON f.subscription_id = s.id
              WHERE s.account_id = ${accountId} LIMIT ${mostOfAccount}
            ) AS s JOIN cursors c ON c.subscription_id = s.id AND c.emitter_id = s.emitter_id`,
            sql`account_id = ${accountId}`
          ),
        imbalances: imbalancesOf(sql`cursors c JOIN subscriptions s ON s.id = c.subscription_id`, sql`true`)
      })
    })
  )
}
