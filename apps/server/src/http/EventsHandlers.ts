import { CurrentAccount } from "@headwater/api/Authorization"
import { type EventSummary, maxPreviewBytes, maxSummaries } from "@headwater/api/EventsApi"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import * as Pagination from "@headwater/api/Pagination"
import * as Problem from "@headwater/api/Problem"
import { indexedAtMs, type LoggedEvent } from "@headwater/domain/Event"
import * as EventId from "@headwater/domain/EventId"
import * as Stream from "@headwater/domain/Stream"
import * as DueDeletions from "@headwater/engine/DueDeletions"
import { EventDeletion } from "@headwater/engine/EventDeletion"
import { EventLog } from "@headwater/log/EventLog"
import { Sources } from "@headwater/log/Sources"
import { Effect, Option, Predicate, type Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { preview } from "./EventPreview.ts"
import { answerFailures } from "./FailureProblem.ts"

interface Query {
  readonly expand?: "event"
  readonly limit?: number
  readonly after?: string
  readonly before?: string
}

/** Code may emit to `$errors` too, in whatever shape. */
const isError = (payload: Schema.Json): boolean =>
  Predicate.hasProperty(payload, "original_event") && Predicate.hasProperty(payload, "original_context") &&
  Predicate.hasProperty(payload, "error")

const summaryOf = (event: LoggedEvent, expand: boolean): EventSummary => {
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

const boundOf = (text: string | undefined): EventId.EventId | undefined =>
  text === undefined ? undefined : Option.getOrUndefined(EventId.parse(text))

export const layer = HttpApiBuilder.group(
  HeadwaterApi,
  "events",
  Effect.fnUntraced(function*(handlers) {
    const sources = yield* Sources
    const events = yield* EventLog
    const deletion = yield* EventDeletion

    const page = Effect.fnUntraced(function*(emitterId: string, stream: string, query: Query) {
      const { count, oldest } = yield* events.tail({ emitterId, stream }, maxSummaries)
      const shown = yield* events.latest({
        emitterId,
        stream,
        limit: query.limit ?? Pagination.defaultLimit,
        after: boundOf(query.after),
        before: boundOf(query.before),
        from: oldest
      })
      return {
        page_info: Pagination.pageInfo(shown.map(({ id }) => EventId.format(id)), count),
        data: shown.map((event) => summaryOf(event, query.expand === "event"))
      }
    })

    const find = Effect.fnUntraced(function*(idOrSlug: string) {
      const source = yield* sources.get(yield* CurrentAccount, idOrSlug)
      return Option.isNone(source) ? yield* Problem.notFound("source", idOrSlug) : source.value
    })

    const ofSource = Effect.fnUntraced(function*(idOrSlug: string, stream: string, query: Query) {
      const source = yield* find(idOrSlug)
      return yield* page(source.id, stream, query)
    }, answerFailures)

    const ofWorkflow = (id: string) => Effect.fail(Problem.notFound("workflow", id))

    return handlers.handleAll({
      sourceSummaries: ({ params, query }) => ofSource(params.id, Stream.normalize(query.event_name ?? ""), query),
      sourceErrorSummaries: ({ params, query }) => ofSource(params.id, Stream.errors, query),
      sourceLogSummaries: ({ params, query }) => ofSource(params.id, Stream.logs, query),
      deleteSourceEvents: Effect.fnUntraced(function*({ params, query }) {
        const source = yield* find(params.id)
        const from = boundOf(query.start_id) ?? DueDeletions.everything.from
        const to = boundOf(query.end_id) ?? DueDeletions.everything.to
        if (from > to) {
          return yield* Problem.invalid([{ path: "start_id", message: "comes after end_id" }])
        }
        yield* deletion.delete(source, { stream: Stream.normalize(query.event_name ?? ""), from, to })
      }, (effect, { params }) =>
        effect.pipe(
          Effect.catchTag("SourceNotFound", () => Effect.fail(Problem.notFound("source", params.id))),
          answerFailures
        )),
      workflowSummaries: ({ params }) => ofWorkflow(params.id),
      workflowErrorSummaries: ({ params }) => ofWorkflow(params.id),
      workflowLogSummaries: ({ params }) => ofWorkflow(params.id)
    })
  })
)
