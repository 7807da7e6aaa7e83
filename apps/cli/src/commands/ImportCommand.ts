import { Console, Effect } from "effect"
import { Argument, Command, Flag, Prompt } from "effect/cli"
import { ApiAccess } from "../access/ApiAccess.ts"
import { ComponentFiles } from "../code/ComponentFiles.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as Importing from "../moving/Importing.ts"
import * as MovingReport from "../moving/MovingReport.ts"
import { besideEnding } from "../moving/SetupWriting.ts"
import * as SetupApplication from "../setup/SetupApplication.ts"
import * as SetupPlan from "../setup/SetupPlan.ts"
import { harmless } from "../text/HarmlessText.ts"
import * as Output from "../text/Output.ts"
import { fillCommand } from "./ApplyCommand.ts"
import { isAtTerminal } from "./DeployCommand.ts"
import { finishCommand, statusCommand } from "./ImportFinishCommand.ts"

const pipedreamCommand = Command.make(
  "pipedream",
  {
    folder: Argument.String("folder").pipe(
      Argument.withDescription("A project, as the service synchronises it with git, or an archive of it")
    ),
    archive: Argument.String("archive").pipe(
      Argument.withDescription("An archive that has what the folder of git has not, such as schedules"),
      Argument.optional
    ),
    into: Flag.String("into").pipe(
      Flag.withDescription("The folder of the set-up that is made, or that an import before has made"),
      Flag.withDefault("moved")
    ),
    only: Flag.String("only").pipe(
      Flag.withDescription("One workflow, by its slug, its id (p_…) or its folder"),
      Flag.optional
    ),
    registry: Flag.String("registry").pipe(
      Flag.withDescription("A git clone of the service's public registry, of which actions are taken"),
      Flag.optional
    ),
    dryRun: Flag.Boolean("dry-run").pipe(
      Flag.withDescription("Only show the report and the plan: neither files nor the account change"),
      Flag.withDefault(false)
    ),
    yes: Flag.Boolean("yes").pipe(Flag.withDescription("Do it without asking"), Flag.withDefault(false)),
    json: Output.json
  },
  Effect.fnUntraced(function*({ archive, dryRun, folder, into, json, only, registry, yes }) {
    const { plan, report, written } = yield* Importing.prepare({ archive, dryRun, folder, into, only, registry })
    const { beside, kept, removed } = written
    const isAsked = !dryRun && !yes && plan.changes.length > 0
    const mayAsk = !json && (yield* isAtTerminal)
    if (!json) {
      yield* Console.log(harmless([
        MovingReport.textOf(report),
        "",
        ...(dryRun ? [] : [`The set-up is in ${into}`]),
        ...kept.map((path) => `Kept ${path}, which you have changed`),
        ...beside.map((path) => `Kept ${path}, which you have changed: the new one is ${path}${besideEnding}`),
        ...removed.map((path) => `Removed ${path}`),
        SetupPlan.linesOf(plan)
      ].join("\n")))
    }
    // Without changes, too: it keeps the ids of what is there.
    const goesOn = !dryRun && (!isAsked || mayAsk && (yield* Prompt.Confirm({ message: "Do this?" })))
    const { applied, failed } = goesOn ? yield* Importing.apply(plan, into) : { applied: [], failed: [] }
    if (json) {
      const changes = SetupPlan.jsonOf(plan)
      yield* Console.log(
        JSON.stringify({ into, report: MovingReport.jsonOf(report), kept, beside, removed, changes, applied, failed })
      )
    } else if (goesOn && plan.changes.length > 0) {
      yield* Console.log(harmless([
        SetupApplication.linesOf(applied),
        ...failed.flatMap(({ faults }) => faults.map((fault) => `Not done: ${fault}`)),
        `Nothing of it is switched on yet: see what each workflow needs with \`headwater import status --into ${into}\``
      ].join("\n")))
    }
    if (isAsked && !mayAsk) {
      return yield* new CommandRefused({
        message: `${plan.changes.length} changes wait for a yes: look at them with --dry-run, and give --yes`
      })
    }
    if (failed.length > 0) {
      return yield* new CommandRefused({ message: `${failed.length} of ${plan.changes.length} changes are not done` })
    }
  })
).pipe(
  Command.withDescription("Move the workflows of a project in from Pipedream, and say what could not be brought"),
  Command.provide(ComponentFiles.layer),
  Command.provide(ApiAccess.layer)
)

/** Moves projects in from elsewhere. With a folder that was exported from here it is another name of `apply`. */
export const importCommand = fillCommand.pipe(
  Command.withSubcommands([pipedreamCommand, statusCommand, finishCommand])
)
