import type { CodelessComponent, Dedupe as Strategy } from "@headwater/domain/Component"
import * as EmitId from "@headwater/domain/EmitId"
import type { LoggedEvent } from "@headwater/domain/Event"
import * as OwnMember from "@headwater/domain/OwnMember"
import { labelOf } from "@headwater/domain/Program"
import * as Stream from "@headwater/domain/Stream"
import { type Steps, Turns } from "@headwater/domain/Turns"
import { Figures } from "@headwater/log/commit/Figures"
import type { CommitRejected, Submission } from "@headwater/log/commit/Submission"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { DedupeMarks } from "@headwater/log/logs/DedupeMarks"
import { DataStoreEntries } from "@headwater/log/resources/DataStoreEntries"
import { noRuns, type RunCounts } from "@headwater/log/work/RunBooks"
import type { RunBatch, RunCall, RunRequest, RunResponse, RunResult } from "@headwater/sandbox/Run"
import { Sandbox } from "@headwater/sandbox/Sandbox"
import type { SandboxUnavailable } from "@headwater/sandbox/SandboxPool"
import { Clock, DateTime, Effect, Exit, Metric, Option, Semaphore } from "effect"
import type { CommitParts } from "../ground/EmitterLog.ts"
import { EngineConfig } from "../ground/EngineConfig.ts"
import * as LogText from "../ground/LogText.ts"
import { WideLog } from "../ground/WideLog.ts"
import { type Executable, makeGivenOf, makeStoredModuleOf } from "./ComponentRuns.ts"
import * as Dedupe from "./Dedupe.ts"
import { FailureNotices } from "./FailureNotices.ts"
import * as InitialState from "./InitialState.ts"
import type { ProgramInput } from "./ProgramInput.ts"
import { interfacesOf, limitsOf, type ProgramMemory } from "./ProgramMemory.ts"
import type { ProgramOwner } from "./ProgramOwner.ts"
import { Quotas } from "./Quotas.ts"
import * as RunEvents from "./RunEvents.ts"
import { type DataStoresFull, StoreRoom } from "./StoreRoom.ts"

/** One run that has ended: what it came from, and what becomes of what it did. */
export interface EndedRun {
  readonly origin: RunEvents.RunOrigin
  readonly component: CodelessComponent
  readonly result: RunResult
  /** True if a failure goes to `$errors`. */
  readonly isReported?: boolean
  /** The failure that a workflow's run has ended with. */
  readonly failure?: RunEvents.RunFailure | undefined
  /** True if it counts among the account's invocations. */
  readonly isInvocation?: boolean
  /** The other parts to write, which may depend on the places of the run's own events. */
  readonly parts: CommitParts | ((appended: ReadonlyArray<LoggedEvent>) => CommitParts)
  /** The run's time if it is not the present, in Unix milliseconds. */
  readonly at?: number
  /** Further annotations of the log line about the run. */
  readonly annotations?: Readonly<Record<string, string>>
}

/** The origin of a run of the program as a whole. */
export const originOf = ({ component, program }: ProgramMemory, input: ProgramInput): RunEvents.RunOrigin => ({
  accountId: program.accountId,
  programId: program.id,
  deploymentId: program.workflow?.deploymentId ?? component.id,
  cellId: program.id,
  input: program.shadow ? { ...input, isShadow: true } : input
})

export const unstorable = (what: string, refusal: CommitRejected): RunEvents.RunFailure => ({
  name: "CommitRejected",
  message: `${what} can't be stored: ${String(refusal.cause)}`
})

const runsTotal = (outcome: RunResult["outcome"]) =>
  Metric.counter("headwater_runs_total", {
    description: "Runs of component code.",
    incremental: true,
    attributes: { outcome }
  })

const runsBy = { success: runsTotal("success"), error: runsTotal("error"), limit: runsTotal("limit") }

const runDuration = Metric.histogram("headwater_run_duration_seconds", {
  description: "Time from the beginning of a run in the sandbox until its end.",
  boundaries: Metric.boundariesFromIterable([0.001, 0.002, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30, 300])
})

/** A run that fails since there is no room for what it wrote to data stores. */
const withoutRoom = (result: RunResult, { _tag: name, message }: DataStoresFull): RunResult => ({
  ...result,
  stores: [],
  outcome: "error",
  error: { name, message, stack: "" }
})

