import { Schema } from "effect"
import { AccountId, AutoSubscriptionId } from "./Id.ts"
import * as SubscriptionBatch from "./SubscriptionBatch.ts"

/** Subscribes a listener to one stream of every emitter created after it. */
export const AutoSubscription = Schema.Struct({
  id: AutoSubscriptionId,
  accountId: AccountId,
  listenerId: Schema.String,
  /** As first written: the default stream may be `""` or `"default"`. */
  eventName: Schema.String,
  /** JSON text of the filter that the subscriptions it makes have; null for none. */
  filter: Schema.NullOr(Schema.String),
  /** The batches that the subscriptions it makes have; null for none. */
  batch: SubscriptionBatch.Stored,
  /** Unix seconds. */
  createdAt: Schema.Int
})
export type AutoSubscription = typeof AutoSubscription.Type
