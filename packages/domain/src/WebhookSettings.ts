import { Effect, Schema } from "effect"

/**
 * The order in which a webhook gets the events of one emitter:
 *
 * - `ordered`: one first attempt at a time, in log order; an event that fails steps aside to its retries.
 * - `strict`: the same, and an event that fails holds those behind it until it is delivered, given up or dropped.
 * - `none`: first attempts start in log order, and overlap.
 */
export const Ordering = Schema.Literals(["ordered", "strict", "none"])
export type Ordering = typeof Ordering.Type

/** Attempts are spread evenly: `limit` within `intervalMs`, of which `burst` may begin together after a pause. */
export const RateLimit = Schema.Struct({ limit: Schema.Int, intervalMs: Schema.Int, burst: Schema.Int })
export type RateLimit = typeof RateLimit.Type

/** After so many failures in a row nothing is sent for `cooldownMs`, then one attempt, which says how it goes on. */
export const Circuit = Schema.Struct({ failures: Schema.Int, cooldownMs: Schema.Int })
export type Circuit = typeof Circuit.Type

const seconds = 1_000
const minutes = 60 * seconds
const hours = 60 * minutes

/** The settings of an endpoint whose account does not say otherwise (delivery.md, "The answer"). */
export const defaults = {
  ordering: "ordered" as const,
  concurrency: 16,
  rateLimit: null,
  retrySchedule: [
    5 * seconds,
    5 * minutes,
    30 * minutes,
    2 * hours,
    5 * hours,
    10 * hours,
    14 * hours,
    20 * hours,
    24 * hours
  ],
  timeoutMs: 15 * seconds,
  circuit: null
}

/** The settings for sending to a webhook's endpoint. Only values that differ from `defaults` are stored. */
export const WebhookSettings = Schema.Struct({
  ordering: Ordering.pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed(defaults.ordering))),
  /** The most first attempts at once, over all emitters. */
  concurrency: Schema.Int.pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed(defaults.concurrency))),
  /** Null for as fast as it goes. */
  rateLimit: Schema.NullOr(RateLimit).pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed(defaults.rateLimit))),
  /** The delay between each failed attempt and the next, in milliseconds. */
  retrySchedule: Schema.Array(Schema.Int).pipe(
    Schema.withDecodingDefaultTypeKey(Effect.succeed(defaults.retrySchedule))
  ),
  /** The endpoint's time limit for an answer, in milliseconds. */
  timeoutMs: Schema.Int.pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed(defaults.timeoutMs))),
  /** Null for none. */
  circuit: Schema.NullOr(Circuit).pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed(defaults.circuit)))
})
export type WebhookSettings = typeof WebhookSettings.Type

/** Some of the settings; null sets the default. */
export type SettingsChange = { readonly [K in keyof WebhookSettings]?: WebhookSettings[K] | null }
