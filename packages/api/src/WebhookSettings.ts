import { DisabledReason } from "@headwater/domain/Webhook"
import { defaults, Ordering } from "@headwater/domain/WebhookSettings"
import { Schema } from "effect"
import * as Extension from "./Extension.ts"

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** The least and the most that settings can be. */
export const limits = {
  concurrency: 100,
  rate: 100_000,
  rateSeconds: 24 * 3_600,
  retries: 20,
  retrySeconds: 7 * 24 * 3_600,
  timeoutMs: 30_000,
  circuitFailures: 1_000,
  circuitSeconds: 24 * 3_600
}

const rate = between(1, limits.rate)
const rateSeconds = between(1, limits.rateSeconds)

const rateLimit = "So many attempts begin within so many seconds, spread evenly. Events wait in order."

const RateLimit = Schema.Struct({
  limit: rate,
  interval_seconds: rateSeconds,
  burst: rate.annotate({ description: "How many may begin together after a pause." })
}).annotate({
  identifier: "WebhookRateLimit",
  description: rateLimit,
  examples: [{ limit: 10, interval_seconds: 1, burst: 1 }]
})

const GivenRateLimit = Schema.Struct({
  limit: rate,
  interval_seconds: rateSeconds,
  burst: Schema.optionalKey(rate.annotate({
    description: "How many may begin together after a pause. Default: 1."
  }))
})

const Circuit = Schema.Struct({
  failures: between(1, limits.circuitFailures).annotate({
    description: "The circuit opens after this many failed attempts in a row."
  }),
  cooldown_seconds: between(1, limits.circuitSeconds).annotate({
    description: "How long it stays open at first. Each time that the probe fails it is twice as long, up to an hour."
  })
}).annotate({
  identifier: "WebhookCircuit",
  description: "After some failures in a row nothing is sent for a while, and then one attempt, which is the probe.",
  examples: [{ failures: 10, cooldown_seconds: 30 }]
})

const said = {
  ordering: "ordered: for each emitter one first attempt at a time, in order; what fails is retried later, and those " +
    "behind it go on. strict: what fails holds those behind it until it is delivered or given up. none: first attempts start " +
    "in order and overlap.",
  concurrency:
    "First attempts at once, over all emitters. Retries have a quarter as many slots of their own, up to 4; if " +
    "it is below 4, they take turns with first attempts.",
  rate_limit: "The most attempts that begin within an interval. null: no limit.",
  retry_schedule: "Seconds to wait before each retry, 20 % more or less. Empty: no retries.",
  timeout_ms: "How long the endpoint has to answer, in milliseconds.",
  circuit: "When to stop sending to an endpoint that fails; null for never."
}

const fields = {
  ordering: Ordering,
  concurrency: between(1, limits.concurrency),
  retry_schedule: Schema.Array(between(1, limits.retrySeconds)).check(Schema.isMaxLength(limits.retries)).annotate({
    examples: [[5, 300, 1_800]]
  }),
  timeout_ms: between(1_000, limits.timeoutMs)
}

const milliseconds = "Unix time in milliseconds."

/** The settings of a webhook, and how its circuit stands. */
export const shown = {
  ordering: fields.ordering.annotate({ description: said.ordering }),
  concurrency: fields.concurrency.annotate({ description: said.concurrency }),
  rate_limit: Schema.NullOr(RateLimit).annotate({ description: said.rate_limit }),
  retry_schedule: fields.retry_schedule.annotate({ description: said.retry_schedule }),
  timeout_ms: fields.timeout_ms.annotate({ description: said.timeout_ms }),
  circuit: Schema.NullOr(Circuit).annotate({ description: said.circuit }),
  circuit_state: Schema.Struct({
    state: Schema.Literals(["closed", "open", "half_open"]).annotate({
      description: "closed: all is sent. open: nothing is. half_open: the next attempt is the probe."
    }),
    until_ms: Schema.NullOr(Schema.Int).annotate({
      description: `When an open circuit lets the probe through; null if it is closed. ${milliseconds}`
    }),
    failures: Schema.Int.annotate({ description: "Failed attempts in a row, while it is closed." })
  }),
  failing_since_ms: Schema.NullOr(Schema.Int).annotate({
    description: `Since when nothing but failures came back; null if something arrived last. ${milliseconds}`
  }),
  throttled_until_ms: Schema.NullOr(Schema.Int).annotate({
    description:
      `Until when nothing is sent, since the endpoint asked for a pause; null if it asked for none. ${milliseconds}`
  }),
  disabled_reason: Schema.NullOr(DisabledReason).annotate({
    description:
      "Why the server made the webhook inactive: gone (the endpoint answered 410) or failing (nothing arrived for five days); " +
      "null if it did not."
  })
}

const retrySeconds = defaults.retrySchedule.map((ms) => ms / 1_000)

const withDefault = (name: keyof typeof said, value: string) => `${said[name]} Default: ${value}.`

/** Settings in the body of a new webhook. */
export const given = {
  ordering: Schema.optionalKey(
    Schema.NullOr(fields.ordering).annotate({
      description: withDefault("ordering", defaults.ordering),
      ...Extension.mark
    })
  ),
  concurrency: Schema.optionalKey(
    Schema.NullOr(fields.concurrency).annotate({
      description: withDefault("concurrency", String(defaults.concurrency)),
      ...Extension.mark
    })
  ),
  rate_limit: Schema.optionalKey(
    Schema.NullOr(GivenRateLimit).annotate({ description: withDefault("rate_limit", "null"), ...Extension.mark })
  ),
  retry_schedule: Schema.optionalKey(
    Schema.NullOr(fields.retry_schedule).annotate({
      description: withDefault("retry_schedule", retrySeconds.join(", ")),
      ...Extension.mark
    })
  ),
  timeout_ms: Schema.optionalKey(
    Schema.NullOr(fields.timeout_ms).annotate({
      description: withDefault("timeout_ms", String(defaults.timeoutMs)),
      ...Extension.mark
    })
  ),
  circuit: Schema.optionalKey(
    Schema.NullOr(Circuit).annotate({ description: withDefault("circuit", "null"), ...Extension.mark })
  )
}

/** Settings in the body of a change; null for what is to be as by default. */
export const changed = {
  ordering: Schema.optionalKey(
    Schema.NullOr(fields.ordering).annotate({ description: `${said.ordering} null: the default.` })
  ),
  concurrency: Schema.optionalKey(
    Schema.NullOr(fields.concurrency).annotate({ description: `${said.concurrency} null: the default.` })
  ),
  rate_limit: Schema.optionalKey(Schema.NullOr(GivenRateLimit).annotate({ description: said.rate_limit })),
  retry_schedule: Schema.optionalKey(
    Schema.NullOr(fields.retry_schedule).annotate({ description: `${said.retry_schedule} null: the default.` })
  ),
  timeout_ms: Schema.optionalKey(
    Schema.NullOr(fields.timeout_ms).annotate({ description: `${said.timeout_ms} null: the default.` })
  ),
  circuit: Schema.optionalKey(Schema.NullOr(Circuit).annotate({ description: said.circuit }))
}

/** Settings as clients give them. */
export type GivenSettings = Schema.Struct.Type<typeof changed>
