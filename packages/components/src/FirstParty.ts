import { Effect } from "effect"
import * as esbuild from "esbuild"
import * as Fs from "node:fs/promises"
import { isBuiltin } from "node:module"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"

/** A component that comes with the server. */
export interface FirstPartyComponent {
  /** The key in its code, under which it is found in the registry. */
  readonly key: string
  /** One module, with the files and packages that it imports in it. */
  readonly code: string
}

/** Keys that begin so are the server's own. */
export const keyPrefix = "headwater-"

const names = [
  "alerts",
  "batch-post",
  "feed",
  "github",
  "http-requests",
  "imap",
  "json-poll",
  "postgres-rows",
  "schedule",
  "signed-webhook",
  "stripe-webhook",
  "url-watch"
]

/** Node's own modules: the sandbox has them under `node:`, and an ES module can't `require` them. */
const nodeModules: esbuild.Plugin = {
  name: "node",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /.*/ }, ({ kind, path }) => {
      if (!isBuiltin(path)) return undefined
      if (kind === "require-call") return { path, namespace: "required" }
      return { path: path.startsWith("node:") ? path : `node:${path}`, external: true }
    })
    onLoad({ filter: /.*/, namespace: "required" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)})`
    }))
  }
}

/** Also where this code is part of a bundle. */
const directory = Path.dirname(fileURLToPath(import.meta.resolve("@headwater/components/FirstParty")))

const fileOf = (name: string): string => Path.join(directory, `${name}.mjs`)

/** The same wherever npm put the packages: another code is another version of the component. */
const withPlainPaths = (text: string): string =>
  text.replaceAll(/^(\/\/ |\s*"(?=[^"\n]+"\())(?:\.\.\/)+(?:node_modules\/)?/gm, "$1node_modules/")

/** Makes one module of each of these files, by name. */
const bundled = async (names: ReadonlyArray<string>): Promise<ReadonlyMap<string, string>> => {
  const { outputFiles } = await esbuild.build({
    // Paths in the output are the same wherever the server is started.
    absWorkingDir: directory,
    entryPoints: names.map(fileOf),
    outdir: directory,
    outExtension: { ".js": ".mjs" },
    write: false,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "esnext",
    charset: "utf8",
    logLevel: "silent",
    plugins: [nodeModules]
  })
  return new Map(outputFiles.map(({ path, text }) => [Path.basename(path, ".mjs"), withPlainPaths(text)]))
}

/** An import of anything that the sandbox does not have. */
const importsMore = /^(import|\}) .*from "(?!node:)/m

/** The components that the server itself publishes in the registry. */
export const firstParty: Effect.Effect<ReadonlyArray<FirstPartyComponent>> = Effect.promise(async () => {
  const texts = await Promise.all(names.map(async (name) => [name, await Fs.readFile(fileOf(name), "utf8")] as const))
  const bundles = await bundled(texts.filter(([, text]) => importsMore.test(text)).map(([name]) => name))
  return texts.map(([name, text]) => ({ key: keyPrefix + name, code: bundles.get(name) ?? text }))
})