/** An id that is emitted again and again stays remembered: its time is written anew once a day, in milliseconds. */
const rememberAgainMs = 24 * 3_600_000

const noMarks: ReadonlyMap<string, string> = new Map()

/** Of several runs each only takes its input, and is recorded where it is a workflow's; a single run does all that it has. */
const mergeParts = (parts: ReadonlyArray<CommitParts>): CommitParts =>
  parts.length === 1 ? parts[0]! : {
    moves: parts.flatMap(({ moves = [] }) => moves),
    runs: parts.flatMap(({ runs = [] }) => runs),
    runChanges: parts.flatMap(({ runChanges = [] }) => runChanges),
    steps: parts.flatMap(({ steps = [] }) => steps),
    updates: parts.flatMap(({ updates = [] }) => updates)
  }

/** The runs of a source over inputs, and if they failed. A hook is none, and what is refused to a workflow is no run of it. */
const sourceRunsOf = (
  { program }: ProgramMemory,
  runs: ReadonlyArray<readonly [RunEvents.RunOrigin, boolean]>
): RunCounts => {
  if (program.workflow !== null) return noRuns
  const inputs = runs.filter(([{ input }]) => input.kind !== "HOOK")
  const failed = inputs.filter(([, hasFailed]) => hasFailed).length
  return { received: inputs.length, done: inputs.length - failed, failed, cancelled: 0 }
}

const services = Effect.all({
  config: EngineConfig,
  context: Effect.context<never>(),
  storeEntries: DataStoreEntries,
  figures: Figures,
  marks: DedupeMarks,
  moduleOf: makeStoredModuleOf,
  notices: FailureNotices.make,
  quotas: Quotas,
  sandbox: Sandbox,
  storeRoom: StoreRoom,
  givenOf: makeGivenOf,
  turns: Turns,
  wideLog: WideLog
})

type Runs = readonly [EndedRun, ...ReadonlyArray<EndedRun>]

/**
 * Makes the events of runs, in their order. Each run knows what those before it have set and marked.
 *
 * @param known the dedupe marks that decide, to which those of the runs are added
 */
function* makeEvents(
  memory: ProgramMemory,
  runs: Runs,
  known: Map<string, string>,
  now: number
): Steps<ReadonlyArray<RunEvents.RunEvents>> {
  const strategy = runs[0].component.dedupe
  const streams = new Set(Object.keys(memory.log.head.streams))
  const made: Array<RunEvents.RunEvents> = []
  for (const { at, isReported, origin, result } of runs) {
    const one = yield* RunEvents.make({
      origin,
      result,
      strategy,
      known,
      beginning: InitialState.beginningOf(memory.program, known),
      streams,
      now: at ?? now,
      emitId: EmitId.make,
      ...(isReported === undefined ? {} : { isReported })
    })
    for (const [key, value] of Object.entries(result.db)) {
      if (value === null) delete memory.db[key]
      else OwnMember.set(memory.db, key, value)
    }
    for (const { mark, value } of one.marks) {
      known.set(mark, value)
      memory.marks.set(mark, value)
    }
    made.push(one)
  }
  return made
}

/**
 * Runs the code of one program in the sandbox, and hands over what each run did as one commit.
 *
 * - E1. Dedupe looks at what is committed and what is handed over, so deciding and handing over are one step, under `deciding`.
 * - E2. Memory has what a commit under way writes until the database shows it.
 * - E3. If the database refuses the commit of a run each time, its input is passed with an error, or it would run for ever. If
 *   runs shared that commit, each of them gets a commit of its own first.
 */
export class CodeRuns {
  private readonly deciding = Semaphore.makeUnsafe(1)
  private readonly owner: ProgramOwner
  private readonly refusals = new Map<string, CommitRejected>()
  private readonly services: Effect.Success<typeof services>
  private readonly suspects = new Set<string>()

  private constructor(owner: ProgramOwner, parts: Effect.Success<typeof services>) {
    this.owner = owner
    this.services = parts
  }

  static readonly make = (owner: ProgramOwner) => Effect.map(services, (services) => new CodeRuns(owner, services))

