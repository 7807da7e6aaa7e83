import { assert, layer } from "@effect/vitest"
import * as Id from "@headwater/domain/Id"
import { WorkflowRuns } from "@headwater/log/work/WorkflowRuns"
import { Effect, Option, Schedule } from "effect"
import * as EngineFixture from "../../test/EngineFixture.ts"
import { stream } from "../../test/ProgramFixture.ts"
import * as Engine from "../Engine.ts"

layer(EngineFixture.layer, { timeout: "60 seconds", excludeTestServices: true })("a node", (it) => {
  it.effect("goes on with runs that another left at a step, though nothing else of their workflow is to be done", () =>
    Effect.gen(function*() {
      const runs = yield* WorkflowRuns
      const account = yield* EngineFixture.account
      const program = yield* EngineFixture.program(
        account.id,
        `export default { run({ steps, $ }) { $.emit(steps.trigger.event) } }`,
        { workflow: {} }
      )
      const workflowId = Id.WorkflowId.make(program.id)
      const id = Id.RunId.make(yield* Id.make("run"))
      yield* runs.insert([{
        id,
        workflowId,
        deploymentId: program.workflow!.deploymentId,
        trigger: { kind: "INVOCATION", id, at: 0, hops: 0, emitterId: program.id, stream: "$requests" },
        event: `"left"`,
        startedAt: 0,
        status: "running",
        step: 0,
        tries: 0,
        failures: 0,
        rerunContext: null,
        waitsFor: null,
        dueAt: null,
        error: null,
        exitReason: null,
        endedAt: null
      }])
      yield* runs.get(workflowId, id).pipe(
        Effect.repeat({
          until: (run) => Option.getOrThrow(run).status === "success",
          schedule: Schedule.spaced("50 millis")
        }),
        Effect.provide(Engine.layer)
      )
      assert.deepStrictEqual(yield* stream(program), ["left"])
    }))
})
