import { maxSummaries } from "@headwater/api/EventsApi"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import * as Problem from "@headwater/api/Problem"
import * as Stream from "@headwater/domain/Stream"
import * as DueDeletions from "@headwater/engine/DueDeletions"
import { EventDeletion } from "@headwater/engine/EventDeletion"
import { EventLog } from "@headwater/log/EventLog"
import type { ProgramKind } from "@headwater/log/Programs"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { boundOf, eventPage, eventPageRequest, type EventQuery } from "./EventSummaries.ts"
import { answerFailures } from "./FailureProblem.ts"
import { makeFind } from "./OwnProgram.ts"

export const layer = HttpApiBuilder.group(
  HeadwaterApi,
  "events",
  Effect.fnUntraced(function*(handlers) {
    const find = yield* makeFind
    const events = yield* EventLog
    const deletion = yield* EventDeletion

    const list = Effect.fnUntraced(function*(kind: ProgramKind, idOrSlug: string, stream: string, query: EventQuery) {
      const { id } = yield* find(kind, idOrSlug)
      const address = { emitterId: id, stream }
      const { count, oldest } = yield* events.tail(address, maxSummaries)
      const shown = yield* events.latest({ ...address, ...eventPageRequest(query), from: oldest })
      return eventPage(shown, count, query)
    }, answerFailures)

    return handlers.handleAll({
      sourceSummaries: ({ params, query }) =>
        list("source", params.id, Stream.normalize(query.event_name ?? ""), query),
      sourceErrorSummaries: ({ params, query }) => list("source", params.id, Stream.errors, query),
      sourceLogSummaries: ({ params, query }) => list("source", params.id, Stream.logs, query),
      deleteSourceEvents: Effect.fnUntraced(function*({ params, query }) {
        const source = yield* find("source", params.id)
        const from = boundOf(query.start_id) ?? DueDeletions.everything.from
        const to = boundOf(query.end_id) ?? DueDeletions.everything.to
        if (from > to) {
          return yield* Problem.invalid([{ path: "start_id", message: "comes after end_id" }])
        }
        yield* deletion.delete(source, { stream: Stream.normalize(query.event_name ?? ""), from, to })
      }, (effect, { params }) =>
        effect.pipe(
          Effect.catchTag("ProgramNotFound", () => Effect.fail(Problem.notFound("source", params.id))),
          answerFailures
        )),
      workflowSummaries: ({ params, query }) =>
        list("workflow", params.id, Stream.normalize(query.event_name ?? ""), query),
      workflowErrorSummaries: ({ params, query }) => list("workflow", params.id, Stream.errors, query),
      workflowLogSummaries: ({ params, query }) => list("workflow", params.id, Stream.logs, query)
    })
  })
)
