import { isDeeper, maxComponentDepth } from "@headwater/domain/JsonDepth"
import { structureOf } from "@headwater/domain/JsonReading"
import type { AccountTurns } from "@headwater/domain/Turns"
import type * as Clock from "effect/Clock"
import { spawn } from "node:child_process"
import type { ChildProcessWithoutNullStreams } from "node:child_process"
import { randomBytes } from "node:crypto"
import { writeFileSync } from "node:fs"
import { setPriority } from "node:os"
import { basename, dirname, resolve } from "node:path"
import { LineReader } from "./LineReader.ts"
import { type ProcessUsage, readProcessUsage } from "./ProcessUsage.ts"
import type { RunConnection, SandboxModule } from "./Run.ts"
import {
  decodeSandboxMessage,
  type EgressQuestion,
  encodeHostMessage,
  type HostMessage,
  type RunMessage,
  type UnreadableMessage
} from "./SandboxProtocol.ts"

/** Descriptions hold what a component says in these levels of their own: message, description, props, prop. */
const maxMessageDepth = maxComponentDepth + 4

/** All but strings of what a process says at once, in characters: more than any component's description has. */
const maxStructure = 128 * 1024

/** The most characters that were read of a process and not heard yet; beyond it no more is read. */
const maxUnheard = 1024 * 1024

/** Answers that a process has asked for and does not read, in characters. */
const maxUnread = 4 * 1024 * 1024

/**
 * The reason why a process ended: for a limit, for its silence, for another account's sake (`displaced`), because
 * nothing needs it (`shutdown`), or by itself (`ended`).
 */
export interface ProcessLoss {
  readonly reason: "memory" | "output" | "cpu" | "wall" | "silence" | "displaced" | "ended" | "shutdown"
  readonly message: string
}

/** A run or an inspection, as the process that has it sees it. */
export interface Assignment {
  readonly id: string
  /** The program whose code it runs, unless the code is only looked at. */
  readonly programId: string | undefined
  /** Unix milliseconds. */
  readonly startedAt: number
  /** It was cut off for another account's sake before, and is not cut off for that again. */
  readonly displaced: boolean
  /** It has been in the process together with another. */
  shared: boolean
  /** Processor time while it was the only one, and its share of what was used while it was not, in milliseconds. */
  aloneCpuMs: number
  shareCpuMs: number
  /** The processor time that is put down to it in the end: more, if it ended before its process was looked at again. */
  cpuMs: number
  /** The number of connections that it has asked for. */
  connections: number
  /** True if it may have any. */
  readonly mayConnect: boolean
  /** Told of each that it asked for. */
  connected?(connection: RunConnection): void
  receive(message: RunMessage | UnreadableMessage): void
  /** Called a few times a second, to hold it against its limits. `now` is in Unix milliseconds. */
  watch(now: number): void
  /** The process has ended before it. */
  lost(loss: ProcessLoss): void
}

export interface SandboxProcessOptions {
  readonly denoPath: string
  readonly identity: { readonly uid: number; readonly gid: number } | undefined
  readonly denoDirectory: string
  readonly mainModule: string
  readonly extraCaFile: string | undefined
  readonly brokerPort: number
  readonly heapMebibytes: number
  readonly maxRunCpuMillis: number
  readonly maxLineBytes: number
  readonly maxRunConnections: number
  readonly clock: Clock.Clock
  readonly turns: AccountTurns
  readonly onReady: () => void
  readonly onQuestion: (question: EgressQuestion) => void
  readonly onEnd: (loss: ProcessLoss) => void
}

/** Processor time after which a process is worn out and takes no new work, in milliseconds. */
export const wornOutCpuMillis = 300_000

/**
 * The system's own bounds, for when the host is not there to look: a busy process whose host was killed, and memory
 * taken faster than it is looked at. Deno itself reserves about 0.6 GiB of data, more with many processors. No file can
 * be written, by Deno for itself either: writing is an error, where without the `trap` it would be the end.
 */
