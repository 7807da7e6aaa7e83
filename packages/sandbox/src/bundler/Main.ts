/** The program of the bundler's process: parses text that strangers wrote, where a crash of the parser hurts nobody. */
import * as esbuild from "esbuild"
import * as Fs from "node:fs"
import { builtinModules } from "node:module"
import * as Path from "node:path"
import type { BundlerAnswer, BundlerTask, BundleTask, ModuleFile, ModulePosition } from "../BundlerProtocol.ts"

/** Where modules come from: the component, what we have in place of another module, and elsewhere as CommonJS asks for it. */
const namespaces = {
  own: "component-file",
  standIn: "stand-in",
  required: "required",
  requiredOutside: "required-import"
}

/** Text of the bundler's in which files have their own names. */
const plain = (text: string): string =>
  Object.values(namespaces).reduce((plainer, namespace) => plainer.replaceAll(`${namespace}:`, ""), text)

const settings = {
  bundle: true,
  write: false,
  outdir: "/",
  format: "esm",
  platform: "node",
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
  readonly metafile?: esbuild.Metafile | undefined
}

const isBuildFailure = (thrown: unknown): thrown is esbuild.BuildFailure =>
  thrown instanceof Error && "errors" in thrown

const build = (options: esbuild.BuildOptions): Promise<Built> =>
  esbuild.build({ ...options, ...settings }).catch((thrown) => {
    if (!isBuildFailure(thrown)) throw thrown
    return { errors: thrown.errors, warnings: thrown.warnings, outputFiles: [] }
  })

const collector = "imports"

/** Every import is warned of, since only messages have a position. */
const collectImports: esbuild.Plugin = {
  name: collector,
  setup: ({ onResolve }) =>
    onResolve({ filter: /.*/ }, ({ path }) => ({ path, external: true, warnings: [{ text: "", detail: path }] }))
}

const scan = async ({ file, text, type }: ModuleFile): Promise<BundlerAnswer> => {
  const { errors, metafile, warnings } = await build({
    // The name would say which kind of module it is; the text is to.
    stdin: { contents: text, sourcefile: "module.js", loader: type },
    metafile: true,
    plugins: [collectImports]
  })
  const [fault] = errors
  if (fault !== undefined) return { _tag: "Faulty", message: fault.text, at: positionOf(file, fault.location) }
  const imports = warnings.filter(({ pluginName }) => pluginName === collector)
  return {
    _tag: "Scanned",
    isCommon: Object.values(metafile?.inputs ?? {}).some(({ format }) => format === "cjs"),
    imports: imports.map(({ detail, location }) => ({ specifier: String(detail), at: positionOf(file, location) }))
  }
}

/** Text that names no source map of its own: places are told in what was sent. */
const withoutMap = (text: string): string => text.replaceAll(/^[ \t]*\/\/[#@][ \t]*sourceMappingURL=.*$/gm, "")

const builtins = new Set(builtinModules)

/** A module of Node's under the name that says so, which the sandbox asks for. */
const builtinOf = (specifier: string): string | undefined =>
  specifier.startsWith("node:") ? specifier : builtins.has(specifier) ? `node:${specifier}` : undefined

const filesPlugin = ({ entry, files, standIns }: BundleTask): esbuild.Plugin => {
  const contents = new Map(files.map(({ file, text, type }) => [file, { contents: withoutMap(text), loader: type }]))
  const links = new Map(files.map((each) => [each.file, new Map(each.links)]))
  const outside = new Map(files.map((each) => [each.file, new Map(each.outside)]))
  return {
    name: "files",
    setup: ({ onLoad, onResolve }) => {
      onResolve({ filter: /.*/ }, ({ importer, kind, namespace: from, path }) => {
        const builtin = builtinOf(path)
        if (builtin !== undefined) {
          return kind === "require-call"
            ? { path: builtin, namespace: namespaces.required }
            : { path: builtin, external: true }
        }
        // What stand-ins import lies where they do.
        if (kind !== "entry-point" && (from === namespaces.standIn || from === "file")) return undefined
        const file = kind === "entry-point" ? entry : links.get(importer)?.get(path)
        if (file !== undefined) return { path: file, namespace: namespaces.own }
        const renamed = from === namespaces.own ? outside.get(importer)?.get(path) : undefined
        if (renamed !== undefined) {
          return kind === "require-call"
            ? { path: renamed, namespace: namespaces.requiredOutside }
            : { path: renamed, external: true }
        }
        const standIn = Object.hasOwn(standIns, path) ? standIns[path] : undefined
        return standIn === undefined
          ? { path, external: true }
          : { path, namespace: namespaces.standIn, pluginData: standIn }
      })
      onLoad({ filter: /.*/, namespace: namespaces.own }, ({ path }) => contents.get(path))
      onLoad({ filter: /.*/, namespace: namespaces.standIn }, async ({ pluginData }) => ({
        contents: await Fs.promises.readFile(pluginData, "utf8"),
        loader: "ts",
        resolveDir: Path.dirname(pluginData)
      }))
      onLoad({ filter: /.*/, namespace: namespaces.required }, ({ path }) => ({
        // An \`import\` could not be \`require\`d.
        contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)})`
      }))
      onLoad({ filter: /.*/, namespace: namespaces.requiredOutside }, ({ path }) => ({
        // A `require` of what is not part of the module would find nothing in an ES module.
        contents: `import * as found from ${JSON.stringify(path)}
module.exports = "default" in found ? found.default : found`
      }))
    }
  }
}

/** What a file that became part of the module is called: a component's own by its name, others by what is imported. */
const nameOf = (source: string): string => {
  const packaged = source.lastIndexOf("node_modules/")
  if (packaged !== -1) return source.slice(packaged + "node_modules/".length)
  return plain(source)
}

const bundle = async (task: BundleTask): Promise<BundlerAnswer> => {
  const { entry } = task
  const { errors, outputFiles } = await build({
    // A name of its own, since one with an asterisk would be a pattern.
    entryPoints: ["entry"],
    sourcemap: "external",
    sourcesContent: false,
    plugins: [filesPlugin(task)]
  })
  const [fault] = errors
  if (fault !== undefined) {
    const file = fault.location === null ? entry : plain(fault.location.file)
    return { _tag: "Faulty", message: plain(fault.text), at: positionOf(file, fault.location) }
  }
  const output = (isMap: boolean) => outputFiles.find(({ path }) => path.endsWith(".map") === isMap)?.text ?? ""
  const map: { sources: Array<string> } = JSON.parse(output(true))
  const sources = map.sources.map((source) => nameOf(source))
  return { _tag: "Bundled", code: output(false), map: JSON.stringify({ ...map, sources }) }
}

const perform = (task: BundlerTask): Promise<BundlerAnswer> => task._tag === "Scan" ? scan(task.file) : bundle(task)

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
