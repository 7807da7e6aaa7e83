import * as FreePort from "@headwater/fixtures/FreePort"
import * as Json from "@headwater/fixtures/Json"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Deferred, Effect, Schedule, Schema, type Scope } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import * as Path from "node:path"
import { inspect } from "node:util"

/** The server did not come up, or an API call was not answered as the test needs. */
export class ServerProcessError extends Schema.TaggedError<ServerProcessError>()("ServerProcessError", {
  message: Schema.String
}) {}

/** A real server, as a user starts it, in a data directory of its own. */
export interface ServerProcess {
  readonly url: string
  readonly dataDirectory: string
  /** The URL of the database that it was given; undefined if it has one of its own in its data directory. */
  readonly database: string | undefined
  /** The last lines that the running server has printed. */
  readonly output: () => string
  /** Its process id, while it runs. */
  readonly pid: () => number | undefined
  /** Starts it and waits until it answers. */
  readonly start: Effect.Effect<void, ServerProcessError>
  /** The same, with more in its environment, and the program of another folder if one is given. */
  readonly startWith: (
    environment: Readonly<Record<string, string>>,
    folder?: string
  ) => Effect.Effect<void, ServerProcessError>
  /** Returns when it has ended, however it did. Answers the exit code. */
  readonly ended: Effect.Effect<number | null>
  /** `SIGKILL`: nothing of it gets to say goodbye. */
  readonly kill: Effect.Effect<void>
  /** `SIGTERM`; answers the exit code. */
  readonly stop: Effect.Effect<number | null>
  /** Calls the API with the first account's key and answers the parsed body of a 2xx. */
  readonly api: ApiCall
  /** The same with another key. */
  readonly apiAs: (key: string) => ApiCall
}

type ApiCall = (method: string, path: string, body?: unknown) => Effect.Effect<Json.Json, ServerProcessError>

export const key = `hw_${"k".repeat(40)}`

/** Where the machine has its registry and authorities, as a user's shell would say. */
export const registrySettings: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) =>
    /^(npm_config_registry|HEADWATER_NPM_REGISTRY|https?_proxy|no_proxy|SSL_CERT_FILE|SSL_CERT_DIR)$/i.test(name) &&
      value !== undefined
      ? [[name, value]]
      : []
  )
)

const root = Path.resolve(import.meta.dirname, "..")

/** How many characters of a server's output are kept, at most. */
const keptOutput = 1_000_000

/** What is kept begins with a whole line. */
const lastLinesOf = (output: string): string =>
  output.length <= keptOutput ? output : output.slice(output.indexOf("\n", output.length - keptOutput - 1) + 1)

/**
 * A server on a data directory that outlives it.
 *
 * @param surroundings what is in its environment at each start
 */
export const makeIn = Effect.fnUntraced(function*(
  dataDirectory: string,
  surroundings: Readonly<Record<string, string>> = {}
): Effect.fn.Return<ServerProcess, never, Scope.Scope> {
  const port = yield* FreePort.find
  const url = `http://127.0.0.1:${port}`
  let child: ChildProcess | undefined
  let output = ""

  const ended = Effect.suspend(() => {
    const current = child
    if (current === undefined || current.exitCode !== null || current.signalCode !== null) {
      return Effect.succeed(current?.exitCode ?? null)
    }
    return Effect.callback<number | null>((resume) => {
      current.once("exit", (code) => resume(Effect.succeed(code)))
    })
  })

  const send = (signal: NodeJS.Signals) =>
    Effect.suspend(() => {
      child?.kill(signal)
      return ended
    })

  const answers = Effect.tryPromise({
    try: () => fetch(`${url}/healthz`),
    catch: () => new ServerProcessError({ message: `the server does not answer; it said:\n${output}` })
  }).pipe(
    Effect.filterOrFail(
      (response) => response.ok,
      () => new ServerProcessError({ message: `the server is not well; it said:\n${output}` })
    )
  )

  const startWith = Effect.fnUntraced(function*(environment: Readonly<Record<string, string>>, folder: string = root) {
    const failed = yield* Deferred.make<never, ServerProcessError>()
    output = ""
    child = spawn("sh", [Path.join(folder, "apps/server/bin/start")], {
      cwd: folder,
      env: {
        PATH: `${Path.dirname(process.execPath)}:${process.env["PATH"]}`,
        NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
        HEADWATER_API_KEY: key,
        HEADWATER_DATA_DIR: dataDirectory,
        HEADWATER_PORT: String(port),
        HEADWATER_WORKERS: "1",
        HEADWATER_LOG: "json",
        ...surroundings,
        ...environment
      },
      stdio: ["ignore", "pipe", "pipe"]
    })
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        output = lastLinesOf(output + text)
      })
    }
    child.once("exit", (code, signal) => {
      Deferred.doneUnsafe(
        failed,
        Effect.fail(new ServerProcessError({ message: `the server ended (${code ?? signal}); it said:\n${output}` }))
      )
    })
    yield* answers.pipe(
      Effect.retry({ schedule: Schedule.spaced("50 millis"), times: 1_200 }),
      Effect.raceFirst(Deferred.await(failed))
    )
  })

  /** What it said last, to go with a failure that says little by itself. */
  const withLastWords = (message: string) =>
    new ServerProcessError({ message: `${message}; the server said:\n${output.slice(-5_000)}` })

  const apiAs = (key: string): ApiCall =>
    Effect.fnUntraced(function*(method, path, body) {
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
        // Why it was not answered is said by the cause of the cause.
        catch: (cause) => withLastWords(`${method} ${path}: ${inspect(cause, { breakLength: Infinity })}`)
      })
      const text = yield* Effect.promise(() => response.text())
      if (!response.ok) {
        const answer = `${method} ${path}: ${response.status} ${text}`
        return yield* response.status < 500 ? new ServerProcessError({ message: answer }) : withLastWords(answer)
      }
      return text === "" ? {} : Json.parse(text)
    })

  yield* Effect.addFinalizer(() => send("SIGTERM"))

  return {
    url,
    dataDirectory,
    database: surroundings["DATABASE_URL"],
    output: () => output,
    pid: () => child?.exitCode === null && child.signalCode === null ? child.pid : undefined,
    start: startWith({}),
    startWith,
    ended,
    kill: Effect.asVoid(send("SIGKILL")),
    stop: send("SIGTERM"),
    api: apiAs(key),
    apiAs
  }
})

/** A server on a data directory of its own, which goes when the scope closes. */
export const make: Effect.Effect<ServerProcess, never, Scope.Scope> = Effect.flatMap(
  TemporaryDirectory.makeForDatabase("e2e"),
  makeIn
)
