import { Context, Effect, Layer, Schema } from "effect"
import { createHash } from "node:crypto"
import * as Fs from "node:fs/promises"
import { join } from "node:path"
import * as DenoProcess from "./DenoProcess.ts"
import type { Language } from "./Language.ts"
import * as RuntimeBundle from "./RuntimeBundle.ts"
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
export class SandboxFiles extends Context.Service<
  SandboxFiles,
  DenoProcess.DenoFiles & {
    /** The program of a process for code in a language. That for Python is made when it is asked for. */
    readonly mainModule: Readonly<Record<Language, Effect.Effect<string, SandboxFilesUnusable>>>
  }
>()("@headwater/sandbox/SandboxFiles") {
  static readonly layer: Layer.Layer<SandboxFiles, SandboxFilesUnusable, SandboxConfig> = Layer.effect(
    SandboxFiles,
    Effect.gen(function*() {
      const config = yield* SandboxConfig
      const root = join(config.cacheDir, "sandbox")
      const attempt = <A>(prepare: () => Promise<A>) =>
        Effect.tryPromise({
          try: prepare,
          catch: (cause) =>
            new SandboxFilesUnusable({
              directory: root,
              message: cause instanceof Error ? cause.message : String(cause)
            })
        })
      const files = yield* attempt(() => prepare(root, config))
      const javascript = yield* attempt(async () => write(root, await RuntimeBundle.ofJavaScript()))
      const python = attempt(() => preparePython(root, config, files))
      return { ...files, mainModule: { javascript: Effect.succeed(javascript), python } }
    })
  )
}

/** Readable by the user that sandboxes run under, also where the umask would have it otherwise. */
const writeReadable = async (path: string, content: string | Uint8Array): Promise<void> => {
  await Fs.writeFile(path, content)
  await Fs.chmod(path, 0o644)
}

const nameOf = (files: RuntimeBundle.RuntimeFiles): string => {
  const hash = createHash("sha256")
  for (const [name, content] of Object.entries(files)) hash.update(name).update("\0").update(content).update("\0")
  return `runtime-${hash.digest("hex").slice(0, 16)}`
}

/**
 * Named by content and put in place at once: another server may use the same directory, at this or another version.
 *
 * @param complete adds what is made of the files
 * @returns the program
 */
const write = async (
  root: string,
  files: RuntimeBundle.RuntimeFiles,
  complete: (folder: string, name: string) => Promise<void> = async () => {}
): Promise<string> => {
  const name = nameOf(files)
  const directory = join(root, name)
  const program = join(directory, RuntimeBundle.mainModule)
  if (await Fs.stat(directory).then(() => true, () => false)) return program
  const unfinished = await Fs.mkdtemp(join(root, "unfinished-"))
  await Fs.chmod(unfinished, 0o755)
  for (const [file, content] of Object.entries(files)) await writeReadable(join(unfinished, file), content)
  await complete(unfinished, name)
  await Fs.rename(unfinished, directory).catch(async (error: NodeJS.ErrnoException) => {
    await Fs.rm(unfinished, { recursive: true })
    if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error
  })
  return program
}

const prepare = async (root: string, config: SandboxConfig["Service"]): Promise<DenoProcess.DenoFiles> => {
  const denoDirectory = join(root, "deno")
  await Fs.mkdir(root, { recursive: true })
  await Fs.chmod(root, 0o755)
  await Fs.mkdir(denoDirectory, { recursive: true })
  await Fs.chmod(denoDirectory, 0o555)
  let extraCaFile: string | undefined
  if (config.extraCaFile !== undefined) {
    extraCaFile = join(root, "extra-ca.pem")
    await writeReadable(extraCaFile, await Fs.readFile(config.extraCaFile))
  }
  return { denoDirectory, extraCaFile }
}

/** An interpreter takes seconds to load its modules, and a fraction of one to begin with a snapshot of its memory. */
const preparePython = async (
  root: string,
  config: SandboxConfig["Service"],
  files: DenoProcess.DenoFiles
): Promise<string> =>
  write(root, await RuntimeBundle.ofPython(), async (folder, name) => {
    const kept = config.keptDir === undefined ? undefined : join(config.keptDir, `${name}.snapshot`)
    const known = kept === undefined ? undefined : await Fs.readFile(kept).catch(() => undefined)
    const mainModule = join(folder, RuntimeBundle.snapshotModule)
    const snapshot = known ?? await DenoProcess.output({ config, files, mainModule, language: "python" })
    await writeReadable(join(folder, RuntimeBundle.snapshotFile), snapshot)
    if (kept === undefined || known !== undefined) return
    await Fs.mkdir(config.keptDir!, { recursive: true })
    const unfinished = `${kept}-${process.pid}`
    await Fs.writeFile(unfinished, snapshot)
    await Fs.rename(unfinished, kept)
  })
