import { Effect, Schema } from "effect"
import { createHash, randomUUID } from "node:crypto"
import * as Fs from "node:fs/promises"
import * as Os from "node:os"
import * as Path from "node:path"
import { codeOf, unless } from "./SystemError.ts"

/** A numeric user and group a child process runs as. Neither needs an entry in `/etc/passwd`. */
export interface Identity {
  readonly uid: number
  readonly gid: number
}

// Debian reserves 65000 to 65533 and systemd leaves 65520 to 65533 unused, so no package or account owns these; below
// 65536 they also exist in the default id map of a rootless container.
const postgresUid = 65524
const sandboxUid = 65525

/** True if this process is root and therefore has to give its child processes another identity. */
export const isRoot = (): boolean => process.getuid?.() === 0

/**
 * The identity of Postgres: a fixed unprivileged uid if this process is root, else `undefined`, for its own identity.
 */
export const postgresIdentity = (): Identity | undefined =>
  isRoot() ? { uid: postgresUid, gid: postgresUid } : undefined

/** The identity of component code: another fixed unprivileged uid if this process is root, else `undefined`. */
export const sandboxIdentity = (): Identity | undefined => isRoot() ? { uid: sandboxUid, gid: sandboxUid } : undefined

/** No place was found from which an unprivileged process could execute `path`. */
export class ExecutableInaccessible extends Schema.TaggedError<ExecutableInaccessible>()("ExecutableInaccessible", {
  path: Schema.String,
  message: Schema.String
}) {}

const executableByAll = 0o001
const readableByAll = 0o004
const writableByOthers = 0o022
const sticky = 0o1000

interface Entry {
  readonly relative: string
  readonly kind: "directory" | "file" | "link"
  readonly executable: boolean
  readonly size: number
  readonly modified: number
  readonly target: string
  readonly mode: number
  readonly uid: number
}

const entryOf = async (root: string, relative: string): Promise<Entry> => {
  const path = Path.join(root, relative)
  const stat = await Fs.lstat(path)
  const kind = stat.isDirectory() ? "directory" : stat.isSymbolicLink() ? "link" : "file"
  return {
    relative,
    kind,
    executable: (stat.mode & 0o100) !== 0,
    size: kind === "file" ? stat.size : 0,
    modified: Math.floor(stat.mtimeMs),
    target: kind === "link" ? await Fs.readlink(path) : "",
    mode: stat.mode,
    uid: stat.uid
  }
}

const listTree = async (root: string): Promise<ReadonlyArray<Entry>> => {
  const top = await entryOf(root, "")
  if (top.kind !== "directory") return [top]
  const names = await Fs.readdir(root, { recursive: true })
  const entries = await Promise.all(names.sort().map((name) => entryOf(root, name)))
  return [top, ...entries]
}

const openToAll = (entry: Entry): boolean =>
  entry.kind === "link" || (
    (entry.mode & readableByAll) !== 0 &&
    ((entry.kind === "file" && !entry.executable) || (entry.mode & executableByAll) !== 0)
  )

const ancestors = (path: string): ReadonlyArray<string> => {
  const parent = Path.dirname(path)
  return parent === path ? [] : [parent, ...ancestors(parent)]
}

/** True if every user may enter every directory above `path`. */
export const isReachableByAll = (path: string): Effect.Effect<boolean, ExecutableInaccessible> =>
  attempt(path, () => reachableByAll(path))

const reachableByAll = async (path: string): Promise<boolean> => {
  const stats = await Promise.all(ancestors(path).map((directory) => Fs.stat(directory)))
  return stats.every((stat) => (stat.mode & executableByAll) !== 0)
}

const attempt = <A>(path: string, run: () => Promise<A>): Effect.Effect<A, ExecutableInaccessible> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) => new ExecutableInaccessible({ path, message: `${path} cannot be read: ${String(cause)}` })
  })

/**
 * The path of an executable file, or of a directory of them with their libraries, that unprivileged processes can read
 * and execute. That is `source` itself if this process is not root, or if everyone can reach and run it where it lies.
 * A clone below a directory that only root can enter is out of reach: then it is a copy (hard links where possible) in
 * a directory that root owns and nobody else can write, made once per content and checked before every use. Copies lie
 * in `headwater-executables` below the temporary directory; those of earlier versions stay until that is cleared.
 */
export const accessibleExecutable = Effect.fnUntraced(function*(source: string) {
  if (!isRoot()) return source
  const resolved = yield* attempt(source, () => Fs.realpath(source))
  const entries = yield* attempt(resolved, () => listTree(resolved))
  if (entries.every(openToAll) && (yield* isReachableByAll(resolved))) return resolved
  return yield* copyInto([Path.join(Os.tmpdir(), "headwater-executables")], resolved, entries)
})

/** As `accessibleExecutable`, copying into the first usable one of `places` in any case. */
export const accessibleCopy = Effect.fnUntraced(function*(source: string, places: ReadonlyArray<string>) {
  const resolved = yield* attempt(source, () => Fs.realpath(source))
  return yield* copyInto(places, resolved, yield* attempt(resolved, () => listTree(resolved)))
})

