import { isDeeper, maxComponentDepth } from "@headwater/domain/JsonDepth"
import { structureOf } from "@headwater/domain/JsonReading"
import type { AccountTurns } from "@headwater/domain/Turns"
import { type Clock, Data } from "effect"
import type { ChildProcessWithoutNullStreams } from "node:child_process"
import { randomBytes } from "node:crypto"
import type { Assignment } from "./Assignment.ts"
import * as DenoProcess from "./DenoProcess.ts"
import type { ProcessKind } from "./ProcessKind.ts"
import { ProcessOutput } from "./ProcessOutput.ts"
import { type ProcessUsage, readProcessUsage } from "./ProcessUsage.ts"
import type { RunConnection } from "./Run.ts"
import type { SandboxLimits } from "./SandboxLimits.ts"
import {
  decodeSandboxMessage,
  type EgressQuestion,
  encodeHostMessage,
  type HostMessage,
  type UnreadableMessage
} from "./SandboxProtocol.ts"

/** Descriptions hold what a component says in these levels of their own: message, description, props, prop. */
const maxMessageDepth = maxComponentDepth + 4

/** All but strings of what a process says at once, in characters: more than any component's description has. */
const maxStructure = 128 * 1024

/** Answers that a process has asked for and does not read, in characters. */
const maxUnread = 4 * 1024 * 1024

/** A process that is not ready after so long never will be. An interpreter takes several times as long. */
const startMillis = { javascript: 30_000, python: 90_000 }

/** A process that has not answered a ping for this long takes no new work. */
const silentAfterMillis = 1_000

/**
 * A silent process holds up everything in it, so what shares it with the culprit is moved elsewhere after this long.
 * Longer than a component may plausibly compute in one go, because moving a run repeats what it did outside.
 */
const moveNeighboursMillis = 5_000

/** Resident memory a process may have beside its heap: the executable, code, buffers outside the heap. */
const besideHeapMebibytes = 192

/** A process without work is measured and asked whether it answers once in so long, in milliseconds. */
const idleWatchMillis = 1_000

/** A process without work is ended once its last work has left it this much to do, in processor time. */
const maxLeftBehindMillis = 250

/**
 * The reason why a process ended: for a limit, for its silence, for another account's sake (`displaced`), because
 * nothing needs it (`shutdown`), or by itself (`ended`).
 */
export class ProcessLoss extends Data.Class<{
  readonly reason: "memory" | "output" | "cpu" | "wall" | "silence" | "displaced" | "ended" | "shutdown"
  readonly message: string
}> {}

/** Resident memory of an interpreter of Python, in MiB: its program, its library and what it has loaded. */
const interpreterMebibytes = 192

export interface SandboxProcessOptions extends DenoProcess.DenoProgram {
  readonly clock: Clock.Clock
  readonly turns: AccountTurns
  readonly onReady: () => void
  readonly onQuestion: (question: EgressQuestion) => void
  readonly onEnd: (loss: ProcessLoss) => void
}

type State =
  | { readonly _tag: "starting" | "open" | "closed" }
  | { readonly _tag: "killed" | "over"; readonly loss: ProcessLoss; readonly wasReady: boolean }

const stages: ReadonlyArray<State["_tag"]> = ["starting", "open", "closed", "killed", "over"]

/** Room on one line for what a run may say at most, escaped as JSON twice. */
const lineBytesOf = ({ dbBytes, outputBytes, storeValueBytes }: SandboxLimits): number =>
  (outputBytes + dbBytes + storeValueBytes) * 4 + 1024 * 1024

/**
 * One Deno process and what it is doing:
 *
 *     starting ─ready─▶ open ─▶ closed ─▶ killed ─exit─▶ over
 *
 * - X1. Its stages come in this order. Any but the first may be left out.
 * - X2. It belongs to no account until it is given to one, and then to that one only.
 * - X3. Only while it is open it is given work. A closed one is ended when it has none left.
 * - X4. Once it is killed, nothing that it says is heard, and the first reason is the one that is told. All that a process
 *   said that ends by itself is heard before it is over.
 * - X5. Work is dismissed, or hears once that its process was lost.
 * - X6. Processor time is charged once: in equal shares to the work at hand, or to what comes next.
 */
