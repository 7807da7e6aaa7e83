import { version } from "@headwater/domain/Version"
import { explain } from "@headwater/server/ErrorExplanation"
import { Cause, Console, Effect, Layer, Logger, References } from "effect"
import { CliConfig, CliError, CliOutput, Command, GlobalFlag } from "effect/cli"
import * as CommandTable from "./CommandTable.ts"
import * as ApiWords from "./text/ApiWords.ts"
import { harmless } from "./text/HarmlessText.ts"

/** A command in the help of those beside it. */
const listed = ({ description, name }: CommandTable.Entry) =>
  Command.make(name).pipe(Command.withDescription(description))

const loaded = ({ description, load }: CommandTable.Entry) =>
  Effect.map(load, (command) => {
    const known = command as Command.Command<string, {}, {}, unknown, Command.Environment>
    return known.description === undefined || known.description === ""
      ? Command.withDescription(known, description)
      : Command.withShortDescription(known, description)
  })

/** The command with its subcommands, of which only what the arguments need is loaded. */
const commandFor = Effect.fnUntraced(function*(args: ReadonlyArray<string>) {
  const named = args.find((arg) => !arg.startsWith("-"))
  const isNeeded = ({ name }: CommandTable.Entry) =>
    args.includes("--completions") || args.some((arg) => arg.startsWith("--completions=")) || name === named
  const groups = yield* Effect.forEach(CommandTable.groups, ({ entries, group }) =>
    Effect.map(
      Effect.forEach(entries, (entry) => isNeeded(entry) ? loaded(entry) : Effect.succeed(listed(entry))),
      (commands) => ({ group, commands })
    ))
  return Command.make("headwater").pipe(
    Command.withDescription("Write, run and watch what reacts to events, and operate a Headwater server"),
    Command.withSubcommands(groups)
  )
})

/** A command line that can't be understood is told in a line; help is for those who ask. */
const presenter = CliOutput.layerPresenter({
  present: (event) =>
    event._tag === "InvalidInvocation"
      ? Console.error(
        `headwater: ${event.errors.map(({ message }) => sentenceOf(message)).join("; ")} ` +
          `(see ${event.commandPath.join(" ")} --help)`
      )
      : CliOutput.defaultPresenter.present(event)
})

const oneLine = (text: string) => text.trim().replace(/\s*\n\s*/g, " ")

/** The fault of a command line. The line's end, which tells how to see the help, names the command. */
const sentenceOf = (message: string): string => {
  const [what = "", near] = message.split(/\s*Did you mean this\?\s*/)
  const fault = oneLine(what).replace(/ (?:in command|for) "?headwater[\w -]*"?$/, "")
  return near === undefined ? fault : `${fault}. Did you mean ${near.trim().split(/\s+/).join(" or ")}?`
}

const isTold = (error: unknown) => CliError.isCliError(error) && error._tag === "ShowHelp"

const tell = (cause: Cause.Cause<unknown>) => {
  const error = Cause.squash(cause)
  return isTold(error) || Cause.hasInterruptsOnly(cause)
    ? Effect.void
    : Console.error(harmless(`headwater: ${ApiWords.inCommands(explain(error)).trim().replace(/\s*\n\s*/g, "; ")}`))
}

/** Standard output is the command's alone. */
const quiet = Layer.mergeAll(
  Logger.layer([Logger.withConsoleError(Logger.formatSimple)]),
  Layer.succeed(References.MinimumLogLevel, "Warn")
)

/** The arguments with the name that a command has today. A script that has an earlier one goes on without a word. */
const today = Effect.fnUntraced(function*([first = "", ...others]: ReadonlyArray<string>) {
  const name = CommandTable.earlier.get(first)
  if (name === undefined) return [first, ...others]
  if (process.stderr.isTTY) yield* Console.error(`headwater: \`${first}\` is called \`${name}\` now.`)
  return [name, ...others]
})

/**
 * Runs `headwater` as it is told to by these arguments. A failure is told on standard error, in a line; `ExitCode` has the
 * code with which the command ends.
 */
export const run = Effect.fnUntraced(
  function*(given: ReadonlyArray<string>) {
    const args = given.length === 0 ? given : yield* today(given)
    yield* Command.runWith(yield* commandFor(args), { version })(args)
  },
  Effect.tapCause(tell),
  Effect.provide([
    presenter,
    quiet,
    CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] })
  ])
)
