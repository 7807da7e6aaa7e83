import * as RealTime from "@headwater/domain/RealTime"
import { type AccountTurns, Turns } from "@headwater/domain/Turns"
import { EgressBroker } from "@headwater/egress/EgressBroker"
import type { EgressGuard } from "@headwater/egress/EgressGuard"
import { type Clock, Context, Effect, FiberSet, Latch, Layer, Metric, Schema } from "effect"
import * as EgressAnswers from "./EgressAnswers.ts"
import type { Language } from "./Language.ts"
import type { ProcessKind } from "./ProcessKind.ts"
import { SandboxConfig } from "./SandboxConfig.ts"
import { SandboxFiles, type SandboxFilesUnusable } from "./SandboxFiles.ts"
import { type ProcessLoss, SandboxProcess } from "./SandboxProcess.ts"
import { WaitingWork } from "./WaitingWork.ts"

/** No process can take the work: Deno does not start, too much is waiting, or the server is stopping. */
export class SandboxUnavailable extends Schema.TaggedError<SandboxUnavailable>()("SandboxUnavailable", {
  reason: Schema.Literals(["start_failed", "too_many_waiting", "stopping"]),
  message: Schema.String
}) {}

/** Work for one process. */
export interface Work {
  readonly accountId: string
  readonly kind: ProcessKind
  /** `shared` runs beside others; `fresh` has a process to itself that nothing ran in before. */
  readonly isolation: "shared" | "fresh"
  /** It was cut off for another account's sake before, and is not cut off for that again. */
  readonly displaced: boolean
  /** Called once, when a process has been chosen; it assigns itself before it returns. */
  start(process: SandboxProcess): void
  unavailable(error: SandboxUnavailable): void
}

export interface SandboxProcessSummary {
  readonly id: string
  readonly pid: number | undefined
  readonly language: Language
  readonly heapMebibytes: number
  readonly accountId: string | undefined
  readonly running: number
}

/** An account without a process waits so long before it gets the place of another's. */
const patienceMillis = 1_000

/** The share of places that accounts may take which have a process already. */
const sharePastFirst = 3 / 4

/** The share of places for work that can't be cut off a second time, so that the others keep changing hands. */
const shareOfDisplaced = 1 / 2

/** A process works for its account at least this long before it is taken away for another. */
const leastTurnMillis = 1_000

/** Processes that are started at a time for work that waits. */
const startedAtOnce = 4

const restartMillis = 1_000

/** The time between two looks at the processes: while any of them works or starts, and while none does. */
const watchMillis = 100
const watchIdleMillis = 1_000

const processCount = (state: string) =>
  Metric.gauge("headwater_sandbox_processes", {
    description: "Sandbox processes: starting, warm and without an account, idle, or busy with runs.",
    attributes: { state }
  })

const processCounts = {
  starting: processCount("starting"),
  warm: processCount("warm"),
  idle: processCount("idle"),
  busy: processCount("busy")
}

const waitingRuns = Metric.gauge("headwater_sandbox_waiting", {
  description: "Runs and inspections that wait for a process."
})

const processEnds = Metric.counter("headwater_sandbox_process_ends_total", {
  description:
    "Sandbox processes that have ended: at a limit, after silence, to give their place to another account, by themselves, or because nothing needs them.",
  incremental: true
})

const stopping = "The sandbox is stopping"

interface Parts {
  readonly answer: EgressAnswers.Answer
  readonly broker: EgressBroker["Service"]
  readonly clock: Clock.Clock
  readonly config: SandboxConfig["Service"]
  readonly context: Context.Context<never>
  readonly files: SandboxFiles["Service"]
  readonly fork: (effect: Effect.Effect<void>) => void
  readonly turns: AccountTurns
}

