import { assert, describe, it } from "@effect/vitest"
import { AccountId } from "@headwater/domain/Id"
import { Effect, Exit, Fiber, Result, Scope } from "effect"
import { HttpServerRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { Socket } from "node:net"
import { AnswerRoom } from "./AnswerRoom.ts"

const mebibyte = 1024 * 1024
const [ann, bob, cleo, dan, eve] = ["ann", "bob", "cleo", "dan", "eve"].map((name) =>
  AccountId.make(`u_${name.padEnd(20, "0")}`)
)

/** A request of a client, and the scope that ends with its answer. */
const client = Effect.gen(function*() {
  const socket = new Socket()
  const scope = yield* Scope.make()
  const request = { source: { socket } } as unknown as HttpServerRequest.HttpServerRequest
  return {
    socket,
    asks: <A, E>(effect: Effect.Effect<A, E, Scope.Scope | HttpServerRequest.HttpServerRequest>) =>
      effect.pipe(
        Effect.provideService(HttpServerRequest.HttpServerRequest, request),
        Effect.provideService(Scope.Scope, scope)
      ),
    reads: Scope.close(scope, Exit.void)
  }
})

const codeOf = (result: Result.Result<void, { readonly code: string }>) =>
  Result.match(result, { onFailure: ({ code }) => code, onSuccess: () => "taken" })

describe("AnswerRoom", () => {
  it.effect("refuses an account beyond its share, and everybody once the server is full, but for small answers", () =>
    Effect.gen(function*() {
      const room = yield* AnswerRoom
      const take = (account: AccountId, bytes: number) =>
        Effect.flatMap(client, ({ asks }) => Effect.map(Effect.result(asks(room.take(account, bytes))), codeOf))
      assert.deepStrictEqual(
        [yield* take(ann!, 9 * mebibyte), yield* take(ann!, 9 * mebibyte), yield* take(ann!, mebibyte)],
        ["taken", "taken", "rate_limited"]
      )
      assert.deepStrictEqual(
        [yield* take(bob!, 16 * mebibyte), yield* take(cleo!, 16 * mebibyte), yield* take(dan!, 16 * mebibyte)],
        ["taken", "taken", "taken"]
      )
      assert.strictEqual(yield* take(eve!, mebibyte), "unavailable")
      assert.strictEqual(yield* take(eve!, 1024), "taken")
    }).pipe(Effect.provide(AnswerRoom.layer)))

  it.effect("lets in who waits once an answer was read", () =>
    Effect.gen(function*() {
      const room = yield* AnswerRoom
      const first = yield* client
      yield* first.asks(room.take(ann!, 20 * mebibyte))
      const second = yield* client
      const waiting = yield* Effect.forkChild(second.asks(room.await(ann!, mebibyte)), { startImmediately: true })
      assert.isUndefined(waiting.pollUnsafe())
      yield* first.reads
      yield* Fiber.join(waiting)
    }).pipe(Effect.provide(AnswerRoom.layer)))

  it.effect("cuts off a client that takes too long, and gives a larger answer more time", () =>
    Effect.gen(function*() {
      const room = yield* AnswerRoom
      const [slow, slower, quick] = [yield* client, yield* client, yield* client]
      yield* slow.asks(room.take(ann!, mebibyte))
      yield* slower.asks(room.take(ann!, 6 * mebibyte))
      yield* quick.asks(room.take(ann!, mebibyte))
      yield* quick.reads
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual([slow, slower, quick].map(({ socket }) => socket.destroyed), [true, false, false])
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual([slow, slower, quick].map(({ socket }) => socket.destroyed), [true, true, false])
    }).pipe(Effect.provide(AnswerRoom.layer)))
})
