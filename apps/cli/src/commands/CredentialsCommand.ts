import type { AppAccountResource, NewOAuth } from "@headwater/api/AppAccountsApi"
import * as ListItems from "@headwater/api/ListItems"
import { Credentials } from "@headwater/domain/AppAccount"
import * as OAuthProviders from "@headwater/domain/OAuthProviders"
import { Effect, FileSystem, Option, Redacted, Schema, Stdio, Stream } from "effect"
import { Argument, Command, Flag, Prompt } from "effect/cli"
import { ApiAccess } from "../access/ApiAccess.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as Confirmation from "../given/Confirmation.ts"
import * as Kind from "../resource/Kind.ts"
import * as Naming from "../resource/Naming.ts"
import * as ResourceCommand from "../resource/ResourceCommand.ts"
import * as FlagWords from "../text/FlagWords.ts"
import * as Output from "../text/Output.ts"
import { connectCommand } from "./CredentialsConnectCommand.ts"

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

const oauthSecrets = ["client_secret", "refresh_token"] as const

/** The secrets of a client, from where credentials come from; what else a file has are credentials. */
const secretsOf = Effect.fnUntraced(function*(app: string, file: Option.Option<string>) {
  const stdio = yield* Stdio.Stdio
  const given: Record<string, Schema.Json> = {}
  if (Option.isNone(file) && (yield* stdio.stdinIsTerminal)) {
    for (const name of oauthSecrets) {
      const value = Redacted.value(yield* Prompt.Hidden({ message: `${name} (Enter for none)` }))
      if (value !== "") given[name] = value
    }
  } else Object.assign(given, yield* credentialsOf(app, file))
  const { client_secret, refresh_token, ...credentials } = given
  const text = (name: string, value: Schema.Json | undefined) => typeof value === "string" ? { [name]: value } : {}
  return {
    credentials,
    secrets: { ...text("client_secret", client_secret), ...text("refresh_token", refresh_token) }
  }
})

const flagOf = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

/** The client of an account over OAuth 2, which is one if there is a client id. */
const oauthFlags = {
  clientId: flagOf("client-id", "The account is over OAuth 2: the id of your client at the provider"),
  provider: flagOf(
    "provider",
    "The provider, such as google: `headwater credentials providers` lists those that are known"
  ),
  scopes: flagOf("scopes", "What the user is asked for, with blanks between"),
  authorizationUrl: flagOf("authorization-url", "The provider's authorization URL, where it is not known"),
  tokenUrl: flagOf("token-url", "The provider's token URL, where it is not known"),
  deviceUrl: flagOf("device-url", "The provider's device authorization URL, where it is not known")
}

type OAuthFlags = { readonly [K in keyof typeof oauthFlags]: Option.Option<string> }

const clientOf = Effect.fnUntraced(function*(
  { authorizationUrl, clientId, deviceUrl, provider, scopes, tokenUrl }: OAuthFlags
) {
  const own = <K extends string>(name: K, value: Option.Option<string>) =>
    Option.isSome(value) ? { [name]: value.value } as { readonly [N in K]: string } : {}
  if (Option.isNone(clientId)) {
    const others = [provider, scopes, authorizationUrl, tokenUrl, deviceUrl]
    if (others.some(Option.isSome)) {
      return yield* new CommandRefused({ message: "An account over OAuth 2 needs --client-id" })
    }
    return undefined
  }
  if (Option.isSome(provider) && OAuthProviders.get(provider.value) === undefined) {
    return yield* new CommandRefused({
      message:
        `No provider ${JSON.stringify(provider.value)} is known: give --token-url and --authorization-url, or one of ` +
        OAuthProviders.names.join(", ")
    })
  }
  const client: NewOAuth = {
    client_id: clientId.value,
    ...own("provider", provider),
    ...own("authorization_url", authorizationUrl),
    ...own("token_url", tokenUrl),
    ...own("device_url", deviceUrl),
    ...(Option.isSome(scopes) ? { scopes: scopes.value.split(/\s+/).filter((scope) => scope !== "") } : {})
  }
  return client
})

/** The flag for each field of an account; its secrets have none. */
const words: FlagWords.Flags = {
  app: "<app>",
  name: "--name",
  credentials: "The credentials",
  ...FlagWords.within("oauth", {
    client_id: "--client-id",
    provider: "--provider",
    scopes: "--scopes",
    authorization_url: "--authorization-url",
    token_url: "--token-url",
    device_url: "--device-url",
    client_secret: "client_secret",
    refresh_token: "refresh_token"
  }),
  oauth: "--client-id"
}

