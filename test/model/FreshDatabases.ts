import { NodeServices } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import * as DatabaseClient from "@headwater/log/database/DatabaseClient"
import * as Migrations from "@headwater/log/database/Migrations"
import { DataDirectory } from "@headwater/postgres/DataDirectory"
import { EmbeddedPostgres } from "@headwater/postgres/EmbeddedPostgres"
import { Context, Effect, Layer, type Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlError } from "effect/sql"
import { randomUUID } from "node:crypto"

/** A Postgres of this process, with a migrated database that others are copied from. */
export class FreshDatabases extends Context.Service<FreshDatabases, {
  /** A client of a database with nothing in it, which goes with the scope. */
  readonly client: Effect.Effect<Context.Context<DatabaseClient.DatabaseClient>, SqlError.SqlError, Scope.Scope>
}>()("@headwater/test/FreshDatabases") {
  static readonly layer = Layer.effect(
    FreshDatabases,
    Effect.gen(function*() {
      const { connection } = yield* EmbeddedPostgres
      const clientTo = (database: string, maxConnections: number) =>
        DatabaseClient.make({ ...connection, database, maxConnections, startupParameters: { lock_timeout: "2s" } })
          .pipe(
            Effect.provide(Reactivity.layer)
          )
      const admin = Context.get(yield* clientTo(connection.database, 1), PgClient.PgClient)
      yield* admin`CREATE DATABASE template`
      yield* Effect.provide(Migrations.run, [
        PgClient.layer({ ...connection, database: "template" }),
        NodeServices.layer
      ])
      return FreshDatabases.of({
        client: Effect.gen(function*() {
          const name = `model_${randomUUID().replaceAll("-", "")}`
          yield* Effect.acquireRelease(
            admin`CREATE DATABASE ${admin(name)} TEMPLATE template STRATEGY FILE_COPY`,
            () => Effect.orDie(admin`DROP DATABASE ${admin(name)} WITH (FORCE)`)
          )
          return yield* clientTo(name, 10)
        })
      })
    })
  ).pipe(
    // Nothing of it has to survive a power cut.
    Layer.provide(
      EmbeddedPostgres.layer({ settings: { fsync: "off", full_page_writes: "off", max_connections: "200" } })
    ),
    Layer.provide(Layer.unwrap(Effect.map(
      TemporaryDirectory.makeForDatabase("model"),
      DataDirectory.layer
    )))
  )
}
