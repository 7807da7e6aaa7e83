import { CurrentAccount } from "@headwater/api/Authorization"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import * as Pagination from "@headwater/api/Pagination"
import * as Problem from "@headwater/api/Problem"
import type { RunResource } from "@headwater/api/WorkflowRunsApi"
import * as EmitId from "@headwater/domain/EmitId"
import * as Id from "@headwater/domain/Id"
import type { Program } from "@headwater/domain/Program"
import { EngineLimits, Invocations } from "@headwater/engine/Invocations"
import { Components } from "@headwater/log/resources/Components"
import { type RunOutline, WorkflowRuns } from "@headwater/log/work/WorkflowRuns"
import { Effect, Option, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as AcceptedRun from "../answers/AcceptedRun.ts"
import * as RunDetailsAnswer from "../answers/RunDetailsAnswer.ts"
import { answerFailures } from "../conventions/FailureProblem.ts"
import { runTooLarge } from "../endpoint/EndpointAnswer.ts"
import * as GivenJson from "./GivenJson.ts"
import { answerRefusals } from "./IntakeProblem.ts"
import { answerGone, makeFind } from "./OwnProgram.ts"

const insteadOf = ({ insteadOf }: RunOutline["trigger"]): RunResource["trigger"]["instead_of"] =>
  insteadOf === undefined
    ? null
    : { id: insteadOf.id, emitter_id: insteadOf.emitterId, event_id: insteadOf.eventId ?? null }

const resourceOf = (run: RunOutline): RunResource => ({
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
    rerun_of: run.trigger.rerunOf ?? null,
    instead_of: insteadOf(run.trigger)
  },
  ...(run.trigger.shadow === true ? { shadow: true } : {}),
  started_at_ms: run.startedAt,
  ended_at_ms: run.endedAt,
  due_at_ms: run.dueAt,
  waits_for: run.waitsFor,
  error: run.error,
  exit_reason: run.exitReason
})

const notWaiting = (wish: "cancelled" | "resumed", status: RunResource["status"]) => {
  const sentence = wish === "cancelled"
    ? status === "running" || status === "waiting"
      ? "This run has not begun: it can be cancelled once it has."
      : `Only a run that has not ended can be cancelled: the status of this one is ${status}.`
    : status === "waiting"
    ? "This run has been resumed already: it waits for its turn."
    : `Only a waiting run can be resumed: the status of this one is ${status}.`
  return new Problem.RunNotWaiting({ detail: sentence, error: sentence, details: { status } })
}

interface Found {
  readonly workflow: Program
  readonly run: RunOutline
  /** JSON text of its event, of a run that has not begun. */
  readonly event: string | undefined
}

/** The request over the API as the run's steps see it. */
const requestOf = Effect.fnUntraced(function*(body: Schema.Json | undefined) {
  const given = body === undefined ? {} : { body: yield* GivenJson.exactly("body", body) }
  return JSON.stringify({ id: EmitId.make(), method: "POST", query: {}, headers: {}, ...given })
})

const isRunId = Schema.is(Id.RunId)

