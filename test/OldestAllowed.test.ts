import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import * as Migrations from "@headwater/log/database/Migrations"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { node } from "./ClusterNodes.ts"

layer(Layer.merge(TestDatabase.layer, NodeServices.layer), { excludeTestServices: true })(
  "a node",
  (it) => {
    it.effect(
      "stops for a later version that it can't be beside, says why, and does not start again",
      () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const server = yield* node
          yield* server.start
          const later = Migrations.make({
            migrations: { "9999_later": sql`CREATE TABLE later ()` },
            oldestBeside: 9999
          })
          assert.match((yield* Effect.flip(later.run)).message, /^Servers of an older version run on this database/)
          yield* later.runForServer
          // It left before the migrations; its process may take a moment more.
          assert.strictEqual(yield* Effect.timeout(server.ended, "40 seconds"), 1)
          const said =
            /"level":"FATAL","message":"This version of Headwater .* is too old for the database: version [\d.]+ has/
          assert.match(server.output(), said)
          assert.match(server.output(), /"message":"Headwater has stopped"/)
          assert.match((yield* Effect.flip(server.start)).message, said)
        })
    )
  }
)
