import { assert, layer } from "@effect/vitest"
import { inputOf, keys } from "@headwater/fixtures/PythonSteps"
import { hashOf, realSandbox } from "@headwater/fixtures/RealSandbox"
import { Effect } from "effect"
import type { RunRequest, RunResult } from "./Run.ts"
import { Sandbox } from "./Sandbox.ts"

layer(realSandbox({ limits: { heapMebibytes: 64 } }), { excludeTestServices: true })("the props of a step", (it) => {
  /** Runs a step over each of the events, and answers what became of each. */
  const run = Effect.fnUntraced(function*(body: string, request: Partial<RunRequest>, events = ["1"]) {
    const code = `export default { steps: { greet: {
      props: { text: "string", app: { type: "app", app: "shop" } },
      async run({ steps }) { ${body} }
    } } }`
    const all: Array<RunResult> = []
    // Those that a batch gives back are asked for again.
    while (all.length < events.length) {
      const batch = yield* (yield* Sandbox).runBatch({
        accountId: "u_test",
        programId: "p_test",
        module: { code, hash: hashOf(code) },
        call: { _tag: "Step", step: "greet", keys, runs: events.slice(all.length).map(inputOf) },
        props: {},
        interfaces: {},
        credentials: {},
        db: {},
        ...request
      })
      for (let some = yield* batch.next; some.length > 0; some = yield* batch.next) all.push(...some)
    }
    return all
  })

  it.effect("are told of each run of a batch", () =>
    Effect.gen(function*() {
      const props = { "greet.text": "at {{ steps.trigger.event }}", "greet.app": { authProvisionId: "apn_1" } }
      const results = yield* run("", { props }, ["1", "2", "3"])
      assert.deepStrictEqual(
        results.map(({ configuredPropsJson }) => configuredPropsJson),
        [`{"text":"at 1"}`, `{"text":"at 2"}`, `{"text":"at 3"}`]
      )
    }))

  it.effect("are known of a step that takes more memory or processor time than it may", () =>
    Effect.gen(function*() {
      const props = { "greet.text": "{{ steps.trigger.event + 1 }}" }
      const [tooLarge] = yield* run("const all = []; for (;;) all.push(new Array(1e6).fill(1))", { props })
      assert.deepStrictEqual([tooLarge?.limit, tooLarge?.configuredPropsJson], ["memory", `{"text":2}`])
      const [tooLong] = yield* run("for (;;);", { props, limits: { cpuMillis: 200 } })
      assert.deepStrictEqual([tooLong?.limit, tooLong?.configuredPropsJson], ["cpu", `{"text":2}`])
    }))

  it.effect("have a mask for the tokens of accounts and for environment variables that logs have one for", () =>
    Effect.gen(function*() {
      const token = { account: "apn_1", generation: 1, token: "t-0123456789" }
      const [result] = yield* run("", {
        props: { "greet.text": "{{ [process.env.KEY, steps.trigger.event] }}" },
        tokens: { ofProps: { "greet.app": token }, watch: () => () => {}, refused: () => {} },
        credentials: { "greet.app": {} },
        environment: { values: { KEY: "k-0123456789" }, masked: ["k-0123456789"] }
      }, [`"Bearer t-0123456789"`])
      assert.strictEqual(result?.configuredPropsJson, `{"text":["***","Bearer ***"]}`)
    }))
})
