import { assert, it } from "@effect/vitest"
import * as RandomBytes from "@headwater/domain/RandomBytes"
import { Cause, Deferred, Effect, Exit } from "effect"
import { HttpServerError, HttpServerRequest, type HttpServerResponse } from "effect/http"
import * as ResponseConventions from "./ResponseConventions.ts"

const request = HttpServerRequest.fromWeb(
  new Request("http://test/v1/sources", { headers: { host: "test", "x-request-id": "mine" } })
)

/** Begins to handle a request that is never done with. Answers its fiber, and how it ended once it has. */
const begin = Effect.gen(function*() {
  const ended = yield* Deferred.make<Exit.Exit<HttpServerResponse.HttpServerResponse>>()
  const forever = Effect.interruptible(Effect.never) as Effect.Effect<HttpServerResponse.HttpServerResponse>
  const handling = yield* ResponseConventions.apply(forever).pipe(
    Effect.provideService(HttpServerRequest.HttpServerRequest, request),
    Effect.provide(RandomBytes.layer),
    Effect.onExit((exit) => Deferred.succeed(ended, exit)),
    Effect.uninterruptible,
    Effect.forkChild({ startImmediately: true })
  )
  return { handling, ended: Deferred.await(ended) }
})

it.effect("a request that is cut off is answered with 503 and its id", () =>
  Effect.gen(function*() {
    const { ended, handling } = yield* begin
    handling.interruptUnsafe()
    const response = yield* Effect.flatten(ended)
    assert.strictEqual(response.status, 503)
    assert.deepInclude(response.headers, { "x-request-id": "mine", "retry-after": "1" })
  }))

it.effect("a request whose sender went away is answered with nothing", () =>
  Effect.gen(function*() {
    const { ended, handling } = yield* begin
    handling.interruptUnsafe(undefined, HttpServerError.ClientAbort.annotation)
    const exit = yield* ended
    assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
  }))
