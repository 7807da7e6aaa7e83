import { Effect, FileSystem, Option, type PlatformError } from "effect"
import * as Path from "node:path"
import { CommandRefused } from "../CommandRefused.ts"
import * as MovingRecord from "./MovingRecord.ts"
import { recordFile } from "./ProjectFolder.ts"

/** The files of a set-up, by their paths in it. */
export type Contents = ReadonlyMap<string, Uint8Array | string>

export interface Written {
  readonly record: MovingRecord.MovingRecord
  /** Files that somebody has changed, and that stay as they are. */
  readonly kept: ReadonlyArray<string>
  /** The same, where the project has something new, which lies beside. */
  readonly beside: ReadonlyArray<string>
  readonly removed: ReadonlyArray<string>
}

/** The ending of what lies beside a file that somebody has changed. */
export const besideEnding = ".new"

const refuse = (message: string) => new CommandRefused({ message })

const told = (folder: string) => <A, E, R>(effect: Effect.Effect<A, E | PlatformError.PlatformError, R>) =>
  Effect.mapError(effect, (error) =>
    (error as { readonly _tag?: string })._tag === "PlatformError"
      ? refuse(`${folder} can't be written: ${(error as PlatformError.PlatformError).message}`)
      : error as E)

/**
 * Writes the files of a set-up, and the record last. A file that somebody has changed stays as it is.
 *
 * @param record what an import before has left, with what it says of the workflows now
 * @param isStale whether a file that is no longer among these is to be removed
 */
export const write = (
  folder: string,
  contents: Contents,
  record: MovingRecord.MovingRecord,
  isStale: (path: string) => boolean = () => false
) =>
  Effect.gen(function*() {
    const files = yield* FileSystem.FileSystem
    yield* files.makeDirectory(folder, { recursive: true })
    const root = yield* files.realPath(folder)
    const hashes: Record<string, string> = { ...record.files }
    const kept: Array<string> = []
    const beside: Array<string> = []
    const removed: Array<string> = []

    const place = Effect.fnUntraced(function*(path: string) {
      const outside = refuse(`${path} leads out of ${folder}: nothing is written there`)
      const whole = Path.join(root, path)
      if (!whole.startsWith(`${root}${Path.sep}`)) return yield* outside
      let there = Path.dirname(whole)
      while (!(yield* files.exists(there))) there = Path.dirname(there)
      const real = yield* files.realPath(there)
      if (real !== root && !real.startsWith(`${root}${Path.sep}`)) return yield* outside
      yield* files.makeDirectory(Path.dirname(whole), { recursive: true })
      return whole
    })
    const put = Effect.fnUntraced(function*(path: string, content: Uint8Array | string) {
      const whole = yield* place(path)
      const making = `${whole}.making`
      yield* files.remove(making, { force: true })
      yield* typeof content === "string" ? files.writeFileString(making, content) : files.writeFile(making, content)
      yield* files.rename(making, whole)
    })
    const hashOnDisk = (path: string) =>
      Effect.map(Effect.option(files.readFile(Path.join(root, path))), (found) =>
        Option.isSome(found) ? MovingRecord.hashOf(found.value) : undefined)

    for (const [path, content] of contents) {
      const hash = MovingRecord.hashOf(content)
      const before = Object.hasOwn(hashes, path) ? hashes[path] : undefined
      const left = `${path}${leftEnding}`
      let now = yield* hashOnDisk(path)
      if (now === undefined) {
        const aside = yield* hashOnDisk(left)
        // One that somebody has changed where it was set aside is taken up again.
        if (aside !== undefined && aside !== hashes[left]) {
          yield* files.rename(yield* place(left), yield* place(path))
          delete hashes[left]
          now = aside
        }
      }
      hashes[path] = hash
      if (now === hash) {
        continue
      }
      if (now === undefined || now === before) {
        yield* put(path, content)
        if (Object.hasOwn(hashes, left)) {
          yield* files.remove(yield* place(left), { force: true })
        }
        delete hashes[left]
        continue
      }
      if (hash === before) {
        kept.push(path)
        continue
      }
      yield* put(`${path}${besideEnding}`, content)
      beside.push(path)
    }
    for (const [path, before] of Object.entries(hashes)) {
      if (contents.has(path) || !isStale(path)) {
        continue
      }
      const now = yield* hashOnDisk(path)
      if (now !== undefined && now !== before) {
        kept.push(path)
        continue
      }
      if (now !== undefined) {
        yield* files.remove(yield* place(path), { force: true })
      }
      removed.push(path)
      delete hashes[path]
    }
    const done: MovingRecord.MovingRecord = { ...record, files: hashes }
    yield* put(recordFile, MovingRecord.textOf(done))
    return { record: done, kept, beside, removed } satisfies Written as Written
  }).pipe(told(folder))

/** The ending of the file of a workflow that the server does not take, so that `apply` takes the rest of the folder. */
export const leftEnding = ".left"

/** Sets a file aside until the next import writes it anew, unless somebody has changed it. */
export const setAside = (folder: string, record: MovingRecord.MovingRecord, path: string) =>
  Effect.gen(function*() {
    const files = yield* FileSystem.FileSystem
    const left = `${path}${leftEnding}`
    const hash = MovingRecord.hashOf(yield* files.readFile(Path.join(folder, path)))
    if (hash !== record.files[path] || (yield* files.exists(Path.join(folder, left)))) {
      return { record, isAside: false }
    }
    yield* files.rename(Path.join(folder, path), Path.join(folder, left))
    const { [path]: _, ...others } = record.files
    const written = yield* write(folder, new Map(), { ...record, files: { ...others, [left]: hash } })
    return { record: written.record, isAside: true }
  }).pipe(told(folder))

/** Does something with a folder beside another one, which is gone in the end unless it was moved. */
export const withFolderBeside = <A, E, R>(folder: string, use: (made: string) => Effect.Effect<A, E, R>) =>
  Effect.scoped(Effect.gen(function*() {
    const files = yield* FileSystem.FileSystem
    const parent = Path.dirname(Path.resolve(folder))
    const made = yield* Effect.acquireRelease(
      files.makeDirectory(parent, { recursive: true }).pipe(
        Effect.andThen(files.makeTempDirectory({ directory: parent, prefix: ".moving-" }))
      ),
      (made) => Effect.ignore(files.remove(made, { recursive: true, force: true }))
    ).pipe(told(folder))
    return yield* use(made)
  }))
