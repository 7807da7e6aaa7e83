import { Schema } from "effect"
import { DisabledReason } from "./Webhook.ts"

const milliseconds = (what: string) => Schema.Int.annotate({ description: `${what} Unix time in milliseconds.` })

/** The fields of all webhook events. */
const about = {
  webhook_id: Schema.String.annotate({ description: "The webhook's id." }),
  url: Schema.String.annotate({ description: "Its URL, with *** for a password." }),
  ts: milliseconds("When it happened.")
}

const exampleAbout = {
  webhook_id: "wh_0Uz7MtBwGh3VyUc8PqJk",
  url: "https://warehouse.example.com/orders",
  ts: 1760000120044
}

/** The shares of the time until a webhook is switched off at which that is reported, in percent. */
export const failingShares = [50, 70, 90] as const

const Failing = Schema.Struct({
  type: Schema.Literal("webhook.failing"),
  ...about,
  percent: Schema.Literals(failingShares).annotate({
    description: "How much of the time is over after which the webhook becomes inactive."
  }),
  failing_since_ms: milliseconds("Since when every attempt failed."),
  disabled_at_ms: milliseconds("From when on another failure makes the webhook inactive.")
}).annotate({
  identifier: "WebhookFailingEvent",
  title: "A webhook fails",
  description: "Every attempt has failed for a while. Told with the first failure behind 50, 70 and 90 % of 5 days.",
  examples: [{
    type: "webhook.failing",
    ...exampleAbout,
    percent: 50,
    failing_since_ms: 1759784120044,
    disabled_at_ms: 1760216120044
  }]
})

const Disabled = Schema.Struct({
  type: Schema.Literal("webhook.disabled"),
  ...about,
  reason: DisabledReason.annotate({ description: "gone: the endpoint answered 410. failing: it failed for 5 days." })
}).annotate({
  identifier: "WebhookDisabledEvent",
  title: "A webhook became inactive",
  description: "The server sends nothing to it any more, until somebody makes it active again.",
  examples: [{ type: "webhook.disabled", ...exampleAbout, reason: "failing" }]
})

const Recovered = Schema.Struct({ type: Schema.Literal("webhook.recovered"), ...about }).annotate({
  identifier: "WebhookRecoveredEvent",
  title: "A webhook works again",
  description: "The first delivery after webhook.failing or webhook.disabled was told.",
  examples: [{ type: "webhook.recovered", ...exampleAbout }]
})

const Exhausted = Schema.Struct({
  type: Schema.Literal("delivery.exhausted"),
  ...about,
  delivery_id: Schema.String.annotate({ description: "The delivery's id." }),
  emitter_id: Schema.String.annotate({ description: "The id of what emitted the event." }),
  event_name: Schema.String.annotate({ description: "The event stream; empty for the default one." }),
  event_id: Schema.String.annotate({ description: "The event's id in its emitter's log." }),
  attempt_count: Schema.Int.annotate({ description: "How often the server tried." }),
  status: Schema.NullOr(Schema.Int).annotate({ description: "The last answer's HTTP status; null if there was none." }),
  error_class: Schema.NullOr(Schema.String).annotate({ description: "How the last attempt failed." })
}).annotate({
  identifier: "DeliveryExhaustedEvent",
  title: "A delivery was given up",
  description: "Its last attempt failed. Told of the first one; of others only once something has arrived again.",
  examples: [{
    type: "delivery.exhausted",
    ...exampleAbout,
    delivery_id: "dlv_0Uz7PkT3Bn6RwSe2MxDa",
    emitter_id: "dc_0Uz7Me6SAe7TzXw9LrNf",
    event_name: "",
    event_id: "1760000120000-0",
    attempt_count: 10,
    status: 500,
    error_class: "status"
  }]
})

const CircuitOpened = Schema.Struct({
  type: Schema.Literal("circuit.opened"),
  ...about,
  failures: Schema.Int.annotate({ description: "How many attempts in a row failed." }),
  until_ms: milliseconds("When the first probe is sent.")
}).annotate({
  identifier: "CircuitOpenedEvent",
  title: "A webhook's circuit opened",
  description: "The server sends nothing to it for a while. Told once, however often the probe fails.",
  examples: [{ type: "circuit.opened", ...exampleAbout, failures: 10, until_ms: 1760000150044 }]
})

const CircuitClosed = Schema.Struct({ type: Schema.Literal("circuit.closed"), ...about }).annotate({
  identifier: "CircuitClosedEvent",
  title: "A webhook's circuit closed",
  description: "The probe was delivered, and all goes on.",
  examples: [{ type: "circuit.closed", ...exampleAbout }]
})

/** The events that tell an account about its webhooks, on the stream `$webhooks` of the account's own log. */
export const all = [Failing, Disabled, Recovered, Exhausted, CircuitOpened, CircuitClosed] as const

export const WebhookEvent = Schema.Union(all)
export type WebhookEvent = typeof WebhookEvent.Type