  execute(
    memory: ProgramMemory,
    executable: Executable,
    call: RunCall,
    onRespond?: (response: RunResponse) => Effect.Effect<void>
  ): Effect.Effect<RunResult, SandboxUnavailable> {
    return Effect.flatMap(
      this.requestOf(memory, executable, call),
      (request) => this.services.sandbox.run({ ...request, ...(onRespond === undefined ? {} : { onRespond }) })
    ).pipe(
      Effect.flatMap((result) =>
        Effect.match(this.services.storeRoom.take(memory.program.accountId, result.stores), {
          onSuccess: () => result,
          onFailure: (full) => withoutRoom(result, full)
        })
      )
    )
  }

  /** Begins runs over several events, one after the other. */
  executeBatch(memory: ProgramMemory, executable: Executable, call: RunCall): Effect.Effect<RunBatch> {
    return Effect.flatMap(
      this.requestOf(memory, executable, call),
      (request) => this.services.sandbox.runBatch(request)
    )
  }

  /** Hands over what runs did, in their order, as one commit. */
  handOver(memory: ProgramMemory, runs: Runs): Effect.Effect<Submission> {
    return this.deciding.withPermits(1)(Effect.gen({ self: this }, function*() {
      const made = yield* this.eventsOf(memory, runs)
      const events = made.flatMap(({ events }, index) => {
        const { at } = runs[index]!
        return at === undefined ? events : events.map((event) => ({ ...event, at }))
      })
      const usage = yield* this.use(memory, {
        invocations: runs.filter(({ isInvocation = true }) => isInvocation).length,
        computeMs: runs.reduce((sum, { result }) => sum + Math.ceil(result.wallMs), 0)
      })
      const marks = made.flatMap(({ marks }) => marks)
      const { updates: stored, ...storing } = this.services.storeEntries.write(
        runs.flatMap(({ result }) => result.stores),
        yield* Clock.currentTimeMillis
      )
      const submission = yield* this.owner.commit(memory, events, (appended) => {
        let from = 0
        const parts: ReadonlyArray<CommitParts> = runs.map(({ parts }, index) => {
          const own = appended.slice(from, from + made[index]!.events.length)
          from += own.length
          return typeof parts === "function" ? parts(own) : parts
        })
        const merged = mergeParts(parts)
        return {
          ...merged,
          ...storing,
          updates: [...merged.updates ?? [], ...stored],
          duePut: [...parts.flatMap(({ duePut = [] }) => duePut), ...made.flatMap(({ delayed }) => delayed)],
          marks,
          sourceRuns: sourceRunsOf(memory, runs.map(({ origin, result }) => [origin, result.outcome !== "success"])),
          state: runs.flatMap(({ result }) =>
            Object.entries(result.db).map(([key, value]) => ({ programId: memory.program.id, key, value }))
          ),
          ...usage
        }
      })
      submission.onEnd(() => {
        for (const { mark, value } of marks) {
          if (memory.marks.get(mark) === value) memory.marks.delete(mark)
        }
      })
      for (const [index, run] of runs.entries()) this.report(memory, run, made[index]!.events.length)
      return submission
    }))
  }

  /** Counts what was used, from now on, and answers what to write of it. */
  use(
    { program: { accountId, id } }: ProgramMemory,
    used: { readonly invocations: number; readonly computeMs: number }
  ): Effect.Effect<Required<Pick<CommitParts, "usage">>> {
    return Effect.map(DateTime.now, (now) => {
      this.services.quotas.note(accountId, used)
      return { usage: [{ emitterId: id, accountId, day: DateTime.formatIsoDateUtc(now), ...used }] }
    })
  }

