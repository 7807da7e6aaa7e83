import { Effect, FileSystem, Option } from "effect"
import { Command } from "effect/cli"
import * as AccessFile from "../access/AccessFile.ts"
import { ApiAccess } from "../access/ApiAccess.ts"
import * as Output from "../text/Output.ts"
import * as ThingText from "../text/ThingText.ts"

/** Tells whose key the commands use, and at which server. */
export const whoamiCommand = Command.make(
  "whoami",
  { json: Output.json },
  Effect.fnUntraced(function*({ json }) {
    const { call, url } = yield* ApiAccess
    const { data } = yield* call(({ users }) => users.me({ query: {} }))
    const { api_key: _, ...account } = data as typeof data & { readonly api_key?: string }
    const isOfEnvironment = Option.isSome(yield* AccessFile.variable("HEADWATER_API_KEY"))
    const key = isOfEnvironment ? "HEADWATER_API_KEY" : yield* AccessFile.path
    // Figures of a plan: -1 stands for no limit.
    const told = Object.fromEntries(Object.entries(account).filter(([, value]) => value !== -1))
    yield* Output.print(
      json,
      { server: url, key, ...account },
      ThingText.linesOf("account", { server: url, key, ...told })
    )
  })
).pipe(Command.provide(ApiAccess.layer))

/** Forgets the key that `login` saved. */
export const logoutCommand = Command.make(
  "logout",
  { json: Output.json },
  Effect.fnUntraced(function*({ json }) {
    const files = yield* FileSystem.FileSystem
    const file = yield* AccessFile.path
    const { apiKey, url } = yield* AccessFile.read
    yield* files.remove(file, { force: true })
    const isOfEnvironment = Option.isSome(yield* AccessFile.variable("HEADWATER_API_KEY"))
    const was = apiKey === undefined
      ? `There was no key in ${file}.`
      : `Removed the key${url === undefined ? "" : ` for ${url}`} from this machine. It stays valid.`
    yield* Output.print(
      json,
      { file, removed: apiKey !== undefined },
      isOfEnvironment ? `${was} HEADWATER_API_KEY is set, and goes on.` : was
    )
  })
)
