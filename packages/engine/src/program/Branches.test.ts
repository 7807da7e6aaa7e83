import { assert, layer } from "@effect/vitest"
import * as Id from "@headwater/domain/Id"
import * as RunKey from "@headwater/domain/RunKey"
import * as Loopback from "@headwater/fixtures/Loopback"
import { WorkflowRuns } from "@headwater/log/work/WorkflowRuns"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { ServerResponse } from "node:http"
import * as EngineFixture from "../../test/EngineFixture.ts"
import { actorOf, type Owner, post, stream, untilRunning } from "../../test/ProgramFixture.ts"
import { launch, runsOf, send, settle } from "../../test/WorkflowFixture.ts"
import * as Wake from "../ground/Wake.ts"

const workflow = (steps: string) => `export default { props: { http: "$.interface.http" }, steps: { ${steps} } }`

const step = (name: string, body: string) => `${name}: { async run({ steps, $ }) { ${body} } }`

const given = (value: unknown) => ({ $return_value: value })

/** Has all be done that can be done now, also by whoever takes up what was left. */
const settled = (actor: Owner) => Effect.repeat(settle(actor), { times: 3 })

/** A server that answers once so many requests have come, and all later ones at once. */
const barrierOf = (count: number) => {
  const waiting: Array<ServerResponse> = []
  return Loopback.serve((_request, response) => {
    waiting.push(response)
    if (waiting.length >= count) { for (const each of waiting) each.end() }
  })
}

const meet = (barrier: string) => `await fetch(${JSON.stringify(barrier)});`

