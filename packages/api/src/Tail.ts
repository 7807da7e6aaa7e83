import { Effect, Predicate, Schedule, Stream } from "effect"
import { Sse } from "effect/encoding"
import { HttpClientError, type HttpClientResponse } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { EventSummary } from "./EventsApi.ts"
import { HeadwaterApi } from "./HeadwaterApi.ts"
import { HeadwaterClient } from "./HeadwaterClient.ts"

/** The log to follow: that of a source or of a workflow, by id or name slug. */
export type TailOptions =
  & ({ readonly source: string; readonly workflow?: never } | { readonly workflow: string; readonly source?: never })
  & {
    /** The event stream. Default: the default one. */
    readonly stream?: string
    /** Begin after this event; `0-0` for the beginning of the log. Default: its end. */
    readonly after?: string
  }

/** The server sends something every 15 seconds. */
const silence = "45 seconds"

const passing = new Set(["InternalErrorProblem", "RateLimitedProblem", "UnavailableProblem"])

/** True if the tail may go on by itself: the connection was lost, or the server can't take it now. */
const isPassing = (error: unknown): boolean =>
  HttpClientError.isHttpClientError(error)
    ? error.response === undefined || error.response.status === 200 || error.response.status >= 500
    : Predicate.hasProperty(error, "_tag") && (passing.has(String(error._tag)) || Sse.Retry.is(error))

const decoders = {
  sourceTail: HttpApiClient.decodeResponse(HeadwaterApi, { group: "log", endpoint: "sourceTail" }),
  workflowTail: HttpApiClient.decodeResponse(HeadwaterApi, { group: "log", endpoint: "workflowTail" })
}

const eventsOf = (response: HttpClientResponse.HttpClientResponse) =>
  response.stream.pipe(
    Stream.timeout(silence),
    Stream.decodeText,
    Stream.pipeThroughChannel(Sse.decodeDataSchema(EventSummary)),
    Stream.map(({ data }) => data)
  )

/**
 * The log of a source or workflow: each event from now on, or after `after`, with its full data. It goes on over lost
 * connections and restarts of the server, and then neither misses nor repeats an event. Once the effect has succeeded, the
 * stream has whatever is emitted from then on. It fails if the server refuses it.
 */
export const tail = Effect.fnUntraced(function*({ after, source, stream = "", workflow }: TailOptions) {
  const { log } = yield* HeadwaterClient
  const params = { id: workflow ?? source }
  const isWorkflow = workflow !== undefined

  const newest = log[isWorkflow ? "workflowEvents" : "sourceEvents"]({
    params,
    query: { event_name: stream, limit: 1 }
  })
  const from = after ?? (yield* Effect.map(newest, ({ data }) => data[0]?.id ?? "0-0"))

  const connect = Effect.fnUntraced(function*(lastEventId: string) {
    const endpoint = isWorkflow ? "workflowTail" : "sourceTail"
    const headers = { "last-event-id": lastEventId }
    const response = yield* log[endpoint]({
      params,
      query: { event_name: stream },
      headers,
      responseMode: "response-only"
    })
    return response.status === 200 ? eventsOf(response) : yield* decoders[endpoint](response)
  })

  return Stream.suspend(() => {
    let last = from
    return Stream.suspend(() => Stream.unwrap(connect(last))).pipe(
      Stream.map((event) => {
        last = event.id
        return event
      }),
      Stream.catchIf(isPassing, () => Stream.empty),
      Stream.repeat(Schedule.jittered(Schedule.spaced("1 second")))
    )
  })
})
