import type { RunResource } from "@headwater/api/WorkflowRunsApi"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { ApiAccess } from "../access/ApiAccess.ts"
import * as EventFile from "../given/EventFile.ts"
import { harmless } from "../text/HarmlessText.ts"
import * as Output from "../text/Output.ts"
import * as RunText from "../text/RunText.ts"
import { books, cancelAll, rerun, rerunAll } from "./RepeatRuns.ts"

const workflow = Argument.String("workflow").pipe(Argument.withDescription("The workflow, by id or name slug"))
const run = Argument.String("run").pipe(Argument.withDescription("The run's id, such as run_0Uz7N5cVwQ2KpXs9TzLd"))

const statuses = ["running", "waiting", "success", "error", "cancelled"] as const
const waits = ["suspend", "delay", "rerun", "retry"] as const

const outcomeOf = ({ error, exit_reason }: RunResource): string => error?.message ?? exit_reason ?? ""

const list = Command.make(
  "list",
  {
    workflow,
    status: Flag.Literals("status", statuses).pipe(
      Flag.withDescription("Only runs with this status"),
      Flag.optional
    ),
    waitsFor: Flag.Literals("waits-for", waits).pipe(
      Flag.withDescription("Only runs that wait for this reason"),
      Flag.optional
    ),
    limit: Flag.Int("limit").pipe(Flag.withDescription("At most so many, the newest first"), Flag.withDefault(20)),
    json: Output.json
  },
  Effect.fnUntraced(function*({ json, limit, status, waitsFor, workflow }) {
    const { call } = yield* ApiAccess
    const query = {
      limit,
      ...(Option.isNone(status) ? {} : { status: status.value }),
      ...(Option.isNone(waitsFor) ? {} : { waits_for: waitsFor.value })
    }
    const { data } = yield* call(({ workflowRuns }) => workflowRuns.list({ params: { id: workflow }, query }))
    const rows = data.map((run) => [
      run.id,
      run.status,
      run.waits_for ?? "",
      Output.timeOfMs(run.started_at_ms),
      Output.timeOfMs(run.due_at_ms),
      harmless(outcomeOf(run))
    ])
    yield* Output.print(
      json,
      data,
      Output.table([["RUN", "STATUS", "WAITS FOR", "BEGAN", "UNTIL", "OUTCOME"], ...rows])
    )
  })
).pipe(Command.withDescription("List runs of a workflow, the newest first"))

const show = Command.make(
  "show",
  { workflow, run, json: Output.json },
  Effect.fnUntraced(function*({ json, run, workflow }) {
    const { call } = yield* ApiAccess
    const { data } = yield* call(({ workflowRuns }) =>
      workflowRuns.get({ params: { id: workflow, run_id: run }, query: {} })
    )
    yield* Output.print(json, data, RunText.linesOf(data))
  })
).pipe(Command.withDescription("Show a run with its steps: their props, their console, and what became of them"))

const resume = Command.make(
  "resume",
  { workflow, run, ...EventFile.flags, json: Output.json },
  Effect.fnUntraced(function*({ data, event, json, run, workflow }) {
    const { call } = yield* ApiAccess
    const body = yield* EventFile.read({ data, event })
    const payload = Option.match(body, { onNone: () => ({}), onSome: (body) => ({ body }) })
    const answer = yield* call(({ workflowRuns }) =>
      workflowRuns.resume({ params: { id: workflow, run_id: run }, headers: {}, query: {}, payload })
    )
    yield* Output.print(json, answer.data, `The run ${run} goes on.`)
  })
).pipe(
  Command.withDescription("Have a run that waits go on now"),
  Command.withExamples([
    {
      command: "headwater runs resume approval run_0Uz7N5cVwQ2KpXs9TzLd --data '{\"approved\": true}'",
      description: "Its steps find the JSON in $resume_data.body"
    }
  ])
)

const cancel = Command.make(
  "cancel",
  { workflow, run, json: Output.json },
  Effect.fnUntraced(function*({ json, run, workflow }) {
    const { call } = yield* ApiAccess
    const { data } = yield* call(({ workflowRuns }) =>
      workflowRuns.cancel({ params: { id: workflow, run_id: run }, headers: {}, query: {} })
    )
    yield* Output.print(json, data, `Cancelled the run ${run}. What its steps have done stays.`)
  })
).pipe(Command.withDescription("End a run at once; a step that it is at commits nothing"))

export const runsCommand = Command.make("runs").pipe(
  Command.withDescription("List and show the runs of a workflow, and resume, cancel or repeat them"),
  Command.withSubcommands([list, show, resume, cancel, rerun, rerunAll, cancelAll, books]),
  Command.provide(ApiAccess.layer)
)
