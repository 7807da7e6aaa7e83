import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag, Prompt } from "effect/cli"
import * as Path from "node:path"
import * as AccessFile from "../access/AccessFile.ts"
import { ApiAccess } from "../access/ApiAccess.ts"
import { ComponentFiles } from "../code/ComponentFiles.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as Confirmation from "../given/Confirmation.ts"
import * as ArchivedAccounts from "../moving/ArchivedAccounts.ts"
import * as ArchivedStores from "../moving/ArchivedStores.ts"
import * as ArchiveFolder from "../moving/ArchiveFolder.ts"
import * as ArchivePassphrase from "../moving/ArchivePassphrase.ts"
import * as Endpoints from "../moving/Endpoints.ts"
import * as Finishing from "../moving/Finishing.ts"
import * as Importing from "../moving/Importing.ts"
import * as KeptReport from "../moving/KeptReport.ts"
import * as MovingReport from "../moving/MovingReport.ts"
import * as ProjectPlace from "../moving/ProjectPlace.ts"
import * as SealedFile from "../moving/SealedFile.ts"
import { besideEnding } from "../moving/SetupWriting.ts"
import * as SetupApplication from "../setup/SetupApplication.ts"
import * as SetupPlan from "../setup/SetupPlan.ts"
import { harmless } from "../text/HarmlessText.ts"
import * as Output from "../text/Output.ts"
import { fillCommand } from "./ApplyCommand.ts"
import * as ImportArchive from "./ImportArchiveCommand.ts"
import { compareCommand } from "./ImportCompareCommand.ts"
import { courierCommand } from "./ImportCourierCommand.ts"
import { finishCommand, statusCommand } from "./ImportFinishCommand.ts"
import { forwardCommand } from "./ImportForwardCommand.ts"
import { switchCommand } from "./ImportSwitchCommand.ts"

interface Given {
  readonly beside: Option.Option<string>
  readonly dryRun: boolean
  readonly format: Importing.Given["format"]
  readonly into: string
  readonly json: boolean
  readonly only: Option.Option<string>
  readonly registry: Option.Option<string>
  readonly yes: boolean
}

/** Makes the accounts whose credentials are sealed in an archive, if somebody has its passphrase. */
const makeAccounts = Effect.fnUntraced(function*(
  { archive, waiting }: Importing.Prepared,
  into: string,
  mayAsk: boolean
) {
  if (archive === undefined || waiting.length === 0) return []
  const isGiven = Option.isSome(yield* AccessFile.variable(ArchivePassphrase.variable))
  const message = `${archive.root} has the credentials of ${waiting.length} accounts that are needed. Make these here?`
  if (!isGiven && !(mayAsk && (yield* Prompt.Confirm({ message })))) return []
  const sealed = Path.join(archive.root, ArchiveFolder.accountsSealed)
  const credentials = yield* SealedFile.read(sealed, yield* ArchivePassphrase.known(archive.root))
  return Option.isNone(credentials) ? [] : yield* ArchivedAccounts.make(into, waiting, credentials.value)
})

/** Imports the project of a folder. */
const importProject = Effect.fnUntraced(
  function*(place: string, { beside: besideGiven, dryRun, format, into, json, only, registry, yes }: Given) {
    const folder = format === "n8n" && /\.json$/i.test(place) ? place : yield* ProjectPlace.open(place)
    const archive = Option.isSome(besideGiven) ? Option.some(yield* ProjectPlace.open(besideGiven.value)) : besideGiven
    const prepare = Importing.prepare({ archive, dryRun, folder, format, into, only, registry })
    const prepared = yield* prepare
    const { plan, report, written } = prepared
    const { beside, kept, removed } = written
    const isAsked = !dryRun && !yes && plan.changes.length > 0
    const mayAsk = !json && (yield* Confirmation.isAtTerminal)
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
    const accounts = goesOn ? yield* makeAccounts(prepared, into, mayAsk) : []
    // Things that need an account can be made now.
    const { plan: planned } = accounts.length === 0 ? prepared : yield* prepare
    const { applied, failed } = goesOn ? yield* Importing.apply(planned, into) : { applied: [], failed: [] }
    const stores = goesOn && prepared.archive !== undefined
      ? yield* ArchivedStores.fill(into, prepared.archive)
      : { filled: [], failed: [] }
    if (!dryRun) yield* KeptReport.keep(into, report, Option.isNone(only))
    const { standings } = dryRun ? { standings: [] } : yield* Finishing.read(into)
    const untold = goesOn ? yield* KeptReport.show(into, standings) : []
    if (json) {
      const changes = SetupPlan.jsonOf(planned)
      yield* Console.log(
        JSON.stringify({
          into,
          report: MovingReport.jsonOf(report),
          kept,
          beside,
          removed,
          changes,
          accounts,
          applied,
          failed,
          stores,
          endpoints: standings.flatMap((standing) =>
            Endpoints.of(standing).map((endpoint) => ({ workflow: standing.record.name, ...endpoint }))
          )
        })
      )
    } else if (goesOn && (planned.changes.length > 0 || stores.filled.length > 0 || stores.failed.length > 0)) {
      yield* Console.log(harmless([
        ...accounts.map(({ app, id, name }) => `Made the account ${name || id} with ${app}`),
        SetupApplication.linesOf(applied),
        ...stores.filled.map(({ count, store }) => `${store} has got its entries: ${count}`),
        ...[...failed.flatMap(({ faults }) => faults), ...stores.failed].map((fault) => `Not done: ${fault}`),
        `Nothing of it is switched on yet: see what each workflow needs with \`headwater import status --into ${into}\``,
        ...Endpoints.linesOf(standings),
        ...untold
      ].join("\n")))
    }
    if (isAsked && !mayAsk) {
      return yield* Confirmation.missing(plan.changes.length)
    }
    const undone = failed.length + stores.failed.length
    if (undone > 0) {
      const all = planned.changes.length + stores.filled.length + stores.failed.length
      return yield* new CommandRefused({ message: `${undone} of ${all} changes are not done` })
    }
  },
  Effect.scoped,
  Effect.provide([ComponentFiles.layer, ApiAccess.layer])
)

