import type { AppAccountResource } from "@headwater/api/AppAccountsApi"
import { Credentials } from "@headwater/domain/AppAccount"
import { Effect, FileSystem, Option, Redacted, Schema, Stdio, Stream } from "effect"
import { Argument, Command, Flag, Prompt } from "effect/cli"
import { ApiAccess } from "../access/ApiAccess.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as Output from "../text/Output.ts"

const decode = Schema.decodeEffect(Schema.fromJsonString(Credentials))

/** The error's own words may repeat a secret. */
const ofJson = (text: string, where: string) =>
  Effect.mapError(
    decode(text),
    () => new CommandRefused({ message: `${where} is not a JSON object such as {"api_key": "…"}` })
  )

const ofFile = Effect.fnUntraced(function*(path: string) {
  const files = yield* FileSystem.FileSystem
  const text = yield* Effect.mapError(files.readFileString(path), ({ message }) => new CommandRefused({ message }))
  return yield* ofJson(text, path)
})

const askAtTerminal = Effect.fnUntraced(function*(app: string) {
  const credentials: Array<readonly [string, string]> = []
  for (;;) {
    const name = (yield* Prompt.String({
      message: credentials.length === 0
        ? `Name of a credential, as the code of ${app} reads it from $auth (such as api_key; Enter ends)`
        : "Name of the next one (Enter ends)"
    })).trim()
    if (name === "") return Object.fromEntries(credentials)
    credentials.push([name, Redacted.value(yield* Prompt.Hidden({ message: name }))])
  }
})

const credentialsOf = Effect.fnUntraced(function*(app: string, file: Option.Option<string>) {
  if (Option.isSome(file)) return yield* ofFile(file.value)
  const stdio = yield* Stdio.Stdio
  if (yield* stdio.stdinIsTerminal) return yield* askAtTerminal(app)
  return yield* ofJson(yield* stdio.stdin.pipe(Stream.decodeText, Stream.mkString), "Standard input")
})

const create = Command.make(
  "create",
  {
    app: Argument.String("app").pipe(
      Argument.withDescription("The app's name in component code, such as shop in {type: \"app\", app: \"shop\"}")
    ),
    name: Flag.String("name").pipe(
      Flag.withDescription("A name for the account, to distinguish it from others with the same app"),
      Flag.withDefault("")
    ),
    file: Flag.String("file").pipe(
      Flag.withDescription(
        "A JSON file with the credentials. Default: ask for them, or read them from standard input"
      ),
      Flag.optional
    ),
    json: Output.json
  },
  Effect.fnUntraced(function*({ app, file, json, name }) {
    const { call } = yield* ApiAccess
    const credentials = yield* credentialsOf(app, file)
    const { data } = yield* call(({ appAccounts }) =>
      appAccounts.create({ headers: {}, payload: { app, name, credentials } })
    )
    yield* Output.print(
      json,
      data,
      Output.table([["Account", data.id], ["App", data.app], ["Name", data.name]]) +
        `\nGive it to a source with --prop <prop>=${data.id}`
    )
  })
).pipe(
  Command.withDescription(
    "Add an account with an app; ask for the credentials, or read them from a file or standard input"
  ),
  Command.withExamples([
    {
      command: "headwater accounts create shop --name North",
      description: "Asks for the credentials without showing them"
    },
    {
      command: "headwater accounts create shop --file shop.json",
      description: "Reads {\"api_key\": \"…\"} from a file"
    }
  ])
)

const list = Command.make(
  "list",
  { json: Output.json },
  Effect.fnUntraced(function*({ json }) {
    const { call } = yield* ApiAccess
    const accounts = yield* call(({ appAccounts }) =>
      Effect.gen(function*() {
        const found: Array<AppAccountResource> = []
        for (;;) {
          const last = found.at(-1)
          const { data, page_info } = yield* appAccounts.list({
            query: { limit: 100, ...(last === undefined ? {} : { after: last.id }) }
          })
          found.push(...data)
          if (data.length === 0 || found.length >= page_info.total_count) return found
        }
      })
    )
    const rows = accounts.map(({ app, created_at, id, name }) => [id, app, name, Output.time(created_at)])
    yield* Output.print(json, accounts, Output.table([["ID", "APP", "NAME", "CREATED"], ...rows]))
  })
).pipe(Command.withDescription("List your accounts with apps, the newest first"))

const remove = Command.make(
  "delete",
  { id: Argument.String("id").pipe(Argument.withDescription("Begins with apn_")), json: Output.json },
  Effect.fnUntraced(function*({ id, json }) {
    const { call } = yield* ApiAccess
    yield* call(({ appAccounts }) => appAccounts.delete({ params: { id }, query: {} }))
    yield* Output.print(
      json,
      { id, deleted: true },
      `Deleted ${id}. Sources that use it get an empty $auth from now on.`
    )
  })
).pipe(Command.withDescription("Remove an account with an app, and its credentials"))

/** A user's accounts with the apps that components speak to. Credentials are never arguments, which other users of the machine can see. */
export const accountsCommand = Command.make("accounts").pipe(
  Command.withDescription("Add, list and remove your accounts with the apps that components connect to"),
  Command.withSubcommands([create, list, remove]),
  Command.provide(ApiAccess.layer)
)
