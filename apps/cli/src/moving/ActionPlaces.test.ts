import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Files from "../../test/Files.ts"
import { ApiAccess } from "../access/ApiAccess.ts"
import { ComponentFiles } from "../code/ComponentFiles.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as ActionPlaces from "./ActionPlaces.ts"

/** A server that loads every import. */
const server = Layer.succeed(ApiAccess, {
  url: "http://127.0.0.1",
  call: () => Effect.succeed({ data: { errors: [] } } as never)
})

const bundler = Layer.succeed(ComponentFiles, {
  bundle: (entry) =>
    entry.endsWith("broken.mjs")
      ? Effect.fail(new CommandRefused({ message: "broken.mjs:1:8: no such file" }))
      : Effect.succeed({ code: "whole", imports: [], place: [] as never })
})

describe("the place of an action", () => {
  it.effect("is sought on where the clone's can't be made one module, and the report says so", () =>
    Effect.gen(function*() {
      const clone = yield* Files.make({
        "components/shop/actions/broken/broken.mjs": "export default { key: \"shop-broken\", version: \"1.0.0\" }",
        "components/shop/actions/order/order.mjs": "export default { key: \"shop-order\", version: \"1.0.0\" }"
      })
      const find = (key: string) => ActionPlaces.find({ key, version: "1.0.0", isPrivate: false }, clone)
      assert.deepStrictEqual(yield* find("shop-order"), { place: "actions/shop-order.mjs", text: "whole" })
      const { finding, place } = yield* find("shop-broken")
      assert.strictEqual(place, "registry:shop-broken@1.0.0")
      assert.strictEqual(finding?.kind, "different")
      assert.match(finding?.message ?? "", /can't be taken from .* \(broken\.mjs:1:8: no such file\): registry:/)
    }).pipe(Effect.provide(Layer.mergeAll(server, bundler, NodeServices.layer))))

  it.effect("is the archive's in its version, before a clone that has another one", () =>
    Effect.gen(function*() {
      const clone = yield* Files.make({
        "components/shop/actions/order/order.mjs": "export default { key: \"shop-order\", version: \"1.0.0\" }"
      })
      const archived = [
        { key: "shop-order", version: "0.9.0", code: "export default { run() {} }" },
        { key: "shop-part", version: "0.9.0", code: "import app from \"../../shop.app.mjs\"" },
        { key: "own", version: undefined, code: "const a: number = 1\nexport default { run() { return a } }" }
      ]
      const find = (key: string, version?: string, isPrivate = false) =>
        ActionPlaces.find({ key, version, isPrivate }, clone, archived)
      assert.deepStrictEqual(yield* find("shop-order", "0.9.0"), {
        place: "actions/shop-order-0.9.0.js",
        text: "export default { run() {} }"
      })
      assert.deepStrictEqual(yield* find("shop-order", "1.0.0"), { place: "actions/shop-order.mjs", text: "whole" })
      assert.strictEqual((yield* find("shop-order", "2.0.0")).finding?.kind, "different")
      assert.strictEqual((yield* find("shop-part", "0.9.0")).place, "registry:shop-part@0.9.0")
      const odd = yield* ActionPlaces.find({ key: "odd", version: undefined, isPrivate: true }, undefined, [
        { key: "odd", version: "../../1", code: "export default { run() {} }" }
      ])
      assert.strictEqual(odd.place, "actions/odd-.._.._1.js")
      assert.strictEqual((yield* find("own", undefined, true)).place, "actions/own.ts")
    }).pipe(Effect.provide(Layer.mergeAll(server, bundler, NodeServices.layer))))

  it.effect("is in no folder beside those of the clone, and in none by a key that can't be one", () =>
    Effect.gen(function*() {
      const folder = yield* Files.make({
        "clone/components/shop/actions/order/order.mjs": "export default { key: \"shop-order\" }",
        "other/actions/a.mjs": "export default { key: \"../../other-a\" }"
      })
      const found = (key: string) => Effect.map(ActionPlaces.inClone(`${folder}/clone`, key), (place) => place._tag)
      assert.strictEqual(yield* found("shop-order"), "Some")
      assert.strictEqual(yield* found("../../other-a"), "None")
      assert.strictEqual(yield* found("shop-order("), "None")
    }).pipe(Effect.provide(NodeServices.layer)))
})
