/** The program of the bundler's process: parses text that strangers wrote, where a crash of the parser hurts nobody. */
import * as esbuild from "esbuild"
import * as Fs from "node:fs"
import { builtinModules } from "node:module"
import * as Path from "node:path"
import {
  type BundlerAnswer,
  type BundlerTask,
  type BundleTask,
  type ModuleFile,
  type ModulePosition,
  replacedBuiltins
} from "../BundlerProtocol.ts"
import * as PackageSpecifier from "../PackageSpecifier.ts"

/**
 * Where modules come from: the component, what we have in place of another module, Node as CommonJS asks for it or as the
 * sandbox changes it, what it can't load, and nowhere.
 */
const namespaces = {
  own: "component-file",
  standIn: "stand-in",
  required: "required",
  replaced: "replaced",
  native: "native",
  missing: "missing"
}

/** Text of the bundler's in which files have their own names. */
const plain = (text: string): string =>
  Object.values(namespaces).reduce((plainer, namespace) => plainer.replaceAll(`${namespace}:`, ""), text)

/** The folder that each file thinks it is in. */
const noPlace = "/package"

const settings = {
  bundle: true,
  write: false,
  outdir: "/",
  format: "esm",
  platform: "node",
  target: "esnext",
  charset: "utf8",
  logLevel: "silent",
  // Errors are often named after their class.
  keepNames: true,
  // What CommonJS knows of its place, of which there is none.
  define: { __dirname: JSON.stringify(noPlace), __filename: JSON.stringify(`${noPlace}/index.js`) },
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

/** @param undeclared gets what packages import without having it */
const filesPlugin = (
  { entry, files, packages, standIns }: BundleTask,
  undeclared: Set<string>
): esbuild.Plugin => {
  const contents = new Map(files.map(({ file, text, type }) => [file, { contents: withoutMap(text), loader: type }]))
  const links = new Map(files.map((each) => [each.file, new Map(each.links)]))
  const folder = packages === undefined ? undefined : Fs.realpathSync(packages.folder)
  const isInstalled = (path: string) => folder !== undefined && path.startsWith(folder + Path.sep)
  const standInOf = (specifier: string): esbuild.OnResolveResult | undefined => {
    const name = PackageSpecifier.parse(specifier)?.name ?? specifier
    return Object.hasOwn(standIns, name)
      ? { path: name, namespace: namespaces.standIn, pluginData: standIns[name] }
      : undefined
  }
  return {
    name: "files",
    setup: ({ onLoad, onResolve, resolve }) => {
      /** Where the bundler finds something installed, if it is there. */
      const installed = async (path: string, from: string, { importer, kind }: esbuild.OnResolveArgs) => {
        const found = await resolve(path, { kind, importer, resolveDir: from, namespace: "file", pluginData: looking })
        const { errors, namespace, path: file, sideEffects } = found
        if (errors.length > 0 || namespace !== "file" || !isInstalled(file)) return undefined
        return isNative(file)
          ? { path: file, namespace: namespaces.native }
          : { path: file, sideEffects, pluginData: undefined }
      }
      onResolve({ filter: /.*/ }, async (asked): Promise<esbuild.OnResolveResult | undefined> => {
        const { importer, kind, namespace: from, path, pluginData, resolveDir } = asked
        if (pluginData === looking) return undefined
        if (kind === "entry-point") return { path: entry, namespace: namespaces.own }
        const builtin = builtinOf(path)
        if (builtin !== undefined) {
          if (kind === "require-call") return { path: builtin, namespace: namespaces.required }
          return from !== namespaces.replaced && replacedBuiltins.includes(builtin.slice("node:".length))
            ? { path: builtin, namespace: namespaces.replaced }
            : { path: builtin, external: true }
        }
        if (from === namespaces.own) {
          const file = links.get(importer)?.get(path)
          if (file !== undefined) return { path: file, namespace: namespaces.own }
          const name = packages?.names[path]
          if (packages === undefined || name === undefined) return standInOf(path) ?? { path, external: true }
          return (await installed(name, packages.folder, asked)) ??
            { errors: [{ text: `${JSON.stringify(path)} is not in its package` }] }
        }
        // What stand-ins import lies where they do.
        if (packages === undefined || !isInstalled(importer)) return undefined
        const beside = path.startsWith(`${noPlace}/`) ? `.${path.slice(noPlace.length)}` : path
        const found = standInOf(path) ?? (await installed(beside, resolveDir, asked)) ??
          (await installed(path, packages.folder, asked))
        if (found !== undefined) return found
        if (kind === "import-statement" && PackageSpecifier.parse(path) !== undefined) undeclared.add(path)
        return { path, namespace: namespaces.missing }
      })
      onLoad({ filter: /.*/, namespace: namespaces.own }, ({ path }) => contents.get(path))
      onLoad({ filter: /.*/, namespace: namespaces.standIn }, async ({ pluginData }) => ({
        contents: await Fs.promises.readFile(pluginData, "utf8"),
        loader: "ts",
        resolveDir: Path.dirname(pluginData)
      }))
      onLoad({ filter: /.*/, namespace: namespaces.required }, ({ path }) => ({
        // An `import` could not be `require`d.
        contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)})`
      }))
      onLoad({ filter: /.*/, namespace: namespaces.replaced }, ({ path }) => {
        const names = Object.keys(process.getBuiltinModule(path) ?? {}).filter((name) => name !== "default")
        return {
          contents: `import all from ${JSON.stringify(path)}\nexport default all\nexport const { ${names} } = all`
        }
      })
      // Packages ask for what they can do without, and are told in Node's words that it is not there.
      onLoad({ filter: /.*/, namespace: namespaces.missing }, ({ path }) => ({
        contents: `throw Object.assign(new Error(${
          JSON.stringify(`Cannot find module '${path}'`)
        }), { code: "MODULE_NOT_FOUND" })`
      }))
      onLoad({ filter: /.*/, namespace: namespaces.native }, ({ path }) => ({
        contents: `throw new Error(${
          JSON.stringify(`${nameOf(path)} is of a native addon, which components can't load`)
        })`
      }))
    }
  }
}

/** Whether it is, or is part of a package that has a compiler build, what no sandbox may load. */
const isNative = (file: string): boolean => {
  const [folder] = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []
  return file.endsWith(".node") || (folder !== undefined && Fs.existsSync(Path.join(folder, "binding.gyp")))
}

/** Tells the bundler's own search from what modules ask for. */
const looking = {}

/** What a file that became part of the module is called: a component's own by its name, others by what is imported. */
const nameOf = (source: string): string => {
  const packaged = source.lastIndexOf("node_modules/")
  if (packaged !== -1) return source.slice(packaged + "node_modules/".length)
  return plain(source)
}

const bundle = async (task: BundleTask): Promise<BundlerAnswer> => {
  const { entry } = task
  const undeclared = new Set<string>()
  const { errors, outputFiles } = await build({
    // A name of its own, since one with an asterisk would be a pattern.
    entryPoints: ["entry"],
    sourcemap: "external",
    sourcesContent: false,
    plugins: [filesPlugin(task, undeclared)]
  })
  const [fault] = errors
  if (fault !== undefined) {
    const file = fault.location === null ? entry : nameOf(fault.location.file)
    return { _tag: "Faulty", message: plain(fault.text), at: positionOf(file, fault.location) }
  }
  const output = (isMap: boolean) => outputFiles.find(({ path }) => path.endsWith(".map") === isMap)?.text ?? ""
  const map: { sources: Array<string> } = JSON.parse(output(true))
  const sources = map.sources.map((source) => nameOf(source))
  return { _tag: "Bundled", code: output(false), map: JSON.stringify({ ...map, sources }), undeclared: [...undeclared] }
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
