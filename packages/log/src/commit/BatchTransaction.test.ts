import { assert, it } from "@effect/vitest"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Option } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { lockWaits } from "../../test/LockWaits.ts"
import * as DatabaseClient from "../database/DatabaseClient.ts"
import { Heads } from "../logs/Heads.ts"
import { GroupCommit } from "./GroupCommit.ts"

it.live("does again what a lost connection cut off, once the database has noticed that", () =>
  Effect.gen(function*() {
    const { name, proxy, url } = yield* TestDatabase.proxied()
    const stranger = yield* Effect.map(Layer.build(TestDatabase.layerNamed(name)), Context.get(SqlClient.SqlClient))
    const through = DatabaseClient.layer({ url, startupParameters: { lock_timeout: "200ms" } })
    yield* Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const heads = yield* Heads
      const writer = yield* GroupCommit
      yield* sql`INSERT INTO accounts (id, username, email, plan, created_at) VALUES ('u_a', 'a', 'a@b', 'free', 0)`
      yield* heads.create("dc_a", "u_a")
      const head = Option.getOrThrow(yield* heads.acquire("dc_a"))
      const held = yield* Deferred.make<void>()
      const release = yield* Deferred.make<void>()
      const holding = yield* stranger`SELECT pg_advisory_xact_lock(1)`.pipe(
        Effect.andThen(Deferred.succeed(held, undefined)),
        Effect.andThen(Deferred.await(release)),
        stranger.withTransaction,
        Effect.forkChild
      )
      yield* Deferred.await(held)
      const { durable } = writer.submit({
        head: { ...head, lastId: 1n },
        events: [
          { emitterId: "dc_a", stream: "", id: 1n, n: 1, emitId: "1", hops: 1, meta: {}, payload: "1" }
        ],
        also: Effect.asVoid(
          Effect.andThen(sql`SET LOCAL lock_timeout = '20s'`, sql`SELECT pg_advisory_xact_lock(1)`)
        )
      })
      const outcome = yield* Effect.forkChild(Effect.exit(durable))
      const waits = (count: number) =>
        Effect.provideService(
          lockWaits(count, () => outcome.pollUnsafe() !== undefined),
          SqlClient.SqlClient,
          stranger
        )
      yield* waits(1)
      // The first transaction waits on, with the head's row locked, and the writer meets it more than once.
      proxy.endPresent()
      yield* waits(3)
      yield* Deferred.succeed(release, undefined)
      yield* Fiber.join(holding)
      assert.deepStrictEqual(yield* Fiber.join(outcome), Exit.void)
      assert.deepStrictEqual(Option.map(yield* heads.get("dc_a"), ({ lastId }) => lastId), Option.some(1n))
    }).pipe(Effect.provide(GroupCommit.layer.pipe(Layer.provideMerge(through))))
  }).pipe(Effect.provide(Reactivity.layer)))
