import { AccountLines } from "@headwater/domain/AccountLines"
import { type AccountTurns, Turns } from "@headwater/domain/Turns"
import { Unavailable } from "@headwater/engine/Unavailable"
import { Context, Effect, Layer, Schema } from "effect"
import { extname } from "node:path"
import { Worker } from "node:worker_threads"
import type { Refused } from "./ContentCoding.ts"
import * as JsonTask from "./JsonTask.ts"

/** The other thread has the work from so many bytes on: less takes no longer than handing it over. */
export const largeBytes = 16 * 1024

/** The heap limit of the other thread, in MiB: JSON takes many times its size while it is read. */
const heapMebibytes = 1_024

/** The size of an account's turn, in bytes. */
const turnBytes = 64 * 1024

/**
 * The milliseconds that a task keeps processors busy elsewhere for each one on the other thread, as measured: a body is
 * read from its connection, written to the database and read again where the code runs; an answer is read from the
 * database.
 */
const timesElsewhere: Record<JsonTask.JsonTask["_tag"], number> = { Event: 8, Projection: 3 }

type Bytes = Uint8Array<ArrayBuffer>

/** The answer of the other thread. */
export interface Done {
  readonly outcome: JsonTask.Outcome | Refused
  /** The time that it took, in milliseconds. */
  readonly ms: number
}

interface Job {
  readonly accountId: string
  readonly task: JsonTask.JsonTask
  readonly done: (result: Effect.Effect<JsonTask.Outcome | Refused, Unavailable>) => void
}

/** The most bytes that a task may have. */
const sizeOf = (task: JsonTask.JsonTask): number =>
  task._tag === "Event" && task.coded !== undefined ? task.coded.mostBytes : task.bytes.length

const lost = new Unavailable({
  message: "The server could not process the JSON. Try again later.",
  retryAfterSeconds: 1
})

/** A request's body can't be read as its `Content-Encoding` says. */
export class BodyRefused extends Schema.TaggedError<BodyRefused>()("BodyRefused", {
  reason: Schema.Literals(["too_large", "malformed"])
}) {}

/** The other thread, and what it has to do: one task after another, accounts in turn. */
class Tasks {
  readonly #jobs = new AccountLines<Job>(turnBytes, ({ task }) => sizeOf(task))
  readonly #turns: AccountTurns
  #thread: Worker | undefined
  #current: Job | undefined
  /** Accounts whose work rests, and what ends their rest. */
  readonly #resting = new Map<string, NodeJS.Timeout>()

  constructor(turns: AccountTurns) {
    this.#turns = turns
  }

  put(job: Job): void {
    this.#jobs.put(job.accountId, job)
    if (this.#current === undefined) this.#next()
  }

  stop(): void {
    for (const timer of this.#resting.values()) clearTimeout(timer)
    void this.#thread?.terminate()
  }

  #next(): void {
    this.#current = this.#jobs.take(this.#resting)
    if (this.#current === undefined) return
    const { task } = this.#current
    this.#thread ??= this.#start()
    this.#thread.postMessage(task, [task.bytes.buffer])
  }

  #start(): Worker {
    const thread = new Worker(new URL(`./JsonThreadMain${extname(import.meta.url)}`, import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: heapMebibytes }
    })
    thread.unref()
    thread.on("message", ({ ms, outcome }: Done) => this.#end(Effect.succeed(outcome), ms))
    // An error that ends the thread, such as a full heap, is handled at its exit.
    thread.on("error", () => {})
    thread.on("exit", () => {
      if (this.#thread === thread) this.#thread = undefined
      if (this.#current !== undefined) this.#end(Effect.fail(lost))
    })
    return thread
  }

  /** The machine's processors are everybody's, and work on the JSON takes more of them elsewhere. */
  #rest({ accountId, task }: Job, ms: number): void {
    const restMs = this.#turns.restOf(accountId, ms * timesElsewhere[task._tag])
    if (restMs === 0) return
    const end = () => {
      this.#resting.delete(accountId)
      if (this.#current === undefined) this.#next()
    }
    this.#resting.set(accountId, setTimeout(end, restMs))
  }

  #end(result: Effect.Effect<JsonTask.Outcome | Refused, Unavailable>, ms = 0): void {
    const job = this.#current
    if (job === undefined) return
    this.#current = undefined
    this.#rest(job, ms)
    this.#next()
    job.done(result)
  }
}

/**
 * Reads and writes JSON that may be large. Long work is done by a thread of its own, where accounts have their turns
 * one after another: anybody may send such JSON, and the server's own thread is everybody's.
 */
export class JsonThread extends Context.Service<JsonThread, {
  /** The event of a request to an endpoint with its body. That of a small one is made at once. */
  readonly event: (
    accountId: string,
    task: Omit<JsonTask.EventTask, "_tag">
  ) => Effect.Effect<JsonTask.EventText, Unavailable | BodyRefused>
  /** An answer, or one item of its data, cut down to the fields asked for. Takes the bytes of its JSON over. */
  readonly project: (
    accountId: string,
    task: Omit<JsonTask.ProjectionTask, "_tag">
  ) => Effect.Effect<Bytes, Unavailable>
}>()("@headwater/server/JsonThread") {
  static readonly layer: Layer.Layer<JsonThread> = Layer.effect(
    JsonThread,
    Effect.map(
      Effect.acquireRelease(Effect.map(Turns, (turns) => new Tasks(turns)), (tasks) => Effect.sync(() => tasks.stop())),
      (tasks) => {
        const read = (accountId: string, task: JsonTask.JsonTask) =>
          Effect.callback<JsonTask.Outcome | Refused, Unavailable>((resume) =>
            tasks.put({ accountId, task, done: resume })
          ).pipe(
            Effect.filterOrFail(
              (outcome): outcome is JsonTask.Outcome => !("refused" in outcome),
              (outcome) => new BodyRefused({ reason: (outcome as Refused).refused })
            )
          )
        return JsonThread.of({
          event: (accountId, rest) =>
            rest.coded === undefined && rest.bytes.length < largeBytes
              ? Effect.succeed(JsonTask.eventText(rest))
              : Effect.map(
                read(accountId, { _tag: "Event", ...rest, bytes: Uint8Array.from(rest.bytes) }),
                (outcome) => ({ ...outcome, json: new TextDecoder().decode(outcome.json) })
              ),
          project: (accountId, rest) =>
            rest.bytes.length < largeBytes
              ? Effect.sync(() => JsonTask.projectedJson(rest))
              : read(accountId, { _tag: "Projection", ...rest }).pipe(
                Effect.map(({ json }) => json),
                Effect.catchTag("BodyRefused", Effect.die)
              )
        })
      }
    )
  )
}
