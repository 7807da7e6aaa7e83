import { execFile } from "node:child_process"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { promisify } from "node:util"

const run = promisify(execFile)

export const root = Path.resolve(import.meta.dirname, "..")

/** Where packages are that are for this repository alone. */
const ownFolders = new Set(["packages/fixtures"])

/** What is packed of a package, beside its `package.json`. */
const contents = ["src", "build", "bin", "dist"]

/** Node strips no types below `node_modules`. */
const isTypeScript = (file: string): boolean => /(?<!\.d)\.ts$/.test(file)

export type Manifest = Record<string, unknown> & {
  readonly name: string
  readonly dependencies?: Record<string, string>
  readonly optionalDependencies?: Record<string, string>
}

interface Package {
  readonly folder: string
  readonly manifest: Manifest
}

export const packages = async (): Promise<ReadonlyArray<Package>> => {
  const parents = await Promise.all(
    ["packages", "apps"].map(async (parent) =>
      (await Fs.readdir(Path.join(root, parent))).map((name) => `${parent}/${name}`)
    )
  )
  return Promise.all(
    parents.flat().filter((folder) => !ownFolders.has(folder)).map(async (folder) => ({
      folder,
      manifest: JSON.parse(await Fs.readFile(Path.join(root, folder, "package.json"), "utf8")) as Manifest
    }))
  )
}

/** A package of this repository with all others of it that it needs. */
export const withNeeded = (all: ReadonlyArray<Package>, names: ReadonlyArray<string>): ReadonlyArray<Package> => {
  const byName = new Map(all.map((one) => [one.manifest.name, one]))
  const found = new Set<Package>()
  const waiting = [...names]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const one = byName.get(name)
    if (one === undefined || found.has(one)) continue
    found.add(one)
    waiting.push(...Object.keys(one.manifest.dependencies ?? {}))
  }
  return [...found]
}

const compilerOptions = {
  noEmit: false,
  incremental: false,
  tsBuildInfoFile: null,
  noCheck: true,
  rewriteRelativeImportExtensions: true,
  rootDir: root,
  plugins: []
}

/** Compiles what there is in folders, with what they import, into the same folders below another. */
export const compile = async (folders: ReadonlyArray<string>, out: string, options: object): Promise<void> => {
  const file = Path.join(root, "node_modules/.cache", `pack-${process.pid}.json`)
  await Fs.mkdir(Path.dirname(file), { recursive: true })
  const include = folders.flatMap((folder) => ["src", "build"].map((part) => Path.join(root, folder, part)))
  await Fs.writeFile(
    file,
    JSON.stringify({
      extends: Path.join(root, "tsconfig.json"),
      compilerOptions: { ...compilerOptions, ...options, outDir: out },
      include,
      exclude: [Path.join(root, "**/*.test.ts"), Path.join(root, "apps/console/src")]
    })
  )
  await run(Path.join(root, "node_modules/.bin/tsc"), ["-p", file], { maxBuffer: 64 * 1024 * 1024 })
  await Fs.rm(file)
}

/** The same exports of what is compiled. */
const compiledExports = (exports: unknown): unknown => {
  if (typeof exports === "string") {
    return isTypeScript(exports)
      ? { types: exports.replace(/\.ts$/, ".d.ts"), default: exports.replace(/\.ts$/, ".js") }
      : exports
  }
  if (typeof exports !== "object" || exports === null) return exports
  return Object.fromEntries(Object.entries(exports).map(([name, value]) => [name, compiledExports(value)]))
}

const copied = (source: string): boolean => !isTypeScript(source) && !Path.basename(source).startsWith(".")

/** Has shell scripts name what is compiled. */
const mendScripts = async (folder: string): Promise<void> => {
  for (const name of await Fs.readdir(folder).catch(() => [])) {
    const file = Path.join(folder, name)
    const text = await Fs.readFile(file, "utf8")
    await Fs.writeFile(file, text.replaceAll(/(\/src\/\w+)\.ts\b/g, "$1.js"))
  }
}

export const assemble = async ({ folder, manifest }: Package, compiled: string, target: string): Promise<void> => {
  await Fs.mkdir(target, { recursive: true })
  for (const part of contents) {
    // The console's page is built, and nobody runs its sources.
    const isBuilt = folder === "apps/console" && part === "src"
    for (const from of isBuilt ? [] : [Path.join(root, folder, part), Path.join(compiled, folder, part)]) {
      await Fs.cp(from, Path.join(target, part), { recursive: true, filter: copied }).catch((error: unknown) => {
        if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error
      })
    }
  }
  for (const name of await Fs.readdir(target, { recursive: true })) {
    if (!name.endsWith(".d.ts")) continue
    const file = Path.join(target, name)
    const text = await Fs.readFile(file, "utf8")
    await Fs.writeFile(file, text.replaceAll(/(["'])(\.{1,2}\/[^"']*)\.ts\1/g, "$1$2.js$1"))
  }
  await mendScripts(Path.join(target, "bin"))
  const { devDependencies: _, exports, private: __, ...rest } = manifest
  await Fs.copyFile(Path.join(root, "LICENSE"), Path.join(target, "LICENSE"))
  await Fs.writeFile(
    Path.join(target, "package.json"),
    `${JSON.stringify({ ...rest, exports: compiledExports(exports), files: contents }, null, 2)}\n`
  )
}

/** Packs what is in a folder, as npm publishes it. Answers the path of the archive. */
export const npmPack = async (source: string, destination: string): Promise<string> => {
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", destination], { cwd: source })
  const [{ filename }] = JSON.parse(stdout) as [{ readonly filename: string }]
  return Path.join(destination, filename)
}

/**
 * Packs packages of this repository, and those of it that they need, as `npm publish` would upload them: with JavaScript
 * and declarations in place of TypeScript. Answers the paths of the archives, by the names of the packages.
 */
export const pack = async (names: ReadonlyArray<string>, folder: string): Promise<ReadonlyMap<string, string>> => {
  const needed = withNeeded(await packages(), names)
  const folders = needed.map((one) => one.folder)
  const work = Path.join(folder, "work")
  const compiled = Path.join(work, "compiled")
  await compile(folders, compiled, { declaration: false })
  await compile(folders.filter((one) => one.startsWith("packages/")), compiled, {
    declaration: true,
    emitDeclarationOnly: true
  })
  const archives = new Map<string, string>()
  for (const one of needed) {
    const target = Path.join(work, one.folder)
    await assemble(one, compiled, target)
    archives.set(one.manifest.name, await npmPack(target, folder))
  }
  await Fs.rm(work, { recursive: true })
  return archives
}
