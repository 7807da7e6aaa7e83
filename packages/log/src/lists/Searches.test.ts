import { assert, layer } from "@effect/vitest"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { isTooLong, longestSearchMs, Searches } from "./Searches.ts"

layer(Searches.layer.pipe(Layer.provideMerge(TestDatabase.layerEmpty)))("searches", (it) => {
  it.effect("are one of an account at a time, and two of all", () =>
    Effect.gen(function*() {
      const searches = yield* Searches
      const begun: Array<string> = []
      const search = Effect.fnUntraced(function*(accountId: string) {
        const [isBegun, mayEnd] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const fiber = yield* Effect.forkChild(
          searches.run(
            accountId,
            Effect.gen(function*() {
              begun.push(accountId)
              yield* Deferred.succeed(isBegun, undefined)
              yield* Deferred.await(mayEnd)
            })
          ),
          { startImmediately: true }
        )
        return {
          isBegun: Deferred.await(isBegun),
          end: Effect.andThen(Deferred.succeed(mayEnd, undefined), Fiber.join(fiber))
        }
      })
      const [ann, annAgain, bob, cleo] = yield* Effect.forEach(["ann", "ann", "bob", "cleo"], search)
      yield* Effect.all([ann!.isBegun, bob!.isBegun])
      assert.deepStrictEqual(begun.toSorted(), ["ann", "bob"])
      yield* bob!.end
      yield* cleo!.isBegun
      assert.deepStrictEqual(begun.toSorted(), ["ann", "bob", "cleo"])
      yield* ann!.end
      yield* annAgain!.isBegun
      yield* Effect.all([annAgain!.end, cleo!.end])
    }))

  it.effect("take no longer than they may, and say so", () =>
    Effect.gen(function*() {
      const searches = yield* Searches
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* searches.run(
        "ann",
        sql<{ limit: string }>`SELECT current_setting('statement_timeout') AS limit`
      )
      assert.strictEqual(row!.limit, `${longestSearchMs / 1_000}s`)
      const long = Effect.andThen(sql`SET LOCAL statement_timeout = 1`, sql`SELECT pg_sleep(10)`)
      assert.isTrue(isTooLong(yield* Effect.flip(searches.run("ann", long))))
    }))
})