/**
 * Decides which process does which work: the warm processes, and those that accounts have.
 *
 * - L1. There are no more processes than configured, and none is started beyond the memory for all of them.
 * - L2. Work goes to a process of its account, or to a warm one. `fresh` work goes to a warm one alone.
 * - L3. Work waits in turn with its like. Scarce places go first to accounts that have none.
 * - L4. A process is displaced for another account, or for memory, only if none of its work was displaced before. Such work
 *   has half of the places at most.
 * - L5. While a process ends, no other is ended to make room.
 * - L6. A process is for one language, and has one size of heap. Only those for JavaScript with the usual heap are warm before
 *   there is work for them. One for Python does one piece of work at a time.
 */
class ProcessPool {
  readonly #parts: Parts
  readonly #processes = new Set<SandboxProcess>()
  readonly #waiting = new WaitingWork()
  readonly #programs = new Map<Language, string>()
  readonly #preparing = new Set<Language>()
  /** Open from when work comes until none is left. */
  readonly #works = Latch.makeUnsafe(true)
  #isStopping = false
  #startFailedAt = Number.NEGATIVE_INFINITY

  private constructor(parts: Parts) {
    this.#parts = parts
  }

  static readonly make = Effect.gen(function*() {
    const config = yield* SandboxConfig
    const pool = new ProcessPool({
      answer: yield* EgressAnswers.make(config.limits.connections),
      broker: yield* EgressBroker,
      clock: yield* RealTime.clock,
      config,
      context: yield* Effect.context(),
      files: yield* SandboxFiles,
      fork: yield* FiberSet.makeRuntime(),
      turns: yield* Turns
    })
    pool.#programs.set("javascript", yield* pool.#parts.files.mainModule.javascript)
    pool.#keepWarm()
    yield* Effect.sync(() => pool.#watch()).pipe(
      Effect.andThen(Effect.sleep(watchMillis)),
      Effect.andThen(Effect.timeoutOption(pool.#works.await, watchIdleMillis - watchMillis)),
      Effect.forever,
      Effect.forkScoped
    )
    yield* Effect.addFinalizer(() => pool.stop)
    return pool
  })

  readonly processes: Effect.Effect<ReadonlyArray<SandboxProcessSummary>> = Effect.sync(() =>
    [...this.#processes].map(({ accountId, assignments, id, kind, pid }) => ({
      id,
      pid,
      language: kind.language,
      heapMebibytes: kind.heapMebibytes,
      accountId,
      running: assignments.size
    }))
  )

