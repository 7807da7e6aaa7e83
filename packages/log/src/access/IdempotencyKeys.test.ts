import { assert, layer } from "@effect/vitest"
import * as TestTables from "@headwater/fixtures/TestTables"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Accounts } from "./Accounts.ts"
import { IdempotencyKeys, keptMs, type KeyClaim, leaseMs } from "./IdempotencyKeys.ts"

const newAccount = Effect.flatMap(
  Accounts,
  (accounts) => accounts.create({ username: "ann", email: "ann@example.com", plan: "free" })
)

const start = Effect.fnUntraced(function*() {
  const keys = yield* IdempotencyKeys
  const { id: accountId } = yield* newAccount
  const ask = (content: number, key = "a key") =>
    keys.claim({ accountId, key, requestHash: new Uint8Array(32).fill(content) })
  const claimed = (content: number, key?: string): Effect.Effect<KeyClaim, unknown> =>
    Effect.flatMap(
      ask(content, key),
      (outcome) => outcome._tag === "Claimed" ? Effect.succeed(outcome.claim) : Effect.fail(outcome._tag)
    )
  return { accountId, ask, claimed, keys }
})

const answer = (body: string) => ({ status: 200, headers: { "content-type": "application/json" }, body })

layer(TestTables.layer, { excludeTestServices: true })("an idempotency key", (it) => {
  it.effect("is claimed by one of those who ask at once, whose answer the others get", () =>
    Effect.gen(function*() {
      const { ask, keys } = yield* start()
      const sql = yield* SqlClient.SqlClient
      const outcomes = yield* Effect.all(Array.from({ length: 8 }, () => ask(1)), { concurrency: "unbounded" })
      const claims = outcomes.flatMap((outcome) => outcome._tag === "Claimed" ? [outcome.claim] : [])
      assert.lengthOf(claims, 1)
      assert.strictEqual(outcomes.filter(({ _tag }) => _tag === "UnderWay").length, 7)
      yield* keys.answer(claims[0]!, answer(`{"secret":"ö whsec_x"}`))
      assert.deepStrictEqual(yield* ask(1), { _tag: "Answered", answer: answer(`{"secret":"ö whsec_x"}`) })
      const [stored] = yield* sql<{ readonly text: string }>`
        SELECT encode(answer, 'escape') AS text FROM idempotency_keys WHERE answer IS NOT NULL`
      assert.notInclude(stored?.text, "whsec_x")
    }).pipe(Effect.provide(TestClock.layer())))

  it.effect("refuses another request, under way or answered, and is each account's own", () =>
    Effect.gen(function*() {
      const { ask, claimed, keys } = yield* start()
      const other = yield* start()
      const claim = yield* claimed(1)
      assert.strictEqual((yield* ask(2))._tag, "Conflict")
      yield* keys.answer(claim, answer("{}"))
      assert.strictEqual((yield* ask(2))._tag, "Conflict")
      assert.strictEqual((yield* other.ask(2))._tag, "Claimed")
      assert.strictEqual((yield* ask(2, "another key"))._tag, "Claimed")
    }).pipe(Effect.provide(TestClock.layer())))

  it.effect("is as good as new once released", () =>
    Effect.gen(function*() {
      const { ask, claimed, keys } = yield* start()
      yield* keys.release(yield* claimed(1))
      assert.strictEqual((yield* ask(2))._tag, "Claimed")
    }).pipe(Effect.provide(TestClock.layer())))

  it.effect("keeps its answer for 24 hours from when it was given", () =>
    Effect.gen(function*() {
      const { ask, claimed, keys } = yield* start()
      const claim = yield* claimed(1)
      yield* TestClock.adjust(leaseMs - 1)
      yield* keys.answer(claim, answer("{}"))
      yield* TestClock.adjust(keptMs - 1)
      assert.strictEqual((yield* ask(1))._tag, "Answered")
      assert.strictEqual((yield* ask(2))._tag, "Conflict")
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* ask(2))._tag, "Claimed")
    }).pipe(Effect.provide(TestClock.layer())))

  it.effect("is held while its claim is renewed, and taken over by one when it no longer is", () =>
    Effect.gen(function*() {
      const { ask, claimed, keys } = yield* start()
      const first = yield* claimed(1)
      yield* TestClock.adjust(leaseMs - 1)
      yield* keys.renew(first)
      yield* TestClock.adjust(leaseMs - 1)
      assert.strictEqual((yield* ask(1))._tag, "UnderWay")
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* ask(2))._tag, "Conflict")
      const outcomes = yield* Effect.all(Array.from({ length: 8 }, () => ask(1)), { concurrency: "unbounded" })
      const second = outcomes.flatMap((outcome) => outcome._tag === "Claimed" ? [outcome.claim] : [])
      assert.lengthOf(second, 1)
      // Whoever was taken for gone changes nothing any more.
      yield* keys.answer(first, answer("first"))
      yield* keys.release(first)
      assert.strictEqual((yield* ask(1))._tag, "UnderWay")
      yield* TestClock.adjust(leaseMs - 1)
      yield* keys.renew(first)
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* ask(1))._tag, "Claimed")
    }).pipe(Effect.provide(TestClock.layer())))

  it.effect("goes from the table in bites when its time is over, and not before", () =>
    Effect.gen(function*() {
      const { ask, claimed, keys } = yield* start()
      yield* TestClock.setTime(10 * keptMs)
      yield* keys.removeExpired(1_000)
      for (const key of ["a", "b", "c"]) yield* keys.answer(yield* claimed(1, key), answer("{}"))
      yield* TestClock.adjust(1)
      yield* keys.answer(yield* claimed(1, "later"), answer("{}"))
      yield* TestClock.adjust(keptMs - 1)
      assert.strictEqual(yield* keys.removeExpired(2), 2)
      assert.strictEqual(yield* keys.removeExpired(2), 1)
      assert.strictEqual(yield* keys.removeExpired(2), 0)
      assert.strictEqual((yield* ask(1, "later"))._tag, "Answered")
    }).pipe(Effect.provide(TestClock.layer())))
})
