import { assert, layer } from "@effect/vitest"
import * as RunKey from "@headwater/domain/RunKey"
import { RunSecrets } from "@headwater/log/access/RunSecrets"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as EngineFixture from "../../test/EngineFixture.ts"
import { actorOf, stream } from "../../test/ProgramFixture.ts"
import { launch, runsOf, send, settle, steps } from "../../test/WorkflowFixture.ts"
import { ProgramOwner } from "./ProgramOwner.ts"
import { resumption } from "./RunStanding.ts"
import { WaitingRuns } from "./WaitingRuns.ts"

/** A request as the steps are to see it. */
const request = (body: unknown) => JSON.stringify({ id: `r${JSON.stringify(body)}`, method: "POST", body })

const approval = steps({
  ask: `$.emit($.flow.suspend(60000)); return "asked"`,
  decide: `$.emit([steps.ask, $.context.resume])`
})

layer(EngineFixture.layer, { timeout: "60 seconds", excludeTestServices: true })("a run that waits", (it) => {
  it.effect("goes on when it is resumed, with the request, once and after another owner has it", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* launch(approval)
      yield* send(actor, 1)
      const [run] = yield* runsOf(program)
      assert.deepStrictEqual([run?.status, run?.waitsFor], ["waiting", "suspend"])
      const [urls] = yield* stream(program)
      const secrets = yield* RunSecrets
      const keys = [urls.resume_url, urls.cancel_url].map((url) => RunKey.parse(url.split("/http/")[1])!)
      assert.deepStrictEqual(
        keys.map((key) => [key.run, key.n, key.action, RunKey.isOf(secrets.of(run!.workflowId), key)]),
        [[run!.id, 1, "resume", true], [run!.id, 1, "cancel", true]]
      )

      const ask = { id: run!.id, n: 1, data: request("yes") }
      const successor = yield* actorOf(program)
      assert.strictEqual(yield* successor.resumeRun({ ...ask, n: 2 }), "not_waiting")
      const both = yield* Effect.forEach([1, 2], () => successor.resumeRun(ask), { concurrency: 2 })
      assert.deepStrictEqual(both, ["resumed", "resumed"])
      assert.strictEqual(yield* successor.resumeRun({ ...ask, data: request("again") }), "not_waiting")
      assert.strictEqual(yield* successor.cancelRun(run!.id, { n: 1 }), "not_waiting")
      yield* settle(successor)
      yield* TestClock.adjust("60 seconds")
      yield* settle(successor)
      const data = { id: `r"yes"`, method: "POST", body: "yes" }
      assert.deepStrictEqual((yield* stream(program)).slice(1), [
        [{ $return_value: "asked", $resume_data: data }, data]
      ])
      const [ended] = yield* runsOf(program)
      assert.deepStrictEqual([ended?.status, ended?.waitsFor, ended?.steps], [
        "success",
        null,
        ["ask success", "decide success"]
      ])
    }).pipe(EngineFixture.onTestClock))

  it.effect("is cancelled when its time is over, or goes on where the workflow says so", () =>
    Effect.gen(function*() {
      for (const [suspensionTimeout, status] of [["cancel", "cancelled"], ["resume", "success"]] as const) {
        const { actor, program } = yield* launch(approval, { workflow: { suspensionTimeout } })
        yield* send(actor, 1)
        yield* TestClock.adjust("59 seconds")
        yield* settle(actor)
        assert.strictEqual((yield* runsOf(program))[0]?.status, "waiting")
        yield* TestClock.adjust("1 seconds")
        yield* settle(actor)
        yield* settle(actor)
        const [run] = yield* runsOf(program)
        assert.deepStrictEqual([run?.status, run?.waitsFor, run?.dueAt], [status, null, null])
        const told = (yield* stream(program)).slice(1)
        assert.deepStrictEqual(told, status === "success" ? [[{ $return_value: "asked" }, null]] : [])
        assert.deepStrictEqual(yield* stream(program, "$errors"), [])
        assert.strictEqual(yield* actor.resumeRun({ id: run!.id, n: 1, data: request(1) }), "not_waiting")
      }
    }).pipe(EngineFixture.onTestClock))

  it.effect("runs its step again with the request that came before the time, and without one after it", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* launch(
        steps({
          poll: `
          const { callback_request, context, runs } = $.context.run
          $.emit([runs, context, callback_request])
          if (runs < 4) $.flow.rerun(60000, "seen " + runs, 3)
          if (runs === 3) throw new Error("lost")`,
          go: `$.emit($.context.resume)`
        }),
        { workflow: { retryDelays: [1] } }
      )
      yield* send(actor, 1)
      const [run] = yield* runsOf(program)
      assert.strictEqual(run?.waitsFor, "rerun")
      yield* TestClock.adjust("60 seconds")
      yield* settle(actor)
      assert.strictEqual(yield* actor.resumeRun({ id: run!.id, n: 1, data: request("late") }), "not_waiting")
      assert.strictEqual(yield* actor.resumeRun({ id: run!.id, n: 2, data: request("now") }), "resumed")
      yield* settle(actor)
      assert.strictEqual((yield* runsOf(program))[0]?.waitsFor, "retry")
      assert.strictEqual(
        yield* actor.resumeRun({ id: run!.id, n: 3, data: request("of a failed step") }),
        "not_waiting"
      )
      assert.strictEqual(yield* actor.resumeRun({ id: run!.id, n: null, data: request("by a client") }), "resumed")
      yield* settle(actor)
      const now = { id: `r"now"`, method: "POST", body: "now" }
      assert.deepStrictEqual(yield* stream(program), [[1, null, null], [2, "seen 1", null], [4, "seen 2", now], null])
    }).pipe(EngineFixture.onTestClock))

  it.effect("is refused requests to run its step again that would have it hold more than a run may", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* launch(steps({ ask: `$.flow.rerun(60000)` }))
      yield* send(actor, 1)
      const [run] = yield* runsOf(program)
      const answers = yield* Effect.forEach(["first", "second", "third"], (name, index) =>
        Effect.tap(
          actor.resumeRun({ id: run!.id, n: index + 1, data: request(name + "x".repeat(12e5)) }),
          settle(actor)
        ))
      assert.deepStrictEqual(answers, ["resumed", "resumed", "too_large"])
    }).pipe(EngineFixture.onTestClock))

  it.effect("goes on when it was due by the clock of who looked, though this one is behind, and not for a former time", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* launch(steps({ ask: `$.flow.delay(60000)`, go: "" }))
      yield* send(actor, 1)
      const [run] = yield* runsOf(program)
      const owner = yield* ProgramOwner.make(program.id, { onReload: () => {}, onPutOff: () => {} })
      const waiting = yield* WaitingRuns.make(owner)
      for (const [dueAt, status] of [[run!.dueAt! - 1, "waiting"], [run!.dueAt!, "running"]] as const) {
        yield* waiting.takeUp(yield* owner.current, resumption(run!.workflowId, run!.id, dueAt))
        yield* owner.settled
        assert.strictEqual((yield* runsOf(program))[0]?.status, status)
      }
    }).pipe(EngineFixture.onTestClock))

  it.effect("is refused a request that would have it hold more than a run may", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* launch(steps({ ask: `$.flow.delay(60000); return "x".repeat(6e6)`, go: "" }))
      yield* send(actor, 1)
      const [run] = yield* runsOf(program)
      const ask = { id: run!.id, n: 1 }
      assert.strictEqual(yield* actor.resumeRun({ ...ask, data: request("x".repeat(5e5)) }), "too_large")
      assert.strictEqual(yield* actor.resumeRun({ ...ask, data: request("x") }), "resumed")
    }).pipe(EngineFixture.onTestClock))
})
