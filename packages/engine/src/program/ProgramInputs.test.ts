import { assert, layer } from "@effect/vitest"
import { DueWork } from "@headwater/log/work/DueWork"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as EngineFixture from "../../test/EngineFixture.ts"
import { actorOf, post, stream, untilRequested, untilRunning } from "../../test/ProgramFixture.ts"
import { launch, listen, newDeployment, runsOf, send, settle, steps } from "../../test/WorkflowFixture.ts"
import * as Wake from "../ground/Wake.ts"

layer(EngineFixture.layer, { timeout: "60 seconds", excludeTestServices: true })("what a workflow takes in", (it) => {
  it.effect("runs one event after the other unless it may have more under way", () =>
    Effect.gen(function*() {
      for (const [concurrency, together] of [[1, 1], [3, 3]] as const) {
        const { actor, program } = yield* launch(
          `let now = 0
           export default { props: { http: "$.interface.http" }, async run({ $ }) {
             now++
             await new Promise((resolve) => setTimeout(resolve, 300))
             $.emit(now)
             now--
           } }`,
          { workflow: { concurrency } }
        )
        for (let i = 0; i < 3; i++) yield* post(actor, i)
        yield* settle(actor)
        assert.strictEqual(Math.max(...(yield* stream(program))), together)
        assert.strictEqual((yield* stream(program)).length, 3)
      }
    }).pipe(EngineFixture.onTestClock))

  it.effect("has what else is due wait for no more runs than may go on at a time", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* launch(steps({
        first: `if (steps.trigger.event.body === 0) $.emit("due", { delivery_ts: 1500 }); $.flow.delay(1000)`,
        second: `$.emit(steps.trigger.event.body)`
      }))
      for (let i = 0; i < 120; i++) yield* post(actor, i)
      yield* settle(actor)
      yield* TestClock.adjust("2 seconds")
      yield* settle(actor)
      yield* settle(actor)
      const emitted = yield* stream(program)
      assert.lengthOf(new Set(emitted), 121)
      assert.isBelow(emitted.indexOf("due"), 5)
    }).pipe(EngineFixture.onTestClock))

  it.effect("begins no more runs in a time than it may, also under another owner", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* launch(steps({ only: `$.emit(steps.trigger.event.body)` }), {
        workflow: { rateLimit: { limit: 2, intervalSeconds: 60 } }
      })
      for (let i = 0; i < 5; i++) yield* post(actor, i)
      yield* settle(actor)
      assert.deepStrictEqual(yield* stream(program), [0, 1])
      const successor = yield* actorOf(program)
      yield* TestClock.adjust("59 seconds")
      yield* settle(successor)
      assert.deepStrictEqual(yield* stream(program), [0, 1])
      yield* TestClock.adjust("1 seconds")
      yield* successor.wake(Wake.forDueWork)
      assert.deepStrictEqual(yield* stream(program), [0, 1, 2, 3])
    }).pipe(EngineFixture.onTestClock))

  it.effect("goes on with what is due at the first hint, whatever it did before", () =>
    Effect.gen(function*() {
      const account = yield* EngineFixture.account
      const emitter = yield* EngineFixture.emitter(account.id)
      const program = yield* EngineFixture.program(
        account.id,
        `export default { steps: { a: { run({ $ }) { $.flow.delay(1000) } }, b: { run({ $ }) { $.emit("b") } } } }`,
        { workflow: {} }
      )
      yield* listen(program, emitter.emitterId)
      const actor = yield* actorOf(program)
      yield* EngineFixture.append(emitter, ["x"])
      yield* settle(actor)
      yield* TestClock.adjust("1 seconds")
      yield* actor.wake(Wake.forDueWork)
      assert.deepStrictEqual(yield* stream(program), ["b"])
    }).pipe(EngineFixture.onTestClock))

  it.effect("is woken for a tick that came over its rate when it may run again", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* launch(
        `export default {
          props: { http: "$.interface.http", timer: "$.interface.timer" },
          run({ steps, $ }) { $.emit(steps.trigger.context.source_type) }
        }`,
        { timers: { timer: { intervalSeconds: 1 } }, workflow: { rateLimit: { limit: 2, intervalSeconds: 5 } } }
      )
      const due = yield* DueWork
      yield* send(actor, 1)
      for (const [delay, runs, wakes] of [["1 seconds", 2, 0], ["1 seconds", 2, 1], ["3 seconds", 3, 0]] as const) {
        yield* TestClock.adjust(delay)
        yield* actor.wake(Wake.forDueWork)
        assert.strictEqual((yield* stream(program)).length, runs)
        assert.strictEqual((yield* due.allOf(program.id, "wake")).length, wakes)
      }
      assert.deepStrictEqual(yield* stream(program), ["HTTP", "TIMER", "TIMER"])
    }).pipe(EngineFixture.onTestClock))

  it.effect("begins no run while it is changed, so that each has the code that it begins with", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* launch(
        `export default {
          props: { http: { type: "$.interface.http", customResponse: true } },
          async run({ steps, $ }) {
            await new Promise((resolve) => setTimeout(resolve, 400))
            $.emit(steps.trigger.event.body)
          }
        }`,
        { workflow: { rateLimit: { limit: 1, intervalSeconds: 60 } } }
      )
      const asking = yield* Effect.forkChild(
        Effect.forEach([1, 2, 3], (body) => Effect.exit(post(actor, body)), { concurrency: 3 })
      )
      yield* untilRequested(program, 3)
      const working = yield* Effect.forkChild(settle(actor))
      yield* untilRunning(working)
      const changing = yield* Effect.forkChild(
        actor.update({
          ...program,
          state: "ready",
          workflow: { ...program.workflow!, deploymentId: yield* newDeployment }
        })
      )
      yield* TestClock.withLive(Effect.sleep("50 millis"))
      actor.hint(Wake.nothing)
      yield* Fiber.join(changing)
      yield* Fiber.join(working)
      assert.deepStrictEqual((yield* runsOf(program)).map(({ status }) => status), ["success"])
      yield* TestClock.adjust("1 minutes")
      yield* settle(actor)
      yield* Fiber.join(asking)
      assert.deepStrictEqual(yield* stream(program), [1, 2])
    }).pipe(EngineFixture.onTestClock))

  it.effect("begins nothing while it is paused, and goes on from its place in the logs that it listens to", () =>
    Effect.gen(function*() {
      const account = yield* EngineFixture.account
      const emitter = yield* EngineFixture.emitter(account.id)
      const program = yield* EngineFixture.program(
        account.id,
        `export default { run({ steps, $ }) { $.emit([steps.trigger.event, steps.trigger.context.emitter_id]) } }`,
        { workflow: {} }
      )
      yield* listen(program, emitter.emitterId)
      const actor = yield* actorOf(program)
      yield* EngineFixture.append(emitter, ["a"])
      yield* settle(actor)
      yield* actor.update({ ...program, active: false })
      yield* EngineFixture.append(emitter, ["b", "c"])
      yield* settle(actor)
      assert.deepStrictEqual(yield* stream(program), [["a", emitter.emitterId]])
      yield* actor.update({ ...program, active: true })
      yield* settle(actor)
      assert.deepStrictEqual((yield* stream(program)).map(([event]) => event), ["a", "b", "c"])
    }).pipe(EngineFixture.onTestClock))
})
