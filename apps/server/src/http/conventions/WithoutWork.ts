import * as Problem from "@headwater/api/Problem"
import { withoutWork } from "@headwater/engine/NoActors"
import { Effect } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { HttpSettings } from "./HttpSettings.ts"
import { problemResponse } from "./ProblemResponse.ts"
import * as RoutedUrl from "./RoutedUrl.ts"

const reading = new Set(["GET", "HEAD", "OPTIONS"])

/** Those who look sign in and out, and ask what a subscription would deliver. */
const alsoReading = /^\/v1\/(session|subscriptions\/preview)\/?(\?|$)/

const retryAfterSeconds = 60

const isOnlyReading = ({ method, url }: HttpServerRequest.HttpServerRequest): boolean =>
  !RoutedUrl.isOfEndpoint(RoutedUrl.of(url)) && !url.startsWith("/oauth/") &&
  (reading.has(method) || alsoReading.test(url))

/** On a server without work, refuses all that would take, run, send or change anything. */
export const make = Effect.map(
  HttpSettings,
  ({ work = true }) =>
  <E, R>(
    handle: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
  ): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R | HttpServerRequest.HttpServerRequest> =>
    work ?
      handle :
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        isOnlyReading(request) ? handle : problemResponse(Problem.unavailable(withoutWork, retryAfterSeconds)))
)
