import * as EmitId from "@headwater/domain/EmitId"
import * as EventId from "@headwater/domain/EventId"
import type * as Id from "@headwater/domain/Id"
import { EventLog } from "@headwater/log/logs/EventLog"
import { Webhooks } from "@headwater/log/resources/Webhooks"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { ActorCalls, WebhookNotFound } from "../ground/ActorCalls.ts"
import type { TestedAttempt } from "../ground/TestedAttempt.ts"
import { toUnavailable, type Unavailable } from "../ground/Unavailable.ts"

/** The event to send is not in the log. */
export class EventNotFound extends Schema.TaggedError<EventNotFound>()("EventNotFound", {}) {}

/** The event to send, and a payload in place of its own. */
export interface Sample {
  /** Undefined for one that is in no log. */
  readonly event: { readonly emitterId: string; readonly id: EventId.EventId } | undefined
  /** JSON text. */
  readonly payload: string | undefined
}

/** Sends a webhook one request to try it, under a `webhook-id` of its own. Nothing of it is kept or accounted for. */
export class TestSend extends Context.Service<TestSend, {
  /** @param sample whose emitter's account the caller has seen to */
  readonly send: (
    accountId: Id.AccountId,
    id: string,
    sample: Sample
  ) => Effect.Effect<TestedAttempt, EventNotFound | Unavailable | WebhookNotFound>
}>()("@headwater/engine/webhook/TestSend") {
  static readonly layer = Layer.effect(
    TestSend,
    Effect.gen(function*() {
      const actors = yield* ActorCalls
      const events = yield* EventLog
      const webhooks = yield* Webhooks

      const eventOf = Effect.fnUntraced(function*(
        accountId: Id.AccountId,
        webhookId: string,
        { event, payload }: Sample
      ) {
        if (event === undefined) {
          const now = yield* Clock.currentTimeMillis
          return {
            emitterId: accountId,
            stream: "",
            n: 1,
            id: EventId.make(now, 0),
            hops: 0,
            meta: {},
            payload: payload ?? JSON.stringify({ type: "test", webhook_id: webhookId, ts: now })
          }
        }
        const place = yield* events.findInAny(event.emitterId, event.id)
        const found = Option.isNone(place) ? place : yield* events.find(place.value, event.id)
        return Option.isNone(found)
          ? yield* new EventNotFound()
          : { ...found.value, payload: payload ?? found.value.payload }
      })

      return TestSend.of({
        send: Effect.fnUntraced(function*(accountId, id, sample) {
          const webhook = yield* webhooks.get(accountId, id)
          if (Option.isNone(webhook)) return yield* new WebhookNotFound()
          const event = yield* eventOf(accountId, webhook.value.id, sample)
          return yield* actors.testWebhook(webhook.value.id, { ...event, emitId: EmitId.make() })
        }, Effect.catchTag("SqlError", toUnavailable))
      })
    })
  )
}
