import type * as Id from "@headwater/domain/Id"
import type { SealBroken } from "@headwater/domain/Seal"
import type { Webhook } from "@headwater/domain/Webhook"
import * as CrashPoint from "@headwater/log/commit/CrashPoint"
import { type SecretsKept, type WebhookChange, Webhooks } from "@headwater/log/resources/Webhooks"
import { Attempts } from "@headwater/log/work/Attempts"
import { BulkActions } from "@headwater/log/work/BulkActions"
import { Deliveries } from "@headwater/log/work/Deliveries"
import { DueWork } from "@headwater/log/work/DueWork"
import { Clock, Context, Effect, Layer, Option, type Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { ActorCalls, WebhookNotFound } from "../ground/ActorCalls.ts"
import { toUnavailable, type Unavailable } from "../ground/Unavailable.ts"
import * as Wake from "../ground/Wake.ts"
import { Router } from "../routing/Router.ts"

/** The most lines whose heads are made due at once. */
const linesAtOnce = 1_000

/** Changes and removes webhooks. The webhook's owner takes part, so nothing is sent after a removal is answered. */
export class WebhookLifecycle extends Context.Service<WebhookLifecycle, {
  readonly update: (
    accountId: Id.AccountId,
    id: string,
    change: WebhookChange
  ) => Effect.Effect<Webhook, Unavailable | WebhookNotFound | SealBroken | SecretsKept>
  /** A new secret; the one before it signs as well for a while. */
  readonly rotateSecret: (
    accountId: Id.AccountId,
    id: string
  ) => Effect.Effect<Redacted.Redacted, Unavailable | WebhookNotFound>
  /** A new key pair; the one before it signs as well for a while. */
  readonly rotateKeyPair: (
    accountId: Id.AccountId,
    id: string
  ) => Effect.Effect<Redacted.Redacted, Unavailable | WebhookNotFound>
  /** Takes it out of service. It keeps its place in the log. */
  readonly pause: (accountId: Id.AccountId, id: string) => Effect.Effect<Webhook, Unavailable | WebhookNotFound>
  /** Puts it in service again, from its place; or from now on, with everything dropped that waits. */
  readonly resume: (
    accountId: Id.AccountId,
    id: string,
    from: "place" | "now"
  ) => Effect.Effect<Webhook, Unavailable | WebhookNotFound>
  /**
   * Makes the heads of its lines due now, of one emitter or of all: of the deliveries that wait for their next attempt,
   * the one whose event comes first in the log. Answers the number of those lines.
   */
  readonly forceNext: (
    accountId: Id.AccountId,
    id: string,
    emitterId: string | undefined
  ) => Effect.Effect<number, Unavailable | WebhookNotFound>
  readonly remove: (accountId: Id.AccountId, id: string) => Effect.Effect<void, Unavailable | WebhookNotFound>
  /** Removes the webhook that sends a workflow's own requests, if it is there. */
  readonly removeOfWorkflow: (id: Id.WorkflowId) => Effect.Effect<void, Unavailable>
}>()("@headwater/engine/webhook/WebhookLifecycle") {
  static readonly layer = Layer.effect(
    WebhookLifecycle,
    Effect.gen(function*() {
      const actors = yield* ActorCalls
      const attempts = yield* Attempts
      const bulkActions = yield* BulkActions
      const deliveries = yield* Deliveries
      const dueWork = yield* DueWork
      const router = yield* Router
      const sql = yield* SqlClient.SqlClient
      const webhooks = yield* Webhooks

      const found = <A>(option: Option.Option<A>) =>
        Effect.mapError(Effect.fromOption(option), () => new WebhookNotFound())

      const retryNow = ({ id }: Webhook) =>
        Effect.flatMap(
          Clock.currentTimeMillis,
          (now) => Effect.andThen(dueWork.bringForward(id, "retry", now), dueWork.bringForward(id, "bulk", now))
        )

      const rotated = (rotate: typeof webhooks.rotate) =>
        Effect.fnUntraced(function*(accountId: Id.AccountId, id: string) {
          const webhook = yield* Effect.flatMap(webhooks.get(accountId, id), found)
          const key = yield* Effect.flatMap(rotate(accountId, webhook.id), found)
          yield* actors.webhookChanged(webhook.id)
          return key
        }, Effect.catchTag("SqlError", toUnavailable))

      const update = Effect.fnUntraced(function*(accountId: Id.AccountId, id: string, change: WebhookChange) {
        const { isBack, webhook } = yield* sql.withTransaction(Effect.gen(function*() {
          const before = yield* Effect.flatMap(webhooks.get(accountId, id), found)
          const webhook = yield* Effect.flatMap(webhooks.update(accountId, id, change), found)
          const isBack = !before.active && webhook.active
          if (isBack) yield* retryNow(webhook)
          return { isBack, webhook }
        }))
        yield* actors.webhookChanged(webhook.id)
        // Its owner may have put retries off before it knew the webhook to be in service again.
        if (isBack) yield* retryNow(webhook)
        actors.wake(webhook.id, Wake.forEverything)
        return webhook
      }, Effect.catchTag("SqlError", toUnavailable))

      const setActive = (accountId: Id.AccountId, id: string, active: boolean) =>
        // Such a change touches nothing that is sealed.
        Effect.catchTags(update(accountId, id, { name: undefined, description: undefined, url: undefined, active }), {
          SealBroken: Effect.die,
          SecretsKept: Effect.die
        })

      const erase = Effect.fnUntraced(function*({ accountId, id }: Webhook) {
        yield* actors.retireWebhook(id)
        CrashPoint.reached("webhook-retired")
        yield* sql.withTransaction(Effect.gen(function*() {
          yield* webhooks.delete(accountId, id)
          yield* dueWork.removeAll(id)
          yield* deliveries.removeOfWebhook(id)
          yield* bulkActions.endOfOwner(id, yield* Clock.currentTimeMillis)
        }))
        yield* attempts.removeOfWebhook(id)
        yield* router.invalidate(accountId)
      })

      return WebhookLifecycle.of({
        update,
        pause: (accountId, id) => setActive(accountId, id, false),
        resume: Effect.fnUntraced(function*(accountId, id, from) {
          const webhook = yield* Effect.flatMap(webhooks.get(accountId, id), found)
          if (from === "now") yield* actors.passWebhook(webhook.id)
          return yield* setActive(accountId, id, true)
        }, Effect.catchTag("SqlError", toUnavailable)),
        forceNext: Effect.fnUntraced(function*(accountId, id, emitterId) {
          const webhook = yield* Effect.flatMap(webhooks.get(accountId, id), found)
          const now = yield* Clock.currentTimeMillis
          let count = 0
          let after = ""
          while (true) {
            const heads = emitterId === undefined
              ? yield* deliveries.headsOfLines(webhook.id, after, linesAtOnce)
              : Option.toArray(yield* deliveries.headOfLine(webhook.id, emitterId))
            yield* dueWork.hasten(webhook.id, "retry", heads.map((head) => head.id), now)
            count += heads.length
            if (heads.length < linesAtOnce) break
            after = heads.at(-1)!.emitterId
          }
          actors.wake(webhook.id, Wake.forDueWork)
          return count
        }, Effect.catchTag("SqlError", toUnavailable)),
        rotateSecret: rotated(webhooks.rotate),
        rotateKeyPair: rotated(webhooks.rotateKeyPair),
        remove: (accountId, id) =>
          Effect.flatMap(webhooks.get(accountId, id), found).pipe(
            Effect.flatMap(erase),
            Effect.catchTag("SqlError", toUnavailable)
          ),
        removeOfWorkflow: (id) =>
          Effect.flatMap(
            webhooks.ofWorkflow(id),
            Option.match({ onNone: () => Effect.void, onSome: erase })
          ).pipe(Effect.catchTag("SqlError", toUnavailable))
      })
    })
  )
}
