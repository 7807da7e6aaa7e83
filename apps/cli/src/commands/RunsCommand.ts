import { type RunResource, WorkflowRunsApi } from "@headwater/api/WorkflowRunsApi"
import { Effect, Option } from "effect"
import { Command } from "effect/cli"
import { ApiAccess } from "../access/ApiAccess.ts"
import * as EventFile from "../given/EventFile.ts"
import * as RunNamed from "../given/RunNamed.ts"
import * as Columns from "../resource/Columns.ts"
import * as Kind from "../resource/Kind.ts"
import type { Resource } from "../resource/Resource.ts"
import * as ResourceCommand from "../resource/ResourceCommand.ts"
import * as FlagWords from "../text/FlagWords.ts"
import * as Output from "../text/Output.ts"
import * as RunText from "../text/RunText.ts"
import { books, cancelAll, rerun, rerunAll } from "./RepeatRuns.ts"

const outcomeOf = ({ error, exit_reason }: Pick<RunResource, "error" | "exit_reason">): string =>
  error?.message ?? exit_reason ?? ""

const runs: Resource = {
  kind: Kind.run,
  api: WorkflowRunsApi,
  columns: [
    Columns.field("RUN", "id"),
    Columns.field("STATUS", "status"),
    Columns.field("WAITS FOR", "waits_for"),
    Columns.timeOfMs("BEGAN (UTC)", "started_at_ms"),
    Columns.timeOfMs("UNTIL (UTC)", "due_at_ms"),
    { head: "OUTCOME", of: (run) => outcomeOf(run as unknown as RunResource) }
  ],
  listed: 20,
  within: Kind.workflow,
  first: "headwater trigger WORKFLOW"
}

const get = Command.make(
  "get",
  { ...RunNamed.arguments, json: Output.json },
  Effect.fnUntraced(function*({ json, run, workflow }) {
    const { call } = yield* ApiAccess
    const params = yield* RunNamed.paramsOf({ workflow, run })
    const { data } = yield* call(({ workflowRuns }) => workflowRuns.get({ params, query: {} }))
    yield* Output.print(json, data, RunText.linesOf(data))
  })
).pipe(
  Command.withDescription("Show a run with its steps: their props, their console, and what became of them"),
  Command.withAlias("show")
)

const resume = Command.make(
  "resume",
  { ...RunNamed.arguments, ...EventFile.flags, json: Output.json },
  Effect.fnUntraced(function*({ data, event, json, run, workflow }) {
    const { call } = yield* ApiAccess
    const params = yield* RunNamed.paramsOf({ workflow, run })
    const body = yield* EventFile.read({ data, event })
    const payload = Option.match(body, { onNone: () => ({}), onSome: (body) => ({ body }) })
    const answer = yield* call(({ workflowRuns }) => workflowRuns.resume({ params, headers: {}, query: {}, payload }))
    yield* Output.print(json, answer.data, `The run ${run} goes on.`)
  }, FlagWords.inFlags(EventFile.words("body")))
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
  { ...RunNamed.arguments, json: Output.json },
  Effect.fnUntraced(function*({ json, run, workflow }) {
    const { call } = yield* ApiAccess
    const params = yield* RunNamed.paramsOf({ workflow, run })
    const { data } = yield* call(({ workflowRuns }) => workflowRuns.cancel({ params, headers: {}, query: {} }))
    yield* Output.print(json, data, `Cancelled the run ${run}. What its steps have done stays.`)
  })
).pipe(Command.withDescription("End a run at once; a step that it is at commits nothing"))

export const runsCommand = ResourceCommand.make("runs", runs, [
  get,
  resume,
  cancel,
  rerun,
  rerunAll,
  cancelAll,
  books
])
