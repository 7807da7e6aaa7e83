import * as RealTime from "@headwater/domain/RealTime"
import { Turns } from "@headwater/domain/Turns"
import { EgressBroker } from "@headwater/egress/EgressBroker"
import { EgressGuard } from "@headwater/egress/EgressGuard"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { largest, toDisplace } from "./Displacement.ts"
import { SandboxConfig } from "./SandboxConfig.ts"
import { SandboxFiles, type SandboxFilesUnusable } from "./SandboxFiles.ts"
import { type ProcessLoss, SandboxProcess } from "./SandboxProcess.ts"
import type { EgressQuestion } from "./SandboxProtocol.ts"
import { watchProcess } from "./SandboxWatch.ts"

/** No process can take the work: Deno does not start, too much is waiting, or the server is stopping. */
export class SandboxUnavailable extends Schema.TaggedError<SandboxUnavailable>()("SandboxUnavailable", {
  reason: Schema.Literals(["start_failed", "too_many_waiting", "stopping"]),
  message: Schema.String
}) {}

/** Work for one process. */
export interface Work {
  readonly accountId: string
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
  readonly accountId: string | undefined
  readonly running: number
}

/** Decides which process does which work: the pool of warm processes, and those that accounts have. */
export class SandboxPool extends Context.Service<SandboxPool, {
  /** Starts the work in a process as soon as there is one. Returns how to give up waiting. */
  submit(work: Work): () => void
  /** To be called after a process has dismissed work. */
  settled(process: SandboxProcess): void
  /** Ends what is under way, and takes nothing more. */
  readonly stop: Effect.Effect<void>
  readonly processes: Effect.Effect<ReadonlyArray<SandboxProcessSummary>>
}>()("@headwater/sandbox/SandboxPool") {
  static readonly layer: Layer.Layer<
    SandboxPool,
    SandboxFilesUnusable,
    SandboxConfig | EgressBroker | EgressGuard
  > = Layer.effect(SandboxPool, Effect.suspend(() => make())).pipe(Layer.provide(SandboxFiles.layer))
}

/** An account without a process waits so long before it gets the place of another's. */
const patienceMillis = 1_000

/** The share of places that accounts may take which have a process already. */
const sharePastFirst = 3 / 4

/** The share of places for work that can't be cut off a second time, so that the others keep changing hands. */
const shareOfDisplaced = 1 / 2

const startMillis = 30_000
const restartMillis = 1_000
const watchMillis = 100

/** Room on one line for what a run may say at most, escaped as JSON twice. */
const lineBytesOf = (bytes: number): number => bytes * 4 + 1024 * 1024

const processCount = Metric.gauge("headwater_sandbox_processes", {
  description: "Sandbox processes: starting, warm and without an account, idle, or busy with runs."
})

const waitingRuns = Metric.gauge("headwater_sandbox_waiting", {
  description: "Runs and inspections that wait for a process."
})

const processEnds = Metric.counter("headwater_sandbox_process_ends_total", {
  description:
    "Sandbox processes that have ended: at a limit, after silence, to give their place to another account, by themselves, or because nothing needs them.",
  incremental: true
})

