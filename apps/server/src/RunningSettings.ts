import { DataDirectory, isThere } from "@headwater/postgres/DataDirectory"
import { Effect, Layer, Option, Schema } from "effect"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { render, ServerConfig } from "./ServerConfig.ts"

const Content = Schema.fromJsonString(Schema.Struct({
  pid: Schema.Int,
  /** As `ServerConfig.render` shows them, secrets masked. */
  settings: Schema.String
}))

/** The process id of a running server, and the settings that it was started with. */
export type RunningSettings = typeof Content.Type

const fileIn = (directory: string) => Path.join(directory, "running.json")

const lives = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return cause instanceof Error && "code" in cause && cause.code === "EPERM"
  }
}

/** Reads the settings of the server on the data directory; none where no server runs on it. */
export const read = Effect.fnUntraced(function*(directory: string) {
  if (!(yield* isThere(directory))) return Option.none()
  return yield* Effect.tryPromise(() => Fs.readFile(fileIn(directory), "utf8")).pipe(
    Effect.flatMap(Schema.decodeEffect(Content)),
    Effect.option,
    // A killed server leaves its file behind, and in a container its process id may be this one's.
    Effect.map(Option.filter(({ pid }) => pid !== process.pid && lives(pid)))
  )
})

/** Keeps in the data directory, for as long as the server runs, what it was started with. */
export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const { path } = yield* DataDirectory
  const text = yield* Effect.orDie(
    Schema.encodeEffect(Content)({ pid: process.pid, settings: render(yield* ServerConfig) })
  )
  yield* Effect.acquireRelease(
    Effect.tryPromise(async () => {
      await Fs.rm(fileIn(path), { force: true })
      await Fs.writeFile(fileIn(path), `${text}\n`, { mode: 0o600 })
    }).pipe(
      Effect.catch((error) => Effect.logWarning("`headwater config` can't show this server's settings", error))
    ),
    () => Effect.ignore(Effect.tryPromise(() => Fs.rm(fileIn(path), { force: true })))
  )
}))