export const layer = HttpApiBuilder.group(
  HeadwaterApi,
  "workflowRuns",
  Effect.fnUntraced(function*(handlers) {
    const components = yield* Components
    const details = yield* RunDetailsAnswer.make
    const invocations = yield* Invocations
    const limits = yield* EngineLimits
    const runs = yield* WorkflowRuns
    const findOwn = yield* makeFind
    const findAccepted = yield* AcceptedRun.makeFind

    const find = Effect.fnUntraced(function*(params: { readonly id: string; readonly run_id: string }) {
      const workflow = yield* findOwn("workflow", params.id)
      const { run_id: id } = params
      if (!isRunId(id)) return yield* Problem.notFound("run", id)
      const begun = Effect.map(
        runs.outline(Id.WorkflowId.make(workflow.id), id),
        Option.map((run): Found => ({ workflow, run, event: undefined }))
      )
      const accepted = Effect.map(findAccepted(workflow, id), Option.map((run): Found => ({ workflow, ...run })))
      for (const look of [begun, accepted, begun]) {
        const found = yield* look
        if (Option.isSome(found)) return found.value
      }
      return yield* Problem.notFound("run", id)
    })

    return handlers.handleAll({
      list: Effect.fnUntraced(function*({ params, query }) {
        const workflow = yield* findOwn("workflow", params.id)
        const { items, totalCount } = yield* runs.page(Id.WorkflowId.make(workflow.id), {
          ...Pagination.pageRequest(query),
          status: query.status,
          waitsFor: query.waits_for
        })
        return Pagination.page(items.map(resourceOf), totalCount)
      }, answerFailures),
      ofAccount: Effect.fnUntraced(function*({ params: { run_id: id } }) {
        const owner = isRunId(id) ? yield* runs.ownerOf(id) : Option.none()
        if (!isRunId(id) || Option.isNone(owner) || owner.value.accountId !== (yield* CurrentAccount)) {
          return yield* Problem.notFound("run", id)
        }
        const found = yield* runs.outline(owner.value.workflowId, id)
        return Option.isNone(found) ? yield* Problem.notFound("run", id) : { data: resourceOf(found.value) }
      }, answerFailures),
      rerun: Effect.fnUntraced(function*({ params, payload }) {
        const { run, workflow } = yield* find(params)
        if (run.endedAt !== null && run.trigger.unstored !== undefined) {
          return yield* Problem.invalid([{
            path: "id",
            message: "nothing of the run is kept, as its request asked for"
          }])
        }
        const { code = "current", event, from, from_step: step } = payload ?? {}
        const beside = [["from_step", step], ["from", from], ["code", payload?.code]] as const
        const besides = beside.filter(([, value]) => value !== undefined)
        if (event !== undefined && besides.length > 0) {
          const message = "goes with the event of the run alone"
          return yield* Problem.invalid(besides.map(([path]) => ({ path, message })))
        }
        if (from !== undefined && step !== undefined) {
          return yield* Problem.invalid([{ path: "from", message: "does not go with from_step" }])
        }
        if (event !== undefined) {
          const text = yield* GivenJson.exactly("event", event)
          return {
            data: { id: yield* answerRefusals(workflow, invocations.rerunWith(workflow, run.id, JSON.stringify(text))) }
          }
        }
        const component = yield* components.codeless(workflow.componentId)
        const steps = Option.match(component, { onNone: () => [], onSome: ({ steps }) => steps ?? [] })
        if (step !== undefined && code === "current" && !steps.some(({ name }) => name === step)) {
          return yield* Problem.invalid([{ path: "from_step", message: "the workflow has no step of this name" }])
        }
        const id = yield* answerRefusals(
          workflow,
          invocations.rerun(workflow, { run: run.id, step: step ?? null, from: from ?? "start", code })
        )
        return { data: { id } }
      }, answerFailures),
      cancel: Effect.fnUntraced(function*({ params }) {
        const { run, workflow } = yield* find(params)
        const cancellation = yield* invocations.cancel(workflow, run.id).pipe(answerGone("workflow", params.id))
        const { run: now } = yield* find(params)
        if (cancellation !== "cancelled") return yield* notWaiting("cancelled", now.status)
        return { data: resourceOf(now) }
      }, answerFailures),
      resume: Effect.fnUntraced(function*({ params, payload }) {
        const { run, workflow } = yield* find(params)
        const resumption = yield* invocations.resume(workflow, run.id, yield* requestOf(payload?.body)).pipe(
          answerGone("workflow", params.id)
        )
        const { run: now } = yield* find(params)
        if (resumption === "too_large") return yield* runTooLarge(limits.resultsOfRun)
        if (resumption !== "resumed") return yield* notWaiting("resumed", now.status)
        return { data: resourceOf(now) }
      }, answerFailures)
    }).handleRaw(
      "get",
      Effect.fnUntraced(function*({ params, query }) {
        const { event, run, workflow } = yield* find(params)
        return yield* details(workflow.accountId, { run, resource: resourceOf(run), event }, query)
      }, answerFailures)
    )
  })
)