const stateOf = ({ oauth }: AppAccountResource): string => oauth === null ? "" : oauth.state

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
    ...oauthFlags,
    json: Output.json
  },
  Effect.fnUntraced(function*({ app, file, json, name, ...flags }) {
    const { call } = yield* ApiAccess
    const client = yield* clientOf(flags)
    const payload = client === undefined
      ? { credentials: yield* credentialsOf(app, file) }
      : yield* Effect.map(
        secretsOf(app, file),
        ({ credentials, secrets }) => ({ credentials, oauth: { ...client, ...secrets } })
      )
    const { data } = yield* call(({ appAccounts }) =>
      appAccounts.create({ headers: {}, payload: { app, name, ...payload } })
    )
    yield* Output.print(
      json,
      data,
      Output.table([
        ["Account", data.id],
        ["App", data.app],
        ["Name", data.name],
        ...(data.oauth === null
          ? []
          : [["State", stateOf(data)], ...(data.oauth.error === null ? [] : [["Error", data.oauth.error]])])
      ]) +
        (data.oauth?.state === "unconnected" ? `\nConnect it: headwater credentials connect ${data.id}` : "") +
        `\nGive it to a source with --prop <prop>=${data.id}`
    )
  }, FlagWords.inFlags(words))
).pipe(
  Command.withDescription(
    "Create an app account; ask for the credentials, or read them from a file or standard input"
  ),
  Command.withExamples([
    {
      command: "headwater credentials create shop --name North",
      description: "Asks for the credentials without showing them"
    },
    {
      command: "headwater credentials create shop --file shop.json",
      description: "Reads {\"api_key\": \"…\"} from a file"
    },
    {
      command:
        "headwater credentials create google_calendar --provider google --client-id 1234 --scopes calendar.readonly",
      description: "Adds an account over OAuth 2, and asks for the client's secret"
    }
  ])
)

const list = Command.make(
  "list",
  { json: Output.json },
  Effect.fnUntraced(function*({ json }) {
    const { call } = yield* ApiAccess
    const accounts = yield* call(({ appAccounts }) =>
      Stream.runCollect(ListItems.items((place) => appAccounts.list({ query: { limit: 100, ...place } })))
    )
    const rows = accounts.map((account) => {
      const { app, created_at, id, name } = account
      return [id, app, name, stateOf(account), Output.time(created_at)]
    })
    yield* Output.list(json, accounts, {
      heads: ["ID", "APP", "NAME", "STATE", "CREATED"],
      rows,
      none: "There is no app account yet. Make the first with: headwater credentials create APP"
    })
  })
).pipe(Command.withDescription("List your app accounts, the newest first"), Command.withAlias("ls"))

const providers = Command.make(
  "providers",
  { json: Output.json },
  Effect.fnUntraced(function*({ json }) {
    const rows = OAuthProviders.all.map(([name, { deviceUrl, title }]) => [
      name,
      deviceUrl === undefined ? "" : "yes",
      title
    ])
    yield* Output.print(json, OAuthProviders.names, Output.table([["PROVIDER", "DEVICE", "TITLE"], ...rows]))
  })
).pipe(Command.withDescription("List the providers of OAuth 2 whose endpoints are known"))

const remove = Command.make(
  "delete",
  { account: ResourceCommand.argumentOf(Kind.appAccount), yes: Confirmation.flag, json: Output.json },
  Effect.fnUntraced(function*({ account, json, yes }) {
    const { call } = yield* ApiAccess
    const id = yield* Naming.idOf(Kind.appAccount, account)
    yield* Confirmation.ask(`Delete the app account ${account === id ? id : `${account} (${id})`}?`, yes)
    yield* call(({ appAccounts }) => appAccounts.delete({ params: { id }, query: {} }))
    yield* Output.print(
      json,
      { id, deleted: true },
      `Deleted ${id}. Sources that use it get an empty $auth from now on.`
    )
  })
).pipe(Command.withDescription("Delete an app account and its credentials"), Command.withAlias("rm"))

/** A user's accounts with the apps that components speak to. Credentials are never arguments, which other users of the machine can see. */
export const credentialsCommand = Command.make("credentials").pipe(
  Command.withDescription("Manage your accounts with the apps that code connects to"),
  Command.withSubcommands([list, create, connectCommand, providers, remove]),
  Command.provide(ApiAccess.layer)
)
