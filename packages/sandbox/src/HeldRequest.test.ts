import { assert, layer } from "@effect/vitest"
import { inputOf, keys } from "@headwater/fixtures/PythonSteps"
import { hashOf, realSandbox } from "@headwater/fixtures/RealSandbox"
import { Effect } from "effect"
import { Sandbox } from "./Sandbox.ts"

layer(realSandbox({ limits: { heapMebibytes: 64 } }), { excludeTestServices: true })("a request in shadow", (it) => {
  it.effect("is held at the top level of a module, too", () =>
    Effect.gen(function*() {
      const code = `try { await fetch("http://shop.invalid/orders", { method: "POST" }) } catch {}
        export default { steps: { greet: { run() {} } } }`
      const input = inputOf("1")
      const { error } = yield* (yield* Sandbox).run({
        accountId: "u_test",
        programId: "p_test",
        module: { code, hash: hashOf(code) },
        call: {
          _tag: "Step",
          step: "greet",
          keys,
          runs: [{ ...input, context: { ...input.context, shadow: { reads: [] } } }]
        },
        props: {},
        interfaces: {},
        credentials: {},
        db: {}
      })
      assert.strictEqual(error?.message, "held in shadow: POST http://shop.invalid/orders")
    }))
})
