import { CurrentAccount } from "@headwater/api/Authorization"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import * as Pagination from "@headwater/api/Pagination"
import * as Problem from "@headwater/api/Problem"
import type { WorkflowResource } from "@headwater/api/WorkflowsApi"
import type { CodelessComponent, Component } from "@headwater/domain/Component"
import * as ConfiguredProps from "@headwater/domain/ConfiguredProps"
import * as Id from "@headwater/domain/Id"
import { declaredProps, type Program } from "@headwater/domain/Program"
import { defaultSettings, type WorkflowSettings } from "@headwater/domain/Workflow"
import { Invocations } from "@headwater/engine/Invocations"
import { ProgramLifecycle } from "@headwater/engine/ProgramLifecycle"
import { Programs } from "@headwater/log/resources/Programs"
import { Webhooks } from "@headwater/log/resources/Webhooks"
import { Effect, Option, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ComponentSaving } from "../../ComponentSaving.ts"
import { answerFailures } from "../conventions/FailureProblem.ts"
import { HttpSettings } from "../conventions/HttpSettings.ts"
import * as GivenJson from "./GivenJson.ts"
import * as GivenList from "./GivenList.ts"
import { answerRefusals } from "./IntakeProblem.ts"
import { answerGone, makeFind } from "./OwnProgram.ts"
import * as OwnProject from "./OwnProject.ts"
import * as ProgramHandling from "./ProgramHandling.ts"

type Settings = Pick<
  WorkflowResource,
  | "attachments"
  | "concurrency"
  | "errors"
  | "memory_mb"
  | "rate_limit"
  | "retry_delays"
  | "shadow_reads"
  | "suspension_timeout"
  | "timeout_seconds"
>

interface Parameters extends Partial<Settings> {
  readonly workflow_code?: string
  readonly workflow_url?: string
}

const settingsWith = (before: WorkflowSettings, given: Parameters): WorkflowSettings => ({
  concurrency: given.concurrency ?? before.concurrency,
  rateLimit: given.rate_limit === undefined
    ? before.rateLimit
    : given.rate_limit === null
    ? null
    : { limit: given.rate_limit.limit, intervalSeconds: given.rate_limit.interval_seconds },
  retryDelays: given.retry_delays ?? before.retryDelays,
  errors: given.errors ?? before.errors,
  suspensionTimeout: given.suspension_timeout ?? before.suspensionTimeout,
  timeoutSeconds: given.timeout_seconds === undefined ? before.timeoutSeconds : given.timeout_seconds,
  memoryMb: given.memory_mb === undefined ? before.memoryMb : given.memory_mb,
  attachments: given.attachments ?? before.attachments,
  shadowReads: given.shadow_reads ?? before.shadowReads
})

const settingsShown = (
  {
    attachments,
    concurrency,
    errors,
    memoryMb,
    rateLimit,
    retryDelays,
    shadowReads,
    suspensionTimeout,
    timeoutSeconds
  }: WorkflowSettings
): Settings => ({
  concurrency,
  rate_limit: rateLimit === null ? null : { limit: rateLimit.limit, interval_seconds: rateLimit.intervalSeconds },
  retry_delays: retryDelays,
  errors,
  suspension_timeout: suspensionTimeout,
  timeout_seconds: timeoutSeconds,
  memory_mb: memoryMb,
  attachments,
  shadow_reads: shadowReads
})

type RenderProps = Effect.Success<typeof ProgramHandling.make>["configuredProps"]

const resourceOf = (
  program: Program,
  component: CodelessComponent,
  configuredProps: RenderProps
): WorkflowResource => {
  const missing = ConfiguredProps.missingOf(declaredProps(component, program), program)
  const { deploymentId, settings } = program.workflow ?? { deploymentId: "", settings: defaultSettings }
  return {
    id: program.id,
    name: program.name,
    name_slug: program.nameSlug,
    code_hash: component.codeHash,
    deployment_id: deploymentId,
    steps: component.steps ?? [],
    configured_props: configuredProps(program, component),
    ...(missing.length === 0 ? {} : { missing_props: missing }),
    active: program.active,
    ...settingsShown(settings),
    ...(program.projectId === null ? {} : { project_id: program.projectId }),
    ...(program.shadow ? { shadow: true } : {}),
    created_at: program.createdAt,
    updated_at: program.updatedAt
  }
}

