import { Schema } from "effect"

export const StepProps = Schema.NullOr(Schema.Record(Schema.String, Schema.Json)).annotate({
  description:
    "The step's own props with the values that it ran with, as far as they are data and no secrets: with at " +
    "most 64 KiB of JSON, and a mark in place of each value that does not fit. Null if it has none."
})
