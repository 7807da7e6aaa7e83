import type { SourceResource } from "@headwater/api/SourcesApi"
import type { WorkflowResource } from "@headwater/api/WorkflowsApi"
import * as CauseLines from "@headwater/sandbox/runtime/CauseLines"
import { explain } from "@headwater/server/ErrorExplanation"
import { Effect, Option, Predicate, Schedule, type Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { ApiAccess, ServerAway } from "../access/ApiAccess.ts"
import * as PassingFailure from "../access/PassingFailure.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as EventFile from "../given/EventFile.ts"
import * as Kind from "../resource/Kind.ts"
import * as Naming from "../resource/Naming.ts"
import * as FlagWords from "../text/FlagWords.ts"
import { harmless } from "../text/HarmlessText.ts"
import * as Output from "../text/Output.ts"
import * as Progress from "../text/Progress.ts"

/** The path of the first endpoint of a source, below the server's URL. */
export const endpointOf = ({ configured_props }: SourceResource): string | undefined => {
  for (const value of Object.values(configured_props)) {
    const url: unknown = Predicate.isObject(value) ? Reflect.get(value, "endpoint_url") : undefined
    // The command reaches the server by its own URL, and maybe not by the public one.
    const [path] = /\/http\/[^/]+$/.exec(Predicate.isString(url) ? url : "") ?? []
    if (path !== undefined) return path
  }
  return undefined
}

/** Sends an endpoint an event. */
export const post = (url: string, event: Option.Option<Schema.Json>) =>
  Effect.tryPromise({
    try: async (signal) => {
      const body = Option.isNone(event)
        ? {}
        : { headers: { "content-type": "application/json" }, body: JSON.stringify(event.value) }
      const response = await fetch(url, { method: "POST", redirect: "manual", signal, ...body })
      return { status: response.status, body: await response.text() }
    },
    catch: (cause) => new ServerAway({ message: `The endpoint can't be reached: ${explain(cause)}` })
  })

const triggerSource = Effect.fnUntraced(function*(
  source: SourceResource,
  event: Option.Option<Schema.Json>,
  json: boolean
) {
  const { url } = yield* ApiAccess
  const endpoint = endpointOf(source)
  if (endpoint === undefined) {
    return yield* new CommandRefused({
      message:
        `The source ${source.name} has no endpoint to send an event to: it runs by its timer, or for the events ` +
        "that it listens to. Give its component a prop of the type $.interface.http, or trigger what it listens to"
    })
  }
  const answer = yield* Progress.during(() => `Waiting for the answer of ${source.name}`)(
    post(`${url}${endpoint}`, event)
  )
  yield* Output.print(
    json,
    { source_id: source.id, ...answer },
    harmless(`${source.name} answered ${answer.status}${answer.body === "" ? "" : `\n${answer.body}`}`)
  )
  if (answer.status >= 400) {
    return yield* new CommandRefused({
      message: `The endpoint answered ${answer.status}. \`headwater events ${source.name_slug} --stream '$errors'\` ` +
        "shows what its code threw"
    })
  }
})

/** Waits for a run to end. */
const ended = Effect.fnUntraced(function*(workflowId: string, runId: string) {
  const { call } = yield* ApiAccess
  return yield* PassingFailure.retry(
    call(({ workflowRuns }) => workflowRuns.get({ params: { id: workflowId, run_id: runId }, query: {} }))
  ).pipe(
    Effect.map(({ data }) => data),
    Effect.repeat({ until: ({ ended_at_ms }) => ended_at_ms !== null, schedule: Schedule.spaced("250 millis") }),
    Progress.during(() => `Waiting for the run ${runId}`)
  )
})

const triggerWorkflow = Effect.fnUntraced(function*(
  workflow: WorkflowResource,
  event: Option.Option<Schema.Json>,
  wait: boolean,
  json: boolean
) {
  const { call } = yield* ApiAccess
  const payload = Option.match(event, { onNone: () => ({}), onSome: (event) => ({ event }) })
  const { data } = yield* call(({ workflows }) =>
    workflows.invoke({ params: { id: workflow.id }, headers: {}, query: {}, payload })
  )
  if (!wait) return yield* Output.print(json, { workflow_id: workflow.id, ...data }, `Run    ${data.id}`)
  const run = yield* ended(workflow.id, data.id)
  const failedAt = run.steps.findLast(({ status }) => status === "error")?.name
  const text = Output.table([
    ["Run", run.id],
    ["Status", run.status],
    ...(run.exit_reason === null ? [] : [["Reason", run.exit_reason]]),
    ...(failedAt === undefined ? [] : [["Step", failedAt]]),
    ...(run.error === null
      ? []
      : [["Error", run.error.message], ...CauseLines.within(run.error.stack ?? "").map((line) => ["", line])])
  ])
  yield* Output.print(json, run, harmless(text))
  if (run.status !== "success") return yield* new CommandRefused({ message: `The run ended with ${run.status}` })
})

/** Gives a source or workflow an event. */
export const triggerCommand = Command.make(
  "trigger",
  {
    emitter: Argument.String("program").pipe(Argument.withDescription("A source or workflow, by name, slug or id")),
    ...EventFile.flags,
    wait: Flag.Boolean("wait").pipe(
      Flag.withDescription("Wait for the workflow's run to end, and fail if it does"),
      Flag.withDefault(false)
    ),
    json: Output.json
  },
  Effect.fnUntraced(function*({ data, emitter, event: file, json, wait }) {
    const event = yield* EventFile.read({ data, event: file })
    const { call } = yield* ApiAccess
    const { id, kind } = yield* Naming.find(Kind.emitters, emitter)
    const request = { params: { id }, query: {} }
    if (kind === Kind.source) {
      const { data: source } = yield* call(({ sources }) => sources.get(request))
      return yield* triggerSource(source, event, json)
    }
    const { data: workflow } = yield* call(({ workflows }) => workflows.get(request))
    return yield* triggerWorkflow(workflow, event, wait, json)
  }, FlagWords.inFlags(EventFile.words("event")))
).pipe(
  Command.withDescription("Send an event to a source's endpoint, or run a workflow with it"),
  Command.withExamples([
    {
      command: "headwater trigger orders --event order.json",
      description: "POST the file to the endpoint of a source"
    },
    {
      command: "headwater trigger large-orders --data '{\"total\": 60}' --wait",
      description: "Run a workflow to its end"
    }
  ]),
  Command.provide(ApiAccess.layer)
)
