import { assert, layer } from "@effect/vitest"
import * as Id from "@headwater/domain/Id"
import { defaultSettings } from "@headwater/domain/Workflow"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Accounts } from "@headwater/log/access/Accounts"
import { Components } from "@headwater/log/resources/Components"
import { Subscriptions } from "@headwater/log/resources/Subscriptions"
import { WorkflowRuns } from "@headwater/log/work/WorkflowRuns"
import { Sandbox } from "@headwater/sandbox/Sandbox"
import { SandboxPool, SandboxUnavailable } from "@headwater/sandbox/SandboxPool"
import { Clock, type Duration, Effect, Fiber, Latch, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { lockWaits } from "../../../log/test/LockWaits.ts"
import { inOpenTransaction } from "../../../log/test/OpenTransaction.ts"
import * as EngineFixture from "../../test/EngineFixture.ts"
import { actorOf, post, stream, untilRequested, untilRunning } from "../../test/ProgramFixture.ts"
import { launch, newDeployment, runsOf, send, settle, steps } from "../../test/WorkflowFixture.ts"

layer(EngineFixture.layer, { timeout: "60 seconds", excludeTestServices: true })("a workflow", (it) => {
  it.effect("hands each step the trigger and what the steps before it gave, and records the run", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* launch(steps({
        first: `$.export("seen", steps.trigger.event.body); return { n: 1 }`,
        second: `console.log("at two"); this.db.set("k", steps.first.$return_value.n + 1)`,
        third: `await $.emit({ ...steps, db: this.db.get("k") }); await $.send.emit("aside", "side")`
      }))
      yield* send(actor, "hi")
      const [emitted] = yield* stream(program)
      const { first, second, trigger } = emitted
      assert.deepStrictEqual([first, second, emitted.db], [{ seen: "hi", $return_value: { n: 1 } }, {}, 2])
      assert.deepStrictEqual(
        [trigger.event, trigger.context.workflow_id, trigger.context.deployment_id, trigger.context.source_type],
        [{ body: "hi" }, program.id, program.workflow?.deploymentId, "HTTP"]
      )
      assert.deepStrictEqual(yield* stream(program, "side"), ["aside"])
      assert.deepStrictEqual((yield* stream(program, "$logs")).map(({ message }) => message), ["at two"])
      const [run] = yield* runsOf(program)
      assert.deepStrictEqual(
        [run?.status, run?.steps, run?.event],
        ["success", ["first success", "second success", "third success"], `{"body":"hi"}`]
      )
    }).pipe(EngineFixture.onTestClock))

  it.effect("runs a single function, with the props of the whole", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* launch(
        `export default {
          props: { http: "$.interface.http", greeting: "string" },
          run({ steps, $ }) { $.emit(this.greeting + " " + steps.trigger.event.body) }
        }`,
        { props: { greeting: "hello" } }
      )
      yield* send(actor, "ann")
      assert.deepStrictEqual(yield* stream(program), ["hello ann"])
    }).pipe(EngineFixture.onTestClock))

  it.effect("gives a step its own props beside those of the whole, and its own methods", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* launch(
        `export default {
          props: { http: "$.interface.http", name: "string" },
          steps: { greet: {
            props: { name: "string", mark: "string" },
            methods: { loud(text) { return text.toUpperCase() + this.mark } },
            run({ $ }) { $.emit(this.loud(this.name)) }
          }, other: { run({ $ }) { $.emit([this.name, this.mark ?? null]) } } }
        }`,
        { props: { name: "whole", "greet.name": "own", "greet.mark": "!" } }
      )
      yield* send(actor, 1)
      assert.deepStrictEqual(yield* stream(program), ["OWN!", ["whole", null]])
    }).pipe(EngineFixture.onTestClock))

  it.effect("holds nothing while a run is delayed, and goes on with it later, also under another owner", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* launch(steps({
        ask: `$.emit("ask " + steps.trigger.event.body); $.flow.delay(60000)`,
        go: `$.emit("go " + steps.trigger.event.body)`
      }))
      yield* send(actor, 1)
      yield* send(actor, 2)
      assert.deepStrictEqual(yield* stream(program), ["ask 1", "ask 2"])
      assert.deepStrictEqual((yield* runsOf(program)).map(({ status }) => status), ["waiting", "waiting"])
      const successor = yield* actorOf(program)
      yield* TestClock.adjust("59 seconds")
      yield* settle(successor)
      assert.strictEqual((yield* stream(program)).length, 2)
      yield* TestClock.adjust("1 seconds")
      yield* settle(successor)
      yield* settle(successor)
      assert.deepStrictEqual((yield* stream(program)).slice(2).toSorted(), ["go 1", "go 2"])
      assert.deepStrictEqual((yield* runsOf(program)).map(({ status }) => status), ["success", "success"])
    }).pipe(EngineFixture.onTestClock))

  it.effect("cancels a run that waits, which then never goes on, and no run at a step or at its end", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* launch(steps({
        ask: `$.emit("ask"); $.flow.delay(60000)`,
        go: `$.emit("go")`
      }))
      yield* send(actor, 1)
      yield* send(actor, 2)
      const [first, second] = yield* runsOf(program)
      const cancelled = yield* Effect.forEach([1, 2], () => actor.cancelRun(first!.id), { concurrency: 2 })
      assert.deepStrictEqual(cancelled, ["cancelled", "cancelled"])
      yield* TestClock.adjust("60 seconds")
      yield* settle(actor)
      yield* settle(actor)
      assert.deepStrictEqual(yield* stream(program), ["ask", "ask", "go"])
      assert.deepStrictEqual((yield* runsOf(program)).map(({ status }) => status), ["cancelled", "success"])
      assert.strictEqual(yield* actor.cancelRun(second!.id), "not_waiting")
      assert.strictEqual(yield* actor.cancelRun(Id.RunId.make("run_0Uz7N5cVwQ2KpXs9TzLd")), "unknown")
    }).pipe(EngineFixture.onTestClock))

  it.effect("cancels no run that another owner ends while the cancellation is on its way", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { actor, program } = yield* launch(steps({ ask: `$.flow.delay(60000)`, go: `$.emit("go")` }))
      yield* send(actor, 1)
      const [run] = yield* runsOf(program)
      const other = yield* inOpenTransaction(Effect.gen(function*() {
        yield* sql`UPDATE fences SET epoch = epoch + 1 WHERE owner_id = ${program.id}`
        yield* sql`UPDATE workflow_runs SET status = 'success', due_at = NULL, ended_at = 1 WHERE id = ${run!.id}`
      }))
      const cancelling = yield* Effect.forkChild(actor.cancelRun(run!.id))
      yield* TestClock.withLive(lockWaits(1))
      yield* other.commit
      assert.strictEqual(yield* EngineFixture.whileTimePasses(Fiber.join(cancelling)), "not_waiting")
      assert.deepStrictEqual((yield* runsOf(program)).map(({ status }) => status), ["success"])
    }).pipe(EngineFixture.onTestClock))

  it.effect("goes on where a run stood when its owner was lost, and runs no step again that was done", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* launch(steps({
        first: `$.emit("first"); return 7`,
        second:
          `await new Promise((resolve) => setTimeout(resolve, 400)); $.emit("second " + steps.first.$return_value)`
      }))
      yield* post(actor, 1)
      const working = yield* Effect.forkChild(settle(actor))
      yield* Effect.repeat(stream(program), { until: ({ length }) => length > 0 })
      yield* untilRunning(working)
      const successor = yield* actorOf(program)
      yield* settle(successor)
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(working)
      assert.deepStrictEqual(yield* stream(program), ["first", "second 7"])
      assert.deepStrictEqual((yield* runsOf(program)).map((run) => run.steps), [["first success", "second success"]])
    }).pipe(EngineFixture.onTestClock))

  it.effect("has who waits for a response wait on where a step is to be run again", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* launch(
        `export default { props: { http: { type: "$.interface.http", customResponse: true } }, steps: {
          slow: { run: () => new Promise((resolve) => setTimeout(resolve, 300)) },
          answer: { run: ({ $ }) => $.respond({ status: 201 }) }
        } }`
      )
      const asking = yield* Effect.forkChild(post(actor, 1))
      yield* untilRequested(program, 1)
      const working = yield* Effect.forkChild(settle(actor))
      yield* untilRunning(working)
      yield* actorOf(program)
      yield* Fiber.join(working)
      assert.strictEqual((yield* Fiber.join(asking)).status, 201)
    }).pipe(EngineFixture.onTestClock))

  it.effect("tells of a step that throws with its id, and keeps nothing of it but what it logged", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* launch(steps({
        good: `$.emit("good")`,
        bad: `console.log("before"); $.emit("lost"); this.db.set("k", 1); throw new TypeError("no")`,
        never: `$.emit("never")`
      }))
      yield* send(actor, { a: 1 })
      assert.deepStrictEqual(yield* stream(program), ["good"])
      assert.deepStrictEqual((yield* stream(program, "$logs")).map(({ message }) => message), ["before"])
      const [error] = yield* stream(program, "$errors")
      const component = Option.getOrThrow(yield* (yield* Components).getById(program.componentId))
      assert.deepStrictEqual(
        [error.error.code, error.error.message, error.error.cellId, error.original_event],
        ["TypeError", "no", component.steps?.[1]?.id, { body: { a: 1 } }]
      )
      assert.deepStrictEqual(
        [error.original_context.workflow_id, error.original_context.deployment_id],
        [program.id, program.workflow?.deploymentId]
      )
      const [run] = yield* runsOf(program)
      assert.deepStrictEqual([run?.status, run?.error?.message, run?.steps], [
        "error",
        "no",
        ["good success", "bad error"]
      ])
    }).pipe(EngineFixture.onTestClock))

  it.effect("fails a step that would have its run hold more than a run may", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* launch(
        steps({ first: `return "x".repeat(4e6)`, second: `$.emit("lost"); return "y".repeat(4e6)`, third: `$.emit(3)` })
      )
      yield* send(actor, 1)
      const [run] = yield* runsOf(program)
      assert.deepStrictEqual(
        [run?.steps, run?.error?.name, yield* stream(program)],
        [["first success", "second error"], "LimitExceeded", []]
      )
    }).pipe(EngineFixture.onTestClock))

  it.effect("runs a step again that failed, by its delays, and tells of the last failure or of each", () =>
    Effect.gen(function*() {
      for (const [errors, told] of [["last", 1], ["each", 3]] as const) {
        const { actor, program } = yield* launch(
          steps({ first: `$.emit("first")`, flaky: `$.emit($.context.run.runs); throw new Error("x")` }),
          { workflow: { retryDelays: [1, 10], errors } }
        )
        yield* send(actor, 1)
        for (const [delay, done] of [["1 seconds", 2], ["9 seconds", 2], ["1 seconds", 3]] as const) {
          yield* TestClock.adjust(delay)
          yield* settle(actor)
          const [run] = yield* runsOf(program)
          assert.strictEqual(run?.steps.filter((step) => step === "flaky error").length, done)
        }
        assert.strictEqual((yield* runsOf(program))[0]?.status, "error")
        assert.strictEqual((yield* stream(program, "$errors")).length, told)
        assert.deepStrictEqual(yield* stream(program), ["first"])
      }
    }).pipe(EngineFixture.onTestClock))

  it.effect("ends a step that takes longer than its workflow allows, and does not run it again", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* launch(
        steps({
          first: `$.emit($.context.deadline - Date.now())`,
          slow: `console.log("at it"); await new Promise((resolve) => setTimeout(resolve, 60000))`
        }),
        { workflow: { retryDelays: [1], timeoutSeconds: 1 } }
      )
      yield* send(actor, 1)
      const [run] = yield* runsOf(program)
      assert.deepStrictEqual(
        [run?.status, run?.steps, run?.error?.message],
        ["error", ["first success", "slow error"], "the run exceeded its time limit (limit: wall)"]
      )
      assert.isAtMost((yield* stream(program))[0], 1_000)
    }).pipe(EngineFixture.onTestClock))

  it.effect("runs the steps of a workflow that asks for more memory in a process that has it", () =>
    Effect.gen(function*() {
      const { processes } = yield* SandboxPool
      const heaps = Effect.map(processes, (all) => all.map(({ heapMebibytes }) => heapMebibytes))
      const { actor, program } = yield* launch(steps({ first: `$.emit(1)` }), { workflow: { memoryMb: 300 } })
      assert.notInclude(yield* heaps, 512)
      yield* send(actor, 1)
      assert.deepStrictEqual(yield* stream(program), [1])
      assert.include(yield* heaps, 512)
    }).pipe(EngineFixture.onTestClock))

  it.effect("runs a step again that asks for it, with what it hands itself, as often as it says", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* launch(steps({
        poll:
          `const { runs, context } = $.context.run; $.emit([runs, context]); $.flow.rerun(1000, { last: runs }, 2); return runs`,
        after: `$.emit(steps.poll.$return_value)`
      }))
      yield* send(actor, 1)
      for (let i = 0; i < 4; i++) {
        yield* TestClock.adjust("1 seconds")
        yield* settle(actor)
      }
      assert.deepStrictEqual(yield* stream(program), [[1, null], [2, { last: 1 }], [3, { last: 2 }], 3])
    }).pipe(EngineFixture.onTestClock))

  it.effect("ends a run early once the step has ended that says so", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* launch(steps({
        first: `$.emit("first"); if (steps.trigger.event.body === 1) $.flow.exit("enough"); $.emit("on")`,
        second: `if (steps.trigger.event.body === 2) return $.flow.exit("\\0".repeat(2000)); $.emit("second")`,
        third: `$.flow.exit()`
      }))
      yield* send(actor, 1)
      assert.deepStrictEqual(yield* stream(program), ["first", "on"])
      yield* send(actor, 2)
      assert.deepStrictEqual(yield* stream(program), ["first", "on", "first", "on"])
      yield* send(actor, 3)
      assert.deepStrictEqual(yield* stream(program), ["first", "on", "first", "on", "first", "on", "second"])
      const runs = yield* runsOf(program)
      assert.deepStrictEqual(runs.map(({ status }) => status), ["success", "success", "success"])
      assert.deepStrictEqual(runs.map(({ exitReason }) => exitReason).toSorted(), ["", "\0".repeat(1_000), "enough"])
    }).pipe(EngineFixture.onTestClock))

  it.effect("finishes a run on the code and props it began with", () =>
    Effect.gen(function*() {
      const code = (version: number) =>
        `export default { props: { http: "$.interface.http", name: "string" }, steps: {
          first: { run({ $ }) { $.flow.delay(1000) } },
          second: { run({ $ }) { $.emit(["code ${version}", this.name]) } }
        } }`
      const { account, actor, program } = yield* launch(code(1), { props: { name: "one" } })
      yield* send(actor, 1)
      const next = yield* EngineFixture.program(account.id, code(2), { workflow: {} })
      yield* actor.update({
        ...program,
        state: "ready",
        componentId: next.componentId,
        props: { name: "two" },
        workflow: next.workflow
      })
      yield* send(actor, 2)
      yield* TestClock.adjust("1 seconds")
      yield* settle(actor)
      yield* settle(actor)
      assert.deepStrictEqual((yield* stream(program)).toSorted(), [["code 1", "one"], ["code 2", "two"]])
    }).pipe(EngineFixture.onTestClock))

  it.effect("comes back to a run whose step could not be run for a fault of ours", () =>
    Effect.gen(function*() {
      const code = `export default { props: { http: "$.interface.http" }, steps: {
        first: { run({ $ }) { $.flow.delay(1000) } },
        second: { run({ $ }) { $.emit("second") } }
      } }`
      const { actor, program } = yield* launch(code)
      yield* send(actor, 1)
      yield* actor.update({
        ...program,
        state: "ready",
        workflow: { ...program.workflow!, deploymentId: yield* newDeployment }
      })
      const sql = yield* SqlClient.SqlClient
      const { deploymentId: former } = program.workflow!
      const [kept] = yield* sql<{ sealed_values: Uint8Array }>`
        SELECT sealed_values FROM deployments WHERE id = ${former}`
      yield* sql`UPDATE deployments SET sealed_values = 'unreadable' WHERE id = ${former}`
      yield* TestClock.adjust("1 seconds")
      const working = yield* Effect.forkChild(Effect.andThen(settle(actor), settle(actor)))
      yield* TestClock.withLive(Effect.sleep("300 millis"))
      yield* sql`UPDATE deployments SET sealed_values = ${kept!.sealed_values} WHERE id = ${former}`
      yield* EngineFixture.whileTimePasses(Fiber.join(working))
      assert.deepStrictEqual(yield* stream(program), ["second"])
    }).pipe(EngineFixture.onTestClock))

  it.effect("keeps a run that has ended for as long as its account keeps events, and one that has not until it has", () =>
    Effect.gen(function*() {
      const code = steps({ only: `if (steps.trigger.event.body === "later") $.flow.rerun(40 * 24 * 3_600_000)` })
      const [short, long] = [yield* launch(code), yield* launch(code)]
      yield* (yield* Accounts).update(long.account.id, { retentionDays: 60 })
      for (const { actor } of [short, long]) {
        yield* send(actor, "later")
        yield* send(actor, "now")
      }
      const sweptAfter = Effect.fnUntraced(function*(time: Duration.Input) {
        yield* TestClock.adjust(time)
        yield* (yield* WorkflowRuns).expire({ now: yield* Clock.currentTimeMillis, defaultDays: 30 })
        const left = yield* Effect.forEach([short, long], ({ program }) => runsOf(program))
        return left.map((runs) => runs.map(({ event }) => JSON.parse(event).body).toSorted())
      })
      const [later, now] = ["later", "now"]
      assert.deepStrictEqual(yield* sweptAfter("29 days"), [[later, now], [later, now]])
      assert.deepStrictEqual(yield* sweptAfter("2 days"), [[later], [later, now]])
      assert.deepStrictEqual(yield* sweptAfter("30 days"), [[later], [later]])
      assert.deepStrictEqual((yield* runsOf(long.program)).map(({ steps }) => steps), [["only success"]])
    }).pipe(EngineFixture.onTestClock))

  it.effect("lets an error go no further that comes of another error", () =>
    Effect.gen(function*() {
      const account = yield* EngineFixture.account
      const emitter = yield* EngineFixture.emitter(account.id)
      const handler = yield* EngineFixture.program(
        account.id,
        `export default { run() { throw new Error("as well") } }`,
        { workflow: {} }
      )
      const hops = yield* Effect.forEach(["", "$errors"], (name) =>
        Effect.gen(function*() {
          yield* (yield* Subscriptions).create({
            accountId: account.id,
            emitterId: emitter.emitterId,
            listenerId: handler.id,
            eventName: name
          })
          const actor = yield* actorOf(handler)
          yield* EngineFixture.appendTo(emitter, name, [{ error: name }])
          yield* settle(actor)
          return (yield* EngineFixture.newest(handler.id, "$errors")).hops
        }))
      assert.deepStrictEqual(hops, [2, 16])
    }).pipe(EngineFixture.onTestClock))
  it.effect("says that a run can't be repeated that is gone, or from a step that is", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* launch(steps({ only: `$.emit("ran")` }))
      yield* send(actor, 1)
      const [run] = yield* runsOf(program)
      const gone = Id.RunId.make(yield* Id.make("run"))
      for (const asked of [{ run: gone, step: null }, { run: run!.id, step: "former" }]) {
        const emitId = yield* Id.make("run")
        yield* actor.ingest({ endpointKey: null, kind: "rerun", emitId, payload: JSON.stringify(asked), hops: 0 })
      }
      yield* settle(actor)
      const errors = yield* stream(program, "$errors")
      assert.deepStrictEqual(errors.map(({ error }) => error.code), ["NotRepeatable", "NotRepeatable"])
      assert.deepStrictEqual(yield* stream(program), ["ran"])
      assert.strictEqual((yield* runsOf(program)).length, 1)
    }).pipe(EngineFixture.onTestClock))

  /** Two runs beside each other, of which one does something outside and ends after the other has come to `fault`. */
  const besideA = Effect.fnUntraced(function*(fault: string) {
    const sink = yield* WebhookSink.make(() => ({ status: 200 }))
    const { actor, program } = yield* launch(
      steps({
        only: `if (steps.trigger.event.body === "other") { ${fault} } else {
          await fetch(${JSON.stringify(sink.url)}, { method: "POST", body: "once" })
          await new Promise((resolve) => setTimeout(resolve, 500))
          $.emit("done")
        }`
      }),
      { workflow: { concurrency: 2 } }
    )
    // Nobody waits for what an invocation responds.
    for (const body of ["slow", "other"]) {
      const payload = JSON.stringify({ body })
      yield* actor.ingest({ endpointKey: null, kind: "invocation", emitId: body, payload, hops: 0 })
    }
    const working = yield* Effect.forkChild(settle(actor))
    yield* EngineFixture.whileTimePasses(Fiber.join(working))
    assert.deepStrictEqual((yield* stream(program)).filter((payload) => payload === "done"), ["done"])
    assert.deepStrictEqual(sink.received.map(({ body }) => body), ["once"])
    return { program, runs: yield* runsOf(program) }
  })

  it.effect("runs no step again because the database refuses what a step of another run did", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql`ALTER TABLE program_state_journal ADD CONSTRAINT no_such_key CHECK (key <> 'refused')`
      const { runs } = yield* besideA(`this.db.set("refused", 1)`)
      assert.deepStrictEqual(runs.map(({ status }) => status).toSorted(), ["error", "success"])
    }).pipe(EngineFixture.onTestClock))

  it.effect("runs no step again because there was no sandbox for a step of another run", () =>
    Effect.gen(function*() {
      const sandbox = yield* Sandbox
      let refusals = 0
      const refusingOnce = Sandbox.of({
        ...sandbox,
        run: (request) =>
          request.call._tag === "Step" && request.call.runs[0]!.stepsJson.includes(`"other"`) && refusals++ === 0
            ? Effect.fail(new SandboxUnavailable({ reason: "too_many_waiting", message: "busy" }))
            : sandbox.run(request)
      })
      const { program, runs } = yield* besideA(`$.emit("other")`).pipe(Effect.provideService(Sandbox, refusingOnce))
      assert.strictEqual(refusals, 2)
      assert.deepStrictEqual((yield* stream(program)).toSorted(), ["done", "other"])
      assert.deepStrictEqual(runs.map(({ status }) => status), ["success", "success"])
    }).pipe(EngineFixture.onTestClock))

  it.effect("holds what some runs of many have come to, where that is large, and takes each on in the end", () =>
    Effect.gen(function*() {
      const runs = yield* WorkflowRuns
      const sandbox = yield* Sandbox
      const concurrency = 20
      const settings = { ...defaultSettings, concurrency }
      const { program } = yield* launch(steps({ first: "", second: `$.emit(steps.first.$return_value.length)` }), {
        workflow: settings
      })
      const workflowId = Id.WorkflowId.make(program.id)
      const ids = Array.from({ length: concurrency }, (_, n) => Id.RunId.make(`run_0Uz7N5cVwQ2KpXs9T${100 + n}`))
      const megabytes = 4
      const result = JSON.stringify({ $return_value: "x".repeat(megabytes * 1_000_000) })
      for (const id of ids) {
        yield* runs.insert([{
          id,
          workflowId,
          deploymentId: program.workflow!.deploymentId,
          trigger: { kind: "HTTP", id, at: 0, hops: 0, emitterId: workflowId, stream: "$requests" },
          event: "{}",
          startedAt: 0,
          status: "running",
          step: 1,
          tries: 0,
          failures: 0,
          rerunContext: null,
          waitsFor: null,
          dueAt: null,
          error: null,
          exitReason: null,
          endedAt: null
        }])
        yield* runs.recordSteps([
          {
            runId: id,
            n: 1,
            path: null,
            name: "first",
            status: "success",
            startedAt: 0,
            wallMs: 0,
            cpuMs: 0,
            configuredProps: null,
            result,
            error: null,
            resumeData: null,
            events: null
          }
        ])
      }
      const gate = yield* Latch.make()
      let read = 0
      let atStep = 0
      const counting = WorkflowRuns.of({
        ...runs,
        stepsOf: (id) => Effect.tap(runs.stepsOf(id), () => Effect.sync(() => read++))
      })
      const held = Sandbox.of({
        ...sandbox,
        run: (request) =>
          Effect.suspend(() => {
            atStep += 1
            return Effect.andThen(gate.await, sandbox.run(request))
          })
      })
      const working = yield* Effect.flatMap(actorOf(program), (actor) => Effect.forkChild(settle(actor))).pipe(
        Effect.provideService(WorkflowRuns, counting),
        Effect.provideService(Sandbox, held)
      )
      yield* Effect.yieldNow.pipe(
        Effect.andThen(runs.outline(workflowId, ids[0]!)),
        Effect.repeat({ until: () => atStep >= 8 })
      )
      yield* Effect.repeat(runs.outline(workflowId, ids[0]!), { times: 100 })
      assert.isAtMost(read * megabytes, 36)
      yield* gate.open
      yield* Fiber.join(working)
      assert.deepStrictEqual(yield* stream(program), ids.map(() => megabytes * 1_000_000))
      assert.deepStrictEqual((yield* runsOf(program)).map(({ status }) => status), ids.map(() => "success"))
    }).pipe(EngineFixture.onTestClock))
})
