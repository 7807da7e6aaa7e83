import { Effect, FileSystem } from "effect"
import * as Path from "node:path"

/** What a file is to the bundler, by its extension. */
const types = {
  ".mjs": "js",
  ".js": "js",
  ".cjs": "js",
  ".mts": "ts",
  ".ts": "ts",
  ".cts": "ts",
  ".json": "json"
} as const

/** The extensions of modules that hold code. */
export const codeExtensions = Object.keys(types).filter((extension) => extension !== ".json")

/** What may stand behind the name of a file that is compiled before it runs elsewhere. */
const compiledFrom: Readonly<Record<string, string>> = { ".js": ".ts", ".mjs": ".mts", ".cjs": ".cts" }

export const typeOf = (file: string): "js" | "ts" | "json" | undefined => {
  const extension = Path.extname(file)
  return Object.hasOwn(types, extension) ? types[extension as keyof typeof types] : undefined
}

export const isFile = (path: string): Effect.Effect<boolean, never, FileSystem.FileSystem> =>
  FileSystem.FileSystem.pipe(
    Effect.flatMap((files) => files.stat(path)),
    Effect.map(({ type }) => type === "File"),
    Effect.orElseSucceed(() => false)
  )

/** Where what is named so may be, the best first: the file, one that it is compiled from, one with an extension, a folder. */
export const candidates = (path: string): ReadonlyArray<string> => {
  const extensions = Object.keys(types)
  const inFolder = extensions.map((extension) => Path.join(path, `index${extension}`))
  if (/[/\\]$/.test(path)) return inFolder
  const extension = Path.extname(path)
  const source = Object.hasOwn(compiledFrom, extension)
    ? [path.slice(0, -extension.length) + compiledFrom[extension]]
    : []
  return [path, ...source, ...extensions.map((extension) => path + extension), ...inFolder]
}

/** The first of the files that is there. */
export const firstOf = (paths: ReadonlyArray<string>) => Effect.findFirst(paths, isFile)
