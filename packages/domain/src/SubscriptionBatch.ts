import { Option, Result, Schema } from "effect"

/** The least and the most that can be asked of a batch. */
export const limits = {
  events: 1_000,
  waitMs: 3_600_000,
  leastBytes: 1_024,
  bytes: 4 * 1024 * 1024
}

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** The limits of a subscription's batches, which go to its listener. The first limit reached fills a batch. */
export const SubscriptionBatch = Schema.Struct({
  maxEvents: between(1, limits.events),
  /** The longest time that the oldest event waits for others since it was appended, in milliseconds. */
  maxWaitMs: between(0, limits.waitMs),
  /** Of the JSON list of the payloads, in UTF-8. An event that is larger goes alone. */
  maxBytes: between(limits.leastBytes, limits.bytes)
})
export type SubscriptionBatch = typeof SubscriptionBatch.Type

/** The values of fields that are left out. */
export const defaults: SubscriptionBatch = { maxEvents: 100, maxWaitMs: 1_000, maxBytes: 1024 * 1024 }

/** That of what a workflow sends to object storage: objects are few and large. */
export const ofObjects: SubscriptionBatch = { maxEvents: limits.events, maxWaitMs: 60_000, maxBytes: limits.bytes }

const Text = Schema.fromJsonString(SubscriptionBatch)

/** As the database holds it; null for none. */
export const Stored = Schema.NullOr(Text)

export const toText: (batch: SubscriptionBatch) => string = Schema.encodeSync(Text)

const decode = Schema.decodeOption(Text)

/** The batch that a row's text holds, if any. */
export const fromText = (text: string | null): SubscriptionBatch | undefined =>
  text === null ? undefined : Option.getOrUndefined(decode(text))

const decodeDeclared = Schema.decodeUnknownResult(SubscriptionBatch)

/**
 * Reads a batch that a component's code declares: `true`, or an object whose fields can each be left out. Fails with
 * the fault.
 */
export const declared = (batch: Schema.Json): Result.Result<SubscriptionBatch, string> => {
  if (batch === true) return Result.succeed(defaults)
  if (typeof batch !== "object" || batch === null || Array.isArray(batch)) {
    return Result.fail("batch must be true or an object with maxEvents, maxWaitMs and maxBytes")
  }
  const unknown = Object.keys(batch).find((key) => !Object.hasOwn(SubscriptionBatch.fields, key))
  if (unknown !== undefined) return Result.fail(`batch has no field ${JSON.stringify(unknown)}`)
  return Result.mapError(decodeDeclared({ ...defaults, ...batch }), ({ message }) => `batch: ${message}`)
}
