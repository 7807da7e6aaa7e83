import { PgClient } from "@effect/sql-pg"
import * as DatabaseClient from "@headwater/log/DatabaseClient"
import { Effect, Layer, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { randomUUID } from "node:crypto"
import { inject } from "vitest"
import type { TestPostgres } from "./TestPostgres.ts"

const configOf = (database: string, maxConnections: number) => {
  const { path, username, password }: TestPostgres = inject("testPostgres")
  return {
    path,
    username,
    password: Redacted.make(password),
    database,
    maxConnections,
    startupParameters: { lock_timeout: "500ms" }
  }
}

/** Creates a database with the current schema and no rows, dropped when the scope closes, and gives its name. */
export const database = Effect.gen(function*() {
  const { database, template } = inject("testPostgres")
  const name = `test_${randomUUID().replaceAll("-", "")}`
  const statement = (run: (sql: PgClient.PgClient) => Effect.Effect<unknown, unknown>) =>
    Effect.scoped(Effect.flatMap(PgClient.make(configOf(database, 1)), run)).pipe(Effect.orDie)
  yield* Effect.acquireRelease(
    // Without fsync, copying the files is faster than writing them through the WAL.
    statement((sql) => sql`CREATE DATABASE ${sql(name)} TEMPLATE ${sql(template)} STRATEGY FILE_COPY`),
    () => statement((sql) => sql`DROP DATABASE ${sql(name)} WITH (FORCE)`)
  )
  return name
})

/** A client of a database of the test's own: current schema, no rows, a real Postgres. */
export const layer = Layer.unwrap(Effect.map(database, (name) => DatabaseClient.layer(configOf(name, 10)))).pipe(
  Layer.provide(Reactivity.layer)
)