const planFlags = {
  dryRun: Flag.Boolean("dry-run").pipe(
    Flag.withDescription("Only show the report and the plan: neither files nor the account change"),
    Flag.withDefault(false)
  ),
  yes: Confirmation.flagOfPlan
}

const into = Flag.String("into").pipe(
  Flag.withDescription("The folder of the set-up that is made, or that an import before has made"),
  Flag.withDefault("moved")
)

const n8nCommand = Command.make(
  "n8n",
  {
    place: Argument.String("workflows").pipe(
      Argument.withDescription("A file of one exported workflow or a list of them, or a folder or zip of such files")
    ),
    into,
    only: Flag.String("only").pipe(
      Flag.withDescription("One workflow, by its slug or its file without the ending"),
      Flag.optional
    ),
    ...planFlags,
    json: Output.json
  },
  ({ place, ...given }) =>
    importProject(place, { ...given, beside: Option.none(), format: "n8n", registry: Option.none() })
).pipe(Command.withDescription("Move exported workflows in from n8n, and say what could not be brought"))

const pipedreamCommand = Command.make(
  "pipedream",
  {
    place: Argument.String("project").pipe(
      Argument.withDescription(
        "A project as the service synchronises it with git, or exports it: its folder, zip, or the URL of its repository"
      ),
      Argument.optional
    ),
    beside: Argument.String("archive").pipe(
      Argument.withDescription("An archive that has what a project of git has not, such as schedules and sources"),
      Argument.optional
    ),
    into,
    only: Flag.String("only").pipe(
      Flag.withDescription("One workflow, by its slug, its id (p_…) or its folder"),
      Flag.optional
    ),
    registry: Flag.String("registry").pipe(
      Flag.withDescription("A git clone of the service's public registry, of which actions are taken"),
      Flag.optional
    ),
    ...planFlags,
    ...ImportArchive.flags,
    json: Output.json
  },
  Effect.fnUntraced(function*({ archive, place, ...given }) {
    if (Option.isSome(archive)) {
      if (Option.isSome(place)) {
        return yield* new CommandRefused({
          message:
            `--archive fetches, and imports nothing: give --project ${place.value} to fetch its workflows, and ` +
            `then import with: headwater import pipedream ${place.value} ${archive.value}`
        })
      }
      yield* ImportArchive.fetchArchive({ ...given, archive: archive.value })
    } else if (Option.isSome(place)) {
      yield* ImportArchive.refuseFlags(given)
      yield* importProject(place.value, { ...given, format: "pipedream" })
    } else {
      return yield* new CommandRefused({
        message: "give a project to import, or --archive with a folder to fetch into"
      })
    }
  })
).pipe(
  Command.withDescription("Move the workflows of a project in from Pipedream, and say what could not be brought")
)

/** Moves projects in from elsewhere. With a folder that was exported from here it is another name of `apply`. */
export const importCommand = fillCommand.pipe(
  Command.withSubcommands([
    pipedreamCommand,
    n8nCommand,
    courierCommand,
    statusCommand,
    finishCommand,
    switchCommand,
    forwardCommand,
    compareCommand
  ])
)
