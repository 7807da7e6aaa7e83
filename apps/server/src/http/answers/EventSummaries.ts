import * as Pagination from "@headwater/api/Pagination"
import type * as Projection from "@headwater/api/Projection"
import { indexedAtMs, type LoggedEvent, maxPreviewBytes } from "@headwater/domain/Event"
import * as EventId from "@headwater/domain/EventId"
import * as Stream from "@headwater/domain/Stream"
import { type EventOutline, isWhole } from "@headwater/log/logs/EventLog"
import { Option, Predicate, type Schema } from "effect"
import { preview } from "./EventPreview.ts"
import * as JsonBeginning from "./JsonBeginning.ts"

/** The parameters of a list of events. */
export interface EventQuery extends Partial<Projection.Selection> {
  readonly expand?: "event"
  readonly limit?: number
  readonly after?: string
  readonly before?: string
  readonly sort?: "newest" | "oldest"
}

const errorFields = ["original_event", "original_context", "error"]

/** A payload of more characters is not read to tell what it is: that takes as long as it is large. */
const mostRead = 16 * 1024

/** Events that runs leave on `$errors` begin so. */
const beginsAsError = (payload: string): boolean => payload.startsWith(`{"${errorFields[0]}":`)

/** Code may emit to `$errors` too, in whatever shape. */
const isError = (payload: string): boolean =>
  payload.length > mostRead
    ? beginsAsError(payload)
    : errorFields.every((name) => payload.includes(`"${name}"`)) && hasErrorFields(JSON.parse(payload))

const hasErrorFields = (payload: Schema.Json): boolean =>
  errorFields.every((name) => Predicate.hasProperty(payload, name))

const summaryText = (event: LoggedEvent, data: string, truncated: boolean): string => {
  const metadata = {
    emit_id: event.emitId,
    name: event.stream,
    emitter_id: event.emitterId,
    ...(event.meta.id === undefined ? {} : { id: event.meta.id }),
    ...(event.meta.summary === undefined ? {} : { summary: event.meta.summary }),
    ...(event.meta.ts === undefined ? {} : { ts: event.meta.ts }),
    ...(truncated ? { truncated } : {})
  }
  return `{"id":"${EventId.format(event.id)}","indexed_at_ms":${indexedAtMs(event)},` +
    `"event":${data},"metadata":${JSON.stringify(metadata)}}`
}

/**
 * JSON text of an event as it is listed, with its data in full. The payload is JSON already, and can be large: it is
 * neither read nor written again.
 */
export const wholeSummary = (event: LoggedEvent): string => {
  const { payload, stream } = event
  const data = stream === Stream.errors && isError(payload) ? payload : `{"raw_event":${payload}}`
  return summaryText(event, data, false)
}

/** A preview has room for what it begins with: an error is what its event is about. */
const errorFirst = (payload: Schema.Json): Schema.Json =>
  Predicate.hasProperty(payload, "error")
    ? { error: payload.error as Schema.Json, ...payload as Schema.JsonObject }
    : payload

/** JSON text of an event as it is listed, its data cut to a preview where it is large. */
export const summaryOf = (outline: EventOutline): string => {
  if (isWhole(outline)) return wholeSummary(outline)
  const beginning = JsonBeginning.parse(outline.payload) ?? null
  const isOfRun = outline.stream === Stream.errors && beginsAsError(outline.payload)
  const data = isOfRun ? errorFirst(beginning) : { raw_event: beginning }
  return summaryText(outline, JSON.stringify(preview(data, maxPreviewBytes)), true)
}

/** The event id that a parameter names, as its schema has checked. */
export const boundOf = (text: string | undefined): EventId.EventId | undefined =>
  text === undefined ? undefined : Option.getOrUndefined(EventId.parse(text))

/** The page of a list of events that its parameters ask for. */
export const eventPageRequest = (query: EventQuery) => {
  const request = Pagination.pageRequest(query)
  return { ...request, after: boundOf(request.after), before: boundOf(request.before) }
}
