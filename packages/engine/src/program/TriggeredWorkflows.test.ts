import { assert, layer } from "@effect/vitest"
import { maxHops } from "@headwater/domain/Event"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as EngineFixture from "../../test/EngineFixture.ts"
import { actorOf, stream } from "../../test/ProgramFixture.ts"
import { launch, runsOf, send, settle, steps } from "../../test/WorkflowFixture.ts"
import { defaults, EngineLimits } from "../ground/EngineLimits.ts"

const told = `export default { run({ steps, $ }) { $.emit([steps.trigger.event, steps.trigger.context.hops]) } }`

layer(EngineFixture.layer, { timeout: "60 seconds", excludeTestServices: true })("$.flow.trigger", (it) => {
  it.effect("runs workflows of the account once, also ones of many runs together, and none where the step fails", () =>
    Effect.gen(function*() {
      const code = `
        const { again, body, fails, to } = steps.trigger.event.body
        await $.flow.trigger(to, body)
        if (fails) throw new Error("lost")
        if (again) await $.flow.trigger(to)`
      for (
        const source of [
          steps({ tell: code }),
          `export default { props: { http: "$.interface.http" }, async run({ steps, $ }) { ${code} } }`
        ]
      ) {
        const { account, actor, program } = yield* launch(source)
        const listener = yield* EngineFixture.program(account.id, told, { workflow: {} })
        const heard = yield* actorOf(listener)
        yield* send(actor, { to: listener.id, body: { n: 1 }, again: true })
        yield* TestClock.adjust("1 millis")
        yield* send(actor, { to: listener.nameSlug, body: "two" })
        yield* send(actor, { to: listener.id, body: "lost", fails: true })
        yield* send(actor, { to: "nobody" })
        const successor = yield* actorOf(listener)
        yield* settle(successor)
        yield* settle(successor)
        yield* settle(heard)
        assert.deepStrictEqual(yield* stream(listener), [[{ n: 1 }, 1], [null, 1], ["two", 1]])
        assert.deepStrictEqual((yield* runsOf(listener)).map(({ trigger }) => trigger.kind), [
          "INVOCATION",
          "INVOCATION",
          "INVOCATION"
        ])
        const faults = (yield* runsOf(program)).map(({ error }) => error?.name ?? "none")
        assert.sameMembers(faults, ["none", "none", "Error", "WorkflowNotFound"])
      }
    }).pipe(EngineFixture.onTestClock))

  it.effect("fails a step that names what no workflow can be called, or more workflows than it may", () =>
    Effect.gen(function*() {
      const names = `steps.trigger.event.body.map((name) => $.flow.trigger(JSON.parse(name)))`
      for (
        const code of [
          steps({ tell: names }),
          `export default { props: { http: "$.interface.http" }, run({ steps, $ }) { ${names} } }`
        ]
      ) {
        const { program } = yield* launch(code)
        const actor = yield* Effect.provideService(actorOf(program), EngineLimits, { ...defaults, triggersOfStep: 2 })
        for (const body of [[`"a\\u0000b"`], [`"\\ud800"`], [`"a"`, `"b"`, `"c"`]]) {
          yield* send(actor, body)
          yield* TestClock.adjust("1 millis")
        }
        assert.deepStrictEqual((yield* runsOf(program)).map(({ error }) => error), [
          { name: "WorkflowNotFound", message: `the account has no workflow "a\\u0000b"` },
          { name: "WorkflowNotFound", message: `the account has no workflow "\\ud800"` },
          {
            name: "LimitExceeded",
            message: "a step may call $.flow.trigger 2 times; this one has called it 3 times"
          }
        ])
      }
    }).pipe(EngineFixture.onTestClock))

  it.effect("finds no workflow of another account, and ends loops", () =>
    Effect.gen(function*() {
      const { program: strange } = yield* launch(steps({ tell: "" }))
      const { actor, program } = yield* launch(
        `export default { props: { http: "$.interface.http" }, async run({ steps, $ }) {
          const { event } = steps.trigger
          await $.flow.trigger(event.body ?? event, $.context.workflow_id)
        } }`
      )
      yield* send(actor, strange.id)
      assert.strictEqual((yield* runsOf(program))[0]?.error?.name, "WorkflowNotFound")
      yield* send(actor, program.id)
      for (let i = 0; i < 2 * maxHops; i++) yield* settle(actor)
      const failed = (yield* runsOf(program)).filter(({ error }) => error?.name === "HopLimit")
      assert.deepStrictEqual(failed.map(({ trigger }) => trigger.hops), [maxHops - 1])
    }).pipe(EngineFixture.onTestClock))
})
