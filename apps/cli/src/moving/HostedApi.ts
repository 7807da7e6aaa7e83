/** Asks the REST API of a hosted service, politely, and trusts none of its answers. */
import * as RequestRetries from "@headwater/api/RequestRetries"
import { Clock, Effect, Layer, Option, type Redacted, Schema, Stream } from "effect"
import { Flag } from "effect/cli"
import { FetchHttpClient, HttpClient, HttpClientError, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { whyAway } from "../access/ApiAccess.ts"
import { CommandRefused } from "../CommandRefused.ts"

export interface Service {
  /** Without a slash at its end. */
  readonly from: string
  readonly key: Redacted.Redacted
  /** The most requests in a second. */
  readonly rate: number
}

/** The service does not give something: the rest can be asked for. */
export class NotGiven extends Schema.TaggedError<NotGiven>()("NotGiven", {
  status: Schema.NullOr(Schema.Int),
  message: Schema.String
}) {}

/** Values of the query; those that are undefined are left out. */
export type Query = Readonly<Record<string, string | undefined>>

/** An answer as it is, beside what is known of it. */
export interface Answer<A> {
  readonly raw: Schema.Json
  readonly known: A
}

export interface HostedApi {
  readonly get: <A>(path: string, query: Query, shape: Schema.Codec<A, unknown>) => Effect.Effect<Answer<A>, Failure>
  /** All items of a list, whose pages follow each other. One that is not of the shape is told of by its place. */
  readonly list: <A>(
    path: string,
    query: Query,
    shape: Schema.Codec<A, unknown>
  ) => Effect.Effect<{ readonly items: ReadonlyArray<Answer<A>>; readonly faults: ReadonlyArray<string> }, Failure>
}

type Failure = NotGiven | CommandRefused

/** Follows no redirect: it leads elsewhere, and has another answer than the one that was asked for. */
export const layer = Layer.merge(
  FetchHttpClient.layer,
  Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" })
)

const mostBytes = 64 * 1024 * 1024
const mostPages = 1_000

/** A proxy before the service, or the service itself, may do better another time. */
const statuses: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504])

const whyOf = (status: number): string =>
  status === 401
    ? "401: the service refuses the key"
    : status === 403
    ? "403: the key may not read it"
    : status === 404
    ? "404: the service has none, or none that the key may read"
    : status === 429
    ? "429: the service asks for a pause of more than 10 minutes"
    : status >= 300 && status < 400
    ? `${status}: the service leads elsewhere, where the key is not sent`
    : `${status}: the service ${status >= 500 ? "fails" : "does not give it"}`

const notGiven = (message: string, status: number | null = null) => new NotGiven({ status, message })

const readText = (response: HttpClientResponse.HttpClientResponse) => {
  let bytes = 0
  return response.stream.pipe(
    Stream.mapEffect((chunk) => {
      bytes += chunk.length
      return bytes > mostBytes
        ? Effect.fail(notGiven(`the answer is larger than ${mostBytes} bytes`))
        : Effect.succeed(chunk)
    }),
    Stream.decodeText(),
    Stream.mkString
  )
}

const Page = Schema.Struct({
  data: Schema.Array(Schema.Json),
  page_info: Schema.optionalKey(Schema.Struct({
    total_count: Schema.optionalKey(Schema.NullOr(Schema.Finite)),
    end_cursor: Schema.optionalKey(Schema.NullOr(Schema.String)),
    has_more: Schema.optionalKey(Schema.NullOr(Schema.Boolean))
  }))
})

const decoded = <A>(raw: Schema.Json, shape: Schema.Codec<A, unknown>) =>
  Schema.decodeEffect(shape)(raw).pipe(
    Effect.map((known): Answer<A> => ({ raw, known })),
    Effect.mapError(({ message }) =>
      notGiven(`the answer has a form that is not known: ${message.replace(/\s+/g, " ").slice(0, 300)}`)
    )
  )

/** An attempt that takes too long is one that was lost. */
const bounded = <E, R>(client: HttpClient.HttpClient.With<E, R>) =>
  HttpClient.transform(client, (send, request) =>
    Effect.timeoutOrElse(send, {
      duration: "1 minute",
      orElse: () =>
        Effect.fail(
          new HttpClientError.HttpClientError({
            reason: new HttpClientError.TransportError({ request, cause: new Error("no answer in a minute") })
          })
        )
    }))

