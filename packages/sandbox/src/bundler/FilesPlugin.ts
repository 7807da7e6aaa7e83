import type * as esbuild from "esbuild"
import * as Fs from "node:fs"
import { builtinModules } from "node:module"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { type BundleTask, type ModuleFile, replacedBuiltins } from "../BundlerProtocol.ts"
import * as PackageSpecifier from "../PackageSpecifier.ts"
import * as PythonModule from "../PythonModule.ts"
import { withKnownRequires } from "./OwnRequires.ts"

/**
 * The origins of modules: the component, what we have in place of another module, Node as CommonJS asks for it or as the
 * sandbox changes it, what it can't load, and nowhere.
 */
const namespaces = {
  own: "component-file",
  standIn: "stand-in",
  required: "required",
  requiredOutside: "required-import",
  replaced: "replaced",
  native: "native",
  missing: "missing"
}

/** Text of the bundler's in which files have their own names. */
export const plain = (text: string): string =>
  Object.values(namespaces).reduce((plainer, namespace) => plainer.replaceAll(`${namespace}:`, ""), text)

/** Code in whose comments, which say where each part is from, files have their own names. */
export const plainComments = (code: string): string => code.replaceAll(`// ${namespaces.own}:`, "// ")

/** The name of a file that became part of the module: a component's own by its name, others by the import. */
export const nameOf = (source: string): string => {
  const packaged = source.lastIndexOf("node_modules/")
  if (packaged !== -1) return source.slice(packaged + "node_modules/".length)
  return plain(source)
}

/** The bundler's message about a stand-in, by its name, that has no such export. */
export const noExport = new RegExp(`no matching export in "${namespaces.standIn}:(.+?)"`, "i")

/** Exports of a stand-in that it has in place of those it lacks: used in any way, they throw an error that names them. */
const exportsInPlace = (module: string, members: ReadonlySet<string>): string => {
  const lacking = `(member) => {
  // The stack begins where the member is used.
  const fail = (trap) => {
    const error = new Error(${JSON.stringify(`${module} has no `)} + member + " here")
    Error.captureStackTrace(error, trap)
    throw error
  }
  const use = () => fail(use)
  const get = (_, key) => typeof key === "symbol" || key === "then" || key === "toJSON" ? undefined : fail(get)
  return new Proxy(class {}, { apply: use, construct: use, get })
}`
  const made = [...members].map((member, index) => ({ name: `lacking${index}`, member: JSON.stringify(member) }))
  return [
    `\nconst makeLacking = ${lacking}`,
    ...made.map(({ member, name }) => `const ${name} = makeLacking(${member})`),
    `export { ${made.map(({ member, name }) => `${name} as ${member}`)} }`
  ].join("\n")
}

/** The folder that each file thinks it is in. */
export const noPlace = "/package"

