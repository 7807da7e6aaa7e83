import * as Id from "@headwater/domain/Id"
import { DeliveryList, type ListedDelivery } from "@headwater/log/lists/DeliveryList"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { ActorCalls, WebhookNotFound } from "../ground/ActorCalls.ts"
import { toUnavailable, Unavailable } from "../ground/Unavailable.ts"

export class DeliveryNotFound extends Schema.TaggedError<DeliveryNotFound>()("DeliveryNotFound", {}) {}

/** There is nothing left to attempt once more. */
export class NotRepeatable extends Schema.TaggedError<NotRepeatable>()("NotRepeatable", {
  reason: Schema.Literals(["event_deleted", "subscription_deleted"])
}) {}

/** There is nothing to skip. */
export class NotPending extends Schema.TaggedError<NotPending>()("NotPending", {
  state: Schema.Literals(["pending", "delivered", "exhausted", "dropped"])
}) {}

/** Repeats and skips single deliveries for clients. Their webhook's owner does it. */
export class DeliveryControl extends Context.Service<DeliveryControl, {
  /** Has a delivery attempted once more as soon as its webhook takes an attempt, whatever became of it. */
  readonly retry: (
    accountId: Id.AccountId,
    id: Id.DeliveryId
  ) => Effect.Effect<ListedDelivery, DeliveryNotFound | NotRepeatable | Unavailable>
  /** Drops a delivery that waits for an attempt. Once this returns, none is made. */
  readonly skip: (
    accountId: Id.AccountId,
    id: Id.DeliveryId
  ) => Effect.Effect<ListedDelivery, DeliveryNotFound | NotPending | Unavailable>
}>()("@headwater/engine/webhook/DeliveryControl") {
  static readonly layer = Layer.effect(
    DeliveryControl,
    Effect.gen(function*() {
      const actors = yield* ActorCalls
      const list = yield* DeliveryList

      const find = Effect.fnUntraced(function*(accountId: Id.AccountId, id: Id.DeliveryId) {
        const found = yield* list.get(accountId, id)
        return Option.isNone(found) ? yield* new DeliveryNotFound() : found.value.delivery
      })

      const orGone = <A, E>(asked: Effect.Effect<A, E | WebhookNotFound>) =>
        Effect.catchIf(asked, Schema.is(WebhookNotFound), () => Effect.fail(new DeliveryNotFound()))

      return DeliveryControl.of({
        retry: Effect.fnUntraced(function*(accountId, id) {
          const { webhookId } = yield* find(accountId, id)
          const reopened = yield* orGone(actors.reopenDelivery(Id.WebhookId.make(webhookId), id))
          if (reopened === "unknown") return yield* new DeliveryNotFound()
          if (reopened !== "due") return yield* new NotRepeatable({ reason: reopened })
          return yield* find(accountId, id)
        }, Effect.catchTag("SqlError", toUnavailable)),
        skip: Effect.fnUntraced(function*(accountId, id) {
          const { state, webhookId } = yield* find(accountId, id)
          if (state !== "pending") return yield* new NotPending({ state })
          yield* orGone(actors.skipDelivery(Id.WebhookId.make(webhookId), id))
          const skipped = yield* find(accountId, id)
          if (skipped.state === "pending") {
            return yield* new Unavailable({
              message: "The first attempt at this delivery is under way. Try again when it has ended.",
              retryAfterSeconds: 5
            })
          }
          // An attempt that was under way may have ended first.
          return skipped.state === "dropped" ? skipped : yield* new NotPending({ state: skipped.state })
        }, Effect.catchTag("SqlError", toUnavailable))
      })
    })
  )
}
