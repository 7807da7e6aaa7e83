import { Deferred, Effect, Exit, Schema, type Scope } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import * as Path from "node:path"
import type { Readable, Writable } from "node:stream"
import { getHeapStatistics } from "node:v8"
import * as Correspondence from "./Correspondence.ts"
import { type WorkerPlace, WorkerPlaceText } from "./WorkerPlace.ts"
import type { OfSupervisor, OfWorker } from "./WorkerQuestions.ts"

/** One life of a worker. */
export interface WorkerProcess {
  readonly pid: number | undefined
  readonly questions: Correspondence.Correspondence<OfWorker>
  /** Its ending in words, once it has ended. */
  readonly ended: Effect.Effect<string>
}

const main = Path.join(import.meta.dirname, `WorkerMain${Path.extname(import.meta.url)}`)

/** The least heap that a worker can do with, in MiB. */
const leastHeap = 512

/** A worker's part of what one process would have, in MiB. */
const heapOf = (workers: number): number =>
  Math.max(leastHeap, Math.floor(getHeapStatistics().heap_size_limit / 1024 / 1024 / workers))

/** Longer than a worker takes to end what it has begun. */
const patience = "25 seconds"

/** The longest time until a worker's last output is passed on. */
const lastWords = "1 second"

/** Passes on whole lines, so that what several workers say at once is not mixed. */
const relay = (from: Readable | null, to: Writable): void => {
  let rest: Array<Buffer> = []
  from?.on("data", (chunk: Buffer) => {
    const end = chunk.lastIndexOf("\n") + 1
    if (end === 0) return void rest.push(chunk)
    to.write(Buffer.concat([...rest, chunk.subarray(0, end)]))
    rest = end === chunk.length ? [] : [chunk.subarray(end)]
  })
  from?.on("end", () => {
    if (rest.length > 0) to.write(Buffer.concat([...rest, Buffer.from("\n")]))
  })
}

// Kills the worker when the supervisor's end of the pipe closes without a word, as it does however the supervisor dies: a
// worker that stands still does not end by itself, and would keep the port. The channel to the supervisor is descriptor 3.
const launcher = `exec 9<&0 </dev/null
( { cd /; exec 3>&-; read -r _ <&9 || kill -KILL "$$"; } >/dev/null 2>&1 & )
exec "$@" 9<&-`

const launch = (place: WorkerPlace, environment: NodeJS.ProcessEnv): ChildProcess => {
  const command = [
    process.execPath,
    ...process.execArgv,
    `--max-old-space-size=${heapOf(place.of)}`,
    main,
    Schema.encodeSync(WorkerPlaceText)(place)
  ]
  const child = spawn("/bin/sh", ["-c", launcher, "sh", ...command], {
    env: { ...process.env, ...environment },
    stdio: ["pipe", "pipe", "pipe", "ipc"]
  })
  child.once("exit", () => child.stdin?.end("ended\n"))
  child.stdin?.on("error", () => {})
  relay(child.stdout, process.stdout)
  relay(child.stderr, process.stderr)
  return child
}

const stop = (child: ChildProcess, ended: Effect.Effect<string>) =>
  Effect.suspend(() => {
    child.kill("SIGTERM")
    return Effect.timeoutOrElse(Effect.interruptible(ended), {
      duration: patience,
      orElse: () =>
        Effect.suspend(() => {
          child.kill("SIGKILL")
          return ended
        })
    })
  })

/**
 * Starts a worker, which is told to stop when the scope closes: that waits until it has ended.
 *
 * @param environment what it gets beside this process's
 * @param answers what it may ask
 */
export const start = (
  place: WorkerPlace,
  environment: NodeJS.ProcessEnv,
  answers: Correspondence.Answers<OfSupervisor>
): Effect.Effect<WorkerProcess, never, Scope.Scope> =>
  Effect.gen(function*() {
    const end = Deferred.makeUnsafe<string>()
    const closed = Deferred.makeUnsafe<void>()
    const ended = Effect.tap(Deferred.await(end), () => Effect.timeoutOption(Deferred.await(closed), lastWords))
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const child = launch(place, environment)
        child.on("error", (cause) => Deferred.doneUnsafe(end, Exit.succeed(cause.message)))
        child.on("exit", (code, signal) =>
          Deferred.doneUnsafe(end, Exit.succeed(signal === null ? `exit code ${code}` : `signal ${signal}`)))
        child.on("close", () =>
          Deferred.doneUnsafe(closed, Exit.void))
        return child
      }),
      (child) =>
        stop(child, ended)
    )
    const questions = yield* Correspondence.make<OfWorker, OfSupervisor>(Correspondence.portOf(child), answers)
    return { pid: child.pid, questions, ended }
  })