const systemLimits = (options: SandboxProcessOptions): string =>
  [
    "trap '' XFSZ",
    "ulimit -f 0",
    "ulimit -c 0",
    "ulimit -n 256",
    `ulimit -t ${Math.ceil((wornOutCpuMillis + options.maxRunCpuMillis) / 1000) + 60}`,
    `ulimit -d ${(options.heapMebibytes + 2048) * 1024}`
  ].join("; ")

const denoArguments = (options: SandboxProcessOptions): ReadonlyArray<string> => [
  "run",
  "--quiet",
  "--no-prompt",
  "--no-config",
  "--no-lock",
  "--no-remote",
  "--no-npm",
  "--cached-only",
  "--ignore-env",
  `--allow-net=127.0.0.1:${options.brokerPort}`,
  `--v8-flags=--max-old-space-size=${options.heapMebibytes}`,
  ...(options.extraCaFile === undefined ? [] : [`--cert=${options.extraCaFile}`]),
  options.mainModule,
  String(options.brokerPort)
]

/** The `PATH` on which a program is found by its name alone. */
const pathOf = (program: string): string =>
  program === basename(program) ? process.env["PATH"] ?? "" : dirname(resolve(program))

/** A third of the processor time that the server has where there is not enough: enough to load a component in time. */
const niceness = 5

/**
 * If processors are short, the server and the database go before component code, which may compute all it likes. The
 * process is in a session of its own, and Linux may share processors out by session before it looks at priorities.
 */
const yieldProcessor = (pid: number) => {
  try {
    setPriority(pid, niceness)
    writeFileSync(`/proc/${pid}/autogroup`, String(niceness), { flag: "r+" })
  } catch {
    // The process has ended already, which is reported as such, or the system knows no such shares.
  }
}

/**
 * One Deno process and what it is doing. It belongs to no account until it is given to one, and then to that one only.
 */
export class SandboxProcess {
  readonly id = randomBytes(8).toString("hex")
  readonly assignments = new Map<string, Assignment>()
  readonly startedAt: number
  accountId: string | undefined
  ready = false
  /** Takes no new work, and is ended when it has none. */
  closed = false
  /** Works for a single run or inspection. */
  exclusive = false
  /** The time at which the last work ended, for eviction. */
  idleSince: number
  /** The number of runs and inspections that it has been given. */
  served = 0
  usage: ProcessUsage = { cpuMs: 0, residentMebibytes: 0, privateMebibytes: 0, asleep: false }
  /** Processor time that was used after the last work, in milliseconds. It counts to the next. */
  leftBehindCpuMs = 0
  /** The time at which it last answered a ping, in Unix milliseconds. */
  answeredAt: number
  /** Since when it was found neither to answer nor to work, whenever it was looked at. */
  stuckSince: number | undefined
  readonly #options: SandboxProcessOptions
  readonly #child: ChildProcessWithoutNullStreams
  readonly #known = new Set<string>()
  readonly #cutOff = new Set<string>()
  #pingedAt: number | undefined
  /** Lines that it has said and that are yet to be heard, the next one first. */
  #unheard: Array<string> = []
  #unheardLength = 0
  #hearing = false
  /** Set once it has ended, to be told when all it said has been heard. */
  #afterwards: (() => void) | undefined
  #lastWords = ""
  #errorBytes = 0
  #unread = 0
  /** Processor time that work which has ended has told of, and that was not measured yet. */
  #toldCpuMs = 0
  #loss: ProcessLoss | undefined
  #over = false

