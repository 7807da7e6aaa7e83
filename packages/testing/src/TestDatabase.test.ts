import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as TestDatabase from "./TestDatabase.ts"

const names = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ name: string }>`SELECT datname AS name FROM pg_database WHERE datname LIKE 'test\\_%'`,
    (rows) => rows.map(({ name }) => name)
  )

const ownName = Effect.flatMap(SqlClient.SqlClient, (sql) => sql<{ name: string }>`SELECT current_database() AS name`)
  .pipe(Effect.map((rows) => rows[0]?.name ?? ""))

describe("TestDatabase", () => {
  it.effect("gives a migrated database", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ count: number }>`SELECT count(*)::int AS count FROM headwater_migrations`
      assert.isAbove(row?.count ?? 0, 0)
    }).pipe(Effect.provide(TestDatabase.layer)))

  it.effect("gives each layer a database of its own and drops it afterwards", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const other = yield* ownName.pipe(Effect.provide(TestDatabase.layer, { local: true }))
      const own = yield* ownName
      assert.notStrictEqual(other, own)
      const present = yield* names(sql)
      assert.include(present, own)
      assert.notInclude(present, other)
    }).pipe(Effect.provide(TestDatabase.layer)))
})
