import { Schema } from "effect"

export const DeliveryState = Schema.Literals(["pending", "delivered", "exhausted", "dropped"]).annotate({
  description:
    "pending: an attempt is still due. delivered: the endpoint answered 2xx. exhausted: given up after the last attempt. " +
    "dropped: its event or its subscription was deleted before it arrived, or somebody skipped it."
})
export type DeliveryState = typeof DeliveryState.Type
