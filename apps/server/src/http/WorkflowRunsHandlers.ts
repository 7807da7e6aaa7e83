import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import * as Pagination from "@headwater/api/Pagination"
import * as Problem from "@headwater/api/Problem"
import type { RunDetails, RunResource } from "@headwater/api/WorkflowRunsApi"
import * as EventId from "@headwater/domain/EventId"
import * as Id from "@headwater/domain/Id"
import * as Stream from "@headwater/domain/Stream"
import { Invocations } from "@headwater/engine/Invocations"
import { Components } from "@headwater/log/Components"
import { EventLog } from "@headwater/log/EventLog"
import { type StepRecord, type WorkflowRun, WorkflowRuns } from "@headwater/log/WorkflowRuns"
import { Effect, Option, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { answerFailures } from "./FailureProblem.ts"
import { answerRefusals } from "./IntakeProblem.ts"
import { makeFind } from "./OwnProgram.ts"

/** Events of one step that are shown. */
const maxEvents = 1_000

const resourceOf = (run: WorkflowRun): RunResource => ({
  id: run.id,
  workflow_id: run.workflowId,
  deployment_id: run.deploymentId,
  status: run.status,
  trigger: {
    id: run.trigger.id,
    source_type: run.trigger.kind,
    ts_ms: run.trigger.at,
    emitter_id: run.trigger.emitterId,
    event_name: run.trigger.kind === "EVENT" ? run.trigger.stream : "",
    hops: run.trigger.hops,
    rerun_of: run.trigger.rerunOf ?? null
  },
  started_at_ms: run.startedAt,
  ended_at_ms: run.endedAt,
  due_at_ms: run.dueAt,
  error: run.error,
  exit_reason: run.exitReason
})

const isRunId = Schema.is(Id.RunId)

export const layer = HttpApiBuilder.group(
  HeadwaterApi,
  "workflowRuns",
  Effect.fnUntraced(function*(handlers) {
    const components = yield* Components
    const events = yield* EventLog
    const invocations = yield* Invocations
    const runs = yield* WorkflowRuns
    const findOwn = yield* makeFind

    const find = Effect.fnUntraced(function*(params: { readonly id: string; readonly run_id: string }) {
      const workflow = yield* findOwn("workflow", params.id)
      const found = isRunId(params.run_id)
        ? yield* runs.get(Id.WorkflowId.make(workflow.id), params.run_id)
        : Option.none()
      return Option.isNone(found) ? yield* Problem.notFound("run", params.run_id) : { workflow, run: found.value }
    })

    const stepOf = Effect.fnUntraced(function*(workflowId: string, step: StepRecord) {
      const left = step.events === null
        ? []
        : yield* events.inRange(workflowId, { from: step.events.first, to: step.events.last }, maxEvents)
      return {
        n: step.n,
        name: step.name,
        status: step.status,
        started_at_ms: step.startedAt,
        wall_ms: step.wallMs,
        cpu_ms: step.cpuMs,
        result: step.result === null ? null : JSON.parse(step.result),
        error: step.error,
        logs: left.filter(({ stream }) => stream === Stream.logs).map(({ payload }) => JSON.parse(payload)),
        events: left
          .filter(({ stream }) => stream !== Stream.logs)
          .map(({ id, stream }) => ({ id: EventId.format(id), event_name: stream }))
      } satisfies RunDetails["steps"][number]
    })

    return handlers.handleAll({
      list: Effect.fnUntraced(function*({ params, query }) {
        const workflow = yield* findOwn("workflow", params.id)
        const { items, totalCount } = yield* runs.page(Id.WorkflowId.make(workflow.id), {
          ...Pagination.pageRequest(query),
          status: query.status
        })
        return Pagination.page(items.map(resourceOf), totalCount)
      }, answerFailures),
      get: Effect.fnUntraced(function*({ params }) {
        const { run } = yield* find(params)
        const steps = yield* Effect.forEach(yield* runs.stepsOf(run.id), (step) => stepOf(run.workflowId, step))
        return { data: { ...resourceOf(run), event: JSON.parse(run.event), steps } }
      }, answerFailures),
      rerun: Effect.fnUntraced(function*({ params, payload }) {
        const { run, workflow } = yield* find(params)
        const { from_step: step } = payload
        const component = yield* components.getById(workflow.componentId)
        const steps = Option.match(component, { onNone: () => [], onSome: ({ steps }) => steps ?? [] })
        if (step !== undefined && !steps.some(({ name }) => name === step)) {
          return yield* Problem.invalid([{ path: "from_step", message: "the workflow has no step of this name" }])
        }
        const id = yield* answerRefusals(workflow, invocations.rerun(workflow, run.id, step ?? null))
        return { data: { id } }
      }, answerFailures)
    })
  })
)
