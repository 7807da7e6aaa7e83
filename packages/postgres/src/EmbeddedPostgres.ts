import { Context, Deferred, type Duration, Effect, Layer, type Redacted, Schedule, Schema, type Scope } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import * as Fs from "node:fs/promises"
import * as Net from "node:net"
import * as Path from "node:path"
import { BoundedLogFile, type LogFileUnusable } from "./BoundedLogFile.ts"
import { DataDirectory, type DataDirectoryInUse, DataDirectoryUnusable } from "./DataDirectory.ts"
import { EmbeddedPostgresFailed, failed } from "./EmbeddedPostgresFailed.ts"
import * as PostgresBinaries from "./PostgresBinaries.ts"
import { environment, identityFor, initialise, superuser, workingDirectory } from "./PostgresCluster.ts"
import { livingProcesses, readPostmaster } from "./PostgresProcesses.ts"
import { codeOf } from "./SystemError.ts"
import { type ExecutableInaccessible, type Identity, isReachableByAll, isRoot } from "./Unprivileged.ts"

/** The address and login of the database: the fields of the same names of a `PgClient` configuration. */
export interface EmbeddedPostgresConnection {
  /** Path of the unix socket. Postgres listens on nothing else. */
  readonly path: string
  readonly username: string
  readonly password: Redacted.Redacted
  readonly database: string
}

/** No Postgres of this data directory accepts connections. */
export class EmbeddedPostgresNotRunning
  extends Schema.TaggedError<EmbeddedPostgresNotRunning>()("EmbeddedPostgresNotRunning", { directory: Schema.String })
{
  override get message() {
    return `No server is running on the data directory ${this.directory}`
  }
}

export type EmbeddedPostgresError =
  | EmbeddedPostgresFailed
  | DataDirectoryInUse
  | DataDirectoryUnusable
  | ExecutableInaccessible
  | PostgresBinaries.PostgresBinariesMissing
  | LogFileUnusable

/**
 * The server's own Postgres, in `postgres` below the data directory, which lives and dies with this process. It listens
 * on a unix socket inside its data directory, which only its own identity and root can enter, and it is started again
 * when it ends by itself; clients find it on the same socket.
 */
export class EmbeddedPostgres extends Context.Service<EmbeddedPostgres, {
  readonly connection: EmbeddedPostgresConnection
  /** Process id of the present postmaster. */
  readonly pid: Effect.Effect<number | undefined>
}>()("@headwater/postgres/EmbeddedPostgres") {
  /** Sets up the database at the first start, takes down one that a killed server left behind, and starts it. */
  static readonly layer = (options: {
    /** Postgres settings on top of the standard ones, such as `{ fsync: "off" }` for tests. */
    readonly settings?: Readonly<Record<string, string>>
    /** True if this process goes on for as long as the database runs; that is the default. */
    readonly holdsProcess?: boolean
  } = {}): Layer.Layer<EmbeddedPostgres, EmbeddedPostgresError, DataDirectory> =>
    Layer.effect(EmbeddedPostgres, make(options.settings ?? {}, options.holdsProcess ?? true))

  /** The connection to the Postgres that another process, the server, is running on the data directory. */
  static readonly attach: Effect.Effect<
    EmbeddedPostgresConnection,
    EmbeddedPostgresNotRunning | DataDirectoryUnusable,
    DataDirectory | Scope.Scope
  > = Effect.gen(function*() {
    const data = yield* DataDirectory
    const directory = Path.join(data.path, "postgres")
    const postmaster = yield* readPostmaster(directory)
    const living = yield* livingProcesses(directory)
    if (postmaster === undefined || postmaster.status !== "ready" || !living.includes(postmaster.pid)) {
      return yield* new EmbeddedPostgresNotRunning({ directory: data.path })
    }
    return yield* connectionTo(directory)
  })
}

const port = 5432

// The kernel takes no longer path for a unix socket (108 bytes on Linux, 104 elsewhere, with the closing zero byte).
const longestSocketPath = process.platform === "linux" ? 107 : 103

const logLimit = 4 * 1024 * 1024

const settings: Readonly<Record<string, string>> = {
  listen_addresses: "",
  port: String(port),
  unix_socket_directories: ".",
  unix_socket_permissions: "0700",
  cluster_name: "headwater",
  synchronous_commit: "on",
  shared_buffers: "128MB",
  max_connections: "100",
  // Parallel plans need shared memory segments, for which a container's 64 MB of /dev/shm are soon too small.
  max_parallel_workers_per_gather: "0",
  max_parallel_maintenance_workers: "0",
  jit: "off",
  timezone: "UTC",
  log_timezone: "UTC",
  log_checkpoints: "off",
  logging_collector: "off"
}

