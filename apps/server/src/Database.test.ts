import { assert, it } from "@effect/vitest"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { ConfigProvider, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as Database from "./Database.ts"
import { ServerConfig } from "./ServerConfig.ts"

it.live(
  "the embedded database keeps as much as it is told to, notes what, and takes the connections of all workers",
  () =>
    Effect.gen(function*() {
      const directory = yield* TemporaryDirectory.makeForDatabase("cache")
      const settings = { HEADWATER_DATA_DIR: directory, HEADWATER_DATABASE_CACHE: "48", HEADWATER_WORKERS: "32" }
      const database = Database.layer.pipe(
        Layer.provide(Database.dataDirectory),
        Layer.provide(ServerConfig.layer),
        Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(settings)))
      )
      const shown = yield* Effect.provide(
        Effect.flatMap(SqlClient.SqlClient, (sql) =>
          sql`SELECT current_setting('shared_buffers') AS cache, current_setting('max_connections') AS connections`),
        database
      )
      assert.deepStrictEqual(shown, [{ cache: "48MB", connections: String(32 * (8 + 2) + 58) }])
      const noted = yield* Effect.promise(() =>
        Fs.readFile(Path.join(directory, "postgres/autoprewarm.blocks"), "utf8")
      )
      assert.match(noted, /^<<[1-9]\d*>>/)
    })
)

it.live("a database that can't be reached is told by the name of its setting, without the password", () =>
  Effect.gen(function*() {
    const settings = {
      HEADWATER_DATA_DIR: yield* TemporaryDirectory.make("unreached"),
      DATABASE_URL: "postgres://headwater:hunter2@127.0.0.1:1/events",
      HEADWATER_SECRET_KEY: Buffer.alloc(32, 7).toString("base64")
    }
    const database = Database.layer.pipe(
      Layer.provide(Database.dataDirectory),
      Layer.provide(ServerConfig.layer),
      Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(settings)))
    )
    const error = yield* Effect.flip(Effect.scoped(Layer.build(database)))
    assert.match(
      error.message,
      /^DATABASE_URL: Postgres at 127\.0\.0\.1:1 can't be reached or refuses the connection: .*ECONNREFUSED/
    )
    assert.notInclude(error.message, "hunter2")
  }))
