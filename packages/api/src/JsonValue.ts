import { Predicate, Schema } from "effect"

/** Any JSON as an item of a list or a part of an answer, of which the document would say nothing at all. */
export const JsonValue = (description: string) =>
  Schema.Json.pipe(Schema.check(Schema.makeFilter(Predicate.isNotUndefined, {
    expected: "a JSON value",
    toJsonSchema: () => ({ description })
  })))
