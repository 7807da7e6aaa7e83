import { assert, describe, it } from "@effect/vitest"
import { entryBytes } from "@headwater/domain/RunFile"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import { Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Accounts } from "../access/Accounts.ts"
import { StoredFiles } from "./StoredFiles.ts"

const tables = Layer.mergeAll(Accounts.layer, StoredFiles.layer).pipe(
  Layer.provide(SecureRandom.layerWebCrypto),
  Layer.provideMerge(TestDatabase.layer)
)

const newAccount = Effect.map(
  Effect.flatMap(Accounts, (accounts) => accounts.create({ username: "ann", email: "ann@example.com", plan: "free" })),
  ({ id }) => id
)

const bytes = Buffer.from("text")

const contents = Effect.map(
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ readonly content: string }>`SELECT content FROM stored_file_parts ORDER BY content, place`
  ),
  (rows) => rows.map(({ content }) => content)
)

describe("StoredFiles", () => {
  it.effect("keeps a file that is put and written twice, as where the answer of the database is lost", () =>
    Effect.gen(function*() {
      const files = yield* StoredFiles
      const ann = yield* newAccount
      const file = { path: "a", size: 4, contentType: null, content: "one", sha256: "of one" }
      for (const part of [bytes, Buffer.from("late")]) {
        yield* files.putPart(ann, { content: "one", place: 0, bytes: part })
      }
      for (const _ of [1, 2]) yield* files.write(ann, file)
      assert.deepStrictEqual(Option.getOrThrow(yield* files.at(ann, "a")).content, "one")
      assert.deepStrictEqual(yield* files.part(ann, "one", 0), new Uint8Array(bytes))
      assert.strictEqual(yield* files.bytesOf(ann), 4 + entryBytes)
    }).pipe(Effect.provide(tables)))

  it.effect("removes bytes with the file that has them, and those that have been without one for an hour", () =>
    Effect.gen(function*() {
      const files = yield* StoredFiles
      const ann = yield* newAccount
      const put = (content: string) => files.putPart(ann, { content, place: 0, bytes })
      const write = (path: string, content: string) =>
        Effect.andThen(
          put(content),
          files.write(ann, { path, size: 4, contentType: null, content, sha256: `of ${content}` })
        )
      yield* put("stray")
      yield* write("a", "first")
      yield* write("b", "other")
      yield* write("a", "second")
      assert.deepStrictEqual(yield* contents, ["other", "second", "stray"])
      yield* files.remove(ann, "b")
      yield* TestClock.adjust("50 minutes")
      yield* put("young")
      yield* files.removeStray(50 * 60_000)
      assert.deepStrictEqual(yield* contents, ["second", "stray", "young"])
      yield* files.removeStray(61 * 60_000)
      assert.deepStrictEqual(yield* contents, ["second", "young"])
      yield* files.removeStray(111 * 60_000)
      assert.deepStrictEqual(yield* contents, ["second"])
    }).pipe(Effect.provide(tables)))
})