  /** Ends what is under way, and takes nothing more. */
  readonly stop: Effect.Effect<void> = Effect.sync(() => {
    this.#isStopping = true
    this.#refuseWaiting("stopping", stopping)
    for (const process of this.#processes) process.kill("shutdown", stopping)
  })

  /** Starts the work in a process as soon as there is one. Returns how to give up waiting. */
  submit(work: Work): () => void {
    const { maxWaiting } = this.#parts.config.pool
    if (this.#isStopping) work.unavailable(new SandboxUnavailable({ reason: "stopping", message: stopping }))
    else if (this.#waiting.count >= maxWaiting) {
      const message = `More than ${maxWaiting} runs are waiting`
      work.unavailable(new SandboxUnavailable({ reason: "too_many_waiting", message }))
    } else {
      this.#works.openUnsafe()
      if (this.#waiting.hasLike(work) || !this.#place(work)) this.#waiting.add(work, this.#now())
      this.#keepWarm()
    }
    return () => this.#waiting.delete(work)
  }

  /** To be called after a process has dismissed work. */
  settled(process: SandboxProcess): void {
    if (process.isClosed && process.assignments.size === 0) {
      process.kill("shutdown", "Retired")
    } else if (this.#waiting.count > 0) {
      if (process.accountId !== undefined) this.#placeWorkOf(process.accountId)
      if (process.assignments.size === 0) this.#keepWarm()
    }
  }

  #now(): number {
    return this.#parts.clock.currentTimeMillisUnsafe()
  }

  get #kinds(): ReadonlyArray<ProcessKind> {
    return this.#parts.config.kinds.all
  }

  #refuseWaiting(reason: SandboxUnavailable["reason"], message: string, kinds = this.#kinds): void {
    const error = new SandboxUnavailable({ reason, message })
    for (const work of this.#waiting.takeAll(kinds)) work.unavailable(error)
  }

  /** Has the program made that processes for a language run. */
  #prepare(language: Language): void {
    if (this.#preparing.has(language)) return
    this.#preparing.add(language)
    this.#parts.fork(
      Effect.match(this.#parts.files.mainModule[language], {
        onFailure: ({ message }) => {
          const kinds = this.#kinds.filter((kind) => kind.language === language)
          this.#refuseWaiting("start_failed", message, kinds)
        },
        onSuccess: (program) => void this.#programs.set(language, program)
      }).pipe(Effect.andThen(Effect.sync(() => {
        this.#preparing.delete(language)
        this.#pump()
      })))
    )
  }

  #startProcess(kind: ProcessKind, mainModule: string): void {
    const { answer, broker, clock, config, files, turns } = this.#parts
    const process: SandboxProcess = new SandboxProcess({
      brokerPort: broker.port,
      clock,
      config,
      files,
      kind,
      mainModule,
      turns,
      onReady: () => this.#pump(),
      onQuestion: (question) => answer(process, question),
      onEnd: (loss) => this.#ended(process, loss)
    })
    this.#processes.add(process)
  }

  #ended(process: SandboxProcess, loss: ProcessLoss): void {
    this.#processes.delete(process)
    Metric.withAttributes(processEnds, { reason: loss.reason }).updateUnsafe(1, this.#parts.context)
    Effect.runSync(this.#parts.broker.release(process.id))
    if (process.isReady) return this.#pump()
    this.#startFailedAt = this.#now()
    if (!this.#isStopping) {
      this.#refuseWaiting("start_failed", `Deno did not start: ${loss.message}`, [process.kind])
    }
  }

  #count(holds: (process: SandboxProcess) => boolean): number {
    let count = 0
    for (const process of this.#processes) if (holds(process)) count++
    return count
  }

  #isWithinShare(share: number, holds: (process: SandboxProcess) => boolean): boolean {
    const count = this.#count((process) => !process.isEnding && holds(process))
    return count < this.#parts.config.pool.maxProcesses * share
  }

  #mayPlaceDisplaced(): boolean {
    return this.#isWithinShare(shareOfDisplaced, (process) => process.worksOnDisplaced)
  }

  #chooseOwn(work: Work): SandboxProcess | undefined {
    if (work.isolation === "fresh") return undefined
    const any = !work.displaced || this.#mayPlaceDisplaced()
    let chosen: SandboxProcess | undefined
    for (const process of this.#processes) {
      if (process.accountId !== work.accountId || process.exclusive || !process.takesWork) continue
      const running = process.assignments.size
      const isOther = process.kind !== work.kind
      if (isOther || running >= this.#mostRunsIn(work.kind) || !(any || process.worksOnDisplaced)) continue
      if (chosen === undefined || running < chosen.assignments.size) chosen = process
    }
    return chosen
  }

  /** An interpreter of Python has one environment, one standard output and one `/tmp` at a time. */
  #mostRunsIn({ language }: ProcessKind): number {
    return language === "python" ? 1 : this.#parts.config.pool.maxRunsPerProcess
  }

  /** The number of processes that each queue's account has for it, those that take no more work included. */
  #heldByQueue(): ReadonlyMap<string, number> {
    const held = new Map<string, number>()
    for (const { accountId, exclusive, kind } of this.#processes) {
      if (accountId === undefined) continue
      const queue = WaitingWork.nameOf({ accountId, isolation: exclusive ? "fresh" : "shared", kind })
      held.set(queue, (held.get(queue) ?? 0) + 1)
    }
    return held
  }

  /** The first work in each queue whose account has no process for it. */
  #strangers(): ReadonlyArray<readonly [work: Work, since: number]> {
    const held = this.#heldByQueue()
    const may = this.#mayPlaceDisplaced()
    const found: Array<readonly [Work, number]> = []
    for (const [name, queue] of this.#waiting.queues) {
      if (held.has(name)) continue
      const [first] = queue
      if (first !== undefined && (may || !first[0].displaced)) found.push(first)
    }
    return found
  }

  /** True if one more process may be given to it: scarce places go first to accounts that have none. */
  #mayTakeOneMore(work: Work): boolean {
    const isExclusive = work.isolation === "fresh"
    const held = this.#count(({ accountId, exclusive, isClosed, kind }) =>
      accountId === work.accountId && exclusive === isExclusive && kind === work.kind && !isClosed
    )
    if (held >= this.#parts.config.pool.maxProcessesPerAccount) return false
    if (!this.#heldByQueue().has(WaitingWork.nameOf(work))) return true
    return this.#strangers().length === 0 &&
      this.#isWithinShare(sharePastFirst, (process) => process.accountId !== undefined)
  }

  #warm(wanted: ProcessKind): SandboxProcess | undefined {
    for (const process of this.#processes) {
      const { accountId, kind, takesWork } = process
      if (accountId === undefined && kind === wanted && takesWork) return process
    }
    return undefined
  }

  #chooseWarm(work: Work): SandboxProcess | undefined {
    if (work.displaced && !this.#mayPlaceDisplaced()) return undefined
    const warm = this.#warm(work.kind)
    return warm !== undefined && this.#mayTakeOneMore(work) ? warm : undefined
  }

  #place(work: Work): boolean {
    const process = this.#chooseOwn(work) ?? this.#chooseWarm(work)
    if (process === undefined) return false
    process.belongTo(work.accountId, work.isolation === "fresh")
    this.#waiting.delete(work)
    work.start(process)
    if (process.knownModules >= this.#parts.config.pool.maxModules) process.close()
    return true
  }

  #placeFirstOf(queue: Iterable<Work>): void {
    for (const work of queue) if (!this.#place(work)) return
  }

  #placeWorkOf(accountId: string): void {
    for (const kind of this.#kinds) {
      this.#placeFirstOf(this.#waiting.of({ accountId, isolation: "shared", kind }))
      this.#placeFirstOf(this.#waiting.of({ accountId, isolation: "fresh", kind }))
    }
  }

  #pump(): void {
    if (this.#isStopping) return
    if (this.#waiting.count > 0) {
      for (const { accountId } of this.#processes) if (accountId !== undefined) this.#placeWorkOf(accountId)
      const hasWarm = () => this.#kinds.some((kind) => this.#warm(kind) !== undefined)
      for (const [work] of hasWarm() ? this.#strangers() : []) this.#place(work)
      for (const queue of this.#waiting.queues.values()) {
        if (!hasWarm()) break
        this.#placeFirstOf(queue.keys())
      }
    }
    this.#keepWarm()
  }

  #keepWarm(): void {
    if (this.#isStopping) return
    for (const kind of this.#kinds) this.#keepWarmFor(kind)
  }

  #keepWarmFor(kind: ProcessKind): void {
    const { maxProcesses, memoryMebibytes, warmProcesses } = this.#parts.config.pool
    const waiting = this.#waiting.countOf(kind)
    if (waiting === 0 && this.#now() - this.#startFailedAt < restartMillis) return
    const ready = kind.isKeptWarm ? warmProcesses : 0
    const wanted = Math.min(ready + waiting, Math.max(ready, startedAtOnce))
    if (wanted === 0) return
    const program = this.#programs.get(kind.language)
    if (program === undefined) return this.#prepare(kind.language)
    let warm = this.#count((process) => process.accountId === undefined && process.kind === kind && !process.isEnding)
    for (; warm < wanted; warm++) {
      if (this.#processes.size >= maxProcesses || this.#heldMebibytes() >= memoryMebibytes) {
        if (waiting > 0 && warm === 0) this.#makeRoom()
        return
      }
      this.#startProcess(kind, program)
    }
  }

  /** True if it was started for work that another process has done. */
  #isSpare({ accountId, isReady, kind }: SandboxProcess): boolean {
    return accountId === undefined && isReady && !kind.isKeptWarm && this.#waiting.countOf(kind) === 0
  }

  /** Ends the process that has been idle for longest. Answers true if there is one, or another ends already. */
  #endIdle(message: string): boolean {
    if (this.#count(({ isEnding }) => isEnding) > 0) return true
    const [idle] = [...this.#processes]
      .filter((process) =>
        process.assignments.size === 0 && (process.accountId !== undefined || this.#isSpare(process))
      )
      .sort((left, right) => left.idleSince - right.idleSince)
    idle?.kill("shutdown", message)
    return idle !== undefined
  }

  /** Ends a process that is idle, or one of another account where one without any has waited for long enough. */
  #makeRoom(): void {
    if (this.#endIdle("Evicted for another account")) return
    const now = this.#now()
    if (!this.#strangers().some(([, since]) => now - since >= patienceMillis)) return
    this.#toDisplace(now)?.kill("displaced", "Its place went to another account")
  }

  /**
   * The process that another account gets the place of: one of the account that has the most, and of those the one that
   * has been busy for longest.
   */
  #toDisplace(now: number): SandboxProcess | undefined {
    const held = new Map<string | undefined, number>()
    for (const { accountId } of this.#processes) held.set(accountId, (held.get(accountId) ?? 0) + 1)
    const heldBy = ({ accountId }: SandboxProcess) => held.get(accountId) ?? 0
    const [first] = [...this.#processes]
      .filter((process) => process.displaceable && now - process.busySince >= leastTurnMillis)
      .sort((left, right) => heldBy(right) - heldBy(left) || left.busySince - right.busySince)
    return first
  }

  #heldMebibytes(): number {
    let held = 0
    for (const { usage } of this.#processes) held += usage.privateMebibytes
    return held
  }

  /** Holds the processes to the memory that they may have together. */
  #relieve(): void {
    if (this.#heldMebibytes() <= this.#parts.config.pool.memoryMebibytes) return
    if (this.#endIdle("Evicted because memory is short")) return
    const [largest] = [...this.#processes]
      .filter(({ accountId }) => accountId !== undefined)
      .sort((left, right) => right.usage.privateMebibytes - left.usage.privateMebibytes)
    const reason = largest?.displaceable === true ? "displaced" : "memory"
    largest?.kill(reason, "The sandboxes need more memory than they may use")
  }

  #watch(): void {
    for (const process of this.#processes) {
      process.watch()
      this.settled(process)
    }
    this.#relieve()
    this.#pump()
    this.#measure()
  }

  /** Counts the processes by what they do. */
  #measure(): void {
    const { context } = this.#parts
    const count = { starting: 0, warm: 0, idle: 0, busy: 0 }
    for (const process of this.#processes) {
      if (!process.isReady) count.starting++
      else if (process.accountId === undefined) count.warm++
      else if (process.assignments.size === 0) count.idle++
      else count.busy++
    }
    waitingRuns.updateUnsafe(this.#waiting.count, context)
    processCounts.starting.updateUnsafe(count.starting, context)
    processCounts.warm.updateUnsafe(count.warm, context)
    processCounts.idle.updateUnsafe(count.idle, context)
    processCounts.busy.updateUnsafe(count.busy, context)
    if (count.starting + count.busy + this.#waiting.count === 0) this.#works.closeUnsafe()
  }
}

/** The pool of sandbox processes. */
export class SandboxPool extends Context.Service<SandboxPool, ProcessPool>()("@headwater/sandbox/SandboxPool") {
  static readonly layer: Layer.Layer<
    SandboxPool,
    SandboxFilesUnusable,
    SandboxConfig | EgressBroker | EgressGuard
  > = Layer.effect(SandboxPool, ProcessPool.make).pipe(Layer.provide(SandboxFiles.layer))
}
