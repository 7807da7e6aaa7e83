import { assert, layer } from "@effect/vitest"
import type { AccountId } from "@headwater/domain/Id"
import { partBytes, partsOf } from "@headwater/domain/RunFile"
import { largeBytes, partsOfObject } from "@headwater/domain/StoredFile"
import * as ObjectStore from "@headwater/fixtures/ObjectStore"
import { StoredFiles } from "@headwater/log/resources/StoredFiles"
import { Context, Effect, Exit, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as EngineFixture from "../test/EngineFixture.ts"
import { AccountErasure } from "./AccountErasure.ts"
import * as FileMoving from "./FileMoving.ts"
import * as FileBucketS3 from "./ground/FileBucketS3.ts"
import * as FileStore from "./program/FileStore.ts"

/** The requests that the bucket refuses: those whose method and path match. */
let refused: RegExp | undefined

class Store extends Context.Service<Store, ObjectStore.ObjectStore>()("FileMovingStore") {
  static readonly layer = Layer.effect(
    Store,
    Effect.gen(function*() {
      const store: ObjectStore.ObjectStore = yield* ObjectStore.make(
        ["files-of-all"],
        (count) => refused?.test(store.requests[count]!) ? 503 : undefined
      )
      return store
    })
  )
}

const bucket = Layer.unwrap(
  Effect.map(Store, ({ url }) =>
    FileBucketS3.layer({
      endpoint: url,
      bucket: "files-of-all",
      region: ObjectStore.access.region,
      accessKeyId: ObjectStore.access.accessKeyId,
      secretAccessKey: Redacted.make(ObjectStore.access.secretAccessKey)
    }))
)

const live = AccountErasure.layer.pipe(
  Layer.provideMerge(EngineFixture.layerNoSandbox),
  Layer.provideMerge(bucket),
  Layer.provideMerge(Store.layer)
)

/** A file of two objects, with bytes that are not everywhere the same. */
const large = Buffer.alloc(partsOfObject * partBytes + 3 * partBytes + 7, "0123456789abc")

let written = 0

const write = Effect.fnUntraced(function*(accountId: AccountId, path: string, bytes: Buffer) {
  const files = yield* StoredFiles
  const content = `content-${written++}`
  for (let place = 0; place < Math.max(1, partsOf(bytes.length)); place++) {
    yield* files.putPart(accountId, {
      content,
      place,
      bytes: bytes.subarray(place * partBytes, (place + 1) * partBytes)
    })
  }
  return yield* files.write(accountId, { path, size: bytes.length, contentType: null, content, sha256: "0" })
})

const read = Effect.fnUntraced(function*(accountId: AccountId, path: string) {
  const files = yield* StoredFiles
  const { content, size } = Option.getOrThrow(yield* files.at(accountId, path))
  const parts: Array<Uint8Array> = []
  for (let place = 0; place < partsOf(size); place++) parts.push((yield* files.part(accountId, content, place))!)
  return Buffer.concat(parts)
})

/** Parts in the database, and objects that are to go. */
const rows = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly parts: bigint; readonly unwanted: bigint }>`
    SELECT (SELECT count(*) FROM stored_file_parts) AS parts, (SELECT count(*) FROM unwanted_objects) AS unwanted`
  return { parts: Number(row!.parts), unwanted: Number(row!.unwanted) }
})

