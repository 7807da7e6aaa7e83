import { assert, it } from "@effect/vitest"
import { OnBehalfOf } from "@headwater/domain/OnBehalfOf"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import { Clock, Context, Deferred, Effect, Fiber, Layer, Option } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { Commit } from "../commit/Commit.ts"
import { batchDeadlineMs, GroupCommit } from "../commit/GroupCommit.ts"
import { Heads } from "../logs/Heads.ts"
import * as DatabaseClient from "./DatabaseClient.ts"
import { isTransient } from "./TransientSqlError.ts"

const proxied = Effect.map(TestDatabase.proxied(), ({ name, proxy, url }) => ({
  name,
  proxy,
  config: { url, startupParameters: { idle_in_transaction_session_timeout: "1s" } }
}))

/** Another client of a database. */
const otherClient = (name: string) =>
  Effect.map(
    Layer.build(TestDatabase.layerNamed(name).pipe(Layer.provide(Reactivity.layer))),
    Context.get(SqlClient.SqlClient)
  )

/** Time passes by the clock, 20 times as fast as the database answers. */
const timePasses = Effect.forever(
  Effect.andThen(TestClock.withLive(Effect.sleep("20 millis")), TestClock.adjust("400 millis"))
)

const on = <A, E, R>(config: Parameters<typeof DatabaseClient.layer>[0], test: Effect.Effect<A, E, R>) =>
  Effect.raceFirst(test, timePasses).pipe(
    Effect.provide(GroupCommit.layer.pipe(Layer.provideMerge(DatabaseClient.layer(config))))
  )

it.effect(
  "a database that vanishes without a word holds up commits for the deadline of a batch, and loses none",
  () =>
    Effect.gen(function*() {
      const { config, proxy } = yield* proxied
      yield* on(
        config,
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const heads = yield* Heads
          const writer = yield* GroupCommit
          yield* sql`INSERT INTO accounts (id, username, email, plan, created_at) VALUES ('u_a', 'a', 'a@b', 'free', 0)`
          yield* heads.create("dc_a", "u_a")
          const head = Option.getOrThrow(yield* heads.acquire("dc_a"))
          const commit = (n: number): Commit => ({
            head: { ...head, lastId: BigInt(n) },
            events: [
              { emitterId: "dc_a", stream: "", id: BigInt(n), n, emitId: `${n}`, hops: 1, meta: {}, payload: "1" }
            ]
          })
          const submit = (n: number) =>
            writer.submit(n % 2 === 0 ? { ...commit(n), also: Effect.void } : commit(n)).durable
          yield* submit(1)
          yield* submit(2)
          // A batch and a commit beside it, on all connections that there are.
          for (const last of [4, 6]) {
            proxy.hold()
            const began = yield* Clock.currentTimeMillis
            const committing = yield* Effect.forkChild(Effect.all([submit(last - 1), submit(last)]))
            yield* Effect.sleep(batchDeadlineMs - 1_000)
            assert.isUndefined(committing.pollUnsafe())
            // Present connections stay held: the commits end once the client has given these up.
            proxy.release({ present: false })
            yield* Fiber.join(committing)
            const took = (yield* Clock.currentTimeMillis) - began
            assert.isBelow(took, 60_000)
            assert.isBelow(writer.ageMs(), batchDeadlineMs)
          }
          assert.deepStrictEqual(Option.map(yield* heads.get("dc_a"), ({ lastId }) => lastId), Option.some(6n))
        })
      )
    }).pipe(Effect.provide(TestClock.layer()))
)

it.effect(
  "a statement that is not answered for longer than Postgres lets one run fails, and the next is answered",
  () =>
    Effect.gen(function*() {
      const { config, proxy } = yield* proxied
      yield* on(
        config,
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          yield* sql`SELECT 1`
          proxy.hold()
          const began = yield* Clock.currentTimeMillis
          const error = yield* Effect.flip(sql`SELECT 1`)
          proxy.release({ present: false })
          assert.strictEqual(error.reason._tag, "ConnectionError")
          const took = (yield* Clock.currentTimeMillis) - began
          assert.isAbove(took, 60_000)
          assert.isBelow(took, 90_000)
          assert.deepStrictEqual(yield* sql`SELECT 1 AS one`, [{ one: 1 }])
        })
      )
    }).pipe(Effect.provide(TestClock.layer()))
)

