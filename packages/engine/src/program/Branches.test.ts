import { assert, layer } from "@effect/vitest"
import * as Id from "@headwater/domain/Id"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as EngineFixture from "../../test/EngineFixture.ts"
import { actorOf, post, stream, untilRunning } from "../../test/ProgramFixture.ts"
import { launch, runsOf, send, settle } from "../../test/WorkflowFixture.ts"

const workflow = (steps: string) => `export default { props: { http: "$.interface.http" }, steps: { ${steps} } }`

const step = (name: string, body: string) => `${name}: { async run({ steps, $ }) { ${body} } }`

layer(EngineFixture.layer, { timeout: "60 seconds", excludeTestServices: true })("branches of a workflow", (it) => {
  it.effect("go on where they stood when their owner was lost, and run no step again that was done", () =>
    Effect.gen(function*() {
      const slow = `await new Promise((resolve) => setTimeout(resolve, 400)); $.emit("two"); return steps.one`
      const { actor, program } = yield* launch(workflow(`
        route: { if: ({ $ }) => { $.emit("asked"); return true }, then: {
          ${step("one", `$.emit("one"); return 1`)},
          ${step("two", slow)}
        }, else: { ${step("never", `$.emit("never")`)} } },
        ${step("last", `$.emit(steps)`)}`))
      yield* post(actor, 1)
      const working = yield* Effect.forkChild(settle(actor))
      yield* Effect.repeat(stream(program), { until: ({ length }) => length > 1 })
      yield* untilRunning(program, working)
      // An owner whose commit fails waits before it looks at its state anew.
      const successor = yield* actorOf(program)
      yield* EngineFixture.whileTimePasses(Effect.andThen(settle(successor), Fiber.join(working)), "10 seconds")
      const [asked, one, two, { trigger: _, ...seen }] = yield* stream(program)
      assert.deepStrictEqual([asked, one, two], ["asked", "one", "two"])
      assert.deepStrictEqual(seen, { route: { $return_value: { $return_value: 1 } } })
      assert.deepStrictEqual((yield* runsOf(program)).map((run) => run.steps), [
        ["route success", "one success", "two success", "last success"]
      ])
    }).pipe(EngineFixture.onTestClock))

  it.effect("are taken that a rerun begins within, though the run before took others", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* launch(workflow(`
        kind: { switch: () => "one", cases: {
          one: { ${step("one1", `return 1`)} },
          two: { ${step("two1", `return 2`)}, ${step("two2", `return [2, steps.two1]`)} },
          three: { ${step("three1", `return 3`)} }
        } },
        some: { branches: {
          left: { when: () => true, steps: { ${step("left1", `return "l"`)} } },
          middle: { when: () => false, steps: { ${step("middle1", `return "m"`)} } },
          right: { when: () => true, steps: { ${step("right1", `return "r"`)} } }
        }, match: "every" },
        ${step("last", `const { trigger, ...seen } = steps; $.emit(seen)`)}`))
      yield* send(actor, 1)
      const told = (kind: unknown, some: object) => {
        const given = (value: unknown) => ({ $return_value: value })
        return {
          kind: given(kind),
          some: Object.fromEntries(Object.entries(some).map(([name, value]) => [name, given(value)]))
        }
      }
      const both = { left: "l", right: "r" }
      const expected = [told(1, both)]
      assert.deepStrictEqual(yield* stream(program), expected)
      for (
        const [from, kind, some] of [
          ["three1", 3, both],
          ["two1", [2, { $return_value: 2 }], both],
          ["one1", 1, both],
          ["middle1", 1, { left: "l", middle: "m", right: "r" }]
        ] as const
      ) {
        const before = (yield* runsOf(program)).at(-1)!
        const payload = JSON.stringify({ run: before.id, step: from })
        yield* TestClock.adjust("1 millis")
        yield* actor.ingest({ endpointKey: null, kind: "rerun", emitId: yield* Id.make("run"), payload, hops: 0 })
        yield* settle(actor)
        expected.push(told(kind, some))
        assert.deepStrictEqual(yield* stream(program), expected)
      }
    }).pipe(EngineFixture.onTestClock))

  it.effect("wait, fail and are tried again as other steps are, one branch after the other", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* launch(
        workflow(`
          both: { parallel: {
            left: { ${step("pause", `$.flow.delay(60000)`)}, ${step("go", `$.emit("left"); return "l"`)} },
            right: { ${step("flaky", `if ($.context.run.runs === 1) throw new Error("x"); $.emit("right")`)} },
            none: {}
          } },
          outer: { switch: () => "no such case", cases: { some: { ${step("not", "")} } } },
          ${step("last", `$.emit([steps.both, steps.outer])`)}`),
        { workflow: { retryDelays: [1] } }
      )
      yield* send(actor, 1)
      assert.deepStrictEqual(yield* stream(program), [])
      for (const delay of ["60 seconds", "1 seconds"] as const) {
        yield* TestClock.adjust(delay)
        yield* settle(actor)
        yield* settle(actor)
      }
      assert.deepStrictEqual(yield* stream(program), ["left", "right", [
        { left: { $return_value: "l" }, right: {}, none: {} },
        {}
      ]])
      const [run] = yield* runsOf(program)
      assert.strictEqual(run?.status, "success")
      assert.strictEqual(
        run?.steps.join(),
        "both success,pause success,go success,flaky error,flaky success,outer success,last success"
      )
    }).pipe(EngineFixture.onTestClock))
})
