import { Context, Effect, Layer, Schema } from "effect"
import { createHash } from "node:crypto"
import * as Fs from "node:fs/promises"
import { dirname, join } from "node:path"
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
      const files = yield* attempt(root, () => prepare(root, config))
      const javascript = yield* write(root, yield* attempt(root, RuntimeBundle.ofJavaScript))
      const python = preparePython(root, config, files)
      return { ...files, mainModule: { javascript: Effect.succeed(javascript), python } }
    })
  )
}

const attempt = <A>(directory: string, work: () => Promise<A>): Effect.Effect<A, SandboxFilesUnusable> =>
  Effect.tryPromise({
    try: work,
    catch: (cause) =>
      new SandboxFilesUnusable({ directory, message: cause instanceof Error ? cause.message : String(cause) })
  })

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

/** Removed with all that is in it, whatever became of it. */
const unfinishedIn = (root: string) =>
  Effect.acquireRelease(
    attempt(root, async () => {
      const folder = await Fs.mkdtemp(join(root, "unfinished-"))
      await Fs.chmod(folder, 0o755)
      return folder
    }),
    (folder) => Effect.ignore(attempt(root, () => Fs.rm(folder, { recursive: true, force: true })))
  )

/**
 * Named by content and put in place at once: another server may use the same directory, at this or another version.
 *
 * @param complete adds what is made of the files
 * @returns the program
 */
const write = Effect.fnUntraced(function*(
  root: string,
  files: RuntimeBundle.RuntimeFiles,
  complete: (folder: string, name: string) => Effect.Effect<void, SandboxFilesUnusable> = () => Effect.void
) {
  const name = nameOf(files)
  const directory = join(root, name)
  const program = join(directory, RuntimeBundle.mainModule)
  if (yield* attempt(root, () => Fs.stat(directory).then(() => true, () => false))) return program
  const unfinished = yield* unfinishedIn(root)
  yield* attempt(root, async () => {
    for (const [file, content] of Object.entries(files)) await writeReadable(join(unfinished, file), content)
  })
  yield* complete(unfinished, name)
  yield* attempt(root, () =>
    Fs.rename(unfinished, directory).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error
    }))
  return program
}, Effect.scoped)

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

/** Keeps a file that took long to make. */
const keep = async (path: string, content: Uint8Array): Promise<void> => {
  await Fs.mkdir(dirname(path), { recursive: true })
  const unfinished = `${path}-${process.pid}`
  try {
    await Fs.writeFile(unfinished, content)
    await Fs.rename(unfinished, path)
  } finally {
    await Fs.rm(unfinished, { force: true })
  }
}

/** An interpreter takes seconds to load its modules, and a fraction of one to begin with a snapshot of its memory. */
const preparePython = Effect.fnUntraced(function*(
  root: string,
  config: SandboxConfig["Service"],
  files: DenoProcess.DenoFiles
) {
  const ofPython = yield* attempt(root, RuntimeBundle.ofPython)
  return yield* write(
    root,
    ofPython,
    Effect.fnUntraced(function*(folder, name) {
      const kept = config.keptDir === undefined ? undefined : join(config.keptDir, `${name}.snapshot`)
      const known = kept === undefined
        ? undefined
        : yield* attempt(root, () => Fs.readFile(kept).catch(() => undefined))
      const mainModule = join(folder, RuntimeBundle.snapshotModule)
      const snapshot = known ?? (yield* Effect.mapError(
        DenoProcess.output({ config, files, mainModule, kind: config.kinds.of("python") }),
        ({ message }) => new SandboxFilesUnusable({ directory: root, message })
      ))
      yield* attempt(root, () => writeReadable(join(folder, RuntimeBundle.snapshotFile), snapshot))
      if (kept !== undefined && known === undefined) yield* attempt(root, () => keep(kept, snapshot))
    })
  )
})