export class SandboxProcess {
  readonly id = randomBytes(8).toString("hex")
  readonly assignments = new Map<string, Assignment>()
  accountId: string | undefined
  /** Works for a single run or inspection. */
  exclusive = false
  /** The time at which the last work ended, for eviction. */
  idleSince: number
  /** It was given no run and no inspection yet. */
  isUnused = true
  usage: ProcessUsage = { cpuMs: 0, residentMebibytes: 0, privateMebibytes: 0, asleep: false }
  readonly #options: SandboxProcessOptions
  readonly #child: ChildProcessWithoutNullStreams
  readonly #output: ProcessOutput
  readonly #startedAt: number
  readonly #known = new Set<string>()
  readonly #cutOff = new Set<string>()
  #state: State = { _tag: "starting" }
  /** The times of a ping that is unanswered, and at which it last answered one, in Unix milliseconds. */
  #pingedAt: number | undefined
  #answeredAt: number
  /** Since when it was found neither to answer nor to work, whenever it was looked at. */
  #stuckSince: number | undefined
  #lastWords = ""
  #errorBytes = 0
  #unread = 0
  #measuredAt = Number.NEGATIVE_INFINITY
  /** Processor time that was used after the last work, in milliseconds. It counts to the next. */
  #leftBehindCpuMs = 0
  /** Processor time that work which has ended has told of, and that was not measured yet. */
  #toldCpuMs = 0

