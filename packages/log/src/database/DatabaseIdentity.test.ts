import { assert, layer } from "@effect/vitest"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as DatabaseIdentity from "./DatabaseIdentity.ts"

layer(TestDatabase.layer, { timeout: "60 seconds" })("the identity of a database", (it) => {
  it.effect("differs with each of its parts, and with none that is not known", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const isCopy = (directory: string | null) =>
        Effect.map(Effect.option(Effect.flip(DatabaseIdentity.verify(directory))), Option.isSome)
      assert.isFalse(yield* isCopy("/data"), "where nothing has worked yet")
      yield* DatabaseIdentity.note("/data")
      assert.isFalse(yield* isCopy("/data"))
      assert.isFalse(yield* isCopy(null))
      assert.isTrue(yield* isCopy("/other"))
      yield* sql`UPDATE database_identity SET system_identifier = NULL`
      assert.isFalse(yield* isCopy("/data"), "where the system identifier may not be asked for")
      yield* sql`UPDATE database_identity SET system_identifier = '1'`
      assert.isTrue(yield* isCopy("/data"))
      yield* DatabaseIdentity.note("/data")
      yield* sql`UPDATE database_identity SET database_oid = 1`
      assert.isTrue(yield* isCopy("/data"))
      yield* DatabaseIdentity.note("/data")
      assert.isFalse(yield* isCopy("/data"), "where it has been taken over")
    }))
})
