/** Vitest's global setup: one real Postgres for the run, with a migrated template that each test's database is cloned from. */
import { NodeServices } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import * as Migrations from "@headwater/log/Migrations"
import { DataDirectory } from "@headwater/postgres/DataDirectory"
import { EmbeddedPostgres } from "@headwater/postgres/EmbeddedPostgres"
import { Context, Effect, Layer, ManagedRuntime, Redacted } from "effect"
import type { TestProject } from "vitest/node"
import * as TemporaryDirectory from "./TemporaryDirectory.ts"

/** What a test needs to reach the run's Postgres. It crosses to the test's process, hence plain values. */
export interface TestPostgres {
  readonly path: string
  readonly username: string
  readonly password: string
  /** The database to connect to for creating others. */
  readonly database: string
  /** The migrated database to clone. */
  readonly template: string
}

declare module "vitest" {
  interface ProvidedContext {
    testPostgres: TestPostgres
  }
}

const template = "headwater_template"

class Provided extends Context.Service<Provided, TestPostgres>()("@headwater/testing/TestPostgres") {
  static readonly layer = Layer.effect(
    Provided,
    Effect.gen(function*() {
      const { connection } = yield* EmbeddedPostgres
      yield* Effect.provide(
        Effect.flatMap(PgClient.PgClient, (sql) => sql`CREATE DATABASE ${sql(template)}`),
        PgClient.layer(connection)
      )
      yield* Effect.provide(Migrations.run, PgClient.layer({ ...connection, database: template }))
      const { path, username, password, database } = connection
      return { path, username, password: Redacted.value(password), database, template }
    })
  )
}

// Nothing of a test run has to survive a power cut.
const postgres = EmbeddedPostgres.layer({
  settings: { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_connections: "300" }
}).pipe(Layer.provide(Layer.unwrap(Effect.map(TemporaryDirectory.makeForDatabase("tests"), DataDirectory.layer))))

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const runtime = ManagedRuntime.make(Provided.layer.pipe(Layer.provide([postgres, NodeServices.layer])))
  try {
    project.provide("testPostgres", await runtime.runPromise(Effect.service(Provided)))
  } catch (cause) {
    await runtime.dispose()
    throw cause
  }
  return () => runtime.dispose()
}
