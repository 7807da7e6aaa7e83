import { execFile } from "node:child_process"
import * as Fs from "node:fs/promises"
import * as Os from "node:os"
import * as Path from "node:path"
import { promisify } from "node:util"

const run = promisify(execFile)

const packageFolder = Path.resolve(import.meta.dirname, "..")
const root = Path.resolve(packageFolder, "../..")

interface Manifest {
  readonly exports: Readonly<Record<string, string>>
  readonly [member: string]: unknown
}

/** The same for those who install it: compiled, and without what only builds and tests it. */
const published = (manifest: Manifest) => ({
  ...manifest,
  devDependencies: undefined,
  exports: Object.fromEntries(
    Object.entries(manifest.exports).map(([name, path]) => {
      const compiled = path.replace("./src/", "./dist/").replace(/\.ts$/, "")
      return [name, { types: `${compiled}.d.ts`, default: `${compiled}.js` }]
    })
  )
})

/** The compiler leaves the endings of imports in declarations as they are. */
const mendDeclarations = async (folder: string) => {
  for (const entry of await Fs.readdir(folder, { recursive: true })) {
    if (!entry.endsWith(".d.ts")) continue
    const file = Path.join(folder, entry)
    const text = await Fs.readFile(file, "utf8")
    await Fs.writeFile(file, text.replace(/(from ["']\.[^"']*)\.ts(["'])/g, "$1.js$2"))
  }
}

/**
 * Packs the client as npm takes it.
 *
 * @param destination the folder for the package
 * @returns the package's file
 */
export const pack = async (destination: string): Promise<string> => {
  const staging = await Fs.mkdtemp(Path.join(Os.tmpdir(), "headwater-client-"))
  try {
    const dist = Path.join(staging, "dist")
    await run(Path.join(root, "node_modules/.bin/tsc"), [
      "-p",
      Path.join(packageFolder, "tsconfig.pack.json"),
      "--outDir",
      dist
    ])
    await mendDeclarations(dist)
    const manifest: Manifest = JSON.parse(await Fs.readFile(Path.join(packageFolder, "package.json"), "utf8"))
    await Fs.writeFile(Path.join(staging, "package.json"), `${JSON.stringify(published(manifest), null, 2)}\n`)
    await Fs.copyFile(Path.join(packageFolder, "README.md"), Path.join(staging, "README.md"))
    await Fs.copyFile(Path.join(root, "LICENSE"), Path.join(staging, "LICENSE"))
    const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", Path.resolve(destination)], {
      cwd: staging
    })
    const [{ filename }] = JSON.parse(stdout)
    return Path.join(destination, filename)
  } finally {
    await Fs.rm(staging, { recursive: true })
  }
}