const copyInto = Effect.fnUntraced(function*(
  places: ReadonlyArray<string>,
  source: string,
  entries: ReadonlyArray<Entry>
) {
  const refusals: Array<string> = []
  for (const place of places) {
    const outcome = yield* attempt(source, () => copyTo(place, source, entries)).pipe(
      Effect.catchTag("ExecutableInaccessible", (error) => Effect.succeed({ refused: error.message }))
    )
    if ("path" in outcome) return outcome.path
    refusals.push(`${place}: ${outcome.refused}`)
  }
  return yield* new ExecutableInaccessible({
    path: source,
    message: `${source} lies where an unprivileged process cannot execute it, and no copy of it could be made (${
      refusals.join("; ")
    }). Clone into a directory other users can enter, or do not run as root.`
  })
})

const copyTo = async (
  place: string,
  source: string,
  entries: ReadonlyArray<Entry>
): Promise<{ readonly path: string } | { readonly refused: string }> => {
  const refused = await preparePlace(place)
  if (refused !== undefined) return { refused }

  const hash = createHash("sha256")
  for (const entry of entries) {
    hash.update(
      JSON.stringify([entry.relative, entry.kind, entry.executable, entry.size, entry.modified, entry.target])
    )
  }
  const version = Path.join(place, hash.digest("hex").slice(0, 32))
  const path = Path.join(version, Path.basename(source))
  if (!(await isFaithfulCopy(version, path, entries))) {
    const staging = Path.join(place, `.${randomUUID()}`)
    try {
      await Fs.mkdir(staging, { mode: 0o755 })
      await Fs.chmod(staging, 0o755)
      await copyTree(source, Path.join(staging, Path.basename(source)), entries)
      await publish(staging, version, path, entries)
    } finally {
      await Fs.rm(staging, { recursive: true, force: true })
    }
  }
  const program = entries.find((entry) => entry.kind === "file" && entry.executable)
  if (program !== undefined) {
    try {
      await Fs.access(Path.join(path, program.relative), Fs.constants.X_OK)
    } catch {
      return { refused: "mounted so that nothing in it can be executed" }
    }
  }
  return { path }
}

/** Makes `place` a directory of root's, or says why it may not be trusted. */
const preparePlace = async (place: string): Promise<string | undefined> => {
  if (!(await reachableByAll(place))) return "other users cannot enter it"
  const parent = await Fs.stat(Path.dirname(place))
  if (parent.uid !== 0 || ((parent.mode & writableByOthers) !== 0 && (parent.mode & sticky) === 0)) {
    return "others than root could replace it"
  }
  const created = await Fs.mkdir(place, { recursive: true, mode: 0o755 })
  if (created !== undefined) await Fs.chmod(place, 0o755)
  const stat = await Fs.lstat(place)
  if (!stat.isDirectory()) return "not a directory"
  if (stat.uid !== 0) return `owned by uid ${stat.uid}, not by root`
  if ((stat.mode & writableByOthers) !== 0) return "others than root can write to it"
  if ((stat.mode & 0o005) !== 0o005) return "other users cannot enter it"
  return undefined
}

const isFaithfulCopy = async (version: string, path: string, entries: ReadonlyArray<Entry>): Promise<boolean> => {
  const copies = await unless(["ENOENT"], async () => [await entryOf(version, ""), ...(await listTree(path))])
  return copies !== undefined && copies.length === entries.length + 1 &&
    copies.every((copy) =>
      copy.uid === 0 && openToAll(copy) && (copy.kind === "link" || (copy.mode & writableByOthers) === 0)
    ) &&
    entries.every((entry, index) => {
      const copy = copies[index + 1]
      return copy !== undefined && copy.relative === entry.relative && copy.kind === entry.kind &&
        copy.size === entry.size && copy.target === entry.target && copy.executable === entry.executable
    })
}

const copyTree = async (source: string, destination: string, entries: ReadonlyArray<Entry>): Promise<void> => {
  for (const entry of entries) {
    const from = Path.join(source, entry.relative)
    const to = Path.join(destination, entry.relative)
    if (entry.kind === "link") {
      await Fs.symlink(entry.target, to)
    } else if (entry.kind === "directory") {
      await Fs.mkdir(to)
      await Fs.chmod(to, 0o755)
    } else if (!(await hardLink(from, to, entry))) {
      await Fs.copyFile(from, to, Fs.constants.COPYFILE_FICLONE)
      await Fs.chmod(to, entry.executable ? 0o755 : 0o644)
    }
  }
}

/** A link shares owner and mode with its original, so it only serves where those are right already. */
const hardLink = async (from: string, to: string, entry: Entry): Promise<boolean> => {
  if (entry.uid !== 0 || !openToAll(entry) || (entry.mode & writableByOthers) !== 0) return false
  const refusals = ["EXDEV", "EPERM", "EMLINK", "ENOTSUP", "EOPNOTSUPP"]
  return await unless(refusals, () => Fs.link(from, to).then(() => true)) ?? false
}

const publish = async (
  staging: string,
  version: string,
  path: string,
  entries: ReadonlyArray<Entry>
): Promise<void> => {
  try {
    await Fs.rename(staging, version)
  } catch (cause) {
    if (!["ENOTEMPTY", "EEXIST"].includes(String(codeOf(cause)))) throw cause
    // Another process published the same content meanwhile, or what is there is damaged.
    if (await isFaithfulCopy(version, path, entries)) return
    await Fs.rm(version, { recursive: true, force: true })
    await Fs.rename(staging, version)
  }
}
