import type { DataStoreReads } from "@headwater/domain/DataStore"
import { type Clock, Deferred, Effect, Exit, type Fiber } from "effect"
import { Assignment, type Try } from "./Assignment.ts"
import * as Expression from "./Expression.ts"
import {
  type LiveToken,
  type RunConnection,
  type RunFiles,
  type RunLimit,
  type RunRequest,
  type RunResponse,
  type RunResult,
  runsOf
} from "./Run.ts"
import { maxHeaderBytes, RunRecord, StoreSizes } from "./RunRecord.ts"
import type { SandboxLimits } from "./SandboxLimits.ts"
import { ProcessLoss } from "./SandboxProcess.ts"
import type { HostMessage, RunAnswer, RunMessage, RunQuestion, UnreadableMessage } from "./SandboxProtocol.ts"

/** Hears of runs while they go on. */
export interface RunListener {
  readonly ended: (result: RunResult) => void
  /** Called a few times a second. */
  readonly look: () => void
}

/** The clocks and the fibers of runs. */
export interface RunParts {
  /** Unix milliseconds as component code sees them. */
  readonly componentNow: () => number
  readonly clock: Clock.Clock
  readonly fork: (effect: Effect.Effect<unknown>) => Fiber.Fiber<unknown>
  readonly real: Clock.Clock
  /** The time as a message tells it to a process; nothing if it is the system's. */
  readonly timeTold: () => Pick<HostMessage & { readonly _tag: "Run" }, "time">
}

/** The runs that one request asks for, in however many processes they are tried. The first answer alone is handled. */
export class RequestedRuns {
  readonly count: number
  readonly limits: SandboxLimits
  readonly listener: RunListener
  readonly parts: RunParts
  readonly request: RunRequest
  /** Texts for which logs, errors and props have a mask: also tokens that the runs come to have. */
  readonly masked: Array<string>
  /** Processor time of tries that came to nothing, in milliseconds. The next run that ends is charged for it. */
  spentCpuMs = 0
  #handled: Deferred.Deferred<void> | undefined

  constructor(request: RunRequest, limits: SandboxLimits, listener: RunListener, parts: RunParts) {
    this.count = runsOf(request.call)
    const { wallMillis = limits.wallMillis } = request.limits ?? {}
    // A request may ask for less time than the server allows, and not for more.
    this.limits = { ...limits, ...request.limits, wallMillis: Math.min(wallMillis, limits.wallMillis) }
    this.listener = listener
    this.parts = parts
    this.request = request
    const { environment, tokens } = request
    this.masked = [...Object.values(tokens?.ofProps ?? {}).map(({ token }) => token), ...environment?.masked ?? []]
  }

  get hasResponded(): boolean {
    return this.#handled !== undefined
  }

  respond(response: RunResponse): void {
    const { onRespond } = this.request
    if (this.#handled !== undefined || onRespond === undefined) return
    const handled = this.#handled = Deferred.makeUnsafe<void>()
    this.parts.fork(Effect.flatMap(Effect.exit(onRespond(response)), (exit) => Deferred.done(handled, exit)))
  }

  /** Returns once the answer, if there was one, has been handled. */
  readonly responseHandled: Effect.Effect<void> = Effect.suspend(() =>
    this.#handled === undefined ? Effect.void : Deferred.await(this.#handled)
  )
}

/** The runtime asks again only when it has an answer, which the host may not know yet to be taken. */
const mostQuestions = 2

const unanswerable = { code: "EIO", message: "The question could not be answered" }

type Answer = Pick<HostMessage & { readonly _tag: "Answer" }, "answer" | "error">

type FileQuestion = RunQuestion & { readonly _tag: "FileGet" | "FilePut" }

type StoreQuestion = Extract<RunQuestion, { readonly store: string }>

const nameOf = ({ account, generation }: Pick<LiveToken, "account" | "generation">): string =>
  `${account} ${generation}`

const answerOfStore = (reads: DataStoreReads, question: StoreQuestion): Effect.Effect<RunAnswer> => {
  switch (question._tag) {
    case "StoreGet":
      return Effect.map(reads.entry(question.store, question.key), (entry) => entry ?? null)
    case "StorePage":
      return reads.entries(question.store, question.after, question.hasValues)
    case "StoreSize":
      return reads.size(question.store)
  }
}

/**
 * The runs of a request in one process, one after the other.
 *
 * - R1. The listener hears of a run once, when it has ended, and of no run after one that has not ended.
 * - R2. A run that is ended for a limit, or that says what no component can, is the last. Those behind it are to be asked for
 *   again.
 * - R3. A run is charged what was used while it was under way, or what it tells itself if that was not measured yet.
 */
export class RunAssignment extends Assignment<void, never> {
  readonly mayConnect: boolean
  readonly module: RunRequest["module"]
  readonly programId: string
  readonly #runs: RequestedRuns
  readonly #store: StoreSizes
  /** The run under way: its number, what it did, when it began, and what those before it were charged. */
  #index = -1
  /** The question that is being answered, until the process has taken the answer, and those behind it. */
  readonly #questions: Array<{ readonly ask: number; readonly answer: Effect.Effect<Answer> }> = []
  #record!: RunRecord
  #runAt!: number
  #runNanos!: bigint
  #before = { cpuMs: 0, aloneCpuMs: 0 }
  readonly #unwatch: (() => void) | undefined
  /** The tokens that it has had which no API has refused yet. */
  readonly #unrefused = new Set<string>()

