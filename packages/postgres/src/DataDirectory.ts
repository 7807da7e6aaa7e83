import { Context, Effect, Layer, Predicate, Redacted, Schema, type Scope } from "effect"
import { randomBytes, randomUUID } from "node:crypto"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as Folder from "./Folder.ts"
import { codeOf, unless } from "./SystemError.ts"

/** Another server uses the data directory. `pid` is its process id, where it is known. */
export class DataDirectoryInUse extends Schema.TaggedError<DataDirectoryInUse>()("DataDirectoryInUse", {
  directory: Schema.String,
  pid: Schema.UndefinedOr(Schema.Int)
}) {
  override get message() {
    const holder = this.pid === undefined ? "another server" : `the server with process id ${this.pid}`
    return `The data directory ${this.directory} is in use by ${holder}. Stop it, or set HEADWATER_DATA_DIR to another directory.`
  }
}

/** The data directory, or a file in it, cannot be read or written as it must be. */
export class DataDirectoryUnusable extends Schema.TaggedError<DataDirectoryUnusable>()("DataDirectoryUnusable", {
  directory: Schema.String,
  message: Schema.String
}) {}

/** True if the directory is there. Fails if it can't be read, as where this user may not look into it. */
export const isThere = Effect.fnUntraced(function*(directory: string) {
  const cause = yield* Effect.promise<unknown>(() =>
    Fs.opendir(directory).then((opened) => opened.close(), (cause: unknown) => cause)
  )
  const code = codeOf(cause)
  if (cause === undefined) return true
  if (code === "ENOENT") return false
  const why = code === "EACCES" || code === "EPERM"
    ? `is not readable for this user (${userName()}): run as the user of the server, or set HEADWATER_DATA_DIR to another directory`
    : `can't be read: ${String(cause)}`
  return yield* new DataDirectoryUnusable({ directory, message: `The data directory ${directory} ${why}` })
})

const userName = (): string => process.geteuid === undefined ? "unknown" : `uid ${process.geteuid()}`

/** The directory in which a server keeps its embedded database, its secrets and its caches. */
export class DataDirectory extends Context.Service<DataDirectory, {
  /** Absolute path. */
  readonly path: string
  /**
   * Makes this process the only server of the directory until the scope closes or the process ends, however it ends.
   */
  readonly lock: Effect.Effect<void, DataDirectoryInUse | DataDirectoryUnusable, Scope.Scope>
  /** The secret of that file name, base64 of 32 random bytes, readable by the server alone. Generated at first use. */
  readonly secret: (name: string) => Effect.Effect<Redacted.Redacted, DataDirectoryUnusable>
}>()("@headwater/postgres/DataDirectory") {
  /** Creates the directory if it does not exist, so that nobody else can enter it. */
  static readonly layer = (directory: string): Layer.Layer<DataDirectory, DataDirectoryUnusable> =>
    Layer.effect(DataDirectory, make(directory))
}

const make = Effect.fnUntraced(function*(directory: string) {
  const path = Path.resolve(directory)
  const attempt = <A>(what: string, run: () => Promise<A>) =>
    Effect.tryPromise({
      try: run,
      catch: (cause) => new DataDirectoryUnusable({ directory: path, message: `Cannot ${what}: ${String(cause)}` })
    })

  if (!(yield* isThere(path))) {
    yield* attempt(`create the data directory ${path}`, () => Folder.create(path, 0o700))
  }

  const lockFile = Path.join(path, "server.lock")
  // Apart from the lock file, because closing any descriptor of a file drops all locks this process has on it.
  const pidFile = Path.join(path, "server.pid")

  const readHolder = attempt(`read ${pidFile}`, () => Fs.readFile(pidFile, "utf8")).pipe(
    Effect.map((text) => Number.parseInt(text, 10)),
    // Between taking the lock and writing its pid a server is nameless for a moment.
    Effect.orElseSucceed(() => Number.NaN),
    Effect.map((pid) => Number.isInteger(pid) ? pid : undefined)
  )

  // SQLite's exclusive lock is a POSIX record lock: the kernel releases it with the process, even after a `kill -9`,
  // and it holds between containers that share the directory, where process ids mean nothing. Node itself offers no
  // lock.
  const openLock = Effect.try({
    try: () => lockedDatabase(lockFile),
    catch: (cause) =>
      new DataDirectoryUnusable({ directory: path, message: `Cannot lock ${lockFile}: ${String(cause)}` })
  }).pipe(
    Effect.filterOrElse(
      Predicate.isNotUndefined,
      () => Effect.flatMap(readHolder, (pid) => Effect.fail(new DataDirectoryInUse({ directory: path, pid })))
    )
  )

  const lock = Effect.gen(function*() {
    yield* Effect.acquireRelease(openLock, (database) => Effect.sync(() => database.close()))
    yield* attempt(`write ${pidFile}`, async () => {
      await Fs.rm(pidFile, { force: true })
      await Fs.writeFile(pidFile, `${process.pid}\n`, { mode: 0o644 })
    })
  })

  const secret = Effect.fnUntraced(function*(name: string) {
    const file = Path.join(path, name)
    const text = yield* attempt(`read or create the secret ${file}`, async () => {
      await createSecret(file)
      return (await Fs.readFile(file, "utf8")).trim()
    })
    if (text === "") {
      return yield* new DataDirectoryUnusable({ directory: path, message: `The secret ${file} is empty` })
    }
    return Redacted.make(text)
  })

  return DataDirectory.of({ path, lock, secret })
})

const sqliteBusy = 5

const lockedDatabase = (file: string): DatabaseSync | undefined => {
  const database = new DatabaseSync(file)
  try {
    // Nothing is ever written, so there is nothing to roll back.
    database.exec("PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE")
    return database
  } catch (cause) {
    database.close()
    if (cause instanceof Error && "errcode" in cause && cause.errcode === sqliteBusy) return undefined
    throw cause
  }
}

/** Creates the file with its content in one step, so that a crash leaves either nothing or a whole secret. */
const createSecret = async (file: string): Promise<void> => {
  const staging = `${file}.${randomUUID()}`
  if (await unless(["ENOENT"], () => Fs.stat(file)) !== undefined) return
  try {
    await unless(["EEXIST"], async () => {
      await Fs.writeFile(staging, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600, flag: "wx", flush: true })
      await Fs.link(staging, file)
    })
  } finally {
    await Fs.rm(staging, { force: true })
  }
  await Folder.sync(Path.dirname(file))
}
