import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { ApiAccess } from "../access/ApiAccess.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as DeliveryFilters from "../given/DeliveryFilters.ts"
import * as EventFile from "../given/EventFile.ts"
import * as RunNamed from "../given/RunNamed.ts"
import * as Kind from "../resource/Kind.ts"
import * as Naming from "../resource/Naming.ts"
import * as FlagWords from "../text/FlagWords.ts"
import * as Output from "../text/Output.ts"
import * as BulkCommand from "./BulkCommand.ts"

/** The flag for each field of a request for many runs. */
const words: FlagWords.Flags = {
  ...FlagWords.within("filter", {
    program_id: "--program",
    run_status: "--status",
    error: "--error",
    text: "--text",
    since: "--since",
    until: "--until"
  }),
  "rerun.from": "--from-failed",
  "rerun.code": "--own-code",
  rate_limit: "--rate"
}

const rerunFlags = {
  fromFailed: Flag.Boolean("from-failed").pipe(
    Flag.withDescription("From the step that failed, not from the start"),
    Flag.withDefault(false)
  ),
  ownCode: Flag.Boolean("own-code").pipe(
    Flag.withDescription("On the code and props that the run had, not on today's"),
    Flag.withDefault(false)
  )
}

const filterFlags = {
  program: DeliveryFilters.flag("program", "Of this source or workflow, by name, slug or id"),
  error: DeliveryFilters.flag("error", "Whose error has this text in its name or message"),
  text: DeliveryFilters.flag("text", "Whose event has this text"),
  since: DeliveryFilters.flag("since", "Begun at this time or later: ISO 8601, or so long ago, such as 30m, 12h or 7d"),
  until: DeliveryFilters.flag("until", "Begun before this time, in the same forms")
}

/** The runs that are meant, as the API takes them. */
const filterOf = Effect.fnUntraced(function*(
  { error, program, since, status, text, until }: {
    readonly [Name in keyof typeof filterFlags | "status"]: Option.Option<string>
  }
) {
  return {
    ...(yield* Naming.fieldOf("program_id", Kind.emitters, program)),
    ...DeliveryFilters.given("run_status", status),
    ...DeliveryFilters.given("error", error),
    ...DeliveryFilters.given("text", text),
    ...(yield* DeliveryFilters.span({ since, until }))
  }
})

/** Repeats one run. */
export const rerun = Command.make(
  "rerun",
  {
    ...RunNamed.arguments,
    fromStep: DeliveryFilters.flag("from-step", "From this step: those before it keep their results"),
    ...rerunFlags,
    ...EventFile.flags,
    json: Output.json
  },
  Effect.fnUntraced(
    function*({ data, event, fromFailed, fromStep, json, ownCode, run, workflow }) {
      const { call } = yield* ApiAccess
      const params = yield* RunNamed.paramsOf({ workflow, run })
      const other = yield* EventFile.read({ data, event })
      if (Option.isSome(fromStep) && fromFailed) {
        return yield* new CommandRefused({
          message: "--from-step and --from-failed both say where to begin: leave one out"
        })
      }
      const payload = {
        ...DeliveryFilters.given("from_step", fromStep),
        ...DeliveryFilters.given("event", other),
        ...(fromFailed ? { from: "failed_step" as const } : {}),
        ...(ownCode ? { code: "own" as const } : {})
      }
      const answer = yield* call(({ workflowRuns }) => workflowRuns.rerun({ params, headers: {}, query: {}, payload }))
      yield* Output.print(json, answer.data, `The run ${answer.data.id} repeats ${run}.`)
    },
    FlagWords.inFlags({
      ...EventFile.words("event"),
      from_step: "--from-step",
      from: "--from-failed",
      code: "--own-code"
    })
  )
).pipe(
  Command.withDescription("Run a run's event again, or another one in its place"),
  Command.withExamples([
    {
      command: "headwater runs rerun orders run_0Uz7N5cVwQ2KpXs9TzLd --data '{\"order\": 19, \"total\": 5}'",
      description: "With a changed event, which names the first"
    }
  ])
)

/** Repeats all that match. */
export const rerunAll = Command.make(
  "rerun-all",
  {
    ...filterFlags,
    status: Flag.Literals("status", ["error", "success", "cancelled"]).pipe(
      Flag.withDescription("Those that ended so. Default: error"),
      Flag.optional
    ),
    ...rerunFlags,
    ...BulkCommand.flags,
    json: Output.json
  },
  Effect.fnUntraced(
    function*({ dryRun, fromFailed, json, ownCode, rate, wait, ...meant }) {
      const filter = yield* filterOf(meant)
      const rerun = {
        from: fromFailed ? "failed_step" as const : "start" as const,
        code: ownCode ? "own" as const : "current" as const
      }
      yield* BulkCommand.begin({ action: "rerun", filter, dryRun, rate, rerun }, wait, json)
    },
    FlagWords.inFlags(words)
  )
).pipe(
  Command.withDescription("Run all again that failed, of sources too, by a bulk action"),
  Command.withExamples([
    { command: "headwater runs rerun-all --since 2d --dry-run", description: "How many failed" },
    {
      command: "headwater runs rerun-all --program orders --error TypeError --from-failed --rate 10",
      description: "Run them"
    }
  ])
)

/** Cancels all that match. */
export const cancelAll = Command.make(
  "cancel-all",
  {
    ...filterFlags,
    status: Flag.Literals("status", ["running", "waiting"]).pipe(
      Flag.withDescription("Those that stand so. Default: all that have not ended"),
      Flag.optional
    ),
    ...BulkCommand.flags,
    json: Output.json
  },
  Effect.fnUntraced(function*({ dryRun, json, rate, wait, ...meant }) {
    const filter = yield* filterOf(meant)
    yield* BulkCommand.begin({ action: "cancel_runs", filter, dryRun, rate }, wait, json)
  }, FlagWords.inFlags(words))
).pipe(Command.withDescription("Cancel all runs of workflows that have not ended, by a bulk action"))

/** Shows the books of a source or workflow. */
export const books = Command.make(
  "books",
  {
    program: Argument.String("program").pipe(Argument.withDescription("The source or workflow, by name, slug or id")),
    json: Output.json
  },
  Effect.fnUntraced(function*({ json, program }) {
    const { call } = yield* ApiAccess
    const { id } = yield* Naming.find(Kind.emitters, program)
    const { data } = yield* call(({ figures }) => figures.books({ params: { id }, query: {} }))
    yield* Output.print(
      json,
      data,
      Output.table([
        ["Received", String(data.received)],
        ["Done", String(data.done)],
        ["Failed", String(data.failed)],
        ["Cancelled", String(data.cancelled)],
        ["Waiting", String(data.waiting)],
        ["At work", String(data.at_work)]
      ])
    )
  })
).pipe(Command.withDescription("Show what became of all runs of a source or workflow"))
