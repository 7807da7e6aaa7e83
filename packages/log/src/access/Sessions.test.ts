import { assert, describe, it } from "@effect/vitest"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import { type Duration, Effect, type Fiber, Layer, Option, Redacted } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Accounts } from "./Accounts.ts"
import { ApiKeys } from "./ApiKeys.ts"
import { Sessions } from "./Sessions.ts"

const tables = Layer.mergeAll(Accounts.layer, ApiKeys.layer, Sessions.layer).pipe(
  Layer.provide([SecureRandom.layerWebCrypto, Digest.layerWebCrypto]),
  Layer.provideMerge(TestDatabase.layer)
)

const start = 100

/** A key of a new account, and a session that begins now. */
const signedIn = Effect.gen(function*() {
  yield* TestClock.setTime(start * 1_000)
  const accounts = yield* Accounts
  const keys = yield* ApiKeys
  const account = yield* accounts.create({ username: "ann", email: "ann@example.com", plan: "free" })
  const key = yield* keys.create(account.id, "deploy", { scope: "run" })
  const authenticated = Option.getOrThrow(yield* keys.authenticate(key.key))
  return { account, key, authenticated, ...yield* (yield* Sessions).create(authenticated) }
})

const isLive = (token: Redacted.Redacted) =>
  Effect.flatMap(Sessions, (sessions) => Effect.map(sessions.authenticate(token), Option.isSome))

const test = (name: string, effect: Effect.Effect<void, unknown, Layer.Success<typeof tables>>) =>
  it.effect(name, () => Effect.provide(effect, tables))

