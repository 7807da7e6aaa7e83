import * as CommandBuild from "@headwater/cli/CommandBuild"
import * as ConsoleBuild from "@headwater/console/ConsoleBuild"
import { execFile } from "node:child_process"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { promisify } from "node:util"
import * as Clients from "./Clients.ts"
import { compile } from "./Compilation.ts"
import { all, contentsOf, type Manifest, neededBy, outside, type Package, root } from "./Package.ts"

/** The packages for others: the server with its command, those to test and type components, and two clients. */
export const published = [
  "headwater",
  "@headwater/testing",
  "@headwater/component",
  "@headwater/client",
  "@headwater/api"
] as const
export type Published = typeof published[number]

/** Its page is built, and holds the packages that it is made of. */
const consoleName = "@headwater/console"

/** It is bundled beside its sources. */
const commandName = "@headwater/cli"

/** The half of it that is generated is not in the repository. */
const clientName = "@headwater/client"

/** They are in every package that has them, and the license of the repository is in all. */
const texts = ["README.md", "LICENSE"]

/** Node strips no types below `node_modules`. */
const isTypeScript = (file: string): boolean => /(?<!\.d)\.ts$/.test(file)

const isCopied = (source: string): boolean => !isTypeScript(source) && !Path.basename(source).startsWith(".")

const isWhole = ({ folder }: Package): boolean => folder === "."

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

const rewrite = async (file: string, change: (text: string) => string): Promise<void> =>
  Fs.writeFile(file, change(await Fs.readFile(file, "utf8")))

/** Has declarations and shell scripts name what is compiled. */
const mendNames = async (target: string): Promise<void> => {
  for (const name of await Fs.readdir(target, { recursive: true })) {
    const file = Path.join(target, name)
    if (name.endsWith(".d.ts")) {
      await rewrite(file, (text) => text.replaceAll(/(["'])(\.{1,2}\/[^"']*)\.ts\1/g, "$1$2.js$1"))
    } else if (Path.dirname(name) === "bin") {
      await rewrite(file, (text) => text.replaceAll(/(\/src\/\w+)\.ts\b/g, "$1.js"))
    }
  }
}

const unlessMissing = (error: unknown): void => {
  if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error
}

/** Puts the packed files of a package, except its manifest, into a folder. */
const assemble = async (
  one: Package,
  target: string,
  { compiled, typed }: { readonly compiled: string; readonly typed: boolean }
): Promise<void> => {
  const { folder, manifest } = one
  const ofSources = isWhole(one) ? () => true : isCopied
  const ofCompiled = (file: string) => isCopied(file) && (typed || !file.endsWith(".d.ts"))
  await Fs.mkdir(target, { recursive: true })
  await Fs.copyFile(Path.join(root, "LICENSE"), Path.join(target, "LICENSE"))
  for (const part of [...texts, ...contentsOf(manifest)]) {
    const to = Path.join(target, part)
    for (const [from, filter] of [[root, ofSources], [compiled, ofCompiled]] as const) {
      await Fs.cp(Path.join(from, folder, part), to, { recursive: true, filter }).catch(unlessMissing)
    }
  }
  if (!isWhole(one)) await mendNames(target)
}

const manifestOf = (manifest: Manifest) => {
  const { bin, description, engines, exports, license, name, sideEffects, type, version } = manifest
  const files = contentsOf(manifest)
  return {
    name,
    version,
    description,
    license,
    type,
    engines,
    sideEffects,
    exports: compiledExports(exports),
    bin,
    files
  }
}

const write = (target: string, manifest: object): Promise<void> =>
  Fs.writeFile(Path.join(target, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`)

/** The fields of a manifest that name a package's dependencies, those that are bundled with it among them. */
const dependenciesOf = (one: Package, bundled: ReadonlyArray<Package>) => {
  const { peerDependencies = {} } = one.manifest
  const packages = [one, ...bundled].filter(({ manifest }) => manifest.name !== consoleName)
  const own = Object.fromEntries(bundled.map(({ manifest: { name, version } }) => [name, version]))
  const others = Object.entries(outside(packages, "dependencies")).filter(([name]) => !(name in peerDependencies))
  return {
    // Its database runs on these.
    ...(bundled.some(({ manifest }) => manifest.name === "@headwater/postgres") ? { os: ["linux", "darwin"] } : {}),
    dependencies: { ...own, ...Object.fromEntries(others) },
    // Those of the repository itself check and format it.
    optionalDependencies: outside(packages.filter((one) => !isWhole(one)), "optionalDependencies"),
    peerDependencies,
    bundleDependencies: Object.keys(own)
  }
}

const npmPack = async (source: string, destination: string): Promise<string> => {
  const args = ["pack", "--json", "--pack-destination", destination]
  const { stdout } = await promisify(execFile)("npm", args, { cwd: source })
  const [{ filename }] = JSON.parse(stdout) as [{ readonly filename: string }]
  return Path.join(destination, filename)
}

/**
 * Packs packages as `npm publish` would upload them, with JavaScript and declarations in place of TypeScript. Those of this
 * repository that one needs are bundled with it; npm installs the others.
 *
 * @param folder the folder for the archives
 * @returns the paths of the archives, by the names of the packages
 */
export const pack = async <const Name extends Published>(
  names: ReadonlyArray<Name>,
  folder: string
): Promise<Readonly<Record<Name, string>>> => {
  const packages = await all()
  const packed = names.map((name) => {
    const one = packages.get(name)!
    return { one, bundled: [...neededBy(one, packages)] }
  })
  const needed = [...new Set(packed.flatMap(({ bundled, one }) => [one, ...bundled]))]
  // An importer of a package gets its types, and none of an application's are among them.
  const declared = packed.filter(({ one }) => !isWhole(one)).flatMap(({ bundled, one }) => [one, ...bundled])
    .filter(({ folder }) => folder.startsWith("packages/"))
  if (needed.some(({ manifest }) => manifest.name === consoleName)) await ConsoleBuild.files()
  if (needed.some(({ manifest }) => manifest.name === clientName)) await Clients.generate()
  await Fs.mkdir(folder, { recursive: true })
  const work = await Fs.mkdtemp(Path.join(folder, "work-"))
  try {
    const compiled = Path.join(work, "compiled")
    await compile(needed.filter((one) => !isWhole(one)), declared, compiled)
    const archives: Array<readonly [string, string]> = []
    for (const { bundled, one } of packed) {
      const { manifest } = one
      const target = Path.join(work, manifest.name)
      const from = { compiled, typed: !isWhole(one) }
      await assemble(one, target, from)
      await write(target, { ...manifestOf(manifest), ...dependenciesOf(one, bundled) })
      for (const inner of bundled) {
        const place = Path.join(target, "node_modules", inner.manifest.name)
        await assemble(inner, place, from)
        if (inner.manifest.name === commandName) await CommandBuild.write(Path.join(place, "dist"))
        await write(place, manifestOf(inner.manifest))
      }
      archives.push([manifest.name, await npmPack(target, folder)])
    }
    return Object.fromEntries(archives) as Record<Name, string>
  } finally {
    await Fs.rm(work, { recursive: true })
  }
}
