import { EventIdText } from "@headwater/domain/EventId"
import { defaults, limits, SubscriptionBatch } from "@headwater/domain/SubscriptionBatch"
import { Schema } from "effect"
import * as Extension from "./Extension.ts"

const { maxBytes, maxEvents, maxWaitMs } = SubscriptionBatch.fields

const said = {
  max_events: `The most events of a batch, 1 to ${limits.events}.`,
  max_wait_ms: "How long the oldest event waits for others, from when it was appended, in milliseconds, 0 to " +
    `${limits.waitMs}.`,
  max_bytes:
    `The most bytes of a batch, as the JSON list of its payloads, ${limits.leastBytes} to ${limits.bytes}. An event that is ` +
    "larger goes alone."
}

const meaning =
  "The events of one emitter go to the listener together: to a webhook as one request whose body is the JSON list of the " +
  "payloads, to a source or workflow whose component asks for lists as one run. See docs/delivery.md, \"Batches\"."

const Batch = Schema.Struct({
  max_events: maxEvents.annotate({ description: said.max_events }),
  max_wait_ms: maxWaitMs.annotate({ description: said.max_wait_ms }),
  max_bytes: maxBytes.annotate({ description: said.max_bytes })
}).annotate({
  identifier: "Batch",
  description: meaning,
  examples: [{ max_events: 100, max_wait_ms: 1_000, max_bytes: 1_048_576 }]
})

/** Batches as clients give them, each field optional. */
export const GivenBatch = Schema.Struct({
  max_events: Schema.optionalKey(maxEvents.annotate({
    description: `${said.max_events} Default: ${defaults.maxEvents}.`
  })),
  max_wait_ms: Schema.optionalKey(maxWaitMs.annotate({
    description: `${said.max_wait_ms} Default: ${defaults.maxWaitMs}.`
  })),
  max_bytes: Schema.optionalKey(maxBytes.annotate({
    description: `${said.max_bytes} Default: ${defaults.maxBytes}.`
  }))
}).annotate({ description: meaning, examples: [{ max_events: 500, max_wait_ms: 5_000 }] })
export type GivenBatch = typeof GivenBatch.Type

/** The batches of a resource, which answers show only where it has them. */
export const shown = { batch: Schema.optionalKey(Batch.annotate(Extension.mark)) }

/** The batches of a resource that is to be made, in a body. */
export const given = {
  batch: Schema.optionalKey(GivenBatch.annotate({
    description: `${meaning} Default: each event goes alone.`,
    ...Extension.mark
  }))
}

/** The events that one delivery is of, where they are several. */
export const delivered = {
  batch: Schema.optionalKey(
    Schema.Struct({
      first_event_id: EventIdText,
      last_event_id: EventIdText,
      event_count: Schema.Int
    }).annotate({
      identifier: "DeliveredBatch",
      description:
        "The batch that it went in: the first and the last event, and how many they are. Not there if the event " +
        "went alone.",
      ...Extension.mark
    })
  )
}

/** The given batches, with the defaults for fields left out. */
export const read = (given: GivenBatch): SubscriptionBatch => ({
  maxEvents: given.max_events ?? defaults.maxEvents,
  maxWaitMs: given.max_wait_ms ?? defaults.maxWaitMs,
  maxBytes: given.max_bytes ?? defaults.maxBytes
})

/** The field of an answer that shows batches, where there are any. */
export const show = (batch: SubscriptionBatch | null): { readonly batch?: typeof Batch.Type } =>
  batch === null
    ? {}
    : { batch: { max_events: batch.maxEvents, max_wait_ms: batch.maxWaitMs, max_bytes: batch.maxBytes } }