export const layer = HttpApiBuilder.group(
  HeadwaterApi,
  "workflows",
  Effect.fnUntraced(function*(handlers) {
    const find = yield* makeFind
    const projectOf = yield* OwnProject.makeGiven
    const programs = yield* Programs
    const lifecycle = yield* ProgramLifecycle
    const invocations = yield* Invocations
    const saving = yield* ComponentSaving
    const webhooks = yield* Webhooks
    const { maxHeapMebibytes } = yield* HttpSettings
    const { checkSizes, codelessOf, componentOf, configuredProps, filterOf, inTime, using } = yield* ProgramHandling
      .make

    const checkMemory = ({ memory_mb }: Parameters) =>
      (memory_mb ?? 0) <= maxHeapMebibytes ? Effect.void : Effect.fail(Problem.invalid([{
        path: "memory_mb",
        message: `must be at most ${maxHeapMebibytes}, which the operator sets with HEADWATER_RUN_HEAP_MAX`
      }]))

    const render = (program: Program) =>
      Effect.map(codelessOf(program), (component) => resourceOf(program, component, configuredProps))

    const save = Effect.fnUntraced(function*(accountId: Id.AccountId, given: Parameters, previous?: Component) {
      const { workflow_code: code, workflow_url: url } = given
      const details = { previous, kind: "workflow" as const }
      const saved = code !== undefined
        ? Option.some(yield* saving.save(accountId, code, { ...details, url }))
        : url !== undefined
        ? Option.some(yield* saving.saveFrom(accountId, url, details))
        : Option.none()
      return Option.map(saved, (component): ProgramHandling.ChosenComponent => ({ ...component, fresh: true }))
    })

    return handlers.handleAll({
      list: Effect.fnUntraced(function*({ query }) {
        const { projectId } = yield* projectOf(query)
        const request = yield* GivenList.pageRequest(query)
        const filter = { ...(yield* filterOf(query)), projectId, deploymentId: query.deployment_id }
        const { items, totalCount } = yield* programs.page(yield* CurrentAccount, "workflow", request, filter)
        return Pagination.page(yield* Effect.forEach(items, render), totalCount, GivenList.placeOf(query))
      }, answerFailures),
      create: Effect.fnUntraced(function*({ payload }) {
        const accountId = yield* CurrentAccount
        const given = payload.configured_props ?? {}
        yield* checkSizes(given)
        yield* checkMemory(payload)
        const project = yield* projectOf(payload)
        const chosen = yield* save(accountId, payload)
        if (Option.isNone(chosen)) {
          return yield* Problem.invalid([{
            path: "workflow_code",
            message: "one of workflow_code and workflow_url is required"
          }])
        }
        const { component } = chosen.value
        const workflow = yield* using(
          chosen,
          lifecycle.create({
            accountId,
            component,
            name: payload.name,
            configuredProps: given,
            ...project,
            shadow: payload.shadow,
            active: payload.active ?? true,
            workflow: settingsWith(defaultSettings, payload)
          })
        )
        return { data: resourceOf(workflow, component, configuredProps) }
      }, (effect) =>
        effect.pipe(
          Effect.catchTags({
            // Nobody deletes the component of a workflow but with the workflow.
            ComponentGone: Effect.die,
            InvalidInitialState: Effect.die,
            InvalidProps: ({ issues }) => Effect.fail(Problem.invalid(issues)),
            ProjectGone: ({ id }) => Effect.fail(Problem.notFound("project", id))
          }),
          answerFailures
        )),
      get: Effect.fnUntraced(function*({ params }) {
        return { data: yield* render(yield* find("workflow", params.id)) }
      }, answerFailures),
      update: Effect.fnUntraced(function*({ params, payload }) {
        const accountId = yield* CurrentAccount
        const workflow = yield* find("workflow", params.id)
        const given = payload.configured_props ?? {}
        yield* checkSizes(given)
        yield* checkMemory(payload)
        const project = yield* projectOf(payload)
        const chosen = yield* save(accountId, payload, yield* componentOf(workflow))
        const updated = yield* inTime(using(
          chosen,
          lifecycle.update(workflow, {
            component: Option.isSome(chosen) ? chosen.value.component : undefined,
            name: payload.name,
            configuredProps: given,
            ...project,
            shadow: payload.shadow,
            active: payload.active ?? true,
            settings: settingsWith(workflow.workflow?.settings ?? defaultSettings, payload)
          })
        ))
        return { data: yield* render(updated) }
      }, (effect, { params }) =>
        effect.pipe(
          Effect.catchTag("InvalidProps", ({ issues }) => Effect.fail(Problem.invalid(issues))),
          answerGone("workflow", params.id),
          answerFailures
        )),
      delete: Effect.fnUntraced(function*({ params }) {
        yield* inTime(lifecycle.remove(yield* find("workflow", params.id)))
      }, (effect, { params }) => effect.pipe(answerGone("workflow", params.id), answerFailures)),
      getSecret: Effect.fnUntraced(function*({ params }) {
        const workflow = yield* find("workflow", params.id)
        const sender = yield* webhooks.ofWorkflow(Id.WorkflowId.make(workflow.id))
        const [secret] = Option.isNone(sender) ? [] : yield* webhooks.secrets(sender.value.id)
        if (secret === undefined) return yield* Problem.notFound("workflow", params.id)
        return { data: { secret: Redacted.value(secret) } }
      }, answerFailures),
      invoke: Effect.fnUntraced(function*({ params, payload }) {
        const workflow = yield* find("workflow", params.id)
        const given = payload?.event
        const event = given === undefined ? null : yield* GivenJson.exactly("event", given)
        const id = yield* answerRefusals(workflow, invocations.invoke(workflow, JSON.stringify(event)))
        return { data: { id } }
      }, answerFailures)
    })
  })
)