const make = Effect.fnUntraced(function*(extraSettings: Readonly<Record<string, string>>, holdsProcess: boolean) {
  const data = yield* DataDirectory
  yield* data.lock

  const directory = Path.join(data.path, "postgres")
  yield* refuseUnreachable(directory)
  const connection = yield* connectionTo(directory)
  yield* PostgresBinaries.locate.pipe(
    Effect.flatMap((binaries) => initialise(directory, binaries, connection.password))
  )
  const identity = yield* identityFor(directory)
  const log = yield* BoundedLogFile.open(Path.join(data.path, "postgres.log"), { limit: logLimit })

  let current: Running | undefined
  yield* Effect.addFinalizer(() => current === undefined ? Effect.void : stop(current))

  const start = Effect.gen(function*() {
    yield* takeDownRemains(directory)
    // The binaries are looked up at every start, because a cleaner of caches may have removed a copy meanwhile.
    const binaries = yield* PostgresBinaries.locate
    const running = yield* Effect.sync(() => {
      current = launch(directory, binaries.postgres, identity, { ...settings, ...extraSettings }, log)
      if (!holdsProcess) letGo(current.child)
      return current
    })
    yield* awaitReady(directory, running, log)
    return running
  })

  const keepRunning = Effect.fnUntraced(function*(first: Running) {
    let running = first
    while (true) {
      const ending = yield* Deferred.await(running.ended)
      yield* Effect.logWarning(`Postgres ended unexpectedly (${ending}). Starting it again.`)
      running = yield* start.pipe(
        Effect.tapError((error) => Effect.logError(`Postgres could not be started again. ${error.message}`)),
        Effect.retry(restartSchedule)
      )
      yield* Effect.logInfo(`Postgres accepts connections again (process id ${running.child.pid ?? "unknown"})`)
    }
  })

  const first = yield* start
  yield* Effect.forkScoped(keepRunning(first))

  return EmbeddedPostgres.of({ connection, pid: Effect.sync(() => current?.child.pid) })
})

/** Without /proc, Postgres reaches its data directory by path only, so every directory above must let it through. */
const refuseUnreachable = Effect.fnUntraced(function*(directory: string) {
  if (process.platform === "linux" || !isRoot() || (yield* isReachableByAll(directory))) return
  return yield* new DataDirectoryUnusable({
    directory,
    message: `${directory} lies below a directory that only root can enter, where Postgres, which never runs as root, `
      + "cannot work on this platform. Set HEADWATER_DATA_DIR to another directory, or do not run as root."
  })
})

const restartSchedule = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("5 seconds")])

interface Running {
  readonly child: ChildProcess
  /** The way the process ended, in words. */
  readonly ended: Deferred.Deferred<string>
}

// Ends Postgres when the server's end of the pipe closes without a word, as it does however the server dies. Detached
// from Postgres, which would log it as a stranger among its children.
const launcher = `exec 3<&0 </dev/null
( { cd /; read -r _ <&3 || kill -INT "$$"; } >/dev/null 2>&1 & )
exec "$@" 3<&-`

const launch = (
  directory: string,
  postgres: string,
  identity: Identity | undefined,
  settings: Readonly<Record<string, string>>,
  log: BoundedLogFile
): Running => {
  const settingArguments = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])
  const child = spawn(
    "/bin/sh",
    ["-c", launcher, "sh", postgres, "-D", workingDirectory(directory), ...settingArguments],
    {
      cwd: directory,
      env: environment(),
      // Its own session, so that a Ctrl-C meant for the server does not end the database first.
      detached: true,
      stdio: ["pipe", "ignore", "pipe"],
      ...identity
    }
  )
  const ended = Deferred.makeUnsafe<string>()
  child.stderr.on("data", (chunk: Buffer) => log.write(chunk))
  child.stdin.on("error", (cause) => log.write(Buffer.from(`The watcher of the server is gone: ${cause.message}\n`)))
  child.on("error", (cause) => Deferred.doneUnsafe(ended, Effect.succeed(cause.message)))
  child.on("exit", (code, signal) => {
    child.stdin.end("ended\n")
    Deferred.doneUnsafe(ended, Effect.succeed(signal === null ? `exit code ${code}` : `signal ${signal}`))
  })
  return { child, ended }
}

/** The process may end while the child goes on, which then ends too. */
const letGo = (child: ChildProcess) => {
  child.unref()
  for (const pipe of [child.stdin, child.stderr]) if (pipe instanceof Net.Socket) pipe.unref()
}

const awaitReady = (directory: string, running: Running, log: BoundedLogFile) => {
  const ready = Effect.gen(function*() {
    const postmaster = yield* readPostmaster(directory)
    return postmaster !== undefined && postmaster.pid === running.child.pid && postmaster.status === "ready"
  }).pipe(Effect.repeat({ until: (isReady) => isReady, schedule: Schedule.spaced("20 millis") }), Effect.asVoid)

  const ended = Deferred.await(running.ended).pipe(
    Effect.flatMap((ending) =>
      Effect.fail(
        new EmbeddedPostgresFailed({ directory, message: `Postgres did not start (${ending}). ${log.tail}`.trim() })
      )
    )
  )
  return Effect.raceFirst(ready, ended)
}

