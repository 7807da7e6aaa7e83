import * as TailReader from "@headwater/client/TailReader"
import { Effect, Predicate, Result, Schema, Stream } from "effect"
import { HttpClientError, type HttpClientResponse } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import * as ApiFrame from "./ApiFrame.ts"
import { EventSummary } from "./EventsApi.ts"
import { HeadwaterClient } from "./HeadwaterClient.ts"
import { LogApi } from "./LogApi.ts"

/** The log to follow: that of a source or of a workflow, by id or name slug, or, with neither, those of the account. */
export type Log =
  & (
    | { readonly source: string; readonly workflow?: never }
    | { readonly workflow: string; readonly source?: never }
    | {
      readonly source?: never
      readonly workflow?: never
      /** Only events of these sources and workflows, by id or name slug. */
      readonly emitter?: ReadonlyArray<string>
      /** Only events whose payload, as JSON text, contains this. */
      readonly text?: string
    }
  )
  & {
    /** The event stream. Default: default, and of the account all. */
    readonly stream?: string
  }

export type TailOptions = Log & {
  /** Begin after this event; `0-0` for the beginning of the log. Of the account: after this position. Default: now. */
  readonly after?: string
}

const passing = new Set(["InternalErrorProblem", "RateLimitedProblem", "UnavailableProblem"])

/** True if the tail may go on by itself: the server can't be reached, or can't take it now. */
const isPassing = (error: unknown): boolean =>
  HttpClientError.isHttpClientError(error)
    ? error.response === undefined || error.response.status >= 500
    : Predicate.hasProperty(error, "_tag") && passing.has(String(error._tag))

const RetryLater = Schema.Struct({ details: Schema.Struct({ retry_after_seconds: Schema.Finite }) })

const retryAfterMs = (error: unknown): number =>
  Schema.is(RetryLater)(error) ? error.details.retry_after_seconds * 1_000 : 0

const api = ApiFrame.alone(LogApi)

const decoders = {
  accountTail: HttpApiClient.decodeResponse(api, { group: "log", endpoint: "accountTail" }),
  sourceTail: HttpApiClient.decodeResponse(api, { group: "log", endpoint: "sourceTail" }),
  workflowTail: HttpApiClient.decodeResponse(api, { group: "log", endpoint: "workflowTail" })
}

const decodeEvent = Schema.decodeUnknownEffect(EventSummary)

/** The place behind what is in a log now. */
export const end = Effect.fnUntraced(function*({ log }: HeadwaterClient["Service"], followed: Log) {
  const { source, workflow, ...filter } = followed
  const id = workflow ?? source
  if (id === undefined) return (yield* log.accountEvents({ query: { ...filter, limit: 1 } })).page_info.position
  const list = log[workflow === undefined ? "sourceEvents" : "workflowEvents"]
  const { data } = yield* list({ params: { id }, query: { event_name: filter.stream ?? "", limit: 1 } })
  return data[0]?.id ?? "0-0"
})

/** Connects to the tail of a log, behind an event or a position, or behind what is there now. */
export const connect = Effect.fnUntraced(
  function*({ log }: HeadwaterClient["Service"], followed: Log, lastEventId: string | undefined) {
    const { source, workflow, ...filter } = followed
    const id = workflow ?? source
    const headers = lastEventId === undefined ? {} : { "last-event-id": lastEventId }
    const responseMode = "response-only"
    const endpoint = id === undefined ? "accountTail" : workflow === undefined ? "sourceTail" : "workflowTail"
    const response = yield* endpoint === "accountTail"
      ? log.accountTail({ query: filter, headers, responseMode })
      : log[endpoint]({ params: { id: id! }, query: { event_name: filter.stream ?? "" }, headers, responseMode })
    return response.status === 200 ? response : yield* Effect.andThen(decoders[endpoint](response), Effect.never)
  }
)

/**
 * Follows a tail behind `after`, over as many connections as it takes. It fails if `connect` fails with an error that does not
 * pass by itself.
 */
export const follow = <E, R>(
  connect: (lastEventId: string | undefined) => Effect.Effect<HttpClientResponse.HttpClientResponse, E, R>,
  { after, isPassing }: { readonly after: string; readonly isPassing: (error: E) => boolean }
): Stream.Stream<TailReader.TailItem<EventSummary>, E | Schema.SchemaError, R> =>
  Stream.unwrap(Effect.gen(function*() {
    const services = yield* Effect.context<R>()
    const { signal } = yield* Effect.acquireRelease(
      Effect.sync(() => new AbortController()),
      (ended) => Effect.sync(() => ended.abort())
    )
    const open: TailReader.OpenTail = async (lastEventId, signal) => {
      const { stream } = await Effect.runPromiseWith(services)(connect(lastEventId), { signal })
      return Stream.toReadableStream(stream)
    }
    const pauseAfter = (error: unknown) => isPassing(error as E) ? retryAfterMs(error) : undefined
    const items = TailReader.follow<EventSummary>(open, { after, pauseAfter, signal })
    return Stream.fromAsyncIterable(items, (error): E => error as E)
  })).pipe(Stream.mapEffect(Effect.fnUntraced(function*(item) {
    return item.type === "event" ? { ...item, event: yield* decodeEvent(item.event) } : item
  })))

/**
 * The log of a source or workflow, or those of the account: each event from now on, or after `after`, with its full data.
 * It goes on over lost connections and restarts of the server, and then neither misses nor repeats an event. Once the
 * effect has succeeded, the stream has whatever is emitted from then on. It fails if the server refuses it.
 */
export const tail = Effect.fnUntraced(function*({ after, ...log }: TailOptions) {
  const client = yield* HeadwaterClient
  const from = after ?? (yield* end(client, log))
  return follow((lastEventId) => connect(client, log, lastEventId), { after: from, isPassing }).pipe(
    Stream.filterMap((item) => item.type === "event" ? Result.succeed(item.event) : Result.fail(item))
  )
})
