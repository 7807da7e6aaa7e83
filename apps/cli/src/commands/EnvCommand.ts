import { Effect, FileSystem, Option, Redacted, Stdio, Stream } from "effect"
import { Argument, Command, Flag, Prompt } from "effect/cli"
import { ApiAccess } from "../access/ApiAccess.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as Confirmation from "../given/Confirmation.ts"
import * as Kind from "../resource/Kind.ts"
import * as Naming from "../resource/Naming.ts"
import * as FlagWords from "../text/FlagWords.ts"
import * as Output from "../text/Output.ts"

const name = Argument.String("name").pipe(Argument.withDescription("The variable's name, such as SHOP_URL"))

const program = Flag.String("program").pipe(
  Flag.withDescription(
    "The source or workflow that the variable is for, by name, slug or id. Default: all of the account"
  ),
  Flag.optional
)

const project = Flag.String("project").pipe(
  Flag.withDescription("The project that the variable is for, by name, slug or id, in place of --program"),
  Flag.optional
)

/** Says whose variable it is. */
const owner = { program, project }

const within = Effect.fnUntraced(
  function*({ program, project }: Readonly<Record<keyof typeof owner, Option.Option<string>>>) {
    return {
      ...(yield* Naming.fieldOf("program_id", Kind.emitters, program)),
      ...(yield* Naming.fieldOf("project_id", [Kind.project], project))
    }
  }
)

const words: FlagWords.Flags = { name: "<name>", value: "The value", program_id: "--program", project_id: "--project" }

/** The value from a file, the terminal or standard input: other users of the machine can see arguments. */
const valueOf = Effect.fnUntraced(function*(name: string, file: Option.Option<string>) {
  if (Option.isSome(file)) {
    const files = yield* FileSystem.FileSystem
    return yield* Effect.mapError(files.readFileString(file.value), ({ message }) => new CommandRefused({ message }))
  }
  const stdio = yield* Stdio.Stdio
  if (yield* stdio.stdinIsTerminal) return Redacted.value(yield* Prompt.Hidden({ message: name }))
  const text = yield* stdio.stdin.pipe(Stream.decodeText, Stream.mkString)
  // The line feed that `echo` adds is none of the value's.
  return text.replace(/\r?\n$/, "")
})

const list = Command.make(
  "list",
  { ...owner, json: Output.json },
  Effect.fnUntraced(function*({ json, ...owner }) {
    const { call } = yield* ApiAccess
    const query = yield* within(owner)
    const { data } = yield* call(({ environment }) => environment.list({ query }))
    const rows = data.map(({ name, updated_at, value }) => [name, value ?? "(secret)", Output.time(updated_at)])
    yield* Output.list(json, data, {
      heads: ["NAME", "VALUE", "CHANGED"],
      rows,
      none: "There is no environment variable yet. Set the first with: headwater env set NAME"
    })
  }, FlagWords.inFlags(words))
).pipe(Command.withDescription("List environment variables, without the values of secrets"), Command.withAlias("ls"))

const set = Command.make(
  "set",
  {
    name,
    file: Flag.String("file").pipe(
      Flag.withDescription("A file with the value. Default: ask for it, or read it from standard input"),
      Flag.optional
    ),
    secret: Flag.Boolean("secret").pipe(
      Flag.withDescription("Never show the value again. A secret stays one when it gets another value"),
      Flag.withDefault(false)
    ),
    ...owner,
    json: Output.json
  },
  Effect.fnUntraced(function*({ file, json, name, secret, ...owner }) {
    const { call } = yield* ApiAccess
    const whose = yield* within(owner)
    const value = yield* valueOf(name, file)
    const { data } = yield* call(({ environment }) =>
      environment.set({ params: { name }, payload: { value, ...whose, ...(secret ? { secret } : {}) } })
    )
    yield* Output.print(json, data, `Set ${name}. Code finds it in process.env.${name}.`)
  }, FlagWords.inFlags(words))
).pipe(
  Command.withDescription("Set an environment variable; ask for its value, or read it from a file or standard input"),
  Command.withExamples([
    { command: "headwater env set SHOP_TOKEN --secret", description: "Asks for the value without showing it" },
    {
      command: "echo https://shop.example | headwater env set SHOP_URL --program orders",
      description: "Sets it for one source or workflow"
    }
  ])
)

const remove = Command.make(
  "delete",
  { name, ...owner, yes: Confirmation.flag, json: Output.json },
  Effect.fnUntraced(function*({ json, name, yes, ...owner }) {
    const { call } = yield* ApiAccess
    const query = yield* within(owner)
    yield* Confirmation.ask(`Delete the environment variable ${name}?`, yes)
    yield* call(({ environment }) => environment.delete({ params: { name }, query }))
    yield* Output.print(json, { name, deleted: true }, `Deleted ${name}.`)
  }, FlagWords.inFlags(words))
).pipe(Command.withDescription("Delete an environment variable"), Command.withAlias("rm"))

export const envCommand = Command.make("env").pipe(
  Command.withDescription("Manage the environment variables that code finds in process.env"),
  Command.withSubcommands([list, set, remove]),
  Command.provide(ApiAccess.layer)
)