  constructor(tried: Try<void, never>, runs: RequestedRuns) {
    super(tried)
    const { db, module, programId, tokens, trial } = runs.request
    this.mayConnect = trial?.mayConnect ?? true
    this.module = module
    this.programId = programId
    this.#runs = runs
    this.#store = new StoreSizes(db)
    for (const token of Object.values(tokens?.ofProps ?? {})) this.#unrefused.add(nameOf(token))
    this.#unwatch = tokens?.watch((token) => {
      runs.masked.unshift(token.token)
      this.#unrefused.add(nameOf(token))
      this.process.send({ _tag: "Token", ...token })
    })
    this.#beginNext()
  }

  override message(): HostMessage {
    const { limits, parts, request } = this.#runs
    const { additionalProps = {}, call, credentials, db, environment, interfaces, module, programId, props, trial } =
      request
    const bindings = {
      additionalProps,
      props,
      ...(call._tag === "Step" ? { templates: Expression.templatesOf(props) } : {}),
      interfaces,
      credentials,
      tokens: request.tokens?.ofProps ?? {},
      env: environment?.values ?? {},
      db,
      maxDbBytes: limits.dbBytes,
      stores: request.stores?.ids ?? {},
      maxStoreValueBytes: limits.storeValueBytes,
      wallMs: limits.wallMillis,
      maxResponseBytes: limits.responseBytes,
      maxHeaderBytes,
      tellsRequests: trial !== undefined
    }
    return { _tag: "Run", run: this.id, hash: module.hash, programId, call, bindings, ...parts.timeTold() }
  }

  override ask(question: RunQuestion): void {
    const { parts } = this.#runs
    const answerOf = this.#answerOf(question)
    if (answerOf === undefined || this.#questions.length === mostQuestions) return super.ask(question)
    this.#questions.push({ ask: question.ask, answer: answerOf })
    if (this.#questions.length > 1) return
    const answerNext = () => {
      const [next] = this.#questions
      if (next === undefined) return
      parts.fork(
        next.answer.pipe(
          Effect.catchDefect((defect) =>
            Effect.as(Effect.logError("Could not answer a question of a run", defect), { error: unanswerable })
          ),
          Effect.map((answer) =>
            this.process.send({ _tag: "Answer", ask: next.ask, ...answer }, () => {
              this.#questions.shift()
              answerNext()
            })
          )
        )
      )
    }
    answerNext()
  }

  override noteConnection(connection: RunConnection): void {
    this.#record.noteConnection(connection)
  }

  override receive(message: RunMessage | UnreadableMessage): void {
    if (message._tag === "Stopped") return this.#index > 0 ? this.end(Exit.void) : undefined
    const { count, parts, request } = this.#runs
    if (message._tag === "TokenRefused") return this.#refuse(message, request)
    const record = this.#record
    record.hear(message, parts.componentNow(), (response) => this.#runs.respond(response))
    if (!record.ended) return
    // A flood does not stop by itself, and its neighbours are better off elsewhere.
    if (record.limit === "output") {
      this.process.kill("output", "A run exceeded its output limit")
    }
    if (record.limit !== undefined || this.#index + 1 === count) return this.#endLast()
    if (message._tag !== "Ended") {
      // It may not have ended: what it says next is not known to be the next run's.
      this.process.cutOff(this)
      return this.#endLast()
    }
    this.#tell()
    this.#beginNext()
  }

  override watch(now: number): void {
    const { limits, listener } = this.#runs
    listener.look()
    if (now - this.#runAt >= limits.wallMillis) {
      this.process.cutOff(this)
      return this.#exceed("wall")
    }
    if (this.aloneCpuMs - this.#before.aloneCpuMs >= limits.cpuMillis) {
      this.process.kill("cpu", "A run exceeded its processor time limit")
      return this.#exceed("cpu")
    }
    // The run that used the shared time is known once it is the only one left.
    if (this.shared && this.shareCpuMs - this.#before.cpuMs >= limits.cpuMillis) this.process.close()
  }

  override lost(loss: ProcessLoss): void {
    // Results of runs that have ended stay. Those before it in the process may be the reason, so the run under way is
    // done again.
    if (this.#index > 0 && loss.reason !== "shutdown") this.end(Exit.void)
    else super.lost(loss)
  }

  protected override failBy(loss: ProcessLoss): void {
    if (loss.reason === "memory" || loss.reason === "output") return this.#exceed(loss.reason)
    this.#record.fail({ name: "SandboxEnded", message: loss.message, stack: "" })
    this.#endLast()
  }

  protected override end(ending: Exit.Exit<void | ProcessLoss>): void {
    this.#unwatch?.()
    if (Exit.isSuccess(ending) && ending.value instanceof ProcessLoss) this.#runs.spentCpuMs += this.shareCpuMs
    super.end(ending)
  }

  #answerOf(question: RunQuestion): Effect.Effect<Answer> | undefined {
    if ("store" in question) return this.#answerOfStore(question)
    if (question._tag === "FileGet" || question._tag === "FilePut") return this.#answerOfFile(question)
    return this.#runs.request.fileStore?.(question)
  }

  #answerOfStore(question: StoreQuestion): Effect.Effect<Answer> | undefined {
    const { stores } = this.#runs.request
    return stores !== undefined && Object.values(stores.ids).includes(question.store)
      ? Effect.map(answerOfStore(stores.reads, question), (answer) => ({ answer }))
      : undefined
  }

  #answerOfFile(question: FileQuestion): Effect.Effect<Answer> | undefined {
    if (question._tag === "FilePut") {
      const { base64, content, place } = question
      return Effect.map(
        this.#record.files.put(content, place, base64),
        (error) => error === undefined ? { answer: null } : { error }
      )
    }
    const files = this.#filesOf(this.#index)
    return files?.entries.some(({ content }) => content === question.content) === true
      ? Effect.map(
        files.read(question.content, question.place),
        (bytes) => ({ answer: Buffer.from(bytes).toString("base64") })
      )
      : undefined
  }

  #filesOf(index: number): RunFiles | undefined {
    const { call } = this.#runs.request
    return call._tag === "Step" ? call.runs[index]?.files : undefined
  }

  /** Each token that the run has is refused once. */
  #refuse({ account, generation }: RunMessage & { readonly _tag: "TokenRefused" }, { tokens }: RunRequest): void {
    if (this.#unrefused.delete(nameOf({ account, generation }))) tokens?.refused({ account, generation })
  }

  #beginNext(): void {
    const { limits, parts: { clock, real }, request } = this.#runs
    this.#index += 1
    this.#record = new RunRecord(limits, this.#store, this.#runs.masked, request, this.#filesOf(this.#index))
    this.#runAt = real.currentTimeMillisUnsafe()
    this.#runNanos = clock.monotonicTimeNanosUnsafe()
    this.connections = 0
    this.#before = { cpuMs: this.cpuMs, aloneCpuMs: this.aloneCpuMs + this.cpuMs - this.shareCpuMs }
  }

  #tell(): void {
    const { hasResponded, limits, listener, parts, request, spentCpuMs } = this.#runs
    const told = this.shared ? 0 : Math.min(this.#record.reportedCpuMs, limits.cpuMillis)
    const cpuMs = Math.max(this.shareCpuMs - this.#before.cpuMs, told)
    this.cpuMs = this.#before.cpuMs + cpuMs
    this.#runs.spentCpuMs = 0
    const wallMs = Number(parts.clock.monotonicTimeNanosUnsafe() - this.#runNanos) / 1e6
    listener.ended(this.#record.result({
      wallMs,
      ownMs: Math.min(wallMs, this.#record.reportedOwnMs),
      cpuMs: spentCpuMs + cpuMs,
      responded: hasResponded,
      connections: this.connections
    }, request.trial !== undefined))
  }

  #endLast(): void {
    this.#tell()
    this.end(Exit.void)
  }

  #exceed(limit: RunLimit): void {
    this.#record.exceed(limit)
    this.#endLast()
  }
}
