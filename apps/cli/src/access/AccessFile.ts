import * as Folder from "@headwater/postgres/Folder"
import { explain } from "@headwater/server/ErrorExplanation"
import { Config, Effect, FileSystem, Option, Schema } from "effect"
import * as Os from "node:os"
import * as Path from "node:path"
import { CommandRefused } from "../CommandRefused.ts"

/** The server's address and the account's key, as they are kept from one command to the next. */
const Content = Schema.fromJsonString(Schema.Struct({
  url: Schema.optionalKey(Schema.String),
  apiKey: Schema.optionalKey(Schema.String)
}))
export type Content = typeof Content.Type

/** A variable of the environment; an unset one and an empty one mean the same. */
export const variable = (name: string) =>
  Config.option(Config.String(name)).pipe(
    Effect.orDie,
    Effect.map((text) => Option.filter(Option.map(text, (value) => value.trim()), (value) => value !== ""))
  )

/** The user's own file. */
export const path = Effect.map(
  variable("XDG_CONFIG_HOME"),
  (home) =>
    Path.join(
      Option.getOrElse(Option.filter(home, Path.isAbsolute), () => Path.join(Os.homedir(), ".config")),
      "headwater",
      "config.json"
    )
)

/** The contents of the file; none if there is no file. */
export const read = Effect.gen(function*() {
  const files = yield* FileSystem.FileSystem
  const file = yield* path
  const text = yield* files.readFileString(file).pipe(
    Effect.catchReason("PlatformError", "NotFound", () => Effect.succeed("{}")),
    Effect.mapError(({ message }) => new CommandRefused({ message }))
  )
  return yield* Effect.mapError(
    Schema.decodeEffect(Content)(text),
    // Without the error's own words, which may repeat the key.
    () => new CommandRefused({ message: `${file} is not JSON of the form {"url": "…", "apiKey": "…"}` })
  )
})

/** Writes it so that only the user can read it. */
export const write = Effect.fnUntraced(function*(content: Content) {
  const files = yield* FileSystem.FileSystem
  const file = yield* path
  const folder = Path.dirname(file)
  yield* Effect.tryPromise({
    try: () => Folder.create(folder, 0o700),
    catch: (cause) => new CommandRefused({ message: `Cannot create ${folder}: ${explain(cause)}` })
  })
  // In place of the old file, whose mode may be another.
  const made = yield* files.makeTempFileScoped({ directory: folder })
  yield* files.chmod(made, 0o600)
  yield* files.writeFileString(made, `${yield* Effect.orDie(Schema.encodeEffect(Content)(content))}\n`)
  yield* files.rename(made, file)
}, Effect.scoped)
