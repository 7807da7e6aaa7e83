import { Predicate, Schema } from "effect"
import * as Extension from "./Extension.ts"

const EmittedEvent = Schema.Struct({
  raw_event: Schema.Json.annotate({ description: "The emitted payload: any JSON value." })
}).annotate({ title: "Emitted event" })

const OriginalContext = Schema.Struct({
  id: Schema.String,
  ts: Schema.String.annotate({ description: "ISO 8601.", format: "date-time" }),
  workflow_id: Schema.String.annotate({ description: "For a source, the source's id." }),
  deployment_id: Schema.String.annotate({ description: "For a source, its component's id." }),
  source_type: Schema.String.annotate({
    description: "What the run was for: HTTP, EMAIL, TIMER, EVENT, INVOCATION or HOOK."
  }),
  verified: Schema.Boolean,
  owner_id: Schema.String,
  platform_version: Schema.String
})

const Thrown = Schema.Struct({
  code: Schema.String.annotate({ description: "The error's name." }),
  cellId: Schema.String,
  ts: Schema.String.annotate({ description: "ISO 8601.", format: "date-time" }),
  stack: Schema.String,
  message: Schema.optionalKey(Schema.String.annotate({ description: "The error's message.", ...Extension.mark }))
})

const ErrorEvent = Schema.Struct({
  original_event: Schema.Json.annotate({ description: "The event that caused the error." }),
  original_context: OriginalContext,
  error: Thrown
}).annotate({ title: "Error event" })

const CutErrorEvent = Schema.Struct({
  original_event: Schema.optionalKey(Schema.Json),
  original_context: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  error: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json))
}).annotate({ title: "Preview of an error event" })

const Documented = Schema.Union([EmittedEvent, ErrorEvent, CutErrorEvent])

const documented = Schema.toJsonSchemaDocument(Documented, {
  includeAnnotationKey: (key) => key === Extension.key,
  onExcessProperty: "error"
}).schema

/**
 * The data of an event in its summary (rest-api.md, "Event summary"): `raw_event` for an emitted one, the error and the
 * event that caused it for an error event, or the beginning of either.
 */
export const EventData = Schema.Json.pipe(
  Schema.check(Schema.makeFilter(Predicate.isObject, { expected: "an object", toJsonSchema: () => documented }))
)
