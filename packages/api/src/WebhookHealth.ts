import { WebhookState } from "@headwater/domain/Webhook"
import { Schema } from "effect"
import * as Extension from "./Extension.ts"

const Span = Schema.Struct({
  attempts: Schema.Int,
  failed_attempts: Schema.Int,
  success_rate: Schema.NullOr(Schema.Finite).annotate({ description: "From 0 to 1; null if there was no attempt." }),
  p50_ms: Schema.NullOr(Schema.Finite).annotate({ description: "In how many milliseconds half of them ended, about." }),
  p95_ms: Schema.NullOr(Schema.Finite).annotate({ description: "The same for 95 of 100." })
}).annotate({ identifier: "WebhookHealthSpan" })

const exampleSpan = { attempts: 119, failed_attempts: 1, success_rate: 0.9916, p50_ms: 38.2, p95_ms: 140.5 }

export const example = {
  last_1h: exampleSpan,
  last_24h: exampleSpan,
  last_7d: exampleSpan,
  last_delivered_at_ms: 1760000100000
}

export const WebhookHealth = Schema.Struct({
  last_1h: Span,
  last_24h: Span,
  last_7d: Span,
  last_delivered_at_ms: Schema.NullOr(Schema.Int).annotate({
    description:
      "The minute of the last success, or the hour if it is two days ago; null if there was none in 7 days. Unix time in " +
      "milliseconds."
  })
}).annotate({
  identifier: "WebhookHealth",
  description: "How its attempts went, by the figures that charts are made of.",
  examples: [example],
  ...Extension.mark
})
export type WebhookHealth = typeof WebhookHealth.Type

const state = WebhookState.annotate({
  description:
    "How it stands. disabled: the server has switched it off. paused: somebody has. failing: of the attempts of the last hour " +
    "(or, if they are fewer than 5, of 24 hours, else of 7 days) more than half failed. throttled: its endpoint asked for a pause.",
  ...Extension.mark
})

/** Of one webhook. */
export const shown = { state, health: WebhookHealth }

/** Of the webhooks of a list, where it is asked for. */
export const listed = {
  state: Schema.optionalKey(state),
  health: Schema.optionalKey(WebhookHealth)
}
