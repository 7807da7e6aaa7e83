import { NodeFileSystem } from "@effect/platform-node"
import { Effect, FileSystem, type Scope } from "effect"
import * as Fs from "node:fs"

const makeIn = (place: string | undefined, what: string): Effect.Effect<string, never, Scope.Scope> =>
  FileSystem.FileSystem.pipe(
    Effect.flatMap((files) =>
      files.makeTempDirectoryScoped({
        prefix: `headwater-${what}-`,
        ...(place === undefined ? {} : { directory: place })
      })
    ),
    Effect.orDie,
    Effect.provide(NodeFileSystem.layer)
  )

/** A directory of its own for as long as the scope is open; `what` is in its name. */
export const make = (what: string) => makeIn(undefined, what)

const memory = "/dev/shm"

/** What the databases of a run take at most, by far, in bytes. */
const enough = 4 * 1024 ** 3

const hasEnoughMemory = Effect.sync(() => {
  if (!Fs.existsSync(memory)) return false
  const { bavail, bsize } = Fs.statfsSync(memory)
  return bavail * bsize >= enough
})

/** The same for a database, whose many files are made and removed in half the time in memory, where there is enough. */
export const makeForDatabase = (what: string): Effect.Effect<string, never, Scope.Scope> =>
  Effect.flatMap(hasEnoughMemory, (inMemory) => makeIn(inMemory ? memory : undefined, what))