const make = Effect.fnUntraced(function*() {
  const config = yield* SandboxConfig
  const files = yield* SandboxFiles
  const broker = yield* EgressBroker
  const guard = yield* EgressGuard
  const clock = yield* RealTime.clock
  const turns = yield* Turns
  const fork = yield* FiberSet.makeRuntime()
  const metricContext = yield* Effect.context()
  const { pool, limits } = config

  const processes = new Set<SandboxProcess>()
  /** By queue, with when it began to wait. */
  const waiting = new Map<string, Map<Work, number>>()
  let waitingCount = 0
  let stopping = false
  let startFailedAt = Number.NEGATIVE_INFINITY

  const unavailable = (reason: SandboxUnavailable["reason"], message: string) =>
    new SandboxUnavailable({ reason, message })

  const refuseWaiting = (error: SandboxUnavailable) => {
    const queues = [...waiting.values()]
    waiting.clear()
    waitingCount = 0
    for (const queue of queues) for (const work of queue.keys()) work.unavailable(error)
  }

  const queueUp = (work: Work) => {
    const queue = waiting.get(queueOf(work)) ?? new Map()
    waiting.set(queueOf(work), queue.set(work, clock.currentTimeMillisUnsafe()))
    waitingCount++
  }

  const leaveQueue = (work: Work) => {
    const queue = waiting.get(queueOf(work))
    if (queue?.delete(work) !== true) return
    waitingCount--
    if (queue.size === 0) waiting.delete(queueOf(work))
  }

  const answer = (process: SandboxProcess, question: EgressQuestion) => {
    const note = (error?: string) => {
      if (question._tag !== "Connect") return
      const { host, port, run } = question
      process.noteConnection(run, { host, port, ...(error === undefined ? {} : { error }) })
    }
    const refuse = (code: string, message: string) => {
      note(message)
      process.send({ _tag: "Answer", ask: question.ask, error: { code, message } })
    }
    const taken = process.takeConnection(question.run)
    if (taken === "ended") return refuse("EACCES", "The run has ended")
    if (taken === "barred") return refuse("EACCES", "This trial may not open connections")
    if (taken === "exhausted") return refuse("EMFILE", `A run may open at most ${limits.connections} connections`)
    const give = (given: { readonly ticket: string } | { readonly addresses: ReadonlyArray<string> }) =>
      process.send({ _tag: "Answer", ask: question.ask, ...given })
    const asker = {
      accountId: process.accountId ?? process.id,
      programId: process.assignments.get(question.run)?.programId
    }
    const asked = question._tag === "Connect"
      ? Effect.map(broker.ticket(process.id, asker, question), (ticket) => {
        note()
        give({ ticket })
      })
      : Effect.map(
        guard.resolve(question.host, { ...asker, use: "component" }),
        (addresses) => give({ addresses })
      )
    fork(asked.pipe(
      Effect.catchTags({
        EgressRefused: (error) => Effect.sync(() => refuse("EACCES", error.message)),
        DnsFailed: (error) => Effect.sync(() => refuse(error.code, error.message)),
        ConnectFailed: (error) => Effect.sync(() => refuse(error.code, error.message)),
        TooManyConnections: (error) => Effect.sync(() => refuse("EMFILE", error.message))
      })
    ))
  }

  const startProcess = () => {
    const process: SandboxProcess = new SandboxProcess({
      ...files,
      denoPath: config.denoPath,
      identity: config.identity,
      brokerPort: broker.port,
      heapMebibytes: limits.heapMebibytes,
      maxRunCpuMillis: limits.cpuMillis,
      maxRunConnections: limits.connections,
      maxLineBytes: lineBytesOf(limits.outputBytes + limits.dbBytes),
      clock,
      turns,
      onReady: () => pump(),
      onQuestion: (question) => answer(process, question),
      onEnd: (loss) => {
        processes.delete(process)
        Metric.withAttributes(processEnds, { reason: loss.reason }).updateUnsafe(1, metricContext)
        fork(broker.release(process.id))
        if (!process.ready) startFailed(loss)
        else pump()
      }
    })
    processes.add(process)
  }

  const startFailed = (loss: ProcessLoss) => {
    startFailedAt = clock.currentTimeMillisUnsafe()
    if (!stopping) refuseWaiting(unavailable("start_failed", `Deno did not start: ${loss.message}`))
  }

  const accountProcesses = (accountId: string) => {
    const own: Array<SandboxProcess> = []
    for (const process of processes) if (process.accountId === accountId && !process.closed) own.push(process)
    return own
  }

  const takesWork = (process: SandboxProcess) =>
    process.ready && !process.over && !process.closed && process.silentMillis < silentAfterMillis

  const mayPlaceDisplaced = () => isWithinShare(shareOfDisplaced, (process) => process.worksOnDisplaced)

  const chooseOwn = (work: Work, own: ReadonlyArray<SandboxProcess>): SandboxProcess | undefined => {
    if (work.isolation === "fresh") return undefined
    const any = !work.displaced || mayPlaceDisplaced()
    let chosen: SandboxProcess | undefined
    for (const process of own) {
      const running = process.assignments.size
      if (!takesWork(process) || process.exclusive || !(any || process.worksOnDisplaced)) continue
      if (running >= pool.maxRunsPerProcess) continue
      if (chosen === undefined || running < chosen.assignments.size) chosen = process
    }
    return chosen
  }

  /** The number of processes that each queue's account has for it, those that take no more work included. */
  const heldByQueue = (): ReadonlyMap<string, number> => {
    const held = new Map<string, number>()
    for (const { accountId, exclusive } of processes) {
      if (accountId === undefined) continue
      const queue = queueNamed(exclusive ? "fresh" : "shared", accountId)
      held.set(queue, (held.get(queue) ?? 0) + 1)
    }
    return held
  }

  /** The first work in each queue whose account has no process for it. */
  const strangers = (): ReadonlyArray<readonly [work: Work, since: number]> => {
    const held = heldByQueue()
    const may = mayPlaceDisplaced()
    const found: Array<readonly [Work, number]> = []
    for (const [name, queue] of waiting) {
      if (held.has(name)) continue
      for (const first of queue) {
        if (may || !first[0].displaced) found.push(first)
        break
      }
    }
    return found
  }

  const isWithinShare = (share: number, holds: (process: SandboxProcess) => boolean): boolean => {
    let count = 0
    for (const process of processes) if (!process.over && holds(process)) count++
    return count < pool.maxProcesses * share
  }

  /** True if one more process may be given to it: scarce places go first to accounts that have none. */
  const mayTakeOneMore = (work: Work, own: ReadonlyArray<SandboxProcess>): boolean => {
    const exclusive = work.isolation !== "shared"
    const held = own.filter((process) => process.exclusive === exclusive).length
    if (held >= pool.maxProcessesPerAccount) return false
    if (!heldByQueue().has(queueOf(work))) return true
    return strangers().length === 0 && isWithinShare(sharePastFirst, (process) => process.accountId !== undefined)
  }

  const chooseWarm = (work: Work, own: ReadonlyArray<SandboxProcess>): SandboxProcess | undefined => {
    if (work.displaced && !mayPlaceDisplaced()) return undefined
    for (const process of processes) {
      if (process.accountId === undefined && takesWork(process)) {
        return mayTakeOneMore(work, own) ? process : undefined
      }
    }
    return undefined
  }

  const place = (work: Work): boolean => {
    const own = accountProcesses(work.accountId)
    const process = chooseOwn(work, own) ?? chooseWarm(work, own)
    if (process === undefined) return false
    process.accountId = work.accountId
    process.exclusive = work.isolation !== "shared"
    leaveQueue(work)
    work.start(process)
    if (process.knownModules >= pool.maxModules) process.closed = true
    return true
  }

  const oldestIdle = (): SandboxProcess | undefined => {
    let oldest: SandboxProcess | undefined
    for (const process of processes) {
      if (process.accountId === undefined || process.assignments.size > 0 || process.over) continue
      if (oldest === undefined || process.idleSince < oldest.idleSince) oldest = process
    }
    return oldest
  }

  /** Ends a process that is idle, or one of another account where one without any has waited for long enough. */
  const makeRoom = () => {
    for (const process of processes) if (process.over) return
    const idle = oldestIdle()
    if (idle !== undefined) return idle.kill({ reason: "shutdown", message: "Evicted for another account" })
    const now = clock.currentTimeMillisUnsafe()
    if (!strangers().some(([, since]) => now - since >= patienceMillis)) return
    toDisplace(processes, now)?.kill({ reason: "displaced", message: "Its place went to another account" })
  }

  const heldMebibytes = (): number => {
    let held = 0
    for (const { usage } of processes) held += usage.privateMebibytes
    return held
  }

  /** Holds the processes to the memory that they may have together. */
  const relieve = () => {
    if (heldMebibytes() <= pool.memoryMebibytes) return
    for (const process of processes) if (process.over) return
    const idle = oldestIdle()
    if (idle !== undefined) return idle.kill({ reason: "shutdown", message: "Evicted because memory is short" })
    const process = largest(processes)
    process?.kill({
      reason: process.displaceable ? "displaced" : "memory",
      message: "The sandboxes need more memory than they may use"
    })
  }

  const hasRoom = (): boolean => processes.size < pool.maxProcesses && heldMebibytes() < pool.memoryMebibytes

  const keepWarm = () => {
    if (stopping) return
    if (waitingCount === 0 && clock.currentTimeMillisUnsafe() - startFailedAt < restartMillis) return
    let warm = 0
    for (const process of processes) if (process.accountId === undefined && !process.over) warm++
    const wanted = Math.min(pool.warmProcesses + waitingCount, Math.max(pool.warmProcesses, 4))
    for (; warm < wanted; warm++) {
      if (!hasRoom()) {
        if (waitingCount > 0 && warm === 0) makeRoom()
        return
      }
      startProcess()
    }
  }

  const placeFirstOf = (queue: ReadonlyMap<Work, number> = new Map()) => {
    for (const work of queue.keys()) if (!place(work)) return
  }

  const placeWorkOf = (accountId: string) => {
    placeFirstOf(waiting.get(queueNamed("shared", accountId)))
    placeFirstOf(waiting.get(queueNamed("fresh", accountId)))
  }

  const hasWarm = (): boolean => {
    for (const process of processes) if (process.accountId === undefined && takesWork(process)) return true
    return false
  }

  const pump = () => {
    if (stopping) return
    if (waitingCount > 0) {
      for (const { accountId } of processes) if (accountId !== undefined) placeWorkOf(accountId)
      for (const [work] of hasWarm() ? strangers() : []) place(work)
      for (const queue of waiting.values()) {
        if (!hasWarm()) break
        placeFirstOf(queue)
      }
    }
    keepWarm()
  }

  const submit = (work: Work): () => void => {
    if (stopping) work.unavailable(unavailable("stopping", "The sandbox is stopping"))
    else if (waitingCount >= pool.maxWaiting) {
      work.unavailable(unavailable("too_many_waiting", `More than ${pool.maxWaiting} runs are waiting`))
    } else {
      if (waiting.has(queueOf(work)) || !place(work)) queueUp(work)
      keepWarm()
    }
    return () => leaveQueue(work)
  }

  const settled = (process: SandboxProcess) => {
    if (process.closed && process.assignments.size === 0) {
      process.kill({ reason: "shutdown", message: "Retired" })
    } else if (waitingCount > 0) {
      if (process.accountId !== undefined) placeWorkOf(process.accountId)
      if (process.assignments.size === 0) keepWarm()
    }
  }

  const watch = Effect.sync(() => {
    const now = clock.currentTimeMillisUnsafe()
    for (const process of processes) {
      if (!process.ready && now - process.startedAt > startMillis) {
        process.kill({ reason: "ended", message: `not ready after ${startMillis} ms` })
      }
      watchProcess(process, now, config)
      settled(process)
    }
    relieve()
    pump()
  })

  const measure = Effect.suspend(() => {
    const count = { starting: 0, warm: 0, idle: 0, busy: 0 }
    for (const process of processes) {
      if (!process.ready) count.starting++
      else if (process.accountId === undefined) count.warm++
      else if (process.assignments.size === 0) count.idle++
      else count.busy++
    }
    return Effect.andThen(
      Metric.update(waitingRuns, waitingCount),
      Effect.forEach(
        Object.entries(count),
        ([state, value]) => Metric.update(Metric.withAttributes(processCount, { state }), value),
        { discard: true }
      )
    )
  })

  keepWarm()
  yield* watch.pipe(Effect.andThen(measure), Effect.repeat(Schedule.spaced(watchMillis)), Effect.forkScoped)
  const stop = Effect.sync(() => {
    stopping = true
    refuseWaiting(unavailable("stopping", "The sandbox is stopping"))
    for (const process of processes) process.kill({ reason: "shutdown", message: "The sandbox is stopping" })
  })
  yield* Effect.addFinalizer(() => stop)

  return SandboxPool.of({
    submit,
    stop,
    settled,
    processes: Effect.sync(() =>
      [...processes].map(({ accountId, assignments, id, pid }) => ({ id, pid, accountId, running: assignments.size }))
    )
  })
})

const queueNamed = (kind: Work["isolation"], accountId: string): string => `${kind} ${accountId}`

/** Work waits in turn with its like: an account's ordinary runs don't wait behind one that needs a process to itself. */
const queueOf = ({ accountId, isolation }: Work): string => queueNamed(isolation, accountId)

/** A process that has not answered a ping for this long takes no new work. */
const silentAfterMillis = 1_000
