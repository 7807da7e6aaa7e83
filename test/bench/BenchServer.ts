import * as FreePort from "@headwater/fixtures/FreePort"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { DataDirectory } from "@headwater/postgres/DataDirectory"
import { EmbeddedPostgres } from "@headwater/postgres/EmbeddedPostgres"
import { Deferred, Effect, Redacted, Schedule, Schema, type Scope } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import * as Path from "node:path"
import { BenchFailed } from "./BenchFailed.ts"
import type * as Database from "./Database.ts"
import * as FarDatabase from "./FarDatabase.ts"
import * as ProcessTree from "./ProcessTree.ts"

/** A server as a user starts it, with its defaults, in a data directory of its own. */
export interface BenchServer {
  readonly url: string
  readonly dataDirectory: string
  /** Process id of the one that runs now. */
  readonly pid: () => number
  /** What it uses, with its Postgres and its sandboxes. */
  readonly usage: () => ProcessTree.ServerUsage
  /** Calls the API with the account's key and reads the body of a 2xx. */
  readonly api: <A>(
    answer: Schema.Codec<A>,
    method: string,
    path: string,
    body?: unknown
  ) => Effect.Effect<A, BenchFailed>
  /** The same server, whose API is called with the key of another account. */
  readonly withKey: (key: string) => BenchServer
  /** Stops it and starts it again on the same data. */
  readonly restart: Effect.Effect<void, BenchFailed>
  /** A database of its Postgres by name; its own is `postgres`. */
  readonly database: (name: string) => Effect.Effect<Database.Address, BenchFailed, Scope.Scope>
}

const root = Path.resolve(import.meta.dirname, "../..")

/** The key of the account that every scenario works in. */
export const apiKey = `hw_${"b".repeat(40)}`

/** How much of what the server prints is kept, in characters. */
const keptOutput = 20_000

export interface BenchServerOptions {
  /** A directory that the server writes its CPU profile to when it ends. */
  readonly profile?: string | undefined
  /** Settings beside the defaults, and one worker. */
  readonly environment?: Readonly<Record<string, string>>
  /** Process id of the postmaster of a Postgres that the environment names. */
  readonly postmaster?: number | undefined
  /** How much longer a round trip to its Postgres takes, in milliseconds, at least; without it, it has one of its own. */
  readonly databaseDelay?: number | undefined
}

export const start = Effect.fnUntraced(function*(
  { databaseDelay, environment = {}, postmaster, profile }: BenchServerOptions = {}
): Effect.fn.Return<BenchServer, BenchFailed, Scope.Scope> {
  const dataDirectory = yield* TemporaryDirectory.make("bench")
  const far = databaseDelay === undefined ? undefined : yield* FarDatabase.start(dataDirectory, databaseDelay)
  const port = yield* FreePort.find
  const url = `http://127.0.0.1:${port}`
  const options = profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${Path.resolve(profile)}`]
  let child: ChildProcess | undefined
  let output = ""

  const launch = Effect.gen(function*() {
    const ended = yield* Deferred.make<never, BenchFailed>()
    const launched = spawn("sh", [Path.join(root, "apps/server/bin/start"), ...options], {
      cwd: root,
      env: {
        PATH: `${Path.dirname(process.execPath)}:${process.env["PATH"]}`,
        NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
        HEADWATER_API_KEY: apiKey,
        HEADWATER_DATA_DIR: dataDirectory,
        HEADWATER_PORT: String(port),
        HEADWATER_LOG: "json",
        HEADWATER_WORKERS: "1",
        ...far?.environment,
        ...environment
      },
      stdio: ["ignore", "pipe", "pipe"]
    })
    child = launched
    for (const stream of [launched.stdout, launched.stderr]) {
      stream.on("data", (chunk) => {
        output = (output + String(chunk)).slice(-keptOutput)
      })
    }
    launched.once("exit", (code, signal) => {
      Deferred.doneUnsafe(
        ended,
        Effect.fail(new BenchFailed({ message: `the server ended (${code ?? signal}); it said:\n${output}` }))
      )
    })
    yield* Effect.tryPromise({
      try: () => fetch(`${url}/readyz`),
      catch: () => new BenchFailed({ message: `the server does not answer; it said:\n${output}` })
    }).pipe(
      Effect.filterOrFail(({ ok }) => ok, () => new BenchFailed({ message: "the server is not ready" })),
      Effect.retry({ schedule: Schedule.spaced("50 millis"), times: 1_200 }),
      Effect.raceFirst(Deferred.await(ended))
    )
  })

  const stop = Effect.callback<void>((resume) => {
    const current = child
    if (current === undefined || current.exitCode !== null || current.signalCode !== null) return resume(Effect.void)
    current.once("exit", () => resume(Effect.void))
    current.kill("SIGTERM")
  })

  yield* Effect.addFinalizer(() => stop)
  yield* launch

  const call = Effect.fnUntraced(function*(key: string, method: string, path: string, body: unknown) {
    const failed = (why: string) => new BenchFailed({ message: `${method} ${path}: ${why}` })
    const response = yield* Effect.tryPromise({
      try: () =>
        fetch(`${url}/v1${path}`, {
          method,
          headers: {
            authorization: `Bearer ${key}`,
            ...(body === undefined ? {} : { "content-type": "application/json" })
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) })
        }),
      catch: (cause) => failed(String(cause))
    })
    const text = yield* Effect.tryPromise({ try: () => response.text(), catch: (cause) => failed(String(cause)) })
    if (response.status >= 500) return yield* failed(`${response.status} ${text}; the server said:\n${output}`)
    if (!response.ok) return yield* failed(`${response.status} ${text}`)
    const parsed: unknown = text === "" ? {} : JSON.parse(text)
    return parsed
  })

  const withKey = (key: string): BenchServer => ({
    url,
    dataDirectory,
    pid: () => child?.pid ?? 0,
    usage: () => ProcessTree.usageOfServer(child?.pid ?? 0, far?.postmaster ?? postmaster),
    api: (answer, method, path, body) =>
      Effect.flatMap(call(key, method, path, body), (json) =>
        Schema.decodeUnknownEffect(answer)(json).pipe(
          Effect.mapError((error) => new BenchFailed({ message: `${method} ${path}: ${error.message}` }))
        )),
    withKey,
    restart: Effect.andThen(stop, launch),
    database: Effect.fnUntraced(function*(database) {
      const { password, path, username } = yield* EmbeddedPostgres.attach.pipe(
        Effect.provide(DataDirectory.layer(dataDirectory)),
        Effect.mapError((error) => new BenchFailed({ message: error.message }))
      )
      const login = { username, password: Redacted.value(password), database }
      return far === undefined ? { path, ...login } : { host: "127.0.0.1", port: far.port, ...login }
    })
  })
  return withKey(apiKey)
})