const stop = Effect.fnUntraced(function*(running: Running) {
  // Fast shutdown first, which writes a checkpoint; then without one; then by force, from which it recovers at its
  // start.
  for (const [signal, patience] of [["SIGINT", "30 seconds"], ["SIGQUIT", "5 seconds"]] as const) {
    running.child.kill(signal)
    const ending = yield* Deferred.await(running.ended).pipe(Effect.interruptible, Effect.timeoutOption(patience))
    if (ending._tag === "Some") return
  }
  running.child.kill("SIGKILL")
  yield* Deferred.await(running.ended)
})

/** Ends the processes that a killed server or postmaster left on the data directory, whose lock this process holds. */
const takeDownRemains = Effect.fnUntraced(function*(directory: string) {
  const steps: ReadonlyArray<readonly [NodeJS.Signals | "wait", Duration.Input]> = [
    // Most end by themselves: the watcher of a killed server ends its Postgres, and backends without a postmaster go.
    ["wait", "2 seconds"],
    ["SIGINT", "10 seconds"],
    ["SIGQUIT", "2 seconds"],
    ["SIGKILL", "10 seconds"]
  ]
  for (const [step, patience] of steps) {
    const living = yield* livingProcesses(directory)
    if (living.length === 0) break
    if (step === "SIGINT") {
      const postmaster = yield* readPostmaster(directory)
      const isOrphaned = postmaster === undefined || !living.includes(postmaster.pid)
      if (isOrphaned) continue
      if (postmaster.status !== "stopping") {
        yield* Effect.logWarning(
          `Stopping the Postgres (process id ${postmaster.pid}) that a former server left running`
        )
      }
      yield* sendSignal(postmaster.pid, step)
    } else if (step !== "wait") {
      yield* Effect.forEach(living, (pid) => sendSignal(pid, step))
    }
    const gone = livingProcesses(directory).pipe(
      Effect.repeat({ until: (pids) => pids.length === 0, schedule: Schedule.spaced("20 millis") }),
      Effect.timeoutOption(patience)
    )
    if ((yield* gone)._tag === "Some") break
  }
  const left = yield* livingProcesses(directory)
  if (left.length > 0) {
    return yield* new EmbeddedPostgresFailed({
      directory,
      message: `Could not end processes of a former Postgres: ${left.join(", ")}`
    })
  }
  // Postgres would take any process that has got the recorded id by now for the former postmaster and refuse to start.
  yield* Effect.tryPromise({
    try: async () => {
      await Fs.rm(Path.join(directory, "postmaster.pid"), { force: true })
      await Fs.rm(Path.join(directory, `.s.PGSQL.${port}.lock`), { force: true })
    },
    catch: (cause) => failed(directory, "Cannot remove the lock files of a former Postgres", cause)
  })
})

const sendSignal = (pid: number, signal: NodeJS.Signals): Effect.Effect<void> =>
  Effect.sync(() => {
    try {
      process.kill(pid, signal)
    } catch (cause) {
      // It ended by itself since it was listed.
      if (codeOf(cause) !== "ESRCH") throw cause
    }
  })

const connectionTo = Effect.fnUntraced(function*(directory: string) {
  const data = yield* DataDirectory
  const connection: EmbeddedPostgresConnection = {
    path: yield* socketPath(directory),
    username: superuser,
    password: yield* data.secret("postgres-password"),
    database: "postgres"
  }
  return connection
})

/**
 * The path under which clients find the socket: in the data directory, or, where that is too long, by a short alias.
 */
const socketPath = Effect.fnUntraced(function*(directory: string) {
  const name = `.s.PGSQL.${port}`
  const path = Path.join(directory, name)
  if (Buffer.byteLength(path) <= longestSocketPath) return path
  if (process.platform !== "linux") {
    return yield* new DataDirectoryUnusable({
      directory,
      message: `${path} is longer than a unix socket may be (${longestSocketPath} bytes). `
        + "Set HEADWATER_DATA_DIR to a shorter path."
    })
  }
  const alias = yield* Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => {
        await Fs.mkdir(Path.dirname(directory), { recursive: true })
        return Fs.open(Path.dirname(directory))
      },
      catch: (cause) => new DataDirectoryUnusable({ directory, message: `Cannot open ${directory}: ${String(cause)}` })
    }),
    (handle) => Effect.promise(() => handle.close())
  )
  return `/proc/${process.pid}/fd/${alias.fd}/${Path.basename(directory)}/${name}`
})
