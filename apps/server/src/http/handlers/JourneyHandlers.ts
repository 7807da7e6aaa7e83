import { CurrentAccount } from "@headwater/api/Authorization"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import type { Journey as JourneyResource } from "@headwater/api/JourneyApi"
import * as Problem from "@headwater/api/Problem"
import type { RequestKind } from "@headwater/domain/Event"
import * as EventId from "@headwater/domain/EventId"
import type * as Id from "@headwater/domain/Id"
import { EventJourney, type Journey, type JourneyNode, type RunNode } from "@headwater/engine/EventJourney"
import { EventList } from "@headwater/log/lists/EventList"
import { EventLog } from "@headwater/log/logs/EventLog"
import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { outlineOf } from "../answers/AttemptOutlineAnswer.ts"
import { boundOf } from "../answers/EventSummaries.ts"
import { answerFailures } from "../conventions/FailureProblem.ts"
import { makeFindAny } from "./EmitterIdOf.ts"

type NodeResource = JourneyResource["nodes"][number]

const stateOf = ({ isFailed, run, state }: RunNode): Extract<NodeResource, { type: "run" }>["state"] => {
  if (run === undefined) return isFailed && state === "ended" ? "failed" : state
  switch (run.status) {
    case "success":
      return "ended"
    case "error":
      return "failed"
    case "waiting":
      return "paused"
    default:
      return run.status
  }
}

const kindOf = (kind: RequestKind | undefined): RequestKind | "http" => kind ?? "http"

const nodeOf = (node: JourneyNode, names: Journey["names"]): NodeResource => {
  const nameOf = (id: string) => names.get(id)?.name ?? null
  const { id } = node
  switch (node._tag) {
    case "Event":
      return {
        id,
        type: "event",
        emitter_id: node.emitterId,
        emitter_name: nameOf(node.emitterId),
        event_id: EventId.format(node.eventId),
        indexed_at_ms: EventId.milliseconds(node.eventId),
        event_name: node.event?.stream ?? null,
        emit_id: node.event?.emitId ?? null,
        hops: node.event?.hops ?? null
      }
    case "Request":
      return {
        id,
        type: "request",
        emitter_id: node.emitterId,
        emitter_name: nameOf(node.emitterId),
        received_at_ms: EventId.milliseconds(node.eventId),
        kind: node.event === undefined ? null : kindOf(node.event.meta.kind),
        emit_id: node.event?.emitId ?? null
      }
    case "Run":
      return {
        id,
        type: "run",
        listener_id: node.listenerId,
        listener_name: nameOf(node.listenerId),
        state: stateOf(node),
        run_id: node.run?.id ?? null,
        started_at_ms: node.run?.startedAt ?? null,
        ended_at_ms: node.run?.endedAt ?? null,
        error: node.run?.error ? { name: node.run.error.name, message: node.run.error.message } : null,
        logs: node.logs
      }
    case "Delivery": {
      const { attempts, nextAttemptAt, progress, waiting } = node.traced
      const last = attempts.at(-1)
      return {
        id,
        type: "delivery",
        webhook_id: names.get(node.webhookId)?.workflowId ? null : node.webhookId,
        webhook_name: nameOf(node.webhookId),
        delivery_id: last?.deliveryId ?? null,
        state: progress ?? "dropped",
        attempts: last?.attempt ?? 0,
        last_attempt: last === undefined ? null : outlineOf(last),
        next_attempt_at_ms: nextAttemptAt ?? waiting?.until ?? null,
        ...(waiting === undefined ? {} : { waiting_for: waiting.reason })
      }
    }
    case "Consumer":
      return { id, type: "consumer", consumer_id: node.consumerId, state: node.state ?? "dropped" }
    case "Listener":
      return { id, type: "listener", listener_id: node.listenerId, listener_name: nameOf(node.listenerId) }
  }
}

const resourceOf = ({ edges, names, nodes, truncated }: Journey): JourneyResource => ({
  nodes: nodes.map((node) => nodeOf(node, names)),
  edges: edges.map(({ from, to, traced }) => ({
    from,
    to,
    subscription_id: traced?.subscription.id ?? null,
    matched: traced?.mismatch === undefined,
    reason: traced?.mismatch ?? null,
    ...(traced?.clause === undefined ? {} : { clause: traced.clause })
  })),
  truncated
})

export const layer = HttpApiBuilder.group(
  HeadwaterApi,
  "journey",
  Effect.fnUntraced(function*(handlers) {
    const events = yield* EventLog
    const journeys = yield* EventJourney
    const findEmitter = yield* makeFindAny
    const list = yield* EventList

    const find = Effect.fnUntraced(function*(accountId: Id.AccountId, idText: string, emitter: string | undefined) {
      const id = boundOf(idText)!
      if (emitter !== undefined) {
        const found = yield* events.findInAny(yield* findEmitter(accountId, emitter), id)
        return Option.isNone(found) ? yield* Problem.notFound("event", idText) : found.value
      }
      const { items: [event, other] } = yield* list.page(accountId, { id }, {
        limit: 2,
        after: undefined,
        before: undefined,
        maxBytes: 64 * 1024,
        whole: false
      })
      if (event === undefined) return yield* Problem.notFound("event", idText)
      if (other === undefined) return event
      return yield* Problem.invalid([{
        path: "emitter",
        message: "is required, since several emitters have such an event"
      }])
    })

    return handlers.handleAll({
      event: Effect.fnUntraced(function*({ params, query }) {
        const accountId = yield* CurrentAccount
        const event = yield* find(accountId, params.id, query.emitter)
        return { data: resourceOf(yield* journeys.of(accountId, event)) }
      }, answerFailures)
    })
  })
)
