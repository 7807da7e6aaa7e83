import { execFile } from "node:child_process"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { promisify } from "node:util"
import { contentsOf, type Package, root } from "./Package.ts"

const compilerOptions = {
  noEmit: false,
  incremental: false,
  tsBuildInfoFile: null,
  noCheck: true,
  rewriteRelativeImportExtensions: true,
  rootDir: root,
  plugins: []
}

/** The compiler settings of a package: its own, or those of the repository. */
const settingsOf = async ({ folder }: Package): Promise<string> => {
  const own = Path.join(root, folder, "tsconfig.json")
  return await Fs.access(own).then(() => own, () => Path.join(root, "tsconfig.json"))
}

const run = async (settings: string, packages: ReadonlyArray<Package>, out: string, options: object): Promise<void> => {
  // Types of packages are looked for above the settings.
  const file = Path.join(root, "node_modules/.cache", `pack-${process.pid}.json`)
  const include = packages.flatMap(({ folder, manifest }) =>
    contentsOf(manifest).filter((part) => part !== "dist").map((part) => Path.join(root, folder, part))
  )
  await Fs.mkdir(Path.dirname(file), { recursive: true })
  const content = {
    extends: settings,
    compilerOptions: { ...compilerOptions, ...options, outDir: out },
    include,
    exclude: [Path.join(root, "**/*.test.ts"), Path.join(root, "apps/console/src")]
  }
  await Fs.writeFile(file, JSON.stringify(content))
  const compiler = Path.join(root, "node_modules/.bin/tsc")
  await promisify(execFile)(compiler, ["-p", file], { maxBuffer: 64 * 1024 * 1024 })
  await Fs.rm(file)
}

/**
 * Compiles packages, without their tests, into the same folders below another one.
 *
 * @param declared those of which declarations are written too
 */
export const compile = async (
  packages: ReadonlyArray<Package>,
  declared: ReadonlyArray<Package>,
  out: string
): Promise<void> => {
  const bySettings = new Map<string, Array<Package>>()
  for (const one of packages) {
    const settings = await settingsOf(one)
    bySettings.set(settings, [...bySettings.get(settings) ?? [], one])
  }
  for (const [settings, group] of bySettings) {
    await run(settings, group, out, { declaration: false })
    const withDeclarations = group.filter((one) => declared.includes(one))
    if (withDeclarations.length === 0) continue
    await run(settings, withDeclarations, out, { declaration: true, emitDeclarationOnly: true })
  }
}