  constructor(options: SandboxProcessOptions) {
    this.#options = options
    this.#startedAt = this.idleSince = this.#answeredAt = this.#now()
    this.#child = DenoProcess.startForComponents(options)
    const { stderr, stdin, stdout } = this.#child
    const secret = randomBytes(24).toString("base64url")
    const maxLineBytes = lineBytesOf(options.config.limits)
    this.#output = new ProcessOutput(stdout, maxLineBytes, secret, options.turns, {
      accountOf: () => this.accountId,
      hear: (line) => this.#receive(line),
      onOverflow: () => this.#silence(),
      onError: (error) => this.kill("ended", String(error))
    })
    stderr.on("data", (chunk: Buffer) => {
      this.#lastWords = (this.#lastWords + chunk.toString("latin1")).slice(-4096)
      this.#errorBytes += chunk.length
      if (this.#errorBytes > maxLineBytes) this.#silence()
    })
    // A process that ends while it is written to is reported by its exit.
    stdin.on("error", () => {})
    this.#child.on("error", (error) => this.#end("ended", error.message))
    this.#child.on("close", (code, signal) => this.#output.whenHeard(() => this.#exited(code, signal)))
    stdin.write(`${secret}\n`)
    this.send({ _tag: "Start", maxFileBytes: options.config.limits.fileBytes })
  }

  get isReady(): boolean {
    return "wasReady" in this.#state ? this.#state.wasReady : this.#state._tag !== "starting"
  }

  /** True if it takes no more work. */
  get isClosed(): boolean {
    return this.#isFrom("closed")
  }

  /** True if it was killed or is over. */
  get isEnding(): boolean {
    return this.#isFrom("killed")
  }

  /** True if it takes work now. */
  get takesWork(): boolean {
    return this.#state._tag === "open" && this.#silentMillis < silentAfterMillis
  }

  get kind(): ProcessKind {
    return this.#options.kind
  }

  get #interpreterMebibytes(): number {
    return this.kind.language === "python" ? interpreterMebibytes : 0
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  get knownModules(): number {
    return this.#known.size
  }

  /** Milliseconds since a ping that is still unanswered; none while something that it said is yet to be heard. */
  get #silentMillis(): number {
    return this.#pingedAt === undefined || this.#output.isHearing ? 0 : this.#now() - this.#pingedAt
  }

  /**
   * Messages that are sent before the thread looks for input again go to the process in one piece.
   *
   * @param onTaken called when the process has taken an answer, of which whoever gives this bounds the number
   */
  send(message: HostMessage, onTaken?: () => void): void {
    const { stdin } = this.#child
    if (stdin.writableCorked === 0) {
      stdin.cork()
      setImmediate(() => stdin.uncork())
    }
    const line = `${encodeHostMessage(message)}\n`
    if (message._tag !== "Answer" || onTaken !== undefined) return void stdin.write(line, onTaken)
    this.#unread += line.length
    stdin.write(line, () => {
      this.#unread -= line.length
    })
    if (this.#unread > maxUnread) {
      this.kill("output", "The process asks but does not read the answers")
    }
  }

  /** Gives it to an account that has it already, or to one if it has none. */
  belongTo(accountId: string, exclusive: boolean): void {
    this.accountId = accountId
    this.exclusive = exclusive
  }

  /** Gives the process work. The code goes along the first time. */
  assign(assignment: Assignment): void {
    const { id, module } = assignment
    this.isUnused = false
    this.assignments.set(id, assignment)
    assignment.aloneCpuMs += this.#leftBehindCpuMs
    assignment.shareCpuMs += this.#leftBehindCpuMs
    this.#leftBehindCpuMs = 0
    if (this.assignments.size > 1) { for (const other of this.assignments.values()) other.shared = true }
    if (!this.#known.has(module.hash)) {
      this.#known.add(module.hash)
      this.send({ _tag: "Code", hash: module.hash, code: module.code })
    }
    this.send(assignment.message())
  }

  /** It takes no more work, and is ended when it has none. */
  close(): void {
    this.#setState({ _tag: "closed" })
  }

  /** The work has ended: what it says from now on is not heard. */
  dismiss(assignment: Assignment): void {
    if (!this.assignments.delete(assignment.id)) return
    this.#toldCpuMs += Math.max(0, assignment.cpuMs - assignment.shareCpuMs)
    if (this.assignments.size === 0) {
      this.exclusive = false
      this.idleSince = this.#now()
    }
  }

  /** The work is given up while it goes on: it opens no more connections, and the process takes no more work. */
  cutOff(assignment: Assignment): void {
    this.close()
    this.#cutOff.add(assignment.id)
    this.dismiss(assignment)
  }

  /**
   * Counts a connection that is asked for in the name of this run, and tells whether it may be opened now. A socket
   * pool that runs share may ask in the name of one that has ended: it counts as one of those that have not.
   */
  takeConnection(run: string): "taken" | "ended" | "exhausted" | "barred" {
    const assignment = this.#assigned(run)
    if (assignment === undefined || this.#cutOff.has(run)) return "ended"
    if (!assignment.mayConnect) return "barred"
    assignment.connections++
    return assignment.connections > this.#options.config.limits.connections ? "exhausted" : "taken"
  }

  /** Tells the run that has asked for a connection what became of it. */
  noteConnection(run: string, connection: RunConnection): void {
    this.#assigned(run)?.noteConnection(connection)
  }

  #assigned(run: string): Assignment | undefined {
    const [any] = this.assignments.values()
    return this.assignments.get(run) ?? any
  }

  /** Some of its work was cut off for another account's sake before. */
  get worksOnDisplaced(): boolean {
    for (const { displaced } of this.assignments.values()) if (displaced) return true
    return false
  }

  /** True if it may be ended for another account's sake. */
  get displaceable(): boolean {
    return !this.isEnding && this.assignments.size > 0 && !this.worksOnDisplaced
  }

  /** The time at which the oldest of its work began. */
  get busySince(): number {
    const [oldest] = this.assignments.values()
    return oldest?.startedAt ?? this.idleSince
  }

  /** Looks after the process, a few times a second while it has work: its memory, its silence, and the limits of the work. */
  watch(): void {
    const now = this.#now()
    if (this.isEnding) return
    if (!this.isReady) {
      const most = startMillis[this.kind.language]
      if (now - this.#startedAt > most) this.kill("ended", `not ready after ${most} ms`)
      return
    }
    if (this.assignments.size === 0 && now - this.#measuredAt < idleWatchMillis) return
    this.#measure()
    const { limits, pool } = this.#options.config
    const { cpuMs, residentMebibytes } = this.usage
    const besideMebibytes = besideHeapMebibytes + this.#interpreterMebibytes + limits.fileBytes / 2 ** 20
    if (residentMebibytes > this.kind.heapMebibytes + besideMebibytes) {
      return this.kill("memory", "The process exceeded the memory limit of a run")
    }
    const isWornOut = now - this.#startedAt > pool.maxAgeMillis || cpuMs > DenoProcess.wornOutCpuMillis
    if (this.assignments.size === 0) return this.#watchIdle(now, isWornOut)
    if (isWornOut) this.close()
    const isSilent = this.assignments.size > 1 && this.#silentMillis > moveNeighboursMillis
    if (isSilent || now - (this.#stuckSince ?? now) > pool.stuckMillis) {
      return this.kill("silence", "The process did not answer")
    }
    for (const assignment of this.assignments.values()) assignment.watch(now)
    if (!this.isEnding) this.#ping()
  }

  #watchIdle(now: number, isWornOut: boolean): void {
    if (this.accountId === undefined && this.kind.isKeptWarm) return
    const { idleMebibytes, idleMillis } = this.#options.config.pool
    if (
      this.isClosed ||
      isWornOut ||
      this.#leftBehindCpuMs > maxLeftBehindMillis ||
      this.#silentMillis > moveNeighboursMillis ||
      now - this.idleSince > idleMillis ||
      this.usage.residentMebibytes > idleMebibytes + this.#interpreterMebibytes
    ) return this.kill("shutdown", "Evicted")
    if (now - this.#answeredAt > idleWatchMillis) this.#ping()
  }

  #ping(): void {
    if (this.#pingedAt !== undefined) return
    this.#pingedAt = this.#now()
    this.send({ _tag: "Ping" })
  }

  /** Reads what was used since the last time and charges it to the work at hand, or to what comes next. */
  #measure(): void {
    const usage = this.#child.pid === undefined ? undefined : readProcessUsage(this.#child.pid)
    if (usage === undefined) return
    const used = Math.max(0, usage.cpuMs - this.usage.cpuMs - this.#toldCpuMs)
    this.#toldCpuMs = 0
    this.usage = usage
    const now = this.#measuredAt = this.#now()
    const stuck = usage.asleep && this.#silentMillis > 0
    this.#stuckSince = stuck ? this.#stuckSince ?? now : undefined
    const count = this.assignments.size
    let charged = 0
    for (const assignment of this.assignments.values()) {
      // Work that began since the last time did not use more than the time since it began.
      const share = Math.min(used / count, now - assignment.startedAt)
      charged += share
      assignment.shareCpuMs += share
      if (count === 1) assignment.aloneCpuMs += share
    }
    if (!this.isUnused) this.#leftBehindCpuMs += used - charged
  }

  kill(reason: ProcessLoss["reason"], message: string): void {
    const loss = new ProcessLoss({ reason, message })
    if (this.#setState({ _tag: "killed", loss, wasReady: this.isReady })) this.#child.kill("SIGKILL")
  }

  /** Goes on to a later stage. Answers false if it is there already, or beyond. */
  #setState(state: State): boolean {
    if (this.#isFrom(state._tag)) return false
    this.#state = state
    return true
  }

  #isFrom(stage: State["_tag"]): boolean {
    return stages.indexOf(this.#state._tag) >= stages.indexOf(stage)
  }

  #now(): number {
    return this.#options.clock.currentTimeMillisUnsafe()
  }

  #silence(): void {
    this.kill("output", "The process exceeded the output limit of a run")
  }

  *#receive(line: string): Generator<void, void> {
    if (this.isEnding) return
    let isTooDeep: boolean
    if (line.length > maxStructure) {
      const { depth, outside } = yield* structureOf(line)
      if (this.isEnding) return
      if (outside > maxStructure) return this.#silence()
      isTooDeep = depth > maxMessageDepth
    } else {
      isTooDeep = isDeeper(line, maxMessageDepth)
    }
    if (isTooDeep) {
      return this.kill("output", `A message of the process nests deeper than ${maxComponentDepth} levels`)
    }
    const message = decodeSandboxMessage(line)
    switch (message._tag) {
      case "Ready":
        if (!this.#setState({ _tag: "open" })) return
        this.#measure()
        return this.#options.onReady()
      case "Pong":
        this.#pingedAt = undefined
        this.#answeredAt = this.#now()
        return
      case "Connect":
      case "Resolve":
        return this.#options.onQuestion(message)
      case "StoreGet":
      case "StorePage":
      case "StoreSize":
      case "FileGet":
      case "FilePut":
      case "StoredStat":
      case "StoredPage":
      case "StoredRead":
      case "StoredWrite":
      case "StoredFinish":
      case "StoredRemove":
      case "StoredUrl":
        return this.assignments.get(message.run)?.ask(message)
      case "Unreadable":
        return this.#receiveUnreadable(message)
      default:
        return this.assignments.get(message.run)?.receive(message)
    }
  }

  #receiveUnreadable(message: UnreadableMessage): void {
    const { ask, run, why } = message
    if (run === undefined) {
      return this.kill("ended", `The process sent a message that can't be read: ${why}`)
    }
    if (ask === undefined) return this.assignments.get(run)?.receive(message)
    this.send({ _tag: "Answer", ask, error: { code: "EINVAL", message: `The question can't be read: ${why}` } })
  }

  #exited(code: number | null, signal: NodeJS.Signals | null): void {
    if (/out of memory|memory allocation|OOM/i.test(this.#lastWords)) return this.#end("memory", "The heap is full")
    const how = signal === null ? `with code ${code}` : `by ${signal}`
    this.#end("ended", `The process ended ${how}. ${this.#lastWords.slice(-1024)}`.trim())
  }

  /** It is over: for the given reason, if it was not killed for another. */
  #end(reason: ProcessLoss["reason"], message: string): void {
    const loss = this.#state._tag === "killed" ? this.#state.loss : new ProcessLoss({ reason, message })
    if (!this.#setState({ _tag: "over", loss, wasReady: this.isReady })) return
    const left = [...this.assignments.values()]
    this.#options.onEnd(loss)
    for (const assignment of left) assignment.lost(loss)
    this.assignments.clear()
  }
}
