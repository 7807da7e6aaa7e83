import { limits } from "@headwater/domain/SubscriptionFilter"
import { Schema } from "effect"
import * as Extension from "./Extension.ts"

const syntax = "docs/delivery.md, \"Filter what a listener gets\""

/** A filter as clients give it and see it. Its content is checked where it is read. */
export const Filter = Schema.Record(Schema.String, Schema.Json).annotate({
  identifier: "Filter",
  title: "Filter",
  description:
    "Events have to pass it, in the syntax of simple-json-match: fields with values, and operators such as $gt, $in, " +
    `$or and $not, over the event's payload; $metadata for what was said beside it. At most ${limits.bytes} bytes, ` +
    `${limits.values} values and ${limits.depth} levels. See ${syntax}.`,
  examples: [{ type: "order.created", data: { amount: { $gt: 100 } } }]
})

/** The filter of a resource, which answers show only where it has one. */
export const shown = {
  filter: Schema.optionalKey(Filter).annotateKey({
    description: "What events have to pass. Not there if all are delivered.",
    ...Extension.mark
  })
}

/** The number of events that a subscription's filter took too much work for, shown only where it has a filter. */
export const tooCostly = {
  filter_too_costly: Schema.optionalKey(Schema.Int).annotateKey({
    description:
      "How many events it has dropped because it took too much work to judge them by the filter. Not there " +
      "if it has no filter.",
    ...Extension.mark
  })
}

/** The filter of a resource that is to be made, in a body. */
export const given = {
  filter: Schema.optionalKey(Filter).annotateKey({
    description: "What events have to pass. Default: all are delivered.",
    ...Extension.mark
  })
}

/** The clause of a filter that does not hold. */
export const clause = {
  clause: Schema.optionalKey(
    Schema.String.annotate({
      description: "With the reason filtered: the clause of the filter that does not hold.",
      examples: ["filter.data.amount.$gt"]
    })
  )
}