/** Text that names no source map of its own: places are told in what was sent. */
const withoutMap = (text: string): string => text.replaceAll(/^[ \t]*\/\/[#@][ \t]*sourceMappingURL=.*$/gm, "")

const contentsOf = ({ text, type }: ModuleFile): esbuild.OnLoadResult =>
  type === "py"
    ? { contents: PythonModule.moduleOf(text), loader: "js" }
    : { contents: withoutMap(text), loader: type }

const builtins = new Set(builtinModules)

/** A module of Node's under the name that says so, which the sandbox asks for. */
const builtinOf = (specifier: string): string | undefined =>
  specifier.startsWith("node:") ? specifier : builtins.has(specifier) ? `node:${specifier}` : undefined

/** The message about a file out of reach, and about one that is not there. */
export const outside = "Could not resolve a path: there is no such file in its package"

/** The file by which one of the packages is found that stand-ins import. */
const ownPackage = Fs.realpathSync(fileURLToPath(import.meta.resolve("axios")))

const ownPackages = ownPackage.slice(0, ownPackage.lastIndexOf("node_modules/") + "node_modules/".length)

/** The message about a file of a package that needs what no sandbox may load. */
export const native = (file: string): string => `${nameOf(file)} is of a native addon, which components can't load`

export interface FilesPluginOptions {
  readonly task: BundleTask
  /** Gets what packages import without having it. */
  readonly undeclared: Set<string>
  /** By stand-in, members that are imported from it and that it lacks. */
  readonly lacking: ReadonlyMap<string, ReadonlySet<string>>
  /** Has packages do without files of their own that are not there. It takes several times as long. */
  readonly thorough: boolean
}

/**
 * Imports that may lead out of a package's folder: by name, or by five steps up and more
 * (`node_modules/.deno/name@version/node_modules/name`). The bundler resolves those from beside a file itself.
 */
const fromAfar = /^[^.]|(\.\.\/.*){5}/

/** Says where each import of the component's and of its packages leads, so that none leads out of them. */
export const filesPlugin = ({ lacking, task, thorough, undeclared }: FilesPluginOptions): esbuild.Plugin => {
  const { entry, files, packages, standIns } = task
  const contents = new Map(files.map((each) => [each.file, contentsOf(each)]))
  const links = new Map(files.map((each) => [each.file, new Map(each.links)]))
  const elsewhere = new Map(files.map((each) => [each.file, new Map(each.outside)]))
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
      /** The path at which the bundler finds something installed, if it is there. */
      const installed = async (path: string, from: string, { importer, kind }: esbuild.OnResolveArgs) => {
        const found = await resolve(path, { kind, importer, resolveDir: from, namespace: "file", pluginData: looking })
        const { errors, namespace, path: file, sideEffects } = found
        if (errors.length > 0 || namespace !== "file" || !isInstalled(file)) return undefined
        return isNative(file)
          ? { path: file, namespace: namespaces.native }
          : { path: file, sideEffects, pluginData: undefined }
      }
      const lead = async (asked: esbuild.OnResolveArgs): Promise<esbuild.OnResolveResult | undefined> => {
        const { importer, kind, namespace: from, path, pluginData, resolveDir } = asked
        if (pluginData === looking) return undefined
        if (from === namespaces.requiredOutside) return { path, external: true }
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
          const name = packages !== undefined && Object.hasOwn(packages.names, path) ? packages.names[path] : undefined
          if (packages === undefined || name === undefined) {
            const then = elsewhere.get(importer)?.get(path) ?? path
            return standInOf(path) ??
              (kind === "require-call"
                ? { path: then, namespace: namespaces.requiredOutside }
                : { path: then, external: true })
          }
          return (await installed(name, packages.folder, asked)) ??
            { errors: [{ text: `${JSON.stringify(path)} is not in its package` }] }
        }
        // The imports of stand-ins lie beside them.
        if (packages === undefined || !isInstalled(importer)) return undefined
        const beside = path.startsWith(`${noPlace}/`) ? `.${path.slice(noPlace.length)}` : path
        const found = standInOf(path) ?? (await installed(beside, resolveDir, asked)) ??
          (await installed(path, packages.folder, asked))
        if (found !== undefined) return found
        if (kind === "import-statement" && PackageSpecifier.parse(path) !== undefined) undeclared.add(path)
        return { path, namespace: namespaces.missing }
      }
      onResolve({ filter: thorough ? /.*/ : fromAfar }, lead)
      onResolve({ filter: /.*/, namespace: namespaces.own }, lead)
      onResolve({ filter: /.*/, namespace: namespaces.requiredOutside }, lead)
      // Packages lead to files by more than imports, as by a folder's main file, or by a pattern of many.
      onLoad(
        { filter: /.*/, namespace: "file" },
        async ({ path }) => {
          if (isInstalled(path)) return isScript.test(path) ? fileWithRequires(path) : undefined
          return path.startsWith(ownPackages) ? undefined : { errors: [{ text: outside }] }
        }
      )
      onLoad({ filter: /.*/, namespace: namespaces.own }, ({ path }) => contents.get(path))
      onLoad({ filter: /.*/, namespace: namespaces.standIn }, async ({ path, pluginData }) => ({
        contents: await Fs.promises.readFile(pluginData, "utf8") + exportsInPlace(path, lacking.get(path) ?? new Set()),
        loader: "ts",
        resolveDir: Path.dirname(pluginData)
      }))
      onLoad({ filter: /.*/, namespace: namespaces.required }, ({ path }) => ({
        // An `import` could not be `require`d.
        contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)})`
      }))
      onLoad({ filter: /.*/, namespace: namespaces.requiredOutside }, ({ path }) => ({
        // A `require` of what is not part of the module would find nothing in an ES module.
        contents: `import * as found from ${JSON.stringify(path)}
module.exports = "default" in found ? found.default : found`
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
      const refuse = ({ path }: esbuild.OnLoadArgs) => ({
        contents: `throw new Error(${JSON.stringify(native(path))})`
      })
      onLoad({ filter: /.*/, namespace: namespaces.native }, refuse)
      onLoad({ filter: /\.node$/ }, refuse)
    }
  }
}

const isScript = /\.m?js$/

/** A package's file that makes itself a `require`; of others the bundler reads the text itself. */
const fileWithRequires = async (path: string): Promise<esbuild.OnLoadResult | undefined> => {
  const bytes = await Fs.promises.readFile(path)
  return bytes.includes("createRequire") ? { contents: withKnownRequires(bytes.toString()), loader: "js" } : undefined
}

/** True if it is part of a package that has a compiler build something that no sandbox may load. */
const isNative = (file: string): boolean => {
  const [folder] = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []
  return folder !== undefined && Fs.existsSync(Path.join(folder, "binding.gyp"))
}

/** Tells the bundler's own search from what modules ask for. */
const looking = {}
