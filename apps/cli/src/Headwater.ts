import { version } from "@headwater/domain/Version"
import { explain } from "@headwater/server/ErrorExplanation"
import { Cause, Console, Effect, Layer, Logger, References } from "effect"
import { CliConfig, CliError, CliOutput, Command, GlobalFlag } from "effect/cli"
import { accountCommand } from "./AccountCommand.ts"
import { accountsCommand } from "./AccountsCommand.ts"
import { applyCommand, importCommand } from "./ApplyCommand.ts"
import { bulkCommand } from "./BulkCommand.ts"
import { checkCommand } from "./CheckCommand.ts"
import { clockCommand } from "./ClockCommand.ts"
import { configCommand } from "./ConfigCommand.ts"
import { consumersCommand } from "./ConsumersCommand.ts"
import { deliveriesCommand } from "./DeliveriesCommand.ts"
import { deployCommand } from "./DeployCommand.ts"
import { devCommand } from "./DevCommand.ts"
import { doctorCommand } from "./DoctorCommand.ts"
import { eventsCommand } from "./EventsCommand.ts"
import { exportCommand } from "./ExportCommand.ts"
import { initCommand } from "./InitCommand.ts"
import { keyCommand } from "./KeyCommand.ts"
import { loginCommand } from "./LoginCommand.ts"
import { publishCommand, unpublishCommand } from "./PublishCommand.ts"
import { replayCommand, retryCommand } from "./RetryCommand.ts"
import { runCommand } from "./RunCommand.ts"
import { startCommand } from "./StartCommand.ts"
import { tailCommand } from "./TailCommand.ts"
import { triggerCommand } from "./TriggerCommand.ts"
import { webhooksCommand } from "./WebhooksCommand.ts"
import { whyCommand } from "./WhyCommand.ts"

const headwater = Command.make("headwater").pipe(
  Command.withDescription("Write and deploy components, and operate a Headwater server"),
  Command.withSubcommands([
    startCommand,
    loginCommand,
    initCommand,
    deployCommand,
    devCommand,
    triggerCommand,
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
    accountCommand,
    checkCommand,
    runCommand,
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
    : Console.error(`headwater: ${explain(error).trim().replace(/\s*\n\s*/g, "; ")}`)
}

/** Standard output is the command's alone. */
const quiet = Layer.mergeAll(
  Logger.layer([Logger.withConsoleError(Logger.formatSimple)]),
  Layer.succeed(References.MinimumLogLevel, "Warn")
)

/**
 * Runs `headwater` as it is told to by these arguments. Why it fails is told on standard error, in a line; `ExitCode` says
 * with which code it ends.
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
