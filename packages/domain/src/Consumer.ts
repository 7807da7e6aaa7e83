import { Schema } from "effect"
import { AccountId, ConsumerId, SubscriptionId } from "./Id.ts"

/** A reader's temporary claim on a consumer's events. */
export const Lease = Schema.Struct({
  id: Schema.String,
  /** The time at which it ends if it is not renewed, in Unix milliseconds. */
  until: Schema.Int
})
export type Lease = typeof Lease.Type

/**
 * A listener that fetches its events and says how far it has come. It listens by one subscription, which goes with it.
 */
export const Consumer = Schema.Struct({
  id: ConsumerId,
  accountId: AccountId,
  subscriptionId: SubscriptionId,
  name: Schema.NullOr(Schema.String),
  /** An emitter's id, or a glob over them. */
  emitterId: Schema.String,
  /** As first written: the default stream may be `""` or `"default"`. */
  eventName: Schema.String,
  /** JSON text of the filter that events have to pass; null where all do. */
  filter: Schema.NullOr(Schema.String),
  /** The longest time that a reader may be silent, in seconds. */
  leaseSeconds: Schema.Int,
  /** The last reader's lease, which may have ended. Its `until` is no earlier than the one that the reader was told. */
  lease: Schema.NullOr(Lease),
  /** Unix seconds. */
  createdAt: Schema.Int
})
export type Consumer = typeof Consumer.Type
