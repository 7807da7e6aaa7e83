import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Migrations from "./Migrations.ts"

it.live("a database that a newer version has changed is refused, in one line that says so", () =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* Migrations.run
    yield* Migrations.run
    yield* sql`INSERT INTO headwater_migrations (migration_id, name) VALUES (9999, 'later')`
    const refused = yield* Effect.flip(Migrations.run)
    assert.match(
      refused.message,
      /^A newer version of Headwater has changed the database \(its schema is number 9999, [^\n]+$/
    )
  }).pipe(Effect.provide([TestDatabase.layer, NodeServices.layer])))