  constructor(options: SandboxProcessOptions) {
    this.#options = options
    this.startedAt = this.#now()
    this.idleSince = this.startedAt
    this.answeredAt = this.startedAt
    this.#child = spawn(
      "/bin/sh",
      [
        "-c",
        // Found on the path, the program is told no other path of itself than its name.
        `PATH="$0"; ${systemLimits(options)}; exec "$@"`,
        pathOf(options.denoPath),
        basename(options.denoPath),
        ...denoArguments(options)
      ],
      {
        // Paths that are made of it, as by `path.resolve`, say nothing of the host.
        cwd: "/",
        env: { DENO_DIR: options.denoDirectory, NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" },
        stdio: ["pipe", "pipe", "pipe"],
        // In a session of its own, so that a Ctrl-C reaches the server alone, which lets runs end.
        detached: true,
        ...options.identity
      }
    )
    if (this.#child.pid !== undefined) yieldProcessor(this.#child.pid)
    const secret = randomBytes(24).toString("base64url")
    const lines = new LineReader(options.maxLineBytes, secret)
    this.#child.stdout.on("data", (chunk: Buffer) => {
      this.#listen(lines.push(chunk))
      if (lines.overflowed) this.#silence()
    })
    this.#child.stderr.on("data", (chunk: Buffer) => {
      this.#lastWords = (this.#lastWords + chunk.toString("latin1")).slice(-4096)
      this.#errorBytes += chunk.length
      if (this.#errorBytes > options.maxLineBytes) this.#silence()
    })
    // A process that ends while it is written to is reported by its exit.
    this.#child.stdin.on("error", () => {})
    this.#child.on("error", (error) => this.#end({ reason: "ended", message: error.message }))
    this.#child.on("close", (code, signal) => {
      const end = () => this.#end(this.#loss ?? this.#explainExit(code, signal))
      if (this.#hearing) this.#afterwards = end
      else end()
    })
    this.#child.stdin.write(`${secret}\n`)
    this.send({ _tag: "Start" })
  }

  get over(): boolean {
    return this.#over || this.#loss !== undefined
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  get knownModules(): number {
    return this.#known.size
  }

  knows(hash: string): boolean {
    return this.#known.has(hash)
  }

  /** Milliseconds since a ping that is still unanswered; none while something that it said is yet to be heard. */
  get silentMillis(): number {
    return this.#pingedAt === undefined || this.#hearing ? 0 : this.#now() - this.#pingedAt
  }

  /** Messages that are sent before the thread looks for input again go to the process in one piece. */
  send(message: HostMessage): void {
    const { stdin } = this.#child
    if (stdin.writableCorked === 0) {
      stdin.cork()
      setImmediate(() => stdin.uncork())
    }
    const line = `${encodeHostMessage(message)}\n`
    if (message._tag !== "Answer") return void stdin.write(line)
    this.#unread += line.length
    stdin.write(line, () => {
      this.#unread -= line.length
    })
    if (this.#unread > maxUnread) {
      this.kill({ reason: "output", message: "The process asks but does not read the answers" })
    }
  }

  ping(): void {
    if (this.#pingedAt !== undefined) return
    this.#pingedAt = this.#now()
    this.send({ _tag: "Ping" })
  }

  /** Gives the process work. The code goes along the first time. */
  assign(assignment: Assignment, module: Pick<SandboxModule, "code" | "hash">, message: HostMessage): void {
    this.served++
    this.assignments.set(assignment.id, assignment)
    assignment.aloneCpuMs += this.leftBehindCpuMs
    assignment.shareCpuMs += this.leftBehindCpuMs
    this.leftBehindCpuMs = 0
    if (this.assignments.size > 1) { for (const other of this.assignments.values()) other.shared = true }
    if (!this.#known.has(module.hash)) {
      this.#known.add(module.hash)
      this.send({ _tag: "Code", hash: module.hash, code: module.code })
    }
    this.send(message)
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
    this.closed = true
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
    return assignment.connections > this.#options.maxRunConnections ? "exhausted" : "taken"
  }

  /** Tells the run that has asked for a connection what became of it. */
  noteConnection(run: string, connection: RunConnection): void {
    this.#assigned(run)?.connected?.(connection)
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
    return !this.over && this.assignments.size > 0 && !this.worksOnDisplaced
  }

  /** The time at which the oldest of its work began. */
  get busySince(): number {
    const [oldest] = this.assignments.values()
    return oldest?.startedAt ?? this.idleSince
  }

  /** Reads what was used since the last time and charges it to the work at hand, or to what comes next. */
  measure(): void {
    const usage = this.#child.pid === undefined ? undefined : readProcessUsage(this.#child.pid)
    if (usage === undefined) return
    const used = Math.max(0, usage.cpuMs - this.usage.cpuMs - this.#toldCpuMs)
    this.#toldCpuMs = 0
    this.usage = usage
    const now = this.#now()
    const stuck = usage.asleep && this.silentMillis > 0
    this.stuckSince = stuck ? this.stuckSince ?? now : undefined
    const count = this.assignments.size
    let charged = 0
    for (const assignment of this.assignments.values()) {
      // Work that began since the last time did not use more than the time since it began.
      const share = Math.min(used / count, now - assignment.startedAt)
      charged += share
      assignment.shareCpuMs += share
      if (count === 1) assignment.aloneCpuMs += share
    }
    if (this.served > 0) this.leftBehindCpuMs += used - charged
  }

  kill(loss: ProcessLoss): void {
    if (this.over) return
    this.#loss = loss
    this.closed = true
    this.#child.kill("SIGKILL")
  }

  #now(): number {
    return this.#options.clock.currentTimeMillisUnsafe()
  }

  #silence(): void {
    this.kill({ reason: "output", message: "The process exceeded the output limit of a run" })
  }

  /** Hears lines in their order, in turns where there are many: what one account's code says must not hold up others. */
  #listen(lines: ReadonlyArray<string>): void {
    for (const line of lines) {
      this.#unheard.push(line)
      this.#unheardLength += line.length
    }
    if (this.#unheardLength > maxUnheard) this.#child.stdout.pause()
    if (this.#hearing || this.#unheard.length === 0) return
    this.#hearing = true
    this.#options.turns.start(this.accountId ?? "", this.#hear(), () => this.#heardAll(), (error) => {
      this.kill({ reason: "ended", message: String(error) })
      this.#unheard = []
      this.#heardAll()
    })
  }

  *#hear(): Generator<void, void> {
    while (this.#unheard.length > 0) {
      const lines = this.#unheard
      this.#unheard = []
      for (const line of lines) {
        this.#unheardLength -= line.length
        yield* this.#receive(line)
        yield
      }
      this.#child.stdout.resume()
    }
  }

  #heardAll(): void {
    this.#hearing = false
    this.#child.stdout.resume()
    this.#afterwards?.()
  }

  *#receive(line: string): Generator<void, void> {
    if (this.over) return
    let isTooDeep: boolean
    if (line.length > maxStructure) {
      const { depth, outside } = yield* structureOf(line)
      if (this.over) return
      if (outside > maxStructure) return this.#silence()
      isTooDeep = depth > maxMessageDepth
    } else {
      isTooDeep = isDeeper(line, maxMessageDepth)
    }
    if (isTooDeep) {
      return this.kill({
        reason: "output",
        message: `A message of the process nests deeper than ${maxComponentDepth} levels`
      })
    }
    const message = decodeSandboxMessage(line)
    switch (message._tag) {
      case "Ready":
        if (this.ready) return
        this.ready = true
        this.measure()
        return this.#options.onReady()
      case "Pong":
        this.#pingedAt = undefined
        this.answeredAt = this.#now()
        return
      case "Connect":
      case "Resolve":
        return this.#options.onQuestion(message)
      case "Unreadable":
        return this.#receiveUnreadable(message)
      default:
        return this.assignments.get(message.run)?.receive(message)
    }
  }

  #receiveUnreadable(message: UnreadableMessage): void {
    const { ask, run, why } = message
    if (run === undefined) {
      return this.kill({ reason: "ended", message: `The process sent a message that can't be read: ${why}` })
    }
    if (ask === undefined) return this.assignments.get(run)?.receive(message)
    this.send({ _tag: "Answer", ask, error: { code: "EINVAL", message: `The question can't be read: ${why}` } })
  }

  #explainExit(code: number | null, signal: NodeJS.Signals | null): ProcessLoss {
    if (/out of memory|memory allocation|OOM/i.test(this.#lastWords)) {
      return { reason: "memory", message: "The heap is full" }
    }
    const how = signal === null ? `with code ${code}` : `by ${signal}`
    return { reason: "ended", message: `The process ended ${how}. ${this.#lastWords.slice(-1024)}`.trim() }
  }

  #end(loss: ProcessLoss): void {
    if (this.#over) return
    this.#over = true
    this.closed = true
    const left = [...this.assignments.values()]
    this.#options.onEnd(loss)
    for (const assignment of left) assignment.lost(loss)
    this.assignments.clear()
  }
}
