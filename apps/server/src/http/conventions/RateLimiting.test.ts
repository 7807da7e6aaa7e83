import { assert, it, layer } from "@effect/vitest"
import { AccountId } from "@headwater/domain/Id"
import { Clock, Effect, Exit, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Http from "../../../test/HttpAppFixture.ts"
import { HttpSettings } from "./HttpSettings.ts"
import { RateLimiting } from "./RateLimiting.ts"

const settings = {
  maxBody: 0,
  maxCode: 0,
  maxProp: 0,
  maxStoredValue: 0,
  maxHeapMebibytes: 0,
  rateLimit: 0,
  byteRateLimit: 0
}

const limitedTo = (rateLimit: number) =>
  RateLimiting.layer.pipe(Layer.provide(Layer.succeed(HttpSettings, { ...settings, rateLimit })))

it.effect("an account may send a second's worth at once, and then as fast as that comes back", () =>
  Effect.gen(function*() {
    const rate = yield* RateLimiting
    const ann = AccountId.make("u_00000000000000000000")
    const bob = AccountId.make("u_00000000000000000001")
    /** How many of so many are let through. */
    const passed = (asked: number, account = ann) =>
      Effect.map(
        Effect.replicateEffect(Effect.exit(rate.take(account)), asked),
        (exits) => exits.filter(Exit.isSuccess).length
      )
    assert.strictEqual(yield* passed(10), 4)
    assert.strictEqual(yield* passed(3, bob), 3)
    yield* TestClock.adjust("249 millis")
    assert.strictEqual(yield* passed(1), 0)
    yield* TestClock.adjust("1 millis")
    assert.strictEqual(yield* passed(2), 1)
    yield* TestClock.adjust("1 hour")
    assert.strictEqual(yield* passed(10), 4)
  }).pipe(Effect.provide(limitedTo(4))))

it.effect("an account that has sent more bytes than a second's worth waits until that has been made up for", () =>
  Effect.gen(function*() {
    const rate = yield* RateLimiting
    const ann = AccountId.make("u_00000000000000000000")
    const bob = AccountId.make("u_00000000000000000001")
    const isTaken = (account: AccountId) => Effect.map(Effect.exit(rate.take(account)), Exit.isSuccess)
    assert.isTrue(yield* isTaken(ann))
    rate.noteBytes(ann, 3_000)
    const refused = yield* Effect.flip(rate.take(ann))
    assert.strictEqual(refused.details.retry_after_seconds, 2)
    assert.isTrue(yield* isTaken(bob))
    yield* TestClock.adjust("2 seconds")
    assert.isFalse(yield* isTaken(ann))
    yield* TestClock.adjust("1 millis")
    assert.isTrue(yield* isTaken(ann))
  }).pipe(Effect.provide(RateLimiting.layer.pipe(
    Layer.provide(Layer.succeed(HttpSettings, { ...settings, byteRateLimit: 1_000 }))
  ))))

layer(Http.layerWith({ rateLimit: 1 }), { excludeTestServices: true })("the limit to an account's rate", (it) => {
  it.effect("is one for the API and the endpoints of its sources, and says when to come again", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const stranger = yield* Http.tenant()
      const source = yield* http.created("/v1/sources", { component_code: Http.httpCode("this.$emit(1)") })
      const me = http.request("GET", "/v1/users/me")
      const post = http.request("POST", Http.endpointOf(source), { key: null })
      const asked = yield* Clock.currentTimeMillis
      const answers = yield* Effect.all([me, post, me, post, me, post, me, post], { concurrency: "unbounded" })
      const seconds = Math.ceil(((yield* Clock.currentTimeMillis) - asked) / 1_000)
      const refused = answers.filter(({ status }) => status !== 200)
      assert.isAtLeast(refused.length, answers.length - 1 - seconds)
      for (const answer of refused) {
        Http.assertProblem(answer, 429, "rate_limited")
        assert.strictEqual(answer.headers.get("retry-after"), "1")
        assert.deepStrictEqual<unknown>(answer.json["details"], { retry_after_seconds: 1 })
      }
      assert.strictEqual((yield* stranger.request("GET", "/v1/users/me")).status, 200)
      yield* Effect.sleep("1 second")
      assert.strictEqual((yield* post).status, 200)
    }))
})
