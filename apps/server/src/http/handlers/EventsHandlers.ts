import { maxSummaries } from "@headwater/api/EventsApi"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import * as Problem from "@headwater/api/Problem"
import * as Stream from "@headwater/domain/Stream"
import { ActorCalls, everyEvent } from "@headwater/engine/ActorCalls"
import { EventLog } from "@headwater/log/logs/EventLog"
import type { ProgramKind } from "@headwater/log/resources/Programs"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { EventAnswers } from "../answers/EventAnswers.ts"
import { boundOf, type EventQuery } from "../answers/EventSummaries.ts"
import { answerFailures } from "../conventions/FailureProblem.ts"
import { answerGone, makeFind } from "./OwnProgram.ts"

export const layer = HttpApiBuilder.group(
  HeadwaterApi,
  "events",
  Effect.fnUntraced(function*(handlers) {
    const find = yield* makeFind
    const answers = yield* EventAnswers.make
    const events = yield* EventLog
    const actors = yield* ActorCalls

    const list = Effect.fnUntraced(function*(kind: ProgramKind, idOrSlug: string, stream: string, query: EventQuery) {
      const { accountId, id } = yield* find(kind, idOrSlug)
      const address = { emitterId: id, stream }
      const { count, oldest } = yield* events.tail(address, maxSummaries)
      return yield* answers.page(accountId, address, query, { totalCount: count, from: oldest })
    }, answerFailures)

    return handlers.handleAll({
      deleteSourceEvents: Effect.fnUntraced(function*({ params, query }) {
        const source = yield* find("source", params.id)
        const from = boundOf(query.start_id) ?? everyEvent.from
        const to = boundOf(query.end_id) ?? everyEvent.to
        if (from > to) {
          return yield* Problem.invalid([{ path: "start_id", message: "must not be after end_id" }])
        }
        yield* actors.deleteEvents(source.id, { stream: Stream.normalize(query.event_name ?? ""), from, to })
      }, (effect, { params }) => effect.pipe(answerGone("source", params.id), answerFailures))
    })
      .handleRaw(
        "sourceSummaries",
        ({ params, query }) => list("source", params.id, Stream.normalize(query.event_name ?? ""), query)
      )
      .handleRaw("sourceErrorSummaries", ({ params, query }) => list("source", params.id, Stream.errors, query))
      .handleRaw("sourceLogSummaries", ({ params, query }) => list("source", params.id, Stream.logs, query))
      .handleRaw(
        "workflowSummaries",
        ({ params, query }) => list("workflow", params.id, Stream.normalize(query.event_name ?? ""), query)
      )
      .handleRaw("workflowErrorSummaries", ({ params, query }) => list("workflow", params.id, Stream.errors, query))
      .handleRaw("workflowLogSummaries", ({ params, query }) => list("workflow", params.id, Stream.logs, query))
  })
)
