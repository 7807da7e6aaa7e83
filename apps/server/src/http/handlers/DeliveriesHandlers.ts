import { CurrentAccount } from "@headwater/api/Authorization"
import {
  type DeliveryDetails,
  type DeliveryFilters,
  type DeliveryResource,
  type ListedDelivery as ListedResource,
  shownSummary
} from "@headwater/api/DeliveriesApi"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import * as Pagination from "@headwater/api/Pagination"
import * as Problem from "@headwater/api/Problem"
import * as EventId from "@headwater/domain/EventId"
import * as Id from "@headwater/domain/Id"
import * as StreamName from "@headwater/domain/Stream"
import type { Webhook } from "@headwater/domain/Webhook"
import { DeliveryControl } from "@headwater/engine/DeliveryControl"
import * as NextAttempt from "@headwater/engine/NextAttempt"
import { DeliveryList, type ListedDelivery } from "@headwater/log/lists/DeliveryList"
import { EventLog, placeText } from "@headwater/log/logs/EventLog"
import { Subscriptions } from "@headwater/log/resources/Subscriptions"
import { Webhooks } from "@headwater/log/resources/Webhooks"
import type { Attempt } from "@headwater/log/work/Attempts"
import { DueWork } from "@headwater/log/work/DueWork"
import { Clock, Effect, Option, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { attemptOf } from "../answers/AttemptAnswer.ts"
import * as DeliveredBatch from "../answers/DeliveredBatch.ts"
import { boundOf } from "../answers/EventSummaries.ts"
import { answerFailures } from "../conventions/FailureProblem.ts"
import { makeEmitterId } from "./EmitterIdOf.ts"
import { answerSearch } from "./SearchProblem.ts"
import * as StatusRange from "./StatusRange.ts"

const isDeliveryId = Schema.is(Id.DeliveryId)
const isSubscriptionId = Schema.is(Id.SubscriptionId)

const resourceOf = (delivery: ListedDelivery): DeliveryResource => ({
  id: delivery.id,
  state: delivery.state,
  webhook_id: delivery.workflowId === null ? delivery.webhookId : null,
  subscription_id: delivery.subscriptionId,
  emitter_id: delivery.emitterId,
  event_name: delivery.stream,
  event_id: EventId.format(delivery.eventId),
  ...DeliveredBatch.shown(delivery.batch && { firstEventId: delivery.eventId, ...delivery.batch }),
  attempt_count: delivery.attempts,
  status: delivery.status,
  error_class: delivery.errorClass,
  started_at_ms: Id.timeOf(delivery.id),
  last_attempt_at_ms: delivery.lastAt,
  next_attempt_at_ms: delivery.nextAt
})

const placeOf = ({ emitterId, eventId, stream }: ListedDelivery) => ({ emitterId, stream, id: eventId })

/** The path at which the API shows an event; null for an account's own, which are not shown. */
const pathOf = ({ emitterId, eventId }: ListedDelivery): string | null => {
  const kind = Id.kindOf(emitterId)
  return kind === "source" || kind === "workflow"
    ? `/v1/${kind}s/${emitterId}/events/${EventId.format(eventId)}`
    : null
}

const deliveryIdOf = (text: string): Effect.Effect<Id.DeliveryId, Problem.NotFound> =>
  isDeliveryId(text) ? Effect.succeed(text) : Effect.fail(Problem.notFound("delivery", text))

const notPending = (state: DeliveryResource["state"]) => {
  const sentence = `Only a pending delivery can be skipped: this one is ${state}.`
  return new Problem.DeliveryNotPending({ detail: sentence, error: sentence, details: { state } })
}

const notRepeatable = (reason: "event_deleted" | "subscription_deleted") => {
  const what = reason === "event_deleted" ? "event" : "subscription"
  const sentence = `The delivery can't be repeated: its ${what} was deleted.`
  return new Problem.DeliveryNotRepeatable({ detail: sentence, error: sentence, details: { reason } })
}

const nextAttempt = (webhook: Webhook, last: Attempt | undefined, dueAt: number, now: number) => {
  const reason = NextAttempt.reasonOf(webhook, last, dueAt, now)
  return { at_ms: reason === "circuit" ? Math.max(dueAt, webhook.circuitUntil ?? 0) : dueAt, reason }
}

export const layer = HttpApiBuilder.group(
  HeadwaterApi,
  "deliveries",
  Effect.fnUntraced(function*(handlers) {
    const list = yield* DeliveryList
    const control = yield* DeliveryControl
    const dueWork = yield* DueWork
    const events = yield* EventLog
    const emitterIdOf = yield* makeEmitterId
    const subscriptions = yield* Subscriptions
    const webhooks = yield* Webhooks

    /** The webhook that a subscription delivers to: the list of its deliveries is shorter than the account's. */
    const listenerOf = Effect.fnUntraced(function*(accountId: Id.AccountId, subscriptionId: string) {
      if (!isSubscriptionId(subscriptionId)) return undefined
      const found = Option.getOrUndefined(yield* subscriptions.get(subscriptionId))
      return found?.accountId === accountId && Id.kindOf(found.listenerId) === "webhook" ? found.listenerId : undefined
    })

    /** @param webhookId of the account's own */
    const page = Effect.fnUntraced(function*(webhookId: string | undefined, query: DeliveryFilters) {
      const accountId = yield* CurrentAccount
      const { emitter_id, event_name, status, subscription_id } = query
      const { goesOnAt, items } = yield* list.page(accountId, {
        webhookId: webhookId ??
          (subscription_id === undefined ? undefined : yield* listenerOf(accountId, subscription_id)),
        subscriptionId: subscription_id,
        emitterId: emitter_id === undefined ? undefined : yield* emitterIdOf(accountId, emitter_id),
        stream: event_name === undefined ? undefined : StreamName.normalize(event_name),
        eventId: boundOf(query.event_id),
        state: query.state,
        errorClass: query.error_class,
        status: status === undefined ? undefined : StatusRange.parse(status),
        since: query.since,
        until: query.until,
        lastAttemptSince: query.last_attempt_since,
        text: query.text
      }, Pagination.pageRequest(query)).pipe(answerSearch(query.text))
      const summaries = query.expand === undefined ? undefined : yield* events.summariesAt(items.map(placeOf))
      const data = items.map((item): ListedResource => ({
        ...resourceOf(item),
        ...summaries &&
          { summary: summaries.get(placeText(placeOf(item)))?.slice(0, shownSummary).toWellFormed() ?? null }
      }))
      return Pagination.openPage(data, query, goesOnAt)
    })

    return handlers.handleAll({
      list: Effect.fnUntraced(function*({ query }) {
        const { webhook_id } = query
        if (webhook_id === undefined) return yield* page(undefined, query)
        const webhook = yield* webhooks.get(yield* CurrentAccount, webhook_id)
        return Option.isNone(webhook)
          ? Pagination.openPage<ListedResource>([], query, undefined)
          : yield* page(webhook.value.id, query)
      }, answerFailures),
      ofWebhook: Effect.fnUntraced(function*({ params, query }) {
        const webhook = yield* webhooks.get(yield* CurrentAccount, params.id)
        if (Option.isNone(webhook)) return yield* Problem.notFound("webhook", params.id)
        return yield* page(webhook.value.id, query)
      }, answerFailures),
      due: Effect.fnUntraced(function*({ query }) {
        const { step: stepMs = 60_000, steps = 60 } = query
        const from = yield* Clock.currentTimeMillis
        const owners = yield* webhooks.ownersOfAccount(yield* CurrentAccount)
        const { isCut, steps: due } = yield* dueWork.retriesByStep([...owners.keys()], { from, stepMs, steps })
        return {
          data: {
            from_ms: from,
            step_ms: stepMs,
            webhooks: [...Map.groupBy(due, ({ ownerId }) => ownerId)].map(([ownerId, own]) => {
              const counts = Array.from({ length: steps + 1 }, () => 0)
              for (const one of own) counts[one.step] = one.due
              const workflowId = owners.get(ownerId) ?? null
              return {
                webhook_id: workflowId === null ? ownerId : null,
                workflow_id: workflowId,
                due: counts.slice(0, steps),
                later: counts[steps]!
              }
            }),
            is_cut: isCut
          }
        }
      }, answerFailures),
      retry: Effect.fnUntraced(function*({ params }) {
        const id = yield* deliveryIdOf(params.id)
        const delivery = yield* control.retry(yield* CurrentAccount, id).pipe(
          Effect.catchTags({
            DeliveryNotFound: () => Effect.fail(Problem.notFound("delivery", id)),
            NotRepeatable: ({ reason }) => Effect.fail(notRepeatable(reason))
          })
        )
        return { data: resourceOf(delivery) }
      }, answerFailures),
      skip: Effect.fnUntraced(function*({ params }) {
        const id = yield* deliveryIdOf(params.id)
        const delivery = yield* control.skip(yield* CurrentAccount, id).pipe(
          Effect.catchTags({
            DeliveryNotFound: () => Effect.fail(Problem.notFound("delivery", id)),
            NotPending: ({ state }) => Effect.fail(notPending(state))
          })
        )
        return { data: resourceOf(delivery) }
      }, answerFailures),
      get: Effect.fnUntraced(function*({ params }) {
        const found = isDeliveryId(params.id) ? yield* list.get(yield* CurrentAccount, params.id) : Option.none()
        if (Option.isNone(found)) return yield* Problem.notFound("delivery", params.id)
        const { attempts, delivery } = found.value
        const webhook = yield* webhooks.getById(Id.WebhookId.make(delivery.webhookId))
        const last = attempts.at(-1)
        const data: DeliveryDetails = {
          ...resourceOf(delivery),
          event: { emit_id: last?.emitId ?? null, path: pathOf(delivery) },
          next_attempt: delivery.nextAt === null || Option.isNone(webhook)
            ? null
            : nextAttempt(webhook.value, last, delivery.nextAt, yield* Clock.currentTimeMillis),
          attempts: attempts.map(attemptOf)
        }
        return { data }
      }, answerFailures)
    })
  })
)
