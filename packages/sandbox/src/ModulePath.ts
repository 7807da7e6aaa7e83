/** The bundler's type of a file, by its extension. */
export const types = {
  ".mjs": "js",
  ".js": "js",
  ".cjs": "js",
  ".mts": "ts",
  ".ts": "ts",
  ".cts": "ts",
  ".json": "json",
  ".py": "py"
} as const

/** The source extensions behind the name of a file that is compiled before it runs elsewhere. */
const compiledFrom: Readonly<Record<string, string>> = { ".js": ".ts", ".mjs": ".mts", ".cjs": ".cts" }

/** The extension of a path, if it is one of a module's. */
export const extensionOf = (path: string): keyof typeof types | undefined =>
  (Object.keys(types) as Array<keyof typeof types>).find((extension) => path.endsWith(extension))

/**
 * The files that a path may mean, the best first: the file, one that it is compiled from, one with an extension, a
 * folder.
 */
export const candidates = (path: string): ReadonlyArray<string> => {
  // An import of Python says so.
  const extensions = Object.keys(types).filter((extension) => extension !== ".py")
  const inFolder = extensions.map((extension) => `${path.replace(/[/\\]$/, "")}/index${extension}`)
  if (/[/\\]$/.test(path)) return inFolder
  const extension = extensionOf(path) ?? ""
  const source = compiledFrom[extension]
  return [
    path,
    ...(source === undefined ? [] : [path.slice(0, -extension.length) + source]),
    ...extensions.map((extension) => path + extension),
    ...inFolder
  ]
}
