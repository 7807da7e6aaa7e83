import { assert, layer } from "@effect/vitest"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { describe } from "../database/TransientSqlError.ts"
import { Pipeline } from "./Pipeline.ts"

layer(Pipeline.layer.pipe(Layer.provideMerge(TestDatabase.layer)))("a pipeline", (it) => {
  it.effect("writes all of a transaction, or says that it wrote nothing of it", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { transact } = yield* Pipeline
      yield* sql`CREATE TABLE item (id int PRIMARY KEY)`
      const insert = (id: number) => sql`INSERT INTO item (id) VALUES (${id})`
      const items = Effect.map(sql<{ id: number }>`SELECT id FROM item ORDER BY id`, (rows) => rows.map(({ id }) => id))
      assert.deepStrictEqual(yield* transact([insert(1), insert(2)]), Option.none())
      const refused = yield* transact([insert(3), insert(2), sql`SELECT nothing`, insert(4)])
      assert.match(describe(Option.getOrThrow(refused)), /^duplicate key .* \(SQLSTATE 23505\)$/)
      assert.deepStrictEqual(yield* transact([insert(5)]), Option.none())
      assert.deepStrictEqual(yield* items, [1, 2, 5])
    }))

  it.effect("writes nothing past the end of its transaction", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { transact } = yield* Pipeline
      yield* sql`CREATE TABLE other (id int PRIMARY KEY)`
      const unknown = yield* Effect.exit(transact([sql`COMMIT`, sql`INSERT INTO other (id) VALUES (1)`]))
      assert.strictEqual(unknown._tag, "Failure")
      assert.isTrue(Option.isSome(
        yield* transact([
          sql`INSERT INTO other (id) VALUES (2)`,
          sql`INSERT INTO other (id) VALUES (${Symbol("not to be sent") as never})`
        ])
      ))
      assert.isEmpty(yield* sql`SELECT * FROM other`)
    }))

  it.effect("writes a single statement, or says that it wrote nothing of it, or that it does not know", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { transact } = yield* Pipeline
      yield* sql`CREATE TABLE single (id int PRIMARY KEY)`
      const insert = (id: number) => sql`INSERT INTO single (id) VALUES (${id})`
      assert.deepStrictEqual(yield* transact([insert(1)]), Option.none())
      assert.match(describe(Option.getOrThrow(yield* transact([insert(1)]))), /\(SQLSTATE 23505\)$/)
      const ending = sql`
        WITH written AS (INSERT INTO single (id) VALUES (2) RETURNING id)
        SELECT pg_terminate_backend(pg_backend_pid()) FROM written`
      assert.strictEqual((yield* Effect.exit(transact([ending])))._tag, "Failure")
      assert.deepStrictEqual(yield* transact([insert(3)]), Option.none())
      assert.deepStrictEqual(yield* sql`SELECT id FROM single ORDER BY id`, [{ id: 1 }, { id: 3 }])
    }))

  it.effect("says so where its session is lost, and goes on with another", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { transact } = yield* Pipeline
      yield* sql`CREATE TABLE kept (id int PRIMARY KEY)`
      const lost = yield* Effect.exit(transact([
        sql`INSERT INTO kept (id) VALUES (1)`,
        sql`SELECT pg_terminate_backend(pg_backend_pid())`
      ]))
      assert.strictEqual(lost._tag, "Failure")
      assert.deepStrictEqual(yield* transact([sql`INSERT INTO kept (id) VALUES (2)`]), Option.none())
      assert.deepStrictEqual(yield* sql`SELECT id FROM kept`, [{ id: 2 }])
    }))
})