const write = (name: string) => `(await import("node:fs")).writeFileSync("/tmp/${name}", "${name}");`

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
      yield* untilRunning(working)
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

  it.effect("of parallel run at the same time, and the step after them when all have ended, with the files of each", () =>
    Effect.gen(function*() {
      const barrier = yield* barrierOf(2)
      const { actor, program } = yield* launch(workflow(`
        both: { parallel: {
          left: { ${step("left1", `${meet(barrier)} ${write("left")} return "l"`)}, ${
        step("left2", `return "given " + steps.left1.$return_value`)
      } },
          right: { ${step("right1", `${meet(barrier)} ${write("right")} return [Object.keys(steps)]`)} },
          none: {}
        } },
        ${
        step(
          "last",
          `const { readdirSync } = await import("node:fs"); $.emit([steps.both, Object.keys(steps), readdirSync("/tmp")])`
        )
      }`))
      yield* send(actor, 1)
      yield* settled(actor)
      assert.deepStrictEqual(yield* stream(program), [[
        { left: given("given l"), right: given([["trigger"]]), none: {} },
        ["trigger", "both"],
        ["left", "right"]
      ]])
      const [run] = yield* runsOf(program)
      assert.strictEqual(run?.status, "success")
      const { stepsOf } = yield* WorkflowRuns
      const paths = new Map((yield* stepsOf(run!.id)).map(({ n, name, path }) => [name, [n, path]]))
      assert.deepStrictEqual([paths.get("both"), paths.get("last")], [[1, null], [5, null]])
      assert.deepStrictEqual(["left1", "left2", "right1"].map((name) => paths.get(name)?.[1]), ["1-0", "1-0", "1-1"])
    }))

  it.effect("of parallel wait, fail and are tried again each by itself", () =>
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
      yield* settled(actor)
      const [waiting] = yield* runsOf(program)
      assert.deepStrictEqual([waiting?.status, waiting?.waitsFor, waiting?.error?.message], ["waiting", "retry", "x"])
      for (const [delay, told] of [["1 seconds", "right"], ["59 seconds", "left"]] as const) {
        yield* TestClock.adjust(delay)
        yield* settled(actor)
        assert.strictEqual((yield* stream(program))[told === "right" ? 0 : 1], told)
      }
      assert.deepStrictEqual((yield* stream(program)).slice(2), [[{ left: given("l"), right: {}, none: {} }, {}]])
      const [run] = yield* runsOf(program)
      assert.strictEqual(run?.status, "success")
      assert.strictEqual(
        run?.steps.toSorted().join(),
        "both success,flaky error,flaky success,go success,last success,outer success,pause success"
      )
    }).pipe(EngineFixture.onTestClock))

  it.effect("of parallel are resumed by their own URLs, also within each other and after their owner was lost", () =>
    Effect.gen(function*() {
      const ask = (name: string) => `$.emit({ ${name}: $.flow.suspend().resume_url }); return ${JSON.stringify(name)}`
      const heard = (name: string) => `return [steps.${name}.$resume_data.body, $.context.resume.body]`
      const { actor, program } = yield* launch(workflow(`
        outer: { parallel: {
          left: {
            inner: { parallel: {
              one: { ${step("ask1", ask("one"))}, ${step("got1", heard("ask1"))} },
              two: { ${step("ask2", ask("two"))}, ${step("got2", heard("ask2"))} }
            } },
            ${step("after", `return steps.inner`)}
          },
          right: { ${step("ask3", ask("three"))}, ${step("got3", heard("ask3"))} }
        } }, ${step("last", `$.emit(steps.outer)`)}`))
      yield* send(actor, 1)
      yield* settled(actor)
      const urls = Object.assign({}, ...(yield* stream(program))) as Record<string, string>
      const [run] = yield* runsOf(program)
      assert.deepStrictEqual([run?.status, run?.waitsFor], ["waiting", "suspend"])
      for (const name of ["two", "three", "one"]) {
        const { n, path } = RunKey.parse(urls[name]!.split("/http/")[1]!)!
        const successor = yield* actorOf(program)
        const wish = { id: run!.id, n, path: path!, data: JSON.stringify({ id: name, body: name }) }
        assert.strictEqual(yield* successor.resumeRun({ ...wish, n: n + 1 }), "not_waiting")
        assert.deepStrictEqual(yield* Effect.forEach([1, 2], () => successor.resumeRun(wish)), ["resumed", "resumed"])
        yield* settled(successor)
      }
      assert.deepStrictEqual((yield* stream(program)).slice(3), [{
        left: given({ one: given(["one", "one"]), two: given(["two", "two"]) }),
        right: given(["three", "three"])
      }])
      assert.strictEqual((yield* runsOf(program))[0]?.status, "success")
    }))

  it.effect("of parallel wait after their last steps too, where a step comes after them", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* launch(workflow(`
        outer: { parallel: {
          left: { inner: { parallel: {
            ask: { ${step("asks", `$.flow.suspend(); return "asked"`)} },
            pause: { ${step("pauses", `$.flow.delay(1000)`)} }
          } } },
          right: { ${step("tells", `$.emit("told")`)} }
        } },
        ${step("last", `$.emit(steps.outer.left.ask)`)},
        end: { parallel: {
          one: { ${step("nobody", `$.flow.suspend()`)} },
          two: { ${step("never", `$.flow.delay(1000)`)} }
        } }`))
      yield* send(actor, 1)
      yield* settled(actor)
      yield* TestClock.adjust("1 seconds")
      yield* settled(actor)
      assert.deepStrictEqual(yield* stream(program), ["told"])
      const [waiting] = yield* runsOf(program)
      assert.deepStrictEqual([waiting?.status, waiting?.waitsFor], ["waiting", "suspend"])
      const successor = yield* actorOf(program)
      const data = JSON.stringify({ body: "yes" })
      assert.strictEqual(yield* successor.resumeRun({ id: waiting!.id, n: null, data }), "resumed")
      yield* settled(successor)
      const asked = { $return_value: "asked", $resume_data: { body: "yes" } }
      assert.deepStrictEqual(yield* stream(program), ["told", asked])
      const [run] = yield* runsOf(program)
      assert.deepStrictEqual([run?.status, run?.steps.length], ["success", 9])
    }).pipe(EngineFixture.onTestClock))

  it.effect("of parallel end with the run that one of them ends, but for the steps that they are at", () =>
    Effect.gen(function*() {
      for (
        const [end, status] of [[`$.flow.exit("done")`, "success"], [`throw new Error("x")`, "error"]] as const
      ) {
        const [together, until] = [yield* barrierOf(2), yield* barrierOf(2)]
        const { actor, program } = yield* launch(workflow(`
          all: { parallel: {
            ends: { ${step("end", `${meet(together)} ${end}`)}, ${step("never1", `$.emit("never")`)} },
            runs: { ${step("slow", `${meet(together)} ${meet(until)} $.emit("slow")`)}, ${
          step("never2", `$.emit("never")`)
        } },
            waits: { ${step("ask", `$.flow.suspend()`)}, ${step("never3", `$.emit("never")`)} }
          } }, ${step("last", `$.emit("never")`)}`))
        yield* post(actor, 1)
        const working = yield* Effect.forkChild(settle(actor))
        const ended = yield* Effect.repeat(runsOf(program), {
          until: ([run]) => run?.endedAt !== null && run !== undefined
        })
        assert.deepStrictEqual([ended[0]?.status, ended[0]?.waitsFor], [status, null])
        yield* Effect.promise(() => fetch(until))
        yield* Fiber.join(working)
        yield* settled(actor)
        assert.deepStrictEqual(yield* stream(program), ["slow"])
        const [run] = yield* runsOf(program)
        assert.deepStrictEqual([run?.status, run?.steps.at(-1), run?.steps.length], [status, "slow success", 4])
        const all = { id: run!.id, n: null, data: null }
        assert.strictEqual(yield* actor.resumeRun(all), "not_waiting")
      }
    }))

  it.effect("of parallel are cancelled with their run while one of them waits", () =>
    Effect.gen(function*() {
      let reached: ServerResponse | undefined
      const until = yield* Loopback.serve((_request, response) => {
        reached = response
      })
      const { actor, program } = yield* launch(workflow(`
        all: { parallel: {
          runs: { ${step("slow", `$.emit("begun"); ${meet(until)}`)}, ${step("never1", `$.emit("never")`)} },
          waits: { ${step("ask", `$.flow.suspend()`)}, ${step("never2", `$.emit("never")`)} }
        } }`))
      yield* post(actor, 1)
      const working = yield* Effect.forkChild(settle(actor))
      const [before] = yield* Effect.repeat(runsOf(program), {
        until: ([run]) => reached !== undefined && (run?.steps.includes("ask success") ?? false)
      })
      assert.strictEqual(before?.status, "running")
      assert.strictEqual(yield* actor.cancelRun(before!.id), "cancelled")
      reached?.end()
      yield* Fiber.join(working)
      yield* settled(actor)
      const [run] = yield* runsOf(program)
      assert.deepStrictEqual([run?.status, run?.steps.at(-1)], ["cancelled", "ask success"])
      assert.deepStrictEqual(yield* stream(program), [])
    }))

  it.effect("of parallel go on where each stood when their owner was lost, and run no step again that was done", () =>
    Effect.gen(function*() {
      const [together, until] = [yield* barrierOf(3), yield* barrierOf(3)]
      const { actor, program } = yield* launch(workflow(`
        all: { parallel: {
          left: { ${step("left1", `$.emit("left1")`)}, ${
        step("left2", `${meet(together)} ${meet(until)} $.emit("left2")`)
      } },
          right: { ${step("right1", `${meet(together)} ${meet(until)} $.emit("right1")`)}, ${
        step("right2", `$.emit("right2")`)
      } }
        } }, ${step("last", `$.emit("last")`)}`))
      yield* post(actor, 1)
      const working = yield* Effect.forkChild(settle(actor))
      yield* Effect.promise(() => fetch(together))
      const successor = yield* actorOf(program)
      yield* Effect.promise(() => fetch(until))
      yield* Effect.all([settled(successor), Fiber.join(working)], { concurrency: 2 })
      yield* settled(successor)
      const told = yield* stream(program)
      assert.deepStrictEqual(told.toSorted(), ["last", "left1", "left2", "right1", "right2"])
      assert.strictEqual(told.at(-1), "last")
      assert.strictEqual((yield* runsOf(program))[0]?.status, "success")
    }))

  it.effect("of parallel run no step twice at once after a commit of another one has failed", () =>
    Effect.gen(function*() {
      const [together, again, until] = [yield* barrierOf(3), yield* barrierOf(2), yield* barrierOf(2)]
      let begun = 0
      const counted = yield* Loopback.serve((_request, response) => {
        begun += 1
        response.end()
      })
      const { actor, program } = yield* launch(
        workflow(`
        all: { parallel: {
          left: { ${step("left1", `${meet(counted)} ${meet(together)} ${meet(until)} $.emit("left")`)} },
          right: { ${step("right1", meet(together))}, ${step("right2", meet(again))} }
        } }, ${step("last", `$.emit("last")`)}`),
        { workflow: { concurrency: 2 } }
      )
      yield* post(actor, 1)
      const working = yield* Effect.forkChild(Effect.forever(settle(actor)))
      yield* Effect.repeat(stream(program), { until: () => begun > 0 })
      // It takes the workflow over before the commit of the step that ends now.
      yield* actorOf(program)
      yield* Effect.promise(() => fetch(together))
      yield* Effect.promise(() => fetch(again))
      assert.strictEqual(begun, 1)
      yield* Effect.promise(() => fetch(until))
      yield* Effect.repeat(stream(program), { until: (told) => told.includes("last") })
      yield* Fiber.interrupt(working)
      assert.deepStrictEqual([yield* stream(program), begun], [["left", "last"], 1])
    }))

  it.effect("of parallel go on after their wait while another one is at a step", () =>
    Effect.gen(function*() {
      const until = yield* barrierOf(2)
      const { actor, program } = yield* launch(workflow(`
        all: { parallel: {
          slow: { ${step("slow1", `$.emit("begun"); ${meet(until)} $.emit("slow")`)} },
          waits: { ${step("pause", `$.flow.delay(1)`)}, ${step("go", `$.emit("waited")`)} }
        } }`))
      yield* post(actor, 1)
      let isOver = false
      const working = yield* Effect.forkChild(Effect.repeat(settle(actor), { until: () => isOver }))
      const waking = yield* Effect.forkChild(
        Effect.repeat(Effect.andThen(Effect.sleep("5 millis"), Effect.sync(() => actor.hint(Wake.forDueWork))), {
          until: () => isOver
        })
      )
      yield* Effect.repeat(stream(program), { until: (told) => told.includes("waited") })
      yield* Effect.promise(() => fetch(until))
      isOver = true
      yield* Fiber.join(working)
      yield* Fiber.join(waking)
      yield* settled(actor)
      assert.deepStrictEqual(yield* stream(program), ["waited", "begun", "slow"])
    }))

  it.effect("of parallel leave room for no other run while one of them is at a step", () =>
    Effect.gen(function*() {
      const until = yield* barrierOf(2)
      const { actor, program } = yield* launch(workflow(`
        all: { parallel: {
          left: { ${step("left1", `$.emit("left")`)} },
          right: { ${step("right1", `${meet(until)} $.emit("right")`)} }
        } }, ${step("last", `$.emit("last")`)}`))
      yield* post(actor, 1)
      yield* post(actor, 2)
      const working = yield* Effect.forkChild(settle(actor))
      yield* Effect.repeat(stream(program), { until: (told) => told.includes("left") })
      assert.strictEqual((yield* runsOf(program)).length, 1)
      yield* Effect.promise(() => fetch(until))
      yield* Fiber.join(working)
      yield* settled(actor)
      assert.deepStrictEqual((yield* runsOf(program)).map(({ status }) => status), ["success", "success"])
      assert.deepStrictEqual(yield* stream(program), ["left", "right", "last", "left", "right", "last"])
    }))
})