layer(live, { timeout: "60 seconds", excludeTestServices: true })("large files", (it) => {
  it.effect("are moved into the bucket, read from there, and leave it with the file, however that goes", () =>
    EngineFixture.onTestClock(Effect.gen(function*() {
      const files = yield* StoredFiles
      const { objects } = yield* Store
      const { id } = yield* EngineFixture.account
      yield* write(id, "large", large)
      yield* write(id, "small", large.subarray(0, largeBytes))
      const before = yield* files.bytesOf(id)
      yield* FileMoving.sweep
      assert.strictEqual(objects.size, 2)
      assert.deepStrictEqual(yield* rows, { parts: 4, unwanted: 0 })
      assert.strictEqual(yield* files.bytesOf(id), before)
      assert.isTrue((yield* read(id, "large")).equals(large))
      assert.isTrue((yield* read(id, "small")).equals(large.subarray(0, largeBytes)))
      const { content, size } = Option.getOrThrow(yield* files.at(id, "large"))
      assert.isUndefined(yield* files.part(id, content, partsOf(size)))
      // As where the answer of the database was lost.
      yield* files.write(id, { path: "large", size, contentType: null, content, sha256: "0" })
      assert.isTrue((yield* read(id, "large")).equals(large))
      yield* write(id, "large", Buffer.from("new"))
      assert.strictEqual((yield* read(id, "large")).toString(), "new")
      yield* FileMoving.sweep
      assert.strictEqual(objects.size, 0)
      for (
        const remove of [
          files.remove(id, "large"),
          files.removeBelow(id, ""),
          Effect.flatMap(AccountErasure, ({ erase }) => EngineFixture.whileTimePasses(erase(id)))
        ]
      ) {
        yield* write(id, "large", large)
        yield* FileMoving.sweep
        assert.strictEqual(objects.size, 2)
        yield* remove
        yield* FileMoving.sweep
        assert.strictEqual(objects.size, 0)
      }
      assert.deepStrictEqual(yield* rows, { parts: 0, unwanted: 0 })
    })))

  it.effect("stay in the database while the bucket does not take them, and leave nothing there of a move that was cut off", () =>
    EngineFixture.onTestClock(Effect.gen(function*() {
      const { objects } = yield* Store
      const { id } = yield* EngineFixture.account
      yield* write(id, "large", large)
      refused = /^PUT .*\/1$/
      assert.isTrue(Exit.isFailure(yield* Effect.exit(FileMoving.sweep)))
      assert.strictEqual(objects.size, 1)
      assert.isTrue((yield* read(id, "large")).equals(large))
      refused = undefined
      yield* FileMoving.sweep
      assert.strictEqual(objects.size, 3)
      assert.isTrue((yield* read(id, "large")).equals(large))
      yield* TestClock.adjust("1 hour")
      yield* FileMoving.sweep
      assert.strictEqual(objects.size, 2)
      assert.deepStrictEqual(yield* rows, { parts: 0, unwanted: 0 })
    })))

  it.effect("leave nothing behind while the bucket takes nothing", () =>
    EngineFixture.onTestClock(Effect.gen(function*() {
      const store = yield* Store
      const { id } = yield* EngineFixture.account
      yield* write(id, "one", large)
      yield* write(id, "two", large)
      const { unwanted } = yield* rows
      const before = store.requests.length
      refused = /^PUT/
      assert.isTrue(Exit.isFailure(yield* Effect.exit(FileMoving.sweep)))
      refused = undefined
      assert.lengthOf(store.requests.slice(before).filter((request) => request.startsWith("PUT")), 1)
      assert.strictEqual((yield* rows).unwanted, unwanted)
      const kept = store.objects.size
      yield* FileMoving.sweep
      assert.strictEqual(store.objects.size, kept + 4)
      yield* (yield* StoredFiles).removeBelow(id, "")
      yield* FileMoving.sweep
      assert.strictEqual(store.objects.size, kept)
    })))

  it.effect("are removed later if the bucket does not answer, and can't be read in the meantime", () =>
    EngineFixture.onTestClock(Effect.gen(function*() {
      const files = yield* StoredFiles
      const { objects } = yield* Store
      const { id } = yield* EngineFixture.account
      const { content } = yield* write(id, "large", large)
      yield* FileMoving.sweep
      const kept = objects.size
      refused = /./
      const store = (yield* FileStore.make)(id)
      const asked = yield* EngineFixture.whileTimePasses(
        store({ _tag: "StoredRead", run: "run_a", ask: 1, content, place: 0 })
      )
      assert.strictEqual(asked.error?.code, "EIO")
      yield* files.remove(id, "large")
      assert.isTrue(Exit.isFailure(yield* Effect.exit(FileMoving.sweep)))
      refused = undefined
      yield* FileMoving.sweep
      assert.strictEqual(objects.size, kept)
      yield* TestClock.adjust("1 minute")
      yield* FileMoving.sweep
      assert.strictEqual(objects.size, kept - 2)
    })))
})
