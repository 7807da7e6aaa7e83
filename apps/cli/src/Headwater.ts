import { version } from "@headwater/domain/Version"
import { explain } from "@headwater/server/ErrorExplanation"
import { Cause, Console, Effect, Layer, Logger, References } from "effect"
import { CliConfig, CliError, CliOutput, Command, GlobalFlag } from "effect/cli"
import { accountCommand } from "./commands/AccountCommand.ts"
import { accountsCommand } from "./commands/AccountsCommand.ts"
import { actionsCommand } from "./commands/ActionsCommand.ts"
import { applyCommand } from "./commands/ApplyCommand.ts"
import { bulkCommand } from "./commands/BulkCommand.ts"
import { checkCommand } from "./commands/CheckCommand.ts"
import { clockCommand } from "./commands/ClockCommand.ts"
import { configCommand } from "./commands/ConfigCommand.ts"
import { consumersCommand } from "./commands/ConsumersCommand.ts"
import { deliveriesCommand } from "./commands/DeliveriesCommand.ts"
import { deployCommand } from "./commands/DeployCommand.ts"
import { devCommand } from "./commands/DevCommand.ts"
import { doctorCommand } from "./commands/DoctorCommand.ts"
import { envCommand } from "./commands/EnvCommand.ts"
import { eventsCommand } from "./commands/EventsCommand.ts"
import { exportCommand } from "./commands/ExportCommand.ts"
import { filesCommand } from "./commands/FilesCommand.ts"
import { importCommand } from "./commands/ImportCommand.ts"
import { initCommand } from "./commands/InitCommand.ts"
import { keyCommand } from "./commands/KeyCommand.ts"
import { loginCommand } from "./commands/LoginCommand.ts"
import { projectsCommand } from "./commands/ProjectsCommand.ts"
import { publishCommand, unpublishCommand } from "./commands/PublishCommand.ts"
import { replayCommand, retryCommand } from "./commands/RetryCommand.ts"
import { runCommand } from "./commands/RunCommand.ts"
import { runsCommand } from "./commands/RunsCommand.ts"
import { startCommand } from "./commands/StartCommand.ts"
import { storesCommand } from "./commands/StoresCommand.ts"
import { tailCommand } from "./commands/TailCommand.ts"
import { triggerCommand } from "./commands/TriggerCommand.ts"
import { webhooksCommand } from "./commands/WebhooksCommand.ts"
import { whyCommand } from "./commands/WhyCommand.ts"
import { harmless } from "./text/HarmlessText.ts"

const headwater = Command.make("headwater").pipe(
  Command.withDescription("Write and deploy components, and operate a Headwater server"),
  Command.withSubcommands([
    startCommand,
    loginCommand,
    initCommand,
    deployCommand,
    devCommand,
    triggerCommand,
    runsCommand,
    tailCommand,
    eventsCommand,
    whyCommand,
    deliveriesCommand,
    retryCommand,
    replayCommand,
    webhooksCommand,
    bulkCommand,
    consumersCommand,
    accountsCommand,
    envCommand,
    projectsCommand,
    storesCommand,
    filesCommand,
    accountCommand,
    checkCommand,
    runCommand,
    actionsCommand,
    clockCommand,
    exportCommand,
    applyCommand,
    importCommand,
    configCommand,
    doctorCommand,
    keyCommand,
    publishCommand,
    unpublishCommand
  ])
)

/** A command line that can't be understood is told in a line; help is for those who ask. */
const presenter = CliOutput.layerPresenter({
  present: (event) =>
    event._tag === "InvalidInvocation"
      ? Console.error(
        `headwater: ${event.errors.map(({ message }) => oneLine(message)).join("; ")} ` +
          `(see ${event.commandPath.join(" ")} --help)`
      )
      : CliOutput.defaultPresenter.present(event)
})

const oneLine = (text: string) => text.trim().replace(/\s*\n\s*/g, " ")

const isTold = (error: unknown) => CliError.isCliError(error) && error._tag === "ShowHelp"

const tell = (cause: Cause.Cause<unknown>) => {
  const error = Cause.squash(cause)
  return isTold(error) || Cause.hasInterruptsOnly(cause)
    ? Effect.void
    : Console.error(harmless(`headwater: ${explain(error).trim().replace(/\s*\n\s*/g, "; ")}`))
}

/** Standard output is the command's alone. */
const quiet = Layer.mergeAll(
  Logger.layer([Logger.withConsoleError(Logger.formatSimple)]),
  Layer.succeed(References.MinimumLogLevel, "Warn")
)

/**
 * Runs `headwater` as it is told to by these arguments. A failure is told on standard error, in a line; `ExitCode` has the
 * code with which the command ends.
 */
export const run = (args: ReadonlyArray<string>) =>
  Command.runWith(headwater, { version })(args).pipe(
    Effect.tapCause(tell),
    Effect.provide([
      presenter,
      quiet,
      CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] })
    ])
  )
