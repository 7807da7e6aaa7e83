import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { promisify } from "node:util"

/** The built console, as it is served. */
export interface ConsoleFiles {
  /** The directory of the files. */
  readonly directory: string
  /** The page, in which `basePlaceholder` stands for the relative URL from the page to the console. */
  readonly page: string
  /** The names of the files that the page loads. A name changes with the content of its file. */
  readonly names: ReadonlyArray<string>
}

/** Stands in the page for the relative URL from the page to the console. */
export const basePlaceholder = "__BASE__"

/** The path of the page's files, relative to the console's address. */
export const assetsPath = "assets"

const root = Path.resolve(import.meta.dirname, "..")
const sources = Path.join(root, "src")
const lock = Path.resolve(root, "../../package-lock.json")

/** Declares what the engine gives the code of components. */
export const declarations = Path.resolve(root, "../../packages/component/src")

/** Holds one directory for each state of the sources that was built. */
export const outputs = Path.join(root, "dist")

/** The file that was made of one of these, whose name changes with its content. */
export const named = ({ names }: ConsoleFiles, entry: "theme" | "guide" | "icon"): string => {
  const found = names.find((name) => new RegExp(`^${entry}-[A-Z0-9]{8}\\.`).test(name))
  if (found === undefined) throw new Error(`the built console has no ${entry}`)
  return found
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")

/** A digest of the sources, the build's own code and settings, and the lock file; `undefined` without sources. */
export const digest = async (): Promise<string | undefined> => {
  const names = await Fs.readdir(sources, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    if (isMissing(error)) return []
    throw error
  })
  const paths = names.filter((entry) => entry.isFile()).map((entry) => Path.join(entry.parentPath, entry.name)).sort()
  if (paths.length === 0) return undefined
  const builder = ["ComponentTypes.ts", "ConsoleBuild.ts", "main.ts"].map((name) =>
    Path.join(import.meta.dirname, name)
  )
  const declared = (await Fs.readdir(declarations)).map((name) => Path.join(declarations, name)).sort()
  const contents = await Promise.all(
    [...paths, ...builder, ...declared, Path.join(root, "tsconfig.json"), lock].map(async (path) =>
      [path, await Fs.readFile(path).catch(() => Buffer.alloc(0))] as const
    )
  )
  const hash = createHash("sha256")
  for (const [path, content] of contents) {
    hash.update(`${Path.relative(root, path)}\0${content.length}\0`).update(content)
  }
  return hash.digest("hex").slice(0, 16)
}

const read = async (directory: string): Promise<ConsoleFiles | undefined> => {
  const page = await Fs.readFile(Path.join(directory, "index.html"), "utf8").catch((error: unknown) => {
    if (isMissing(error)) return undefined
    throw error
  })
  if (page === undefined) return undefined
  return { directory, page, names: await Fs.readdir(Path.join(directory, assetsPath)) }
}

/** The built console that a package without sources brings with it. */
const brought = async (): Promise<ConsoleFiles> => {
  for (const name of await Fs.readdir(outputs)) {
    const files = await read(Path.join(outputs, name))
    if (files !== undefined) return files
  }
  throw new Error(`there is no built console in ${outputs}`)
}

/**
 * The console's files. Another process builds them first, unless they are there for the present sources. Several
 * callers may ask at once, also in different processes.
 */
export const files = async (): Promise<ConsoleFiles> => {
  const current = await digest()
  if (current === undefined) return brought()
  const directory = Path.join(outputs, current)
  const built = await read(directory)
  if (built !== undefined) return built
  await promisify(execFile)(process.execPath, [Path.join(import.meta.dirname, "main.ts")])
  const made = await read(directory)
  if (made === undefined) throw new Error(`the console's sources changed while it was built`)
  return made
}
