import { assert, describe, it } from "@effect/vitest"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { ConfigProvider, Deferred, Effect, Exit, Fiber, Layer, Logger, Scope } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "./Database.ts"
import * as OperatorDatabase from "./OperatorDatabase.ts"
import { ServerConfig } from "./ServerConfig.ts"

const server = Database.layer.pipe(Layer.provide(Database.dataDirectory), Layer.provide(ServerConfig.layer))

/**
 * Builds `second` while a command uses the database, ends the command when `second` is there or says that it waits, and
 * answers what `second` then reads.
 */
const besideACommand = <E>(second: Layer.Layer<SqlClient.SqlClient, E>) =>
  Effect.gen(function*() {
    const directory = yield* TemporaryDirectory.makeForDatabase("operator")
    const configured = ConfigProvider.layer(ConfigProvider.fromUnknown({ HEADWATER_DATA_DIR: directory }))
    yield* Effect.scoped(Layer.build(server.pipe(Layer.provide(configured))))

    const command = yield* Scope.fork(yield* Effect.scope)
    yield* Layer.buildWithScope(OperatorDatabase.layer.pipe(Layer.provide(configured)), command)
    const waitsOrIsThere = yield* Deferred.make<void>()
    const noticing = Logger.layer([
      Logger.make(({ message }) => {
        if (String(message).startsWith("Waiting")) Deferred.doneUnsafe(waitsOrIsThere, Effect.void)
      })
    ])
    const ended = yield* Deferred.make<void>()
    const reading = yield* SqlClient.SqlClient.pipe(
      Effect.tap(() => Deferred.succeed(waitsOrIsThere, undefined)),
      Effect.tap(() => Deferred.await(ended)),
      Effect.flatMap((sql) => sql`SELECT 1 AS one`),
      Effect.provide(second.pipe(Layer.provide([configured, noticing]))),
      Effect.onError(() => Deferred.succeed(waitsOrIsThere, undefined)),
      Effect.forkScoped
    )
    yield* Deferred.await(waitsOrIsThere)
    yield* Scope.close(command, Exit.void)
    yield* Deferred.succeed(ended, undefined)
    return yield* Fiber.join(reading)
  })

describe("OperatorDatabase", () => {
  it.live(
    "gives the embedded database to one command after the other, none of which loses it in its middle",
    () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* besideACommand(OperatorDatabase.layer), [{ one: 1 }])
      })
  )

  it.live("lets a server that starts meanwhile wait for the command's end", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* besideACommand(server), [{ one: 1 }])
    }))
})
