/** The program of the bundler's process: parses text that strangers wrote, where a crash of the parser hurts nobody. */
import * as esbuild from "esbuild"
import * as Fs from "node:fs"
import type { BundlerAnswer, BundlerTask, BundleTask, ModuleFile, ModulePosition } from "../BundlerProtocol.ts"
import { maxCharacters, tooLarge } from "../LargeImports.ts"
import { placeOf } from "./DefinitionPlace.ts"
import {
  filesPlugin,
  type FilesPluginOptions,
  nameOf,
  native,
  noExport,
  noPlace,
  outside,
  plain,
  plainComments
} from "./FilesPlugin.ts"
import { requireOfModule } from "./OwnRequires.ts"

const settings = {
  bundle: true,
  write: false,
  outdir: "/",
  format: "esm",
  platform: "node",
  target: "esnext",
  charset: "utf8",
  logLevel: "silent",
  // The names by which a module knows its place, of which there is none.
  define: {
    __dirname: JSON.stringify(noPlace),
    __filename: JSON.stringify(`${noPlace}/index.js`),
    "import.meta.url": JSON.stringify(`file://${noPlace}/index.js`)
  },
  tsconfigRaw: {}
} satisfies esbuild.BuildOptions

/** The bundler counts columns from 0, in bytes. */
const positionOf = (file: string, location: esbuild.Location | null): ModulePosition => {
  if (location === null) return { file, line: 1, column: 1 }
  const before = Buffer.from(location.lineText).subarray(0, location.column).toString()
  return { file, line: location.line, column: before.length + 1 }
}

interface Built {
  readonly errors: ReadonlyArray<esbuild.Message>
  readonly warnings: ReadonlyArray<esbuild.Message>
  readonly outputFiles: ReadonlyArray<esbuild.OutputFile>
  readonly metafile?: esbuild.Metafile | undefined
}

const isBuildFailure = (thrown: unknown): thrown is esbuild.BuildFailure =>
  thrown instanceof Error && "errors" in thrown

const build = (options: esbuild.BuildOptions): Promise<Built> =>
  esbuild.build({ ...settings, ...options, write: false }).catch((thrown) => {
    if (!isBuildFailure(thrown)) throw thrown
    return { errors: thrown.errors, warnings: thrown.warnings, outputFiles: [] }
  })

/** Of the path of an import: so many steps up lead out of a package's folder. */
const leadsOut = /(\.\.\/.*){5}/

const collector = "imports"

/** Every import is warned of, since only messages have a position. The path of one that is put together is a pattern. */
const collectImports: esbuild.Plugin = {
  name: collector,
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /.*/ }, ({ path }) => ({ path, external: true, warnings: [{ text: "", detail: path }] }))
    onLoad({ filter: /.*/ }, () => ({ errors: [{ text: outside }] }))
  }
}

