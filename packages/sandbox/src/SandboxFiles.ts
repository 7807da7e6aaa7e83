import { Context, Effect, Layer, Schema } from "effect"
import { type BuildOptions, buildSync } from "esbuild"
import { createHash } from "node:crypto"
import * as Fs from "node:fs/promises"
import { extname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { SandboxConfig } from "./SandboxConfig.ts"

/** The sandbox's directories could not be prepared. */
export class SandboxFilesUnusable extends Schema.TaggedError<SandboxFilesUnusable>()("SandboxFilesUnusable", {
  directory: Schema.String,
  message: Schema.String
}) {}

/**
 * The files of a sandbox process: an empty directory that Deno takes for its cache and cannot write to, and the
 * runtime in a bundle, because the user it runs under may not be able to enter the directory that the server runs from.
 */
export class SandboxFiles extends Context.Service<SandboxFiles, {
  readonly denoDirectory: string
  readonly mainModule: string
  readonly extraCaFile: string | undefined
}>()("@headwater/sandbox/SandboxFiles") {
  static readonly layer: Layer.Layer<SandboxFiles, SandboxFilesUnusable, SandboxConfig> = Layer.effect(
    SandboxFiles,
    Effect.gen(function*() {
      const config = yield* SandboxConfig
      const root = join(config.cacheDir, "sandbox")
      return yield* Effect.tryPromise({
        try: () => prepare(root, config),
        catch: (cause) =>
          new SandboxFilesUnusable({
            directory: root,
            message: cause instanceof Error ? cause.message : String(cause)
          })
      })
    })
  )
}

const fileOf = (name: string): string =>
  fileURLToPath(new URL(`./runtime/${name}${extname(import.meta.url)}`, import.meta.url))

const bundle = (name: string, options: BuildOptions): string => {
  const { outputFiles } = buildSync({
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

/** The program, the runtime that it loads, and what the runtime loads when it is needed: files, and the package `ws`. */
const bundleRuntime = (): Readonly<Record<string, string>> => ({
  "Boot.js": bundle("Boot", { external: ["./Main.txt", "./FileSystem.txt", "./WebSocketPackage.txt"] }),
  "Main.txt": bundle("Main", {}),
  "FileSystem.txt": bundle("FileSystem", { format: "cjs", minifySyntax: true, minifyWhitespace: true }),
  "WebSocketPackage.txt": bundle("WebSocketPackage", {
    // The package asks for Node's modules with `require`, and for two addons that it can do without.
    banner: { js: "const require = process.getBuiltinModule" },
    define: { "process.env.WS_NO_BUFFER_UTIL": `"1"`, "process.env.WS_NO_UTF_8_VALIDATE": `"1"` }
  })
})

/** Readable by the user that sandboxes run under, also where the umask would have it otherwise. */
const writeReadable = async (path: string, content: string | Uint8Array): Promise<void> => {
  await Fs.writeFile(path, content)
  await Fs.chmod(path, 0o644)
}

/** Named by content and put in place at once: another server may use the same directory, at this or another version. */
const writeRuntime = async (root: string): Promise<string> => {
  const files = Object.entries(bundleRuntime())
  const hash = createHash("sha256").update(JSON.stringify(files))
  const directory = join(root, `runtime-${hash.digest("hex").slice(0, 16)}`)
  if (await Fs.stat(directory).then(() => true, () => false)) return directory
  const unfinished = await Fs.mkdtemp(join(root, "unfinished-"))
  await Fs.chmod(unfinished, 0o755)
  for (const [name, content] of files) await writeReadable(join(unfinished, name), content)
  await Fs.rename(unfinished, directory).catch(async (error: NodeJS.ErrnoException) => {
    await Fs.rm(unfinished, { recursive: true })
    if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error
  })
  return directory
}

const prepare = async (root: string, config: SandboxConfig["Service"]): Promise<SandboxFiles["Service"]> => {
  const denoDirectory = join(root, "deno")
  await Fs.mkdir(root, { recursive: true })
  await Fs.chmod(root, 0o755)
  await Fs.mkdir(denoDirectory, { recursive: true })
  await Fs.chmod(denoDirectory, 0o555)
  const runtimeDirectory = await writeRuntime(root)
  let extraCaFile: string | undefined
  if (config.extraCaFile !== undefined) {
    extraCaFile = join(root, "extra-ca.pem")
    await writeReadable(extraCaFile, await Fs.readFile(config.extraCaFile))
  }
  return { denoDirectory, mainModule: join(runtimeDirectory, "Boot.js"), extraCaFile }
}
