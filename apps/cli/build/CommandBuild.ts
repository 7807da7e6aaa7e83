import { build, type BuildOptions, type Metafile, type Plugin } from "esbuild"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"

/** Packages that go into the bundle: those that would be loaded as hundreds of files. */
const inside = /^(effect|@effect\/platform-node|@effect\/platform-node-shared|@effect\/sql-pg|@headwater\/[\w-]+)(\/|$)/

/** All others are loaded where npm has put them. */
const outside: Plugin = {
  name: "outside",
  setup: ({ onResolve }) =>
    onResolve(
      { filter: /^[^./]/ },
      ({ kind, path }) => kind === "entry-point" || inside.test(path) ? undefined : { path, external: true }
    )
}

const own = Path.resolve(import.meta.dirname, "..")

const options = {
  absWorkingDir: own,
  entryPoints: ["src/main.ts"],
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node24",
  metafile: true,
  logLevel: "error"
} satisfies BuildOptions

/** All commands begin with it, before they load what is theirs. */
const beginning = "src/Process.ts"

/** Commands that load it go to the database, and do without the client of the API, which the others share. */
const database = "src/access/Operator.ts"

const importsOf = ({ inputs }: Metafile, module: string, kind: "dynamic-import" | "import-statement") =>
  inputs[module]!.imports.flatMap((one) => one.kind === kind && one.external !== true ? [one.path] : [])

/** The modules that are loaded with one, itself among them. */
const loadedWith = (metafile: Metafile, module: string, loaded = new Set<string>()): ReadonlySet<string> => {
  if (loaded.has(module)) return loaded
  loaded.add(module)
  for (const imported of importsOf(metafile, module, "import-statement")) loadedWith(metafile, imported, loaded)
  return loaded
}

/**
 * Has the parts of the bundle that are loaded when they are needed load what at least a third of them needs. Otherwise that
 * is split by who needs it, into dozens of small files, of which each takes Node the better part of a millisecond.
 */
const joining = (metafile: Metafile): Plugin => {
  const modules = Object.keys(metafile.inputs)
  const parts = new Set(modules.flatMap((module) => importsOf(metafile, module, "dynamic-import")))
  parts.delete(beginning)
  const loads = [...parts].map((part) => loadedWith(metafile, part))
  const shared = modules.filter((module) =>
    !module.includes("node_modules/") && loads.filter((loaded) => loaded.has(module)).length >= parts.size / 3
  )
  const joined = new Set([...parts].filter((part) => !loadedWith(metafile, part).has(database)))
  const imports = [beginning, ...shared].map((module) => `import ${JSON.stringify(Path.resolve(own, module))}`)
  return {
    name: "joining",
    setup: ({ onLoad }) =>
      onLoad({ filter: /\.ts$/ }, async ({ path }) =>
        joined.has(Path.relative(own, path))
          ? { contents: [await Fs.readFile(path, "utf8"), ...imports].join("\n"), loader: "ts" }
          : undefined)
  }
}

/**
 * Bundles the command, each subcommand in a file that is loaded when it is needed: from sources it takes several times as
 * long to start.
 *
 * @param folder the folder for `main.js` and what it loads, in the package or in one below
 * @returns what is in the files
 */
export const write = async (folder: string): Promise<Metafile> => {
  const { metafile } = await build({ ...options, outdir: folder, plugins: [outside], write: false })
  return (await build({ ...options, outdir: folder, plugins: [outside, joining(metafile)] })).metafile
}