/** The message of the bundler about a pattern of paths that meets nothing, and about one of native addons. */
const unmetPattern = /^Could not resolve (?:import|require)\(/
const unmetAddon = /^Could not resolve (?:import|require)\(".*\.node"\)/

/** A message in which files of packages have the names by which they are known. */
const withNames = (text: string): string =>
  text.replaceAll(/"[^"]*node_modules\/[^"]*"/g, (quoted) => JSON.stringify(nameOf(quoted.slice(1, -1))))

const told = (text: string, file: string): string =>
  unmetAddon.test(text) ? native(file) : unmetPattern.test(text) ? outside : withNames(plain(text))

/** A file with a pattern of paths that leads out: whether that meets something is not to be told. */
const patternAbroad = (metafile: esbuild.Metafile | undefined): string | undefined =>
  Object.entries(metafile?.inputs ?? {}).find(([, { imports }]) =>
    imports.some(({ external, path }) => external === true && leadsOut.test(path))
  )?.[0]

const scan = async ({ file, text, type }: ModuleFile): Promise<BundlerAnswer> => {
  // A process for Python reads it, when it is known which step it is.
  if (type === "py") return { _tag: "Scanned", isCommon: false, imports: [] }
  const { errors, metafile, warnings } = await build({
    // The name would say which kind of module it is; the text is to.
    stdin: { contents: text, sourcefile: "module.js", loader: type },
    metafile: true,
    plugins: [collectImports]
  })
  const [fault] = errors
  if (fault !== undefined) {
    return { _tag: "Faulty", message: told(fault.text, file), at: positionOf(file, fault.location) }
  }
  const unmet = warnings.find(({ id }) => id === "empty-glob")
  if (unmet !== undefined) return { _tag: "Faulty", message: outside, at: positionOf(file, unmet.location) }
  const imports = warnings.filter(({ pluginName }) => pluginName === collector)
  return {
    _tag: "Scanned",
    isCommon: Object.values(metafile?.inputs ?? {}).some(({ format }) => format === "cjs"),
    imports: imports.map(({ detail, location }) => ({ specifier: String(detail), at: positionOf(file, location) }))
  }
}

/** The members that are imported from stand-ins which lack them, by module: of a namespace's, there is a warning only. */
const lackingOf = ({ errors, warnings }: Built): Map<string, Set<string>> => {
  const lacking = new Map<string, Set<string>>()
  for (const { text } of [...errors, ...warnings]) {
    const [, module = ""] = noExport.exec(text) ?? []
    const [, member = ""] = /\b[Ii]mport "(.+?)"/.exec(text) ?? []
    if (module !== "") lacking.set(module, (lacking.get(module) ?? new Set()).add(member))
  }
  return lacking
}

const ofPackages = {
  // Errors are often named after their class, and two packages may name theirs alike.
  keepNames: true,
  // Half of what large packages take is comments, indentation and such; a character beyond Latin-1 would double the rest.
  minifyWhitespace: true,
  legalComments: "none",
  charset: "ascii",
  banner: { js: requireOfModule }
} satisfies esbuild.BuildOptions

const buildFiles = (options: FilesPluginOptions): Promise<Built> =>
  build({
    // A name of its own, since one with an asterisk would be a pattern.
    entryPoints: ["entry"],
    metafile: true,
    // Names of folders of this machine are nobody's business.
    absWorkingDir: Fs.realpathSync(options.task.packages?.folder ?? "/"),
    sourcemap: "external",
    sourcesContent: false,
    ...(options.task.packages === undefined ? {} : ofPackages),
    plugins: [filesPlugin(options)]
  })

/** The package that takes the most of a module, if any package is part of it. */
const largestPackage = (metafile: esbuild.Metafile | undefined) => {
  const characters = new Map<string, number>()
  for (const { inputs } of Object.values(metafile?.outputs ?? {})) {
    for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
      const [, name] = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(file) ?? []
      if (name !== undefined) characters.set(name, (characters.get(name) ?? 0) + bytesInOutput)
    }
  }
  const [largest] = [...characters].sort(([, one], [, other]) => other - one)
  return largest === undefined ? undefined : { name: largest[0], characters: largest[1] }
}

const bundle = async (task: BundleTask): Promise<BundlerAnswer> => {
  const undeclared = new Set<string>()
  const quick = await buildFiles({ task, undeclared, thorough: false, lacking: new Map() })
  const thorough = quick.errors.some(({ text }) => text.startsWith("Could not resolve"))
  const full = thorough ? await buildFiles({ task, undeclared, thorough, lacking: new Map() }) : quick
  const lacking = lackingOf(full)
  const { errors, metafile, outputFiles } = lacking.size === 0
    ? full
    : await buildFiles({ task, undeclared, thorough, lacking })
  const [fault] = errors
  if (fault !== undefined) {
    const file = fault.location === null ? task.entry : nameOf(fault.location.file)
    return { _tag: "Faulty", message: told(fault.text, file), at: positionOf(file, fault.location) }
  }
  const abroad = patternAbroad(metafile)
  if (abroad !== undefined) return { _tag: "Faulty", message: outside, at: positionOf(nameOf(abroad), null) }
  const output = (isMap: boolean) => outputFiles.find(({ path }) => path.endsWith(".map") === isMap)?.text ?? ""
  const code = output(false)
  const largest = code.length > maxCharacters ? largestPackage(metafile) : undefined
  if (largest !== undefined) {
    return { _tag: "Faulty", message: tooLarge(code.length, largest), at: positionOf(task.entry, null) }
  }
  const map: { sources: Array<string> } = JSON.parse(output(true))
  const sources = map.sources.map((source) => nameOf(source))
  return {
    _tag: "Bundled",
    code: plainComments(code),
    map: JSON.stringify({ ...map, sources }),
    undeclared: [...undeclared]
  }
}

const perform = async (task: BundlerTask): Promise<BundlerAnswer> => {
  switch (task._tag) {
    case "Scan":
      return scan(task.file)
    case "Bundle":
      return bundle(task)
    case "Place": {
      const at = placeOf(task.code, task.path)
      return { _tag: "Placed", ...(at === undefined ? {} : { at }) }
    }
  }
}

try {
  // This is the process to end if memory runs out.
  Fs.writeFileSync("/proc/self/oom_score_adj", "1000")
} catch {
  // Only Linux has this.
}

process.on("disconnect", () => process.exit())
process.on("message", (task: BundlerTask) => {
  perform(task).then((answer) => process.send?.(answer), () => process.exit(1))
})
// The parser is a process too, which is there once it has parsed something.
esbuild.transform("").then(() => process.send?.("ready"), () => process.exit(1))