  /** Puts a failure on `$errors`, taking its input with it. */
  fail(
    memory: ProgramMemory,
    origin: RunEvents.RunOrigin,
    failure: RunEvents.RunFailure,
    parts: CommitParts
  ): Effect.Effect<Submission> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) =>
      this.owner.commit(memory, [{
        stream: Stream.errors,
        emitId: EmitId.make(),
        hops: RunEvents.errorHops(origin),
        meta: RunEvents.metaOf(origin),
        cause: origin.input.cause,
        payload: RunEvents.errorPayload(origin, now, failure)
      }], { ...parts, sourceRuns: sourceRunsOf(memory, [[origin, true]]) }))
  }

  /** The database's answer to a commit of the run over an input that it refuses each time. Told once. */
  refusalOf(id: string): CommitRejected | undefined {
    const refusal = this.refusals.get(id)
    this.refusals.delete(id)
    return refusal
  }

  /** True if the commit of a run over this input is to be its own, since one that it shared was refused. */
  isSuspect(id: string): boolean {
    return this.suspects.has(id)
  }

  /** @param ids the inputs of the runs that share the commit */
  noteRefusal(submission: Submission, ids: ReadonlyArray<string>): void {
    submission.onEnd((exit) => {
      for (const id of ids) this.suspects.delete(id)
      if (Exit.isSuccess(exit)) return
      const refusal = Exit.findErrorOption(exit)
      if (Option.isNone(refusal) || refusal.value._tag !== "CommitRejected") return
      if (ids.length === 1) this.refusals.set(ids[0]!, refusal.value)
      else for (const id of ids) this.suspects.add(id)
    })
  }

  private requestOf(memory: ProgramMemory, executable: Executable, call: RunCall): Effect.Effect<RunRequest> {
    const { config, moduleOf, givenOf } = this.services
    const { db, program } = memory
    const { additionalProps, component, declared, values } = executable
    return Effect.map(givenOf(program, declared, values), (given) => ({
      accountId: program.accountId,
      programId: program.id,
      module: moduleOf(component),
      call,
      additionalProps: Object.fromEntries(additionalProps.map((prop) => [prop.name, prop])),
      props: values,
      interfaces: interfacesOf(program, declared, config),
      ...given,
      limits: limitsOf(program),
      db
    }))
  }

  private eventsOf(memory: ProgramMemory, runs: Runs): Effect.Effect<ReadonlyArray<RunEvents.RunEvents>> {
    return Effect.gen({ self: this }, function*() {
      const now = yield* Clock.currentTimeMillis
      const known = new Map(yield* this.knownMarks(memory, runs[0].component.dedupe, runs))
      const made = yield* this.services.turns.work(memory.program.accountId, makeEvents(memory, runs, known, now))
      return yield* this.services.notices.add(memory, runs, made)
    })
  }

  private knownMarks(
    memory: ProgramMemory,
    strategy: Strategy | null,
    runs: Runs
  ): Effect.Effect<ReadonlyMap<string, string>> {
    return Effect.gen({ self: this }, function*() {
      const { marks } = this.services
      const ids = runs.flatMap(({ result }) => result.emits.map((emit) => emit.id))
      const wanted = [
        ...(strategy === null ? [] : Dedupe.marksFor(strategy, ids)),
        ...InitialState.marksFor(memory.program)
      ]
      if (wanted.length === 0) return noMarks
      // A commit that ends while the database answers is in one of the three.
      const before = new Map(memory.marks)
      const known = yield* untilAnswered(marks.known(memory.program.id, wanted))
      const now = yield* Clock.currentTimeMillis
      const fading = known.filter(({ seenAt }) => now - seenAt > rememberAgainMs)
      if (fading.length > 0) {
        yield* untilAnswered(marks.touch(memory.program.id, fading.map(({ mark }) => mark), now))
      }
      return new Map([...known.map(({ mark, value }) => [mark, value] as const), ...before, ...memory.marks])
    })
  }

  private report(memory: ProgramMemory, run: EndedRun, events: number): void {
    const { context, figures, wideLog } = this.services
    const { annotations, component, origin, result } = run
    runsBy[result.outcome].updateUnsafe(1, context)
    runDuration.updateUnsafe(result.wallMs / 1_000, context)
    figures.noteRun(memory.program.accountId, memory.program.id, result.outcome !== "success", result.wallMs)
    wideLog.write({
      message: "run",
      isFailure: result.outcome !== "success",
      fields: {
        account_id: memory.program.accountId,
        ...labelOf(memory.program.id),
        component_id: component.id,
        ...annotations,
        input: origin.input.kind,
        input_id: origin.input.id,
        outcome: result.outcome,
        limit: result.limit,
        error: result.error && LogText.make(`${result.error.name}: ${result.error.message}`),
        wall_ms: Math.round(result.wallMs),
        cpu_ms: Math.round(result.cpuMs),
        emits: result.emits.length,
        events
      }
    }, context)
  }
}
