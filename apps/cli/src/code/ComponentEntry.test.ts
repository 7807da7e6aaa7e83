import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as Path from "node:path"
import * as Files from "../../test/Files.ts"
import * as ComponentEntry from "./ComponentEntry.ts"

const found = Effect.fnUntraced(function*(files: Readonly<Record<string, string>>) {
  const folder = yield* Files.make(files)
  const { file } = Option.getOrThrow(yield* ComponentEntry.find(folder))
  return Path.relative(folder, file)
})

layer(NodeServices.layer, { excludeTestServices: true })("a folder's component", (it) => {
  it.effect("is what its package.json names, else the one file that is called so", () =>
    Effect.gen(function*() {
      const others = { "index.mjs": "", "source.ts": "", "lib/orders.ts": "" }
      const named = (content: unknown) => found({ ...others, "package.json": JSON.stringify(content) })
      assert.strictEqual(yield* named({ main: "lib/orders" }), "lib/orders.ts")
      assert.strictEqual(yield* named({ exports: "./source.ts", main: "index.mjs" }), "source.ts")
      const conditions = { types: "./lib/orders.d.ts", import: "./lib/orders.js", default: "./index.mjs" }
      assert.strictEqual(yield* named({ exports: { ".": conditions, "./index": "./index.mjs" } }), "lib/orders.ts")
      const inPublicLayout = yield* Files.make({ "new-order/new-order.ts": "", "new-order/test-event.ts": "" })
      const { file } = Option.getOrThrow(yield* ComponentEntry.find(Path.join(inPublicLayout, "new-order")))
      assert.strictEqual(Path.relative(inPublicLayout, file), "new-order/new-order.ts")
      assert.strictEqual(yield* found({ "component.cjs": "", "other.mjs": "", "package.json": "{}" }), "component.cjs")
    }))

  it.effect("is a workflow where its file is called so, which then has the folder's name", () =>
    Effect.gen(function*() {
      const folder = yield* Files.make({ "orders/workflow.ts": "", "shop.ts": "", "total.py": "" })
      const find = (path: string) => Effect.map(ComponentEntry.find(Path.join(folder, path)), Option.getOrThrow)
      for (const path of ["orders", "orders/workflow.ts"]) {
        assert.deepInclude(yield* find(path), { name: "orders", isWorkflow: true })
      }
      assert.deepInclude(yield* find("shop.ts"), { name: "shop", isWorkflow: false })
      assert.deepInclude(yield* find("total.py"), { name: "total", isWorkflow: true })
    }))

  it.effect("is refused where it is not there or not clear", () =>
    Effect.gen(function*() {
      const refusal = (files: Readonly<Record<string, string>>) =>
        Effect.map(Effect.flip(found(files)), (error) => "message" in error ? error.message : "")
      assert.match(
        yield* refusal({ "index.mjs": "", "package.json": "{\"main\": \"dist/a.js\"}" }),
        /names dist\/a\.js, /
      )
      assert.match(
        yield* refusal({ "orders.mjs": "" }),
        /none of index, source, component, workflow, \S+ with \.mjs, \.js/
      )
      assert.match(yield* refusal({ "index.mjs": "", "source.ts": "" }), /which of index\.mjs, source\.ts in /)
      assert.match(yield* refusal({ "package.json": "{" }), /package\.json can't be read/)
    }))
})
