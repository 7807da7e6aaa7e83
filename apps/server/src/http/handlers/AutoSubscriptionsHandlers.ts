import { CurrentAccount } from "@headwater/api/Authorization"
import type { AutoSubscriptionResource } from "@headwater/api/AutoSubscriptionsApi"
import * as Batch from "@headwater/api/Batch"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import * as Pagination from "@headwater/api/Pagination"
import * as Problem from "@headwater/api/Problem"
import { CurrentWarnings } from "@headwater/api/Warnings"
import type { AutoSubscription } from "@headwater/domain/AutoSubscription"
import * as Stream from "@headwater/domain/Stream"
import { SubscriptionLifecycle } from "@headwater/engine/SubscriptionLifecycle"
import { AutoSubscriptions } from "@headwater/log/resources/AutoSubscriptions"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { answerFailures } from "../conventions/FailureProblem.ts"
import * as GivenFilter from "./GivenFilter.ts"

const resourceOf = (autoSubscription: AutoSubscription): AutoSubscriptionResource => ({
  id: autoSubscription.id,
  listener_id: autoSubscription.listenerId,
  event_name: autoSubscription.eventName,
  created_at: autoSubscription.createdAt,
  ...GivenFilter.shown(autoSubscription.filter),
  ...Batch.show(autoSubscription.batch)
})

export const layer = HttpApiBuilder.group(
  HeadwaterApi,
  "autoSubscriptions",
  Effect.fnUntraced(function*(handlers) {
    const autoSubscriptions = yield* AutoSubscriptions
    const lifecycle = yield* SubscriptionLifecycle

    return handlers.handleAll({
      create: Effect.fnUntraced(function*({ payload, query }) {
        const listenerId = payload?.listener_id ?? query.listener_id ?? ""
        if (listenerId === "") return yield* Problem.invalid([{ path: "listener_id", message: "is required" }])
        const eventName = payload?.event_name ?? query.event_name ?? ""
        if (Stream.isUnknown(eventName)) {
          const warnings = yield* CurrentWarnings
          warnings.add({ path: "event_name", message: Stream.toldUnknown(eventName) })
        }
        const created = yield* lifecycle.createAuto({ accountId: yield* CurrentAccount, listenerId, eventName }, {
          filter: yield* GivenFilter.read(payload?.filter),
          batch: payload?.batch === undefined ? undefined : Batch.read(payload.batch)
        })
        return { data: resourceOf(created) }
      }, (effect) =>
        effect.pipe(
          Effect.catchTag("UnknownParty", ({ id }) => Effect.fail(Problem.notFound("listener", id))),
          answerFailures
        )),
      list: Effect.fnUntraced(function*({ query }) {
        const { items, totalCount } = yield* autoSubscriptions.page(
          yield* CurrentAccount,
          Pagination.pageRequest(query)
        )
        return Pagination.page(items.map(resourceOf), totalCount)
      }, answerFailures),
      delete: Effect.fnUntraced(function*({ params }) {
        const removed = yield* autoSubscriptions.remove(yield* CurrentAccount, params.id)
        if (!removed) return yield* Problem.notFound("auto-subscription", params.id)
      }, answerFailures)
    })
  })
)
