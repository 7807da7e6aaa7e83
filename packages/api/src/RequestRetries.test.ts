import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Ref } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { repeating } from "./RequestRetries.ts"

const url = "http://127.0.0.1:9/v1/sources"

type Answer = { readonly status: number; readonly retryAfter?: string } | "lost"

/** A client of a server that answers so, one after the other, and then 200. */
const server = Effect.fnUntraced(function*(...answers: ReadonlyArray<Answer>) {
  const keys = yield* Ref.make<ReadonlyArray<string | undefined>>([])
  const client = HttpClient.make((request) =>
    Effect.gen(function*() {
      const count = yield* Ref.modify(keys, (all) => [all.length, [...all, request.headers["idempotency-key"]]])
      const answer = answers[count] ?? { status: 200 }
      if (answer === "lost") {
        return yield* new HttpClientError.HttpClientError({
          reason: new HttpClientError.TransportError({ request, cause: new Error("lost") })
        })
      }
      const headers: Record<string, string> = answer.retryAfter === undefined
        ? {}
        : { "retry-after": answer.retryAfter }
      return HttpClientResponse.fromWeb(request, new Response(null, { status: answer.status, headers }))
    })
  )
  return { client: repeating({})(client), keys: Ref.get(keys) }
})

describe("repeating", () => {
  it.effect("repeats a POST under one key of its own, after the pauses that the server asks for", () =>
    Effect.gen(function*() {
      const { client, keys } = yield* server({ status: 429, retryAfter: "7" }, "lost", {
        status: 503,
        retryAfter: "20"
      })
      const sent = yield* Effect.forkChild(client.execute(HttpClientRequest.post(url)))
      yield* TestClock.adjust("6900 millis")
      assert.lengthOf(yield* keys, 1)
      yield* TestClock.adjust("1 second")
      assert.lengthOf(yield* keys, 3)
      yield* TestClock.adjust("19 seconds")
      assert.lengthOf(yield* keys, 3)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(sent)).status, 200)
      const [first, ...others] = yield* keys
      assert.match(String(first), /^[0-9a-f-]{36}$/)
      assert.deepStrictEqual(others, [first, first, first])
    }))

  it.effect("waits for fractions of seconds, and until a date", () =>
    Effect.gen(function*() {
      const { client, keys } = yield* server({ status: 429, retryAfter: "7.5" }, {
        status: 503,
        retryAfter: new Date(20_000).toUTCString()
      })
      const sent = yield* Effect.forkChild(client.get(url))
      yield* TestClock.adjust("7499 millis")
      assert.lengthOf(yield* keys, 1)
      yield* TestClock.adjust("1 millis")
      assert.lengthOf(yield* keys, 2)
      yield* TestClock.adjust("12499 millis")
      assert.lengthOf(yield* keys, 2)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* Fiber.join(sent)).status, 200)
    }))

  it.effect("gives up after as many times as it may, with what came last", () =>
    Effect.gen(function*() {
      const { client, keys } = yield* server(...Array.from({ length: 9 }, () => ({ status: 503 })))
      const sent = yield* Effect.forkChild(client.get(url))
      yield* TestClock.adjust("1 hour")
      assert.strictEqual((yield* Fiber.join(sent)).status, 503)
      assert.lengthOf(yield* keys, 6)
    }))

  it.effect("repeats no other refusal, nothing after a longer pause than it may make, and no PATCH", () =>
    Effect.gen(function*() {
      for (const answer of [{ status: 404 }, { status: 500 }, { status: 429, retryAfter: "61" }]) {
        const { client, keys } = yield* server(answer)
        assert.strictEqual((yield* client.get(url)).status, answer.status)
        assert.deepStrictEqual(yield* keys, [undefined])
      }
      const { client, keys } = yield* server("lost")
      assert.isTrue((yield* Effect.exit(client.patch(url)))._tag === "Failure")
      assert.lengthOf(yield* keys, 1)
    }))
})
