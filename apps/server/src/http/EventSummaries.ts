import { type EventSummary, maxPreviewBytes } from "@headwater/api/EventsApi"
import * as Pagination from "@headwater/api/Pagination"
import { indexedAtMs, type LoggedEvent } from "@headwater/domain/Event"
import * as EventId from "@headwater/domain/EventId"
import * as Stream from "@headwater/domain/Stream"
import { Option, Predicate, type Schema } from "effect"
import { preview } from "./EventPreview.ts"

/** The parameters of a list of events. */
export interface EventQuery {
  readonly expand?: "event"
  readonly limit?: number
  readonly after?: string
  readonly before?: string
}

/** Code may emit to `$errors` too, in whatever shape. */
const isError = (payload: Schema.Json): boolean =>
  Predicate.hasProperty(payload, "original_event") && Predicate.hasProperty(payload, "original_context") &&
  Predicate.hasProperty(payload, "error")

/** An event as it is listed, its data cut to a preview where it is large and not asked for in full. */
export const summaryOf = (event: LoggedEvent, expand: boolean): EventSummary => {
  const payload = JSON.parse(event.payload) as Schema.Json
  const data: Schema.Json = event.stream === Stream.errors && isError(payload) ? payload : { raw_event: payload }
  const truncated = !expand && Buffer.byteLength(event.payload) > maxPreviewBytes
  return {
    id: EventId.format(event.id),
    indexed_at_ms: indexedAtMs(event),
    event: truncated ? preview(data, maxPreviewBytes) : data,
    metadata: {
      emit_id: event.emitId,
      name: event.stream,
      emitter_id: event.emitterId,
      ...(event.meta.id === undefined ? {} : { id: event.meta.id }),
      ...(event.meta.summary === undefined ? {} : { summary: event.meta.summary }),
      ...(event.meta.ts === undefined ? {} : { ts: event.meta.ts }),
      ...(truncated ? { truncated } : {})
    }
  }
}

/** The event id that a parameter names, as its schema has checked. */
export const boundOf = (text: string | undefined): EventId.EventId | undefined =>
  text === undefined ? undefined : Option.getOrUndefined(EventId.parse(text))

/** Which page of a list of events its parameters ask for. */
export const eventPageRequest = (query: EventQuery) => {
  const { after, before, limit } = Pagination.pageRequest(query)
  return { limit, after: boundOf(after), before: boundOf(before) }
}

/** A page of a list of events, in its envelope. */
export const eventPage = (events: ReadonlyArray<LoggedEvent>, totalCount: number, { expand }: EventQuery) => ({
  page_info: Pagination.pageInfo(events.map(({ id }) => EventId.format(id)), totalCount),
  data: events.map((event) => summaryOf(event, expand === "event"))
})
