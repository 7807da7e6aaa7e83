import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { buildSync } from "esbuild"
import { createHash } from "node:crypto"
import * as Fs from "node:fs/promises"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { SandboxConfig } from "./SandboxConfig.ts"

/** The sandbox's directories could not be prepared. */
export class SandboxFilesUnusable extends Schema.TaggedError<SandboxFilesUnusable>()("SandboxFilesUnusable", {
  directory: Schema.String,
  message: Schema.String
}) {}

/**
 * What a sandbox process finds on disk: a private directory for Deno's own cache, an empty working directory, and the
 * runtime in a bundle, because the user it runs under may not be able to enter the directory that the server runs from.
 */
export class SandboxFiles extends Context.Service<SandboxFiles, {
  readonly denoDirectory: string
  readonly workingDirectory: string
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

/**
 * Where Deno would keep web storage, for all its processes and without a permission: one account could leave something
 * there for another. A file of that name makes it fail.
 */
const sharedStorage = ["cache_storage", "location_data", "webcache"]

/** The runtime, and in files of their own the packages that it loads when they are needed. */
const bundleRuntime = (): ReadonlyArray<{ readonly name: string; readonly content: Uint8Array }> => {
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(new URL("./runtime/Main.ts", import.meta.url))],
    bundle: true,
    splitting: true,
    write: false,
    outdir: "/",
    format: "esm",
    platform: "node",
    target: "esnext",
    charset: "utf8",
    logLevel: "silent",
    tsconfigRaw: {},
    // Packages ask for Node's modules with `require`, and `ws` for two addons that it can do without.
    banner: { js: "const require = process.getBuiltinModule" },
    define: { "process.env.WS_NO_BUFFER_UTIL": `"1"`, "process.env.WS_NO_UTF_8_VALIDATE": `"1"` }
  })
  return outputFiles.map(({ contents, path }) => ({ name: basename(path), content: contents }))
}

/** Readable by the user that sandboxes run under, also where the umask would have it otherwise. */
const writeReadable = async (path: string, content: Uint8Array): Promise<void> => {
  await Fs.writeFile(path, content)
  await Fs.chmod(path, 0o644)
}

/** Named by content and put in place at once: another server may use the same directory, at this or another version. */
const writeRuntime = async (root: string): Promise<string> => {
  const files = bundleRuntime()
  const hash = createHash("sha256")
  for (const { content, name } of files) hash.update(`${name} ${content.length} `).update(content)
  const directory = join(root, `runtime-${hash.digest("hex").slice(0, 16)}`)
  if (await Fs.stat(directory).then(() => true, () => false)) return directory
  const unfinished = await Fs.mkdtemp(join(root, "unfinished-"))
  await Fs.chmod(unfinished, 0o755)
  for (const { content, name } of files) await writeReadable(join(unfinished, name), content)
  await Fs.rename(unfinished, directory).catch(async (error: NodeJS.ErrnoException) => {
    await Fs.rm(unfinished, { recursive: true })
    if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error
  })
  return directory
}

const prepare = async (root: string, config: SandboxConfig["Service"]): Promise<SandboxFiles["Service"]> => {
  const denoDirectory = join(root, "deno")
  const workingDirectory = join(root, "work")
  await Fs.mkdir(root, { recursive: true })
  await Fs.chmod(root, 0o755)
  for (const directory of [denoDirectory, workingDirectory]) {
    await Fs.mkdir(directory, { recursive: true, mode: 0o700 })
    await Fs.chmod(directory, 0o700)
    if (config.identity !== undefined) await Fs.chown(directory, config.identity.uid, config.identity.gid)
  }
  for (const name of sharedStorage) {
    const path = join(denoDirectory, name)
    if ((await Fs.stat(path).catch(() => undefined))?.isFile() === true) continue
    await Fs.rm(path, { recursive: true, force: true })
    await writeReadable(path, new Uint8Array())
  }
  const runtimeDirectory = await writeRuntime(root)
  let extraCaFile: string | undefined
  if (config.extraCaFile !== undefined) {
    extraCaFile = join(root, "extra-ca.pem")
    await writeReadable(extraCaFile, await Fs.readFile(config.extraCaFile))
  }
  return { denoDirectory, workingDirectory, mainModule: join(runtimeDirectory, "Main.js"), extraCaFile }
}
