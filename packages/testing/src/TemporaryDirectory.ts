import { NodeFileSystem } from "@effect/platform-node"
import { Effect, FileSystem, type Scope } from "effect"

/** A directory of its own for as long as the scope is open; `what` is in its name. */
export const make = (what: string): Effect.Effect<string, never, Scope.Scope> =>
  FileSystem.FileSystem.pipe(
    Effect.flatMap((files) => files.makeTempDirectoryScoped({ prefix: `headwater-${what}-` })),
    Effect.orDie,
    Effect.provide(NodeFileSystem.layer)
  )
