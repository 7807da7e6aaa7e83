import { assert, layer } from "@effect/vitest"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import { Effect, Fiber, Latch } from "effect"
import { SqlClient } from "effect/sql"
import { readTogether } from "./Snapshot.ts"

layer(TestDatabase.layer, { timeout: "60 seconds" })("reads together", (it) => {
  it.effect("see the database as the first of them did, whatever is committed meanwhile", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE TABLE tally (n integer)`
      const count = Effect.map(
        sql<{ readonly n: bigint }>`SELECT count(*) AS n FROM tally`,
        ([row]) => Number(row!.n)
      )
      const looked = yield* Latch.make()
      const inserted = yield* Latch.make()
      const reading = yield* Effect.forkChild(
        readTogether(sql)(
          Effect.all([count, Effect.andThen(looked.open, inserted.await), count])
        )
      )
      yield* looked.await
      yield* sql`INSERT INTO tally VALUES (1)`
      yield* inserted.open
      const [before, , after] = yield* Fiber.join(reading)
      assert.deepStrictEqual([before, after, yield* count], [0, 0, 1])
    }))

  it.effect("write nothing", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE TABLE untouched (n integer)`
      yield* Effect.flip(readTogether(sql)(sql`INSERT INTO untouched VALUES (1)`))
      yield* sql`INSERT INTO untouched VALUES (2)`
      assert.deepStrictEqual(yield* sql`SELECT n FROM untouched`, [{ n: 2 }])
    }))
})
