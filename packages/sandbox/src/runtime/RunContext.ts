/** The run that the code that executes now belongs to, and the messages that the run may still send. */
import { AsyncLocalStorage } from "node:async_hooks"
import { send } from "./Channel.ts"
import type { FileSystem } from "./FileSystem.ts"
import { type ComponentFile, described, stackOf } from "./ThrownValue.ts"
import type { ToldTime } from "./Time.ts"

export class RunContext {
  readonly id: string
  readonly env: Record<string, string>
  file: ComponentFile | undefined
  /** Its files, once it has asked for one. */
  files: FileSystem | undefined
  ended = false
  /** True if it came to an error. */
  failed = false
  /** True if the host is to hear of its requests. */
  tellsRequests = false
  /** The hosts that it may ask anything of, if it may ask nothing of others but to read. */
  readsFrom: ReadonlyArray<string> | undefined
  /** The accounts whose tokens it has. */
  accounts: ReadonlyArray<string> = []
  /** The time in it, if that is not the system's. */
  time: ToldTime | undefined
  readonly #startedAt = now()
  readonly #startedCpu = cpuUsage()
  readonly #onEnd: () => void

  constructor(id: string, programId: string | undefined, onEnd: () => void) {
    this.id = id
    this.#onEnd = onEnd
    this.env = programId === undefined ? {} : { PD_COMPONENT: programId, STASH_DIR: "/tmp" }
  }

  /** Sends a message about this run, unless it has ended. */
  say(message: { readonly _tag: string } & Record<string, unknown>): void {
    if (!this.ended) send({ __proto__: null, ...message, run: this.id })
  }

  /** Ends the run: what is still going on in it is no longer heard. */
  end(message: { readonly _tag: string } & Record<string, unknown>): void {
    if (this.ended) return
    const used = cpuUsage(this.#startedCpu)
    this.say({ ...message, cpuMs: (used.user + used.system) / 1000, ownMs: now() - this.#startedAt })
    this.ended = true
    this.files = undefined
    if (message["error"] !== undefined) this.failed = true
    delete active[this.id]
    this.#onEnd()
  }

  fail(thrown: unknown): void {
    this.end({ _tag: "Ended", error: described(thrown, this.file) })
  }
}

const cpuUsage = process.cpuUsage.bind(process)
const now = performance.now.bind(performance)
const { values } = Object
const storage = new AsyncLocalStorage<RunContext>()
const getStore = storage.getStore.bind(storage)
const runWith = storage.run.bind(storage) as <A>(context: RunContext, body: () => A) => A
/** A run begins where the one before it ends, but finds nothing of what that one kept by its context. */
const outside = AsyncLocalStorage.snapshot()
const active = { __proto__: null } as unknown as Record<string, RunContext>

export const current = (): RunContext | undefined => getStore()

/** The function, called in the context in which this is called, whatever calls it. */
export const bound = <Values extends ReadonlyArray<never>, A>(
  body: (...values: Values) => A
): (...values: Values) => A => AsyncLocalStorage.bind(body)

/** Begins the run in its context. */
export const begin = (run: RunContext, body: () => void): void => {
  active[run.id] = run
  outside(() => runWith(run, body))
}

/**
 * The run to which an error belongs that nothing caught: the one it was thrown in, else the only one, else the latest
 * of those whose module is in its stack.
 */
export const ownerOf = (thrown: unknown): RunContext | undefined => {
  const context = current()
  if (context !== undefined) return context
  const runs = values(active)
  if (runs.length === 1) return runs[0]
  const stack = stackOf(thrown)
  return runs.findLast((run) => run.file !== undefined && stack.includes(run.file.url))
}
