import { assert, describe, it } from "@effect/vitest"
import * as Id from "@headwater/domain/Id"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import { Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Accounts } from "../access/Accounts.ts"
import { Components, type PublishableComponent } from "./Components.ts"

const tables = Layer.mergeAll(Accounts.layer, Components.layer).pipe(
  Layer.provideMerge(SecureRandom.layerWebCrypto),
  Layer.provideMerge(TestDatabase.layer)
)

const version = Effect.fnUntraced(function*(key: string, codeHash: string) {
  yield* TestClock.adjust("1 millis")
  const component: PublishableComponent = {
    id: Id.ComponentId.make(yield* Id.make("component")),
    accountId: null,
    key,
    code: "export default {}",
    codeHash,
    linked: null,
    name: "Component",
    version: "0.0.1",
    type: null,
    description: null,
    url: null,
    dedupe: null,
    hooks: [],
    batch: null,
    hasAdditionalProps: false,
    steps: null,
    configurableProps: [],
    createdAt: 1,
    updatedAt: 1
  }
  return component
})

describe("The registry", () => {
  it.effect("has the newest version of a key, for every account, beside what accounts have under the same key", () =>
    Effect.gen(function*() {
      const components = yield* Components
      const accounts = yield* Accounts
      const ann = yield* accounts.create({ username: "ann", email: "ann@example.com", plan: "free" })
      const old = yield* version("feed", "01")
      const published = yield* version("feed", "02")
      const own = { ...yield* version("feed", "03"), accountId: ann.id }
      assert.deepStrictEqual(yield* components.publish(old), { component: old, isNew: true })
      assert.deepStrictEqual(yield* components.publish(published), { component: published, isNew: true })
      yield* components.insert(own)
      assert.deepStrictEqual(yield* components.newestPublished("feed"), Option.some(published))
      assert.deepStrictEqual(yield* components.newestByKey(ann.id, "feed"), Option.some(own))
      for (const each of [old, published, own]) {
        assert.deepStrictEqual(yield* components.get(ann.id, each.id), Option.some(each))
      }
      assert.deepStrictEqual(yield* components.newestPublished("other"), Option.none())
      const { linked: _, ...ownShown } = own
      const { linked: __, ...publishedShown } = published
      assert.deepStrictEqual(yield* components.shown(ann.id, own.id), Option.some(ownShown))
      assert.deepStrictEqual(yield* components.shown(ann.id, "feed"), Option.some(ownShown))
      assert.deepStrictEqual(yield* components.shownPublished("feed"), Option.some(publishedShown))
      const { code: ___, ...codeless } = ownShown
      assert.deepStrictEqual(yield* components.codeless(own.id), Option.some(codeless))
    }).pipe(Effect.provide(tables)))

  it.effect("takes the same code once in a row, also when many publish it at the same time", () =>
    Effect.gen(function*() {
      const components = yield* Components
      const versions = yield* Effect.forEach(["01", "01", "01", "01"], (hash) => version("feed", hash))
      const published = yield* Effect.forEach(versions, (each) => components.publish(each), {
        concurrency: "unbounded"
      })
      assert.strictEqual(published.filter(({ isNew }) => isNew).length, 1)
      assert.strictEqual(new Set(published.map(({ component }) => component.id)).size, 1)
      assert.isTrue((yield* components.publish(yield* version("feed", "02"))).isNew)
      assert.isTrue((yield* components.publish(yield* version("feed", "01"))).isNew)
      const sql = yield* SqlClient.SqlClient
      assert.strictEqual((yield* sql`SELECT id FROM components`).length, 3)
    }).pipe(Effect.provide(tables)))

  it.effect("gives up every version of a key that is withdrawn, which sources keep, and takes it again", () =>
    Effect.gen(function*() {
      const components = yield* Components
      const ann = yield* (yield* Accounts).create({ username: "ann", email: "ann@example.com", plan: "free" })
      const first = yield* version("feed", "01")
      const second = yield* version("feed", "02")
      const other = yield* version("other", "01")
      for (const each of [first, second, other]) yield* components.publish(each)
      assert.strictEqual(yield* components.withdraw("feed"), 2)
      assert.strictEqual(yield* components.withdraw("feed"), 0)
      assert.deepStrictEqual(yield* components.newestPublished("feed"), Option.none())
      assert.deepStrictEqual(yield* components.get(ann.id, second.id), Option.none())
      assert.deepStrictEqual(yield* components.getById(second.id), Option.some(second))
      assert.deepStrictEqual(yield* components.newestPublished("other"), Option.some(other))
      const again = yield* version("feed", "02")
      assert.deepStrictEqual(yield* components.publish(again), { component: again, isNew: true })
      assert.deepStrictEqual(yield* components.newestPublished("feed"), Option.some(again))
    }).pipe(Effect.provide(tables)))

  it.effect("has programs hold a component once, one text of what runs for all with the same code, and no source map", () =>
    Effect.gen(function*() {
      const components = yield* Components
      const linked = { code: "export default {}", hash: "0a", map: `{"version":3}`, lock: "{}" }
      const first = { ...yield* version("linked", "01"), linked }
      const second = { ...yield* version("linked", "02"), linked }
      const plain = yield* version("plain", "03")
      for (const each of [first, second, plain]) yield* components.insert(each)
      const runnable = (id: typeof first.id) => Effect.map(components.runnable(id), Option.getOrThrow)
      const [known, other] = yield* Effect.all([runnable(first.id), runnable(first.id)], { concurrency: "unbounded" })
      assert.strictEqual(known, other, "one text for those who ask at the same time")
      const { code: _, linked: __, ...codeless } = first
      assert.deepStrictEqual(known, { ...codeless, module: { code: linked.code, hash: linked.hash, hasMap: true } })
      assert.strictEqual(yield* runnable(first.id), known)
      assert.strictEqual((yield* runnable(second.id)).module, known.module)
      assert.deepStrictEqual((yield* runnable(plain.id)).module, {
        code: plain.code,
        hash: plain.codeHash,
        hasMap: false
      })
      assert.deepStrictEqual(yield* components.map(first.id), Option.some(linked.map))
      assert.deepStrictEqual(yield* components.map(plain.id), Option.none())
    }).pipe(Effect.provide(tables)))
})
