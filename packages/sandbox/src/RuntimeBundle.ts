import { build, type BuildOptions } from "esbuild"
import * as Fs from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, extname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** The files of a program that sandbox processes run, by name. */
export type RuntimeFiles = Readonly<Record<string, string | Uint8Array>>

const fileOf = (name: string): string =>
  fileURLToPath(new URL(`./runtime/${name}${extname(import.meta.url)}`, import.meta.url))

const bundle = async (name: string, options: BuildOptions): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [fileOf(name)],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    target: "esnext",
    charset: "utf8",
    logLevel: "silent",
    tsconfigRaw: {},
    ...options
  })
  return outputFiles!.map(({ text }) => text).join("")
}

/** Files that programs import, and that are made beside them. */
const beside = ["*.txt", "*.zip", "*.wasm", "*.snapshot"]

/** The runtime that a program loads, and what the runtime loads when it is needed: files, and the package `ws`. */
const ofRuntime = async (): Promise<RuntimeFiles> => ({
  "Main.txt": await bundle("Main", {}),
  "FileSystem.txt": await bundle("FileSystem", { format: "cjs", minifySyntax: true, minifyWhitespace: true }),
  "WebSocketPackage.txt": await bundle("WebSocketPackage", {
    // The package asks for Node's modules with `require`, and for two addons that it can do without.
    banner: { js: "const require = process.getBuiltinModule" },
    define: { "process.env.WS_NO_BUFFER_UTIL": `"1"`, "process.env.WS_NO_UTF_8_VALIDATE": `"1"` }
  })
})

export const mainModule = "Boot.js"

let javascript: Promise<RuntimeFiles> | undefined

/** For JavaScript. It is made once, since a process can have many sandboxes, as one that tests has. */
export const ofJavaScript = (): Promise<RuntimeFiles> =>
  javascript ??= (async () => ({
    [mainModule]: await bundle("Boot", { external: beside }),
    ...await ofRuntime()
  }))()

const pythonFolder = fileURLToPath(new URL("./python", import.meta.url))

/** Our modules in Python, by name. */
const pythonModules = async (): Promise<Readonly<Record<string, string>>> => {
  const files = (await Fs.readdir(pythonFolder)).filter((file) => file.endsWith(".py")).sort()
  return Object.fromEntries(
    await Promise.all(
      files.map(async (file) => [file.slice(0, -3), await Fs.readFile(join(pythonFolder, file), "utf8")] as const)
    )
  )
}

/** The program that makes the snapshot from which interpreters begin. */
export const snapshotModule = "SnapshotMaking.js"

export const snapshotFile = "python.snapshot"

/** For Python, but for the snapshot. */
export const ofPython = async (): Promise<RuntimeFiles> => {
  const pyodide = dirname(createRequire(import.meta.url).resolve("pyodide/package.json"))
  return {
    [mainModule]: await bundle("PythonBoot", { external: beside }),
    [snapshotModule]: await bundle("SnapshotMaking", { external: beside }),
    "Interpreter.txt": await bundle("Interpreter", {
      alias: { "node:fs/promises": fileOf("InterpreterFiles") },
      define: { "import.meta.url": `"file:///python/python.mjs"` },
      format: "iife",
      globalName: "interpreter",
      minify: true
    }),
    "PythonModules.txt": JSON.stringify(await pythonModules()),
    "pyodide.asm.wasm": await Fs.readFile(join(pyodide, "pyodide.asm.wasm")),
    "python_stdlib.zip": await Fs.readFile(join(pyodide, "python_stdlib.zip")),
    ...await ofRuntime()
  }
}
