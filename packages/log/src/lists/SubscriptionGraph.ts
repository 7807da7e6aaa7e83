import type { AccountId } from "@headwater/domain/Id"
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { texts } from "../internal/SqlArray.ts"

/** An emitter or listener of an account. */
export interface GraphNode {
  readonly id: string
  readonly type: "source" | "workflow" | "webhook" | "consumer" | "account"
  readonly name: string | null
  readonly active: boolean
  /** True for a webhook that the server has switched off. */
  readonly isDisabled: boolean
  /** Of a webhook, that its endpoint asked for a pause up to this time, in Unix milliseconds. */
  readonly throttledUntil: number | null
}

/** A subscription: of one emitter, or of those that a glob matches. */
export interface GraphEdge {
  readonly subscriptionId: string
  readonly emitterId: string
  readonly listenerId: string
  readonly eventName: string
  readonly isGlob: boolean
  readonly isFiltered: boolean
}

export interface GraphPage {
  /** In the order of their ids. */
  readonly nodes: ReadonlyArray<GraphNode>
  /** True if there are nodes behind the last one. */
  readonly hasMore: boolean
  /** The subscriptions by which the nodes of the page listen. */
  readonly edges: ReadonlyArray<GraphEdge>
  /** True if they listen to more. */
  readonly isCut: boolean
}

/** Subscriptions of the nodes of a page. */
const mostEdges = 5_000

interface NodeRow {
  readonly id: string
  readonly type: GraphNode["type"]
  readonly name: string | null
  readonly active: boolean
  readonly is_disabled: boolean
  readonly throttled_until: bigint | null
}

interface EdgeRow {
  readonly id: string
  readonly emitter_id: string
  readonly listener_id: string
  readonly event_name: string
  readonly is_glob: boolean
  readonly is_filtered: boolean
}

/**
 * An account's emitters and listeners, and who listens to whom. Webhooks that send workflows' own requests are not
 * shown.
 */
export class SubscriptionGraph extends Context.Service<SubscriptionGraph, {
  /**
   * @param after the id of a node, or the empty text for the beginning
   * @param only the id of the one node that is meant, wherever the page would begin
   */
  readonly page: (
    accountId: AccountId,
    after: string,
    limit: number,
    only?: string
  ) => Effect.Effect<GraphPage, SqlError.SqlError>
}>()("@headwater/log/lists/SubscriptionGraph") {
  static readonly layer: Layer.Layer<SubscriptionGraph, never, SqlClient.SqlClient> = Layer.effect(
    SubscriptionGraph,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return SubscriptionGraph.of({
        page: Effect.fnUntraced(function*(accountId, after, limit, only) {
          const meant = only === undefined ? sql`id > ${after}` : sql`id = ${only}`
          const some = sql`AND ${meant} ORDER BY id LIMIT ${limit + 1}`
          const rows = yield* sql<NodeRow>`
            SELECT * FROM (
              (SELECT id, CASE WHEN workflow IS NULL THEN 'source' ELSE 'workflow' END AS type, name, active,
                false AS is_disabled, NULL::bigint AS throttled_until
              FROM programs WHERE account_id = ${accountId} AND state = 'ready' ${some})
              UNION ALL
              (SELECT id, 'webhook', name, active, NOT active AND disabled_reason IS NOT NULL, throttled_until
              FROM webhooks WHERE account_id = ${accountId} AND workflow_id IS NULL ${some})
              UNION ALL
              (SELECT id, 'consumer', name, true, false, NULL
              FROM consumers WHERE account_id = ${accountId} ${some})
              UNION ALL
              (SELECT id, 'account', NULL, true, false, NULL FROM accounts WHERE id = ${accountId} AND ${meant})
            ) AS nodes
            ORDER BY id COLLATE "C" LIMIT ${limit + 1}`
          const nodes = rows.slice(0, limit)
          const edges = yield* sql<EdgeRow>`
            SELECT id, emitter_id, listener_id, event_name, is_glob, filter IS NOT NULL AS is_filtered FROM subscriptions
            WHERE account_id = ${accountId} AND listener_id = ANY (${texts(nodes.map(({ id }) => id))})
            ORDER BY id LIMIT ${mostEdges + 1}`
          return {
            nodes: nodes.map((row) => ({
              id: row.id,
              type: row.type,
              name: row.name,
              active: row.active,
              isDisabled: row.is_disabled,
              throttledUntil: row.throttled_until === null ? null : Number(row.throttled_until)
            })),
            hasMore: rows.length > limit,
            edges: edges.slice(0, mostEdges).map((row) => ({
              subscriptionId: row.id,
              emitterId: row.emitter_id,
              listenerId: row.listener_id,
              eventName: row.event_name,
              isGlob: row.is_glob,
              isFiltered: row.is_filtered
            })),
            isCut: edges.length > mostEdges
          }
        })
      })
    })
  )
}
