import { CurrentAccount } from "@headwater/api/Authorization"
import * as Batch from "@headwater/api/Batch"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import { defaultLimit } from "@headwater/api/Pagination"
import * as Problem from "@headwater/api/Problem"
import { beginning, type SubscriptionResource } from "@headwater/api/SubscriptionsApi"
import { CurrentWarnings } from "@headwater/api/Warnings"
import * as EventId from "@headwater/domain/EventId"
import * as Stream from "@headwater/domain/Stream"
import type { Subscription } from "@headwater/domain/Subscription"
import { SubscriptionLifecycle, SubscriptionNotFound, UnknownParty } from "@headwater/engine/SubscriptionLifecycle"
import { Subscriptions } from "@headwater/log/resources/Subscriptions"
import { Cursors } from "@headwater/log/work/Cursors"
import { Effect, Option, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { answerFailures } from "../conventions/FailureProblem.ts"
import * as GivenFilter from "./GivenFilter.ts"

interface Parameters {
  readonly emitter_id?: string
  readonly listener_id?: string
  readonly event_name?: string
}

const resourceOf = (subscription: Subscription, tooCostly: number): SubscriptionResource => ({
  id: subscription.id,
  emitter_id: subscription.emitterId,
  listener_id: subscription.listenerId,
  event_name: subscription.eventName,
  ...GivenFilter.shown(subscription.filter),
  ...(subscription.filter === null ? {} : { filter_too_costly: tooCostly }),
  ...Batch.show(subscription.batch)
})

const answerUnknownParty = <A, E, R>(effect: Effect.Effect<A, E | UnknownParty, R>) =>
  effect.pipe(
    Effect.catchIf(Schema.is(UnknownParty), ({ id, parameter }) =>
      Effect.fail(Problem.notFound(parameter === "emitter_id" ? "emitter" : "listener", id))),
    answerFailures
  )

const answerUnknownSubscription = <A, E, R>(effect: Effect.Effect<A, E | SubscriptionNotFound, R>) =>
  effect.pipe(
    Effect.catchIf(
      Schema.is(SubscriptionNotFound),
      () => Effect.fail(new Problem.NotFound(Problem.because("There is no subscription with these parameters.")))
    ),
    answerFailures
  )

/** Faults with which a subscription is made all the same, since the contract knows no reason to refuse it. */
const doubtsAbout = (
  { emitterId, eventName, listenerId }: Pick<Subscription, "emitterId" | "eventName" | "listenerId">
): ReadonlyArray<Problem.Issue> => [
  ...(Stream.isUnknown(eventName) ? [{ path: "event_name", message: Stream.toldUnknown(eventName) }] : []),
  ...(emitterId === listenerId
    ? [{ path: "listener_id", message: "This is the emitter itself: each event that it emits makes it run again" }]
    : [])
]

/** Before every event there is. */
const first: EventId.EventId = 0n

const startOf = (from: string | undefined): EventId.EventId | undefined => {
  if (from === undefined) return undefined
  return from === beginning ? first : Option.getOrUndefined(EventId.parse(from))
}

export const layer = HttpApiBuilder.group(
  HeadwaterApi,
  "subscriptions",
  Effect.fnUntraced(function*(handlers) {
    const subscriptions = yield* Subscriptions
    const lifecycle = yield* SubscriptionLifecycle
    const cursors = yield* Cursors

    const resourcesOf = Effect.fnUntraced(function*(all: ReadonlyArray<Subscription>) {
      const filtered = all.filter(({ filter }) => filter !== null).map(({ id }) => id)
      const tooCostly = filtered.length === 0 ? new Map<string, number>() : yield* cursors.tooCostly(filtered)
      return all.map((one) => resourceOf(one, tooCostly.get(one.id) ?? 0))
    })

    const answerWith = (subscription: Subscription) =>
      Effect.map(resourcesOf([subscription]), ([data]) => ({ data: data! }))

    const parametersFrom = Effect.fnUntraced(function*(query: Parameters, body: Parameters | null) {
      const accountId = yield* CurrentAccount
      const emitterId = body?.emitter_id ?? query.emitter_id ?? ""
      const listenerId = body?.listener_id ?? query.listener_id ?? ""
      const missing = [
        ...(emitterId === "" ? [{ path: "emitter_id", message: "is required" }] : []),
        ...(listenerId === "" ? [{ path: "listener_id", message: "is required" }] : [])
      ]
      if (missing.length > 0) return yield* Problem.invalid(missing)
      return { accountId, emitterId, listenerId, eventName: body?.event_name ?? query.event_name ?? "" }
    })

    return handlers.handleAll({
      create: Effect.fnUntraced(function*({ payload, query }) {
        const parameters = yield* parametersFrom(query, payload)
        const options = {
          filter: yield* GivenFilter.read(payload?.filter),
          batch: payload?.batch === undefined ? undefined : Batch.read(payload.batch),
          from: startOf(payload?.from ?? query.from)
        }
        const subscription = yield* lifecycle.create(parameters, options)
        const warnings = yield* CurrentWarnings
        for (const doubt of doubtsAbout(subscription)) warnings.add(doubt)
        return yield* answerWith(subscription)
      }, answerUnknownParty),
      preview: Effect.fnUntraced(function*({ payload, query }) {
        const parameters = yield* parametersFrom(query, payload)
        const { emitterId, events, listenerId, url } = yield* lifecycle.preview(parameters, {
          limit: query.limit ?? defaultLimit,
          filter: yield* GivenFilter.read(payload?.filter)
        })
        const doubts = doubtsAbout({ emitterId, listenerId, eventName: parameters.eventName })
        if (doubts.length > 0) return yield* Problem.invalid(doubts)
        return {
          data: {
            listener_id: listenerId,
            url: url ?? null,
            events: events.map(({ clause, event, mismatch }) => ({
              event_id: EventId.format(event.id),
              emit_id: event.emitId,
              emitter_id: event.emitterId,
              event_name: event.stream,
              matched: mismatch === undefined,
              reason: mismatch ?? null,
              ...(clause === undefined ? {} : { clause })
            }))
          }
        }
      }, answerUnknownParty),
      update: Effect.fnUntraced(function*({ payload, query }) {
        const parameters = yield* parametersFrom(query, payload)
        const filter = payload?.filter === null ? null : yield* GivenFilter.read(payload?.filter)
        const batch = payload?.batch == null ? payload?.batch : Batch.read(payload.batch)
        return yield* answerWith(yield* lifecycle.update(parameters, { filter, batch }))
      }, answerUnknownSubscription),
      delete: Effect.fnUntraced(function*({ payload, query }) {
        yield* lifecycle.remove(yield* parametersFrom(query, payload))
      }, answerUnknownSubscription),
      list: Effect.fnUntraced(function*() {
        return { data: yield* resourcesOf(yield* subscriptions.list(yield* CurrentAccount)) }
      }, answerFailures)
    })
  })
)
