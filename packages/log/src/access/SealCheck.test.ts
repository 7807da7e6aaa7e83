import { assert, describe, it } from "@effect/vitest"
import { Seal } from "@headwater/domain/Seal"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import keyCopies from "../database/migrations/0018_key_copies.ts"
import { SealCheck } from "./SealCheck.ts"

const sealUnder = (byte: number) => Seal.layer(Redacted.make(new Uint8Array(32).fill(byte)))

const checkUnder = (byte: number) =>
  Effect.map(Layer.build(Layer.fresh(SealCheck.layer).pipe(Layer.provide(sealUnder(byte)))), Context.get(SealCheck))

const sealedUnder = (byte: number, place: string, text: string) =>
  Effect.flatMap(Seal, (seal) => seal.seal(place, Redacted.make(text))).pipe(Effect.provide(sealUnder(byte)))

describe("SealCheck", () => {
  it.effect("opens under the secret that was there first, and under no other", () =>
    Effect.gen(function*() {
      const ours = yield* checkUnder(7)
      const other = yield* checkUnder(8)
      yield* other.verify
      yield* ours.keep
      yield* ours.verify
      for (const asked of [other.verify, other.keep]) assert.strictEqual((yield* Effect.flip(asked))._tag, "SealBroken")
    }).pipe(Effect.provide(TestDatabase.layer)))

  it.effect("takes over from sealed copies of keys, of which the next start leaves none", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql`DROP TABLE seal_check`
      yield* sql`ALTER TABLE api_keys ADD COLUMN sealed bytea`
      yield* sql`INSERT INTO accounts ${
        sql.insert({ id: "u_1", username: "ann", email: "a@b", plan: "free", created_at: 1 })
      }`
      for (const id of ["key_1", "key_2"]) {
        yield* sql`INSERT INTO api_keys ${
          sql.insert({
            id,
            account_id: "u_1",
            name: "",
            hash: Buffer.from(id),
            created_at: 1,
            sealed: yield* sealedUnder(7, `api_keys/${id}`, `hw_${id}`)
          })
        }`
      }
      yield* keyCopies
      const places = Effect.map(
        sql<{ readonly place: string }>`SELECT place FROM seal_check`,
        (rows) => rows.map(({ place }) => place)
      )
      assert.deepStrictEqual(yield* places, ["api_keys/key_2"])
      assert.strictEqual((yield* Effect.flip((yield* checkUnder(8)).keep))._tag, "SealBroken")
      const ours = yield* checkUnder(7)
      yield* ours.keep
      assert.deepStrictEqual(yield* places, ["seal_check"])
      yield* ours.verify
      const columns = yield* sql`
        SELECT 1 FROM information_schema.columns WHERE table_name = 'api_keys' AND column_name = 'sealed'`
      assert.lengthOf(columns, 0)
      assert.lengthOf(yield* sql`SELECT id FROM api_keys`, 2)
    }).pipe(Effect.provide(TestDatabase.layer)))
})