it.effect(
  "a statement on a suspect connection fails once that was silent for 10 seconds, and one on a connection that spoke since does not",
  () =>
    Effect.gen(function*() {
      const { config, name, proxy } = yield* proxied
      const blocker = yield* otherClient(name)
      yield* on(
        { ...config, maxConnections: 1 },
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const sockets = yield* DatabaseClient.DatabaseSockets
          yield* sql`SELECT 1`
          yield* sockets.suspect
          yield* sql`SELECT 1`
          yield* Effect.sleep("10 seconds")
          const isLocked = yield* Deferred.make<void>()
          yield* Effect.forkChild(blocker.withTransaction(
            Effect.gen(function*() {
              yield* blocker`SELECT pg_advisory_xact_lock(1)`
              yield* Deferred.succeed(isLocked, undefined)
              yield* Effect.sleep("16 seconds")
            })
          ))
          yield* Deferred.await(isLocked)
          yield* sql`SELECT pg_advisory_lock_shared(1)`

          proxy.hold()
          const lost = yield* Effect.forkChild(Effect.flip(sql`SELECT 1`))
          yield* Effect.sleep("2 seconds")
          proxy.release({ present: false })
          yield* sockets.suspect
          const suspected = yield* Clock.currentTimeMillis
          assert.strictEqual((yield* Fiber.join(lost)).reason._tag, "ConnectionError")
          assert.isBelow((yield* Clock.currentTimeMillis) - suspected, 20_000)
          assert.deepStrictEqual(yield* sql`SELECT 1 AS one`, [{ one: 1 }])
        })
      )
    }).pipe(Effect.provide(TestClock.layer()))
)

it.effect("an account's statements take turns with others', however many of them wait", () =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [database] = yield* sql<{ name: string }>`SELECT current_database() AS name`
    const blocker = yield* otherClient(database!.name)
    const answered: Array<string> = []
    const ask = Effect.fnUntraced(function*(accountId: string, statement: Effect.Effect<unknown, unknown>) {
      yield* Effect.provideService(statement, OnBehalfOf, accountId)
      answered.push(accountId)
    })
    const blocked = yield* blocker.withTransaction(Effect.gen(function*() {
      yield* blocker`SELECT pg_advisory_xact_lock(1)`
      const waiting = sql`SELECT pg_advisory_lock_shared(1), pg_advisory_unlock_shared(1)`
      const statements = yield* Effect.forEach(Array.from({ length: 100 }), (_, n) =>
        Effect.forkChild(ask("ann", n % 2 === 0 ? waiting : sql.withTransaction(waiting)), { startImmediately: true }))
      yield* ask("bob", sql`SELECT 1`)
      yield* ask("cleo", sql.withTransaction(sql`SELECT 1`))
      yield* ask("", sql`SELECT 1`)
      assert.deepStrictEqual(answered, ["bob", "cleo", ""])
      return statements
    }))
    yield* Effect.forEach(blocked, Fiber.join)
    assert.lengthOf(answered, 103)
  }).pipe(Effect.provide(TestDatabase.layerEmpty)))

it.effect("an answer that is larger than any before is read, however large Postgres can make one row", () =>
  Effect.gen(function*() {
    const [row] = yield* (yield* SqlClient.SqlClient)<{ readonly text: string }>`SELECT repeat('12345678', ${
      5 * 1024 * 1024
    }) AS text`
    assert.lengthOf(row!.text, 40 * 1024 * 1024)
  }).pipe(Effect.provide(TestDatabase.layer)))

it.effect("an answer that is too large for the client is told as what comes back each time, and the next is answered", () =>
  Effect.gen(function*() {
    const { config } = yield* proxied
    yield* on(
      { ...config, maxMessageSize: 100_000 },
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const error = yield* Effect.flip(sql`SELECT repeat('x', 200000) AS text`)
        assert.isFalse(isTransient(error), String(error.reason.cause))
        assert.deepStrictEqual(yield* sql`SELECT 1 AS one`, [{ one: 1 }])
      })
    )
  }).pipe(Effect.provide(TestClock.layer())))

it.live("a transaction over a table that a migration has changed fails as one that can be tried again, and then succeeds", () =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* sql`CREATE TABLE changed (one integer)`
    const connection = yield* sql.reserve
    const ask = connection.execute("SELECT * FROM changed", [], undefined)
    const inTransaction = connection.execute("BEGIN", [], undefined).pipe(
      Effect.andThen(ask),
      Effect.ensuring(Effect.orDie(connection.execute("ROLLBACK", [], undefined)))
    )
    yield* inTransaction
    yield* sql`ALTER TABLE changed ADD COLUMN two integer`
    assert.isTrue(isTransient(yield* Effect.flip(inTransaction)))
    yield* inTransaction
  }).pipe(Effect.scoped, Effect.provide(TestDatabase.layer)))
