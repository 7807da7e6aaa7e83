import { Clock, Context, Deferred, Effect, Layer, Option, Schedule, Schema, type Scope } from "effect"
import * as Fs from "node:fs/promises"
import * as Os from "node:os"
import * as Path from "node:path"
import { RateBuckets } from "../http/conventions/RateBuckets.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { MachineMetrics } from "./MachineMetrics.ts"
import type { WorkerPlace } from "./WorkerPlace.ts"
import * as WorkerProcess from "./WorkerProcess.ts"

/** A worker could not be started for the first time. Its output is in the log. */
export class WorkerStartFailed extends Schema.TaggedError<WorkerStartFailed>()("WorkerStartFailed", {
  worker: Schema.Int,
  ending: Schema.String
}) {
  override get message() {
    return `Worker ${this.worker} did not start (${this.ending})`
  }
}

/** The pauses before an ended worker is started again. One that lived for `longLifeMs` has not failed at its start. */
const restarts = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("5 seconds")])
const longLifeMs = 60_000

/** The time limit for the answer of a worker that serves. Its own look at the database takes 2 seconds at most. */
const answerPatience = "3 seconds"

/** Nothing of this can be read from the terminal that a worker does not have. */
const environmentOf = ({ log }: ServerConfig["Service"]) => ({ HEADWATER_LOG: log })

/** The workers of this machine, each of which is started again when it ends by itself. */
export class Workers extends Context.Service<Workers, {
  /** Returns when all serve. */
  readonly serving: Effect.Effect<void, WorkerStartFailed>
  /** Returns when the server's own components are in the registry. */
  readonly published: Effect.Effect<void>
}>()("@headwater/server/Workers") {
  /** @param abandoned sources and workflows that a crash left half-made or half-removed, before any worker served */
  static readonly layer = (abandoned: ReadonlyArray<string>): Layer.Layer<Workers, never, ServerConfig> =>
    Layer.effect(Workers, make(abandoned)).pipe(
      Layer.provide(Layer.unwrap(Effect.map(ServerConfig, RateBuckets.layer)))
    )
}

/** The folder of the workers' sockets. Nobody else can enter it, and its path is short enough for a socket. */
const socketFolder = Effect.acquireRelease(
  Effect.promise(() => Fs.mkdtemp(Path.join(Os.tmpdir(), "headwater-workers-"))),
  (folder) => Effect.promise(() => Fs.rm(folder, { recursive: true, force: true }))
)

const make = Effect.fnUntraced(function*(abandoned: ReadonlyArray<string>): Effect.fn.Return<
  Workers["Service"],
  never,
  RateBuckets | ServerConfig | Scope.Scope
> {
  const settings = yield* ServerConfig
  const buckets = yield* RateBuckets
  const metrics = new MachineMetrics()
  /** Those that serve, by number. */
  const serving = new Map<number, WorkerProcess.WorkerProcess>()

  const numbers = Array.from({ length: settings.workers }, (_, index) => index + 1)
  const folder = yield* socketFolder
  const placeOf = (number: number): WorkerPlace => ({
    number,
    of: settings.workers,
    node: Option.match(settings.node, {
      onNone: () => ({ host: folder, port: number }),
      onSome: ({ host, port }) => ({ host, port: port + number - 1 })
    })
  })

  const scrape = Effect.suspend(() =>
    Effect.forEach(serving, ([number, { questions }]) =>
      questions.ask("metrics", null).pipe(
        Effect.timeout(answerPatience),
        // A worker that does not answer keeps its last metrics.
        Effect.match({ onFailure: () => {}, onSuccess: (text) => metrics.note(number, text) })
      ), { concurrency: "unbounded", discard: true })
  ).pipe(Effect.andThen(Effect.sync(() => metrics.format())))

  const unready = Effect.suspend(() =>
    Effect.forEach(serving, ([number, { questions }]) =>
      questions.ask("unready", null).pipe(
        Effect.timeout(answerPatience),
        Effect.orElseSucceed(() => serving.has(number) ? `Worker ${number} does not answer.` : null)
      ), { concurrency: "unbounded" })
  ).pipe(
    Effect.map((answers) => answers.find((why) => why !== null) ?? (answers.length === 0 ? "No worker serves." : null))
  )

  /** One life of a worker. Answers how it ended. */
  const live = Effect.fnUntraced(function*(number: number, whenServing: Effect.Effect<unknown>) {
    const process: WorkerProcess.WorkerProcess = yield* WorkerProcess.start(placeOf(number), environmentOf(settings), {
      serving: () => Effect.as(Effect.andThen(Effect.sync(() => serving.set(number, process)), whenServing), null),
      metrics: () => scrape,
      unready: () => unready,
      takeRequest: (accountId) => Effect.map(buckets.takeRequest(accountId), (excess) => excess ?? null),
      noteBytes: ({ accountId, bytes }) => Effect.as(Effect.sync(() => buckets.noteBytes(accountId, bytes)), null),
      abandoned: () => Effect.succeed(abandoned)
    })
    const ending = yield* process.ended
    return { ending, pid: process.pid }
  }, Effect.scoped)

  const keepRunning = (number: number, started: Deferred.Deferred<void, WorkerStartFailed>) =>
    Effect.gen(function*() {
      const bornAt = yield* Clock.currentTimeMillis
      const { ending, pid } = yield* Effect.ensuring(
        live(number, Deferred.succeed(started, undefined)),
        Effect.sync(() => {
          serving.delete(number)
          metrics.noteEnd(number)
        })
      )
      const failsAtFirst = yield* Deferred.fail(started, new WorkerStartFailed({ worker: number, ending }))
      if (failsAtFirst) return yield* Effect.never
      yield* Effect.logWarning(
        `Worker ${number} (process id ${pid ?? "unknown"}) ended unexpectedly (${ending}). Starting it again.`
      )
      if ((yield* Clock.currentTimeMillis) - bornAt < longLifeMs) return yield* Effect.fail("ended soon")
    }).pipe(Effect.retry(restarts), Effect.forever)

  const started = numbers.map((number) => ({ number, isUp: Deferred.makeUnsafe<void, WorkerStartFailed>() }))
  // In one fiber, so that all are told to stop at once.
  yield* Effect.forEach(started, ({ isUp, number }) => keepRunning(number, isUp), { concurrency: "unbounded" }).pipe(
    Effect.forkScoped
  )

  return {
    serving: Effect.forEach(started, ({ isUp }) => Deferred.await(isUp), { concurrency: "unbounded", discard: true }),
    published: Effect.suspend(() => serving.get(1)?.questions.ask("published", null) ?? Effect.void).pipe(Effect.ignore)
  }
})
