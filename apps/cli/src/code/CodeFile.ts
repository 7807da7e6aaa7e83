import * as ModulePath from "@headwater/sandbox/ModulePath"
import { Effect, FileSystem } from "effect"

/** The extensions of modules that hold code. */
export const codeExtensions = Object.keys(ModulePath.types).filter((extension) => extension !== ".json")

export const typeOf = (file: string): "js" | "ts" | "json" | "py" | undefined => {
  const extension = ModulePath.extensionOf(file)
  return extension === undefined ? undefined : ModulePath.types[extension]
}

export const isFile = (path: string): Effect.Effect<boolean, never, FileSystem.FileSystem> =>
  FileSystem.FileSystem.pipe(
    Effect.flatMap((files) => files.stat(path)),
    Effect.map(({ type }) => type === "File"),
    Effect.orElseSucceed(() => false)
  )

/** The first of the files that is there. */
export const firstOf = (paths: ReadonlyArray<string>) => Effect.findFirst(paths, isFile)
