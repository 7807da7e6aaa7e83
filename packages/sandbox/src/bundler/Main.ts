/** The program of the bundler's process: parses text that strangers wrote, where a crash of the parser hurts nobody. */
import * as esbuild from "esbuild"
import * as Fs from "node:fs"
import type { BundlerAnswer, BundlerTask, LinkedFile, ModuleFile, ModulePosition } from "../BundlerProtocol.ts"

const namespace = "component"

/** Text of the bundler's in which files have their own names. */
const plain = (text: string): string => text.replaceAll(`${namespace}:/`, "/")

const settings = {
  bundle: true,
  write: false,
  outdir: "/",
  format: "esm",
  platform: "neutral",
  target: "esnext",
  charset: "utf8",
  logLevel: "silent",
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
}

const isBuildFailure = (thrown: unknown): thrown is esbuild.BuildFailure =>
  thrown instanceof Error && "errors" in thrown

const build = (options: esbuild.BuildOptions): Promise<Built> =>
  esbuild.build({ ...options, ...settings }).catch((thrown) => {
    if (!isBuildFailure(thrown)) throw thrown
    return { errors: thrown.errors, warnings: thrown.warnings, outputFiles: [] }
  })

const collector = "imports"

/** Every import is reported as an error, since only errors have a position. */
const collectImports: esbuild.Plugin = {
  name: collector,
  setup: ({ onResolve }) => onResolve({ filter: /.*/ }, ({ path }) => ({ errors: [{ text: "", detail: path }] }))
}

const scan = async ({ file, text, type }: ModuleFile): Promise<BundlerAnswer> => {
  const { errors, warnings } = await build({
    stdin: { contents: text, sourcefile: file, loader: type },
    plugins: [collectImports]
  })
  const fault = errors.find(({ pluginName }) => pluginName !== collector)
  if (fault !== undefined) return { _tag: "Faulty", message: fault.text, at: positionOf(file, fault.location) }
  // Some imports may fail without harm, such as one in a try block: those are warnings.
  const imports = [...errors, ...warnings].filter(({ pluginName }) => pluginName === collector)
  return {
    _tag: "Scanned",
    imports: imports.map(({ detail, location }) => ({ specifier: String(detail), at: positionOf(file, location) }))
  }
}

const filesPlugin = (entry: string, files: ReadonlyArray<LinkedFile>): esbuild.Plugin => {
  const contents = new Map(files.map(({ file, text, type }) => [file, { contents: text, loader: type }]))
  const links = new Map(files.map((each) => [each.file, new Map(each.links)]))
  return {
    name: "files",
    setup: ({ onLoad, onResolve }) => {
      onResolve({ filter: /.*/ }, ({ importer, kind, path }) => {
        const file = kind === "entry-point" ? entry : links.get(importer)?.get(path)
        return file === undefined ? { path, external: true } : { path: file, namespace }
      })
      onLoad({ filter: /.*/, namespace }, ({ path }) => contents.get(path))
    }
  }
}

const bundle = async (entry: string, files: ReadonlyArray<LinkedFile>): Promise<BundlerAnswer> => {
  const { errors, outputFiles } = await build({
    // A name of its own, since one with an asterisk would be a pattern.
    entryPoints: ["entry"],
    sourcemap: "external",
    sourcesContent: false,
    plugins: [filesPlugin(entry, files)]
  })
  const [fault] = errors
  if (fault !== undefined) {
    const file = fault.location === null ? entry : plain(fault.location.file)
    return { _tag: "Faulty", message: plain(fault.text), at: positionOf(file, fault.location) }
  }
  const output = (isMap: boolean) => outputFiles.find(({ path }) => path.endsWith(".map") === isMap)?.text ?? ""
  const map: { sources: Array<string> } = JSON.parse(output(true))
  const sources = map.sources.map(plain)
  return { _tag: "Bundled", code: output(false), map: JSON.stringify({ ...map, sources }) }
}

const perform = (task: BundlerTask): Promise<BundlerAnswer> =>
  task._tag === "Scan" ? scan(task.file) : bundle(task.entry, task.files)

try {
  // Where memory runs out, this is the process to end.
  Fs.writeFileSync("/proc/self/oom_score_adj", "1000")
} catch {
  // Only Linux has this.
}

process.on("disconnect", () => process.exit())
process.on("message", (task: BundlerTask) => {
  perform(task).then((answer) => process.send?.(answer), () => process.exit(1))
})