export const make = Effect.fnUntraced(function*({ from, key, rate }: Service): Effect.fn.Return<
  HostedApi,
  never,
  HttpClient.HttpClient
> {
  const client = bounded(yield* HttpClient.HttpClient).pipe(
    RequestRetries.repeating({ times: 6, maxDelay: "10 minutes", statuses })
  )
  let next = 0
  const takeTurn = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const turn = Math.max(now, next)
    next = turn + 1_000 / rate
    return Effect.sleep(turn - now)
  })

  const ask = Effect.fnUntraced(function*(path: string, query: Query) {
    yield* takeTurn
    const given = Object.entries(query).flatMap(([name, value]) => value === undefined ? [] : [[name, value] as const])
    const request = HttpClientRequest.get(`${from}${path}`).pipe(
      HttpClientRequest.setUrlParams(given),
      HttpClientRequest.bearerToken(key),
      HttpClientRequest.acceptJson
    )
    const text = yield* client.execute(request).pipe(
      Effect.flatMap((response) =>
        response.status === 200 ? readText(response) : Effect.fail(notGiven(whyOf(response.status), response.status))
      ),
      // Once more for a body that broke off: the client has repeated what was not answered.
      Effect.retry({ times: 1, while: HttpClientError.isHttpClientError }),
      Effect.catchIf(
        HttpClientError.isHttpClientError,
        ({ reason }) =>
          new CommandRefused({
            message: `${from} can't be reached: ${whyAway("cause" in reason ? reason.cause : reason)}. ` +
              "Run the command again: it goes on with what is missing"
          })
      ),
      Effect.timeoutOrElse({
        duration: "30 minutes",
        orElse: () => Effect.fail(notGiven("the service does not end its answer"))
      })
    )
    return yield* Effect.try({
      try: () => JSON.parse(text) as Schema.Json,
      catch: () => notGiven("the answer is not JSON")
    })
  })

  return {
    get: (path, query, shape) => Effect.flatMap(ask(path, query), (raw) => decoded(raw, shape)),
    list: Effect.fnUntraced(function*(path, query, shape) {
      const items: Array<Answer<never>> = []
      const faults: Array<string> = []
      const cursors = new Set<string>()
      let after: string | undefined
      let count = 0
      for (let page = 0; page < mostPages; page++) {
        const { known: { data, page_info: info = {} } } = yield* decoded(
          yield* ask(path, { ...query, after }),
          Page
        )
        for (const raw of data) {
          const item = yield* Effect.result(decoded(raw, shape))
          if (item._tag === "Success") items.push(item.success as Answer<never>)
          else faults.push(`item ${count + 1}: ${item.failure.message}`)
          count++
        }
        const end = info.end_cursor ?? undefined
        const isAll = info.has_more === undefined || info.has_more === null
          ? data.length === 0 ||
            info.total_count !== undefined && info.total_count !== null && count >= info.total_count
          : !info.has_more
        if (isAll || end === undefined || end === "") {
          const total = info.total_count ?? count
          return {
            items,
            faults: count < total ? [...faults, `the service counts ${total}, and gave ${count}`] : faults
          }
        }
        if (cursors.has(end)) return yield* notGiven("the list does not end: a page comes again")
        cursors.add(end)
        after = end
      }
      return yield* notGiven(`the list has more than ${mostPages} pages`)
    })
  }
})

/** A URL to which a key may be told: nobody on the way can read it. */
const baseUrl = (text: string): Option.Option<string> => {
  const url = URL.parse(text)
  const isSafe = url?.protocol === "https:" ||
    url?.protocol === "http:" && /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname)
  return url !== null && isSafe && url.username === "" && url.search === "" && url.hash === ""
    ? Option.some(text.replace(/\/+$/, ""))
    : Option.none()
}

/** The service whose API is asked. */
export const fromFlag = (description: string) =>
  Flag.String("from").pipe(
    Flag.withDescription(description),
    Flag.filterMap(baseUrl, () => "Expected an https URL, or an http URL of this machine"),
    Flag.withDefault("https://api.pipedream.com/v1")
  )
