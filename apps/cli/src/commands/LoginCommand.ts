import { Effect, Option, Redacted, Stdio, Stream } from "effect"
import { Command, Flag, Prompt } from "effect/cli"
import * as AccessFile from "../access/AccessFile.ts"
import { ApiAccess, findUrl, givenUrl } from "../access/ApiAccess.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as Output from "../text/Output.ts"

const askForKey = Effect.fnUntraced(function*(url: string) {
  const stdio = yield* Stdio.Stdio
  if (yield* stdio.stdinIsTerminal) return yield* Prompt.Password({ message: `API key for ${url}` })
  return Redacted.make(yield* stdio.stdin.pipe(Stream.decodeText, Stream.mkString))
})

/** Keeps an account's key for the commands that speak to a running server. */
export const loginCommand = Command.make(
  "login",
  {
    url: Flag.String("url").pipe(
      Flag.withDescription("The server's URL. Default: HEADWATER_URL, else that of the last login, else this machine"),
      Flag.optional
    ),
    json: Output.json
  },
  Effect.fnUntraced(function*({ json, url: given }) {
    const url = yield* Option.match(given, { onNone: () => findUrl, onSome: givenUrl })
    const apiKey = Redacted.make(Redacted.value(yield* askForKey(url)).trim())
    // Characters that can't stand in a header would be told as a fault of the connection.
    if (!/^[\x21-\x7e]+$/.test(Redacted.value(apiKey))) {
      return yield* new CommandRefused({
        message: "That is not an API key: expected hw_ followed by letters and digits"
      })
    }
    const { data: { id, username } } = yield* Effect.flatMap(
      ApiAccess,
      ({ call }) => call(({ users }) => users.me({ query: {} }))
    ).pipe(Effect.provide(ApiAccess.layerOf({ url, apiKey })))
    yield* AccessFile.write({ url, apiKey: Redacted.value(apiKey) })
    const file = yield* AccessFile.path
    yield* Output.print(
      json,
      { url, id, username, file },
      `Logged in to ${url} as ${username} (${id}). The key is in ${file}.`
    )
  })
).pipe(
  Command.withDescription("Save an API key for the other commands; ask for it, or read it from standard input")
)
