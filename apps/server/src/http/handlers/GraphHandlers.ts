import { CurrentAccount } from "@headwater/api/Authorization"
import type { Graph } from "@headwater/api/GraphApi"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import * as Pagination from "@headwater/api/Pagination"
import * as Problem from "@headwater/api/Problem"
import * as Id from "@headwater/domain/Id"
import { AccountStanding } from "@headwater/engine/AccountStanding"
import { minuteMs } from "@headwater/log/commit/FigureCounts"
import { Figures } from "@headwater/log/commit/Figures"
import { type GraphEdge, type GraphNode, SubscriptionGraph } from "@headwater/log/lists/SubscriptionGraph"
import { Subscriptions } from "@headwater/log/resources/Subscriptions"
import type { AccountBacklog } from "@headwater/log/work/Backlog"
import { Cursors } from "@headwater/log/work/Cursors"
import { Clock, Effect, Option, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { answerFailures } from "../conventions/FailureProblem.ts"

/** Rates are over so many minutes. */
const ratedMinutes = 5

/** Items that have waited for fewer milliseconds than this only wait for their turn. */
const turnMs = 5_000

/** Emitters of a subscription that are listed. */
const mostHeard = 1_000

type NodeResource = Graph["nodes"][number]
type Rates = Pick<NodeResource, "done" | "emitted" | "failed">

const isSubscriptionId = Schema.is(Id.SubscriptionId)

const stateOf = (node: GraphNode, isFailing: boolean, waits: boolean, now: number): NodeResource["state"] => {
  if (!node.active) return node.isDisabled ? "disabled" : "paused"
  if (isFailing) return "failing"
  return waits || (node.throttledUntil ?? 0) > now ? "waiting" : "ok"
}

export const layer = HttpApiBuilder.group(
  HeadwaterApi,
  "graph",
  Effect.fnUntraced(function*(handlers) {
    const cursors = yield* Cursors
    const figures = yield* Figures
    const graph = yield* SubscriptionGraph
    const standing = yield* AccountStanding
    const subscriptions = yield* Subscriptions

    const ratesOf = Effect.fnUntraced(function*(accountId: Id.AccountId, ids: ReadonlyArray<string>, now: number) {
      const from = now - now % minuteMs - ratedMinutes * minuteMs
      const perMinute = (count: number) => Math.round(count / ((now - from) / minuteMs) * 100) / 100
      const counted = yield* figures.since(accountId, ids, from)
      return (id: string): Rates => {
        const counts = counted.get(id)
        if (counts === undefined) return { emitted: 0, done: 0, failed: 0 }
        return {
          emitted: perMinute(counts.events + counts.errors),
          done: perMinute(counts.runs + counts.attempts),
          failed: perMinute(counts.failed_runs + counts.failed_attempts)
        }
      }
    })

    const nodeOf = (
      node: GraphNode,
      heard: ReadonlyArray<GraphEdge>,
      backlog: AccountBacklog,
      rates: Rates,
      isFailing: boolean,
      now: number
    ): NodeResource => {
      const { active, id, name, type } = node
      const waiting = heard.reduce(
        (sum, { subscriptionId }) => sum + (backlog.waiting.get(subscriptionId) ?? 0),
        backlog.requests.get(id) ?? 0
      )
      const pending = backlog.pending.get(id) ?? 0
      const hasWaited = (count: number | undefined, of: string) =>
        count !== undefined && count > 0 && (backlog.oldestAtOf.get(of) ?? 0) <= now - turnMs
      const waits = pending > 0 || hasWaited(backlog.requests.get(id), id) ||
        heard.some(({ subscriptionId }) => hasWaited(backlog.waiting.get(subscriptionId), subscriptionId))
      return {
        id,
        type,
        name,
        active,
        state: stateOf(node, isFailing, waits, now),
        waiting,
        pending,
        ...rates
      }
    }

    const expand = Effect.fnUntraced(function*(accountId: Id.AccountId, id: string) {
      const subscription = isSubscriptionId(id) ? yield* subscriptions.get(id) : Option.none()
      if (Option.isNone(subscription) || subscription.value.accountId !== accountId) {
        return yield* Problem.notFound("subscription", id)
      }
      const heard = yield* cursors.ofSubscription(subscription.value, "", mostHeard + 1)
      return {
        subscription_id: subscription.value.id,
        emitters: heard.slice(0, mostHeard).map(({ emitterId, head, position, tally }) => ({
          emitter_id: emitterId,
          waiting: Math.max(0, head.n - position.n),
          ...tally
        })),
        is_cut: heard.length > mostHeard
      }
    })

    return handlers.handleAll({
      page: Effect.fnUntraced(function*({ query }) {
        const accountId = yield* CurrentAccount
        const now = yield* Clock.currentTimeMillis
        const expanded = query.expand === undefined ? null : yield* expand(accountId, query.expand)
        const { after = "", limit = Pagination.maxGraphLimit, node } = query
        const page = yield* graph.page(accountId, after, limit, node)
        if (node !== undefined && page.nodes.length === 0) return yield* Problem.notFound("node", node)
        const backlog = yield* standing.backlogOf(accountId)
        const ids = page.nodes.map(({ id }) => id)
        const rates = yield* ratesOf(accountId, ids, now)
        const failing = yield* figures.failing(accountId, ids, now)
        const heard = Map.groupBy(page.edges, ({ listenerId }) => listenerId)
        const last = page.nodes.at(-1)
        const data: Graph = {
          nodes: page.nodes.map((node) =>
            nodeOf(node, heard.get(node.id) ?? [], backlog, rates(node.id), failing.has(node.id), now)
          ),
          edges: page.edges.map((edge) => ({
            subscription_id: edge.subscriptionId,
            emitter_id: edge.emitterId,
            is_glob: edge.isGlob,
            listener_id: edge.listenerId,
            event_name: edge.eventName,
            is_filtered: edge.isFiltered,
            waiting: backlog.waiting.get(edge.subscriptionId) ?? 0
          })),
          is_cut: page.isCut,
          end_cursor: last === undefined ? "" : Pagination.cursorOf(last.id),
          has_more: page.hasMore,
          expanded
        }
        return { data }
      }, answerFailures)
    })
  })
)
