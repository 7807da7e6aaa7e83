import { Schema } from "effect"
import { AccountId, SubscriptionId } from "./Id.ts"
import * as SubscriptionBatch from "./SubscriptionBatch.ts"

/** Routes one stream of the emitters that `emitterId` matches to a listener. */
export const Subscription = Schema.Struct({
  id: SubscriptionId,
  accountId: AccountId,
  /** An emitter's id, or a glob over them. */
  emitterId: Schema.String,
  listenerId: Schema.String,
  /** As first written: the default stream may be `""` or `"default"`. */
  eventName: Schema.String,
  /** JSON text of the filter that events have to pass; null where all do. */
  filter: Schema.NullOr(Schema.String),
  /** The batches in which events go to the listener; null if each goes alone. */
  batch: SubscriptionBatch.Stored,
  /** Unix seconds. */
  createdAt: Schema.Int
})
export type Subscription = typeof Subscription.Type