describe("a session", () => {
  test(
    "does what its key may do, shows itself, and is nowhere in plain",
    Effect.gen(function*() {
      const { account, id, key, token } = yield* signedIn
      const sessions = yield* Sessions
      assert.match(Redacted.value(token), /^hws_[0-9A-Za-z]{40}$/)
      assert.deepInclude(Option.getOrThrow(yield* sessions.authenticate(token)), {
        id,
        accountId: account.id,
        keyId: key.id,
        scope: "run"
      })
      assert.deepInclude(Option.getOrThrow(yield* sessions.get(id)), {
        username: "ann",
        email: "ann@example.com",
        keyName: "deploy",
        scope: "run",
        createdAt: start,
        expiresAt: start + 12 * 3_600,
        usedAt: start
      })
      for (const text of ["", "hws_unknown", Redacted.value(key.key), `${Redacted.value(token)} `]) {
        assert.isFalse(yield* isLive(Redacted.make(text)))
      }
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ readonly text: string }>`
        SELECT s::text || encode(hash, 'escape') AS text FROM sessions s WHERE id = ${id}`
      assert.notInclude(row!.text, Redacted.value(token).slice(4))
    })
  )

  test(
    "ends after an hour without a request, and after twelve hours with as many as ever",
    Effect.gen(function*() {
      const { authenticated, id, token } = yield* signedIn
      const sessions = yield* Sessions
      const { token: idle } = yield* sessions.create(authenticated)
      for (let minutes = 50; minutes < 12 * 60; minutes += 50) {
        yield* TestClock.setTime((start + minutes * 60) * 1_000)
        assert.isTrue(yield* isLive(token), `after ${minutes} minutes`)
        if (minutes === 50) continue
        assert.isFalse(yield* isLive(idle))
      }
      yield* TestClock.setTime((start + 12 * 3_600) * 1_000 - 1)
      assert.isTrue(yield* isLive(token))
      yield* TestClock.setTime((start + 12 * 3_600) * 1_000)
      assert.isFalse(yield* isLive(token))
      assert.isTrue(Option.isNone(yield* sessions.get(id)))
    })
  )

  test(
    "has its last use noted once a minute at most",
    Effect.gen(function*() {
      const { id, token } = yield* signedIn
      const sessions = yield* Sessions
      const usedAfter = Effect.fnUntraced(function*(seconds: number) {
        yield* TestClock.setTime((start + seconds) * 1_000)
        yield* sessions.authenticate(token)
        return Option.getOrThrow(yield* sessions.get(id)).usedAt - start
      })
      const used = yield* Effect.forEach([30, 59, 60, 90, 119, 121], usedAfter)
      assert.deepStrictEqual(used, [0, 0, 60, 60, 60, 121])
    })
  )

  test(
    "ends when somebody signs out, at once, and with its key within a second: revoked, rotated out, or expired",
    Effect.gen(function*() {
      const { account, authenticated, id, key, token } = yield* signedIn
      const sessions = yield* Sessions
      const keys = yield* ApiKeys
      const { token: second } = yield* sessions.create(authenticated)
      assert.isTrue(yield* isLive(token))
      yield* sessions.end(id)
      assert.isFalse(yield* isLive(token))
      assert.isTrue(yield* isLive(second))
      yield* keys.rotate(account.id, key.id, 60)
      yield* TestClock.adjust("59 seconds")
      assert.isTrue(yield* isLive(second))
      yield* TestClock.adjust("1 second")
      assert.isFalse(yield* isLive(second))
      const other = yield* keys.create(account.id, "other")
      const { token: third } = yield* sessions.create(Option.getOrThrow(yield* keys.authenticate(other.key)))
      assert.isTrue(yield* isLive(third))
      yield* keys.revoke(account.id, other.id)
      yield* TestClock.adjust("1 second")
      assert.isFalse(yield* isLive(third))
    })
  )

  test(
    "tells who waits for its end, within a second: of its key, of its account's suspension, of its last hour",
    Effect.gen(function*() {
      const { account, authenticated, key } = yield* signedIn
      const sessions = yield* Sessions
      const accounts = yield* Accounts
      const keys = yield* ApiKeys
      const waiting = Effect.gen(function*() {
        const { token } = yield* sessions.create(authenticated)
        return yield* Effect.forkChild(sessions.awaitEnd(token), { startImmediately: true })
      })
      const sql = yield* SqlClient.SqlClient
      const look = Effect.andThen(TestClock.adjust("500 millis"), TestClock.withLive(Effect.sleep("100 millis")))
      /** Gives what was woken its time to ask the database. */
      const hasEnded = (fiber: Fiber.Fiber<unknown>, patience: Duration.Input) =>
        TestClock.withLive(
          Effect.andThen(Effect.sleep("5 millis"), Effect.sync(() => fiber.pollUnsafe() !== undefined)).pipe(
            Effect.repeat({ until: (ended) => ended }),
            Effect.timeoutOption(patience),
            Effect.map(Option.isSome)
          )
        )
      const endsAfter = Effect.fnUntraced(function*(fiber: Fiber.Fiber<unknown>, end: Effect.Effect<unknown, unknown>) {
        yield* look
        assert.isUndefined(fiber.pollUnsafe())
        yield* end
        // Sooner than that a look is under way that began before it.
        yield* TestClock.adjust("500 millis")
        if (yield* hasEnded(fiber, "100 millis")) return
        yield* TestClock.adjust("500 millis")
        assert.isTrue(yield* hasEnded(fiber, "20 seconds"))
      })
      yield* endsAfter(yield* waiting, sql`UPDATE sessions SET used_at = used_at - 3600`)
      yield* endsAfter(yield* waiting, accounts.suspend(account.id))
      yield* accounts.resume(account.id)
      yield* endsAfter(yield* waiting, keys.revoke(account.id, key.id))
      yield* sessions.removeEnded
      assert.deepStrictEqual(yield* sql`SELECT id FROM sessions`, [])
    })
  )

  test(
    "is one of a hundred at most: the oldest of an account ends for one more",
    Effect.gen(function*() {
      const { authenticated, token } = yield* signedIn
      const sessions = yield* Sessions
      const others = yield* Effect.forEach(
        Array.from({ length: 99 }),
        () => Effect.andThen(TestClock.adjust("1 milli"), sessions.create(authenticated))
      )
      assert.isTrue(yield* isLive(token))
      yield* TestClock.adjust("2 seconds")
      yield* sessions.create(authenticated)
      assert.isFalse(yield* isLive(token))
      assert.isTrue(yield* isLive(others[0]!.token))
    })
  )
})
