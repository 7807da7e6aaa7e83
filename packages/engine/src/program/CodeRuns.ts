import type { CodelessComponent, Dedupe as Strategy } from "@headwater/domain/Component"
import * as EmitId from "@headwater/domain/EmitId"
import type { LoggedEvent, NewEvent } from "@headwater/domain/Event"
import * as OwnMember from "@headwater/domain/OwnMember"
import { labelOf } from "@headwater/domain/Program"
import * as Stream from "@headwater/domain/Stream"
import { Turns } from "@headwater/domain/Turns"
import { Figures } from "@headwater/log/commit/Figures"
import type { CommitRejected, Submission } from "@headwater/log/commit/Submission"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { DedupeMarks } from "@headwater/log/logs/DedupeMarks"
import type { RunBatch, RunCall, RunRequest, RunResponse, RunResult } from "@headwater/sandbox/Run"
import { Sandbox } from "@headwater/sandbox/Sandbox"
import type { SandboxUnavailable } from "@headwater/sandbox/SandboxPool"
import { Clock, DateTime, Effect, Exit, Metric, Option, Semaphore } from "effect"
import type { CommitParts } from "../ground/EmitterLog.ts"
import { EngineConfig } from "../ground/EngineConfig.ts"
import * as LogText from "../ground/LogText.ts"
import { WideLog } from "../ground/WideLog.ts"
import { type Executable, makeSecretsOf, makeStoredModuleOf } from "./ComponentRuns.ts"
import * as Dedupe from "./Dedupe.ts"
import type { ProgramInput } from "./ProgramInput.ts"
import { interfacesOf, type ProgramMemory } from "./ProgramMemory.ts"
import type { ProgramOwner } from "./ProgramOwner.ts"
import { Quotas } from "./Quotas.ts"
import * as RunEvents from "./RunEvents.ts"

/** One run that has ended: what it came from, and what becomes of what it did. */
export interface EndedRun {
  readonly origin: RunEvents.RunOrigin
  readonly component: CodelessComponent
  readonly result: RunResult
  /** True if a failure goes to `$errors`. */
  readonly isReported?: boolean
  /** True if it counts among the account's invocations. */
  readonly isInvocation?: boolean
  /** The other parts to write, which may depend on the places of the run's own events. */
  readonly parts: CommitParts | ((appended: ReadonlyArray<LoggedEvent>) => CommitParts)
  /** The run's time if it is not the present, in Unix milliseconds. */
  readonly at?: number
  /** Further annotations of the log line about the run. */
  readonly annotations?: Readonly<Record<string, string>>
}

/** Runs the code of one program in the sandbox, and hands over what each run did as one commit. */
export interface CodeRuns {
  readonly execute: (
    memory: ProgramMemory,
    executable: Executable,
    call: RunCall,
    onRespond?: (response: RunResponse) => Effect.Effect<void>
  ) => Effect.Effect<RunResult, SandboxUnavailable>
  /** Begins runs over several events, one after the other. */
  readonly executeBatch: (
    memory: ProgramMemory,
    executable: Executable,
    call: RunCall
  ) => Effect.Effect<RunBatch>
  /** Hands over what runs did, in their order, as one commit. */
  readonly handOver: (
    memory: ProgramMemory,
    runs: readonly [EndedRun, ...ReadonlyArray<EndedRun>]
  ) => Effect.Effect<Submission>
  /** Counts what was used, from now on, and answers what to write of it. */
  readonly use: (
    memory: ProgramMemory,
    used: { readonly invocations: number; readonly computeMs: number }
  ) => Effect.Effect<Required<Pick<CommitParts, "usage">>>
  /** Puts a failure on `$errors`, taking its input with it. */
  readonly fail: (
    memory: ProgramMemory,
    origin: RunEvents.RunOrigin,
    failure: RunEvents.RunFailure,
    parts: CommitParts
  ) => Effect.Effect<Submission>
  /**
   * The database's answer to a commit that it refuses each time, told once: the input is passed with an error, or it would run
   * for ever.
   */
  readonly refusalOf: (id: string) => CommitRejected | undefined
  /** True if the commit of a run over this input is to be its own, since one that it shared was refused. */
  readonly isSuspect: (id: string) => boolean
  readonly noteRefusal: (submission: Submission, ids: ReadonlyArray<string>) => void
}

/** The origin of a run of the program as a whole. */
export const originOf = ({ component, program }: ProgramMemory, input: ProgramInput): RunEvents.RunOrigin => ({
  accountId: program.accountId,
  programId: program.id,
  deploymentId: program.workflow?.deploymentId ?? component.id,
  cellId: program.id,
  input
})

export const unstorable = (what: string, refusal: CommitRejected): RunEvents.RunFailure => ({
  name: "CommitRejected",
  message: `${what} can't be stored: ${String(refusal.cause)}`
})

const runsTotal = Metric.counter("headwater_runs_total", { description: "Runs of component code.", incremental: true })

const runsBy = {
  success: Metric.withAttributes(runsTotal, { outcome: "success" }),
  error: Metric.withAttributes(runsTotal, { outcome: "error" }),
  limit: Metric.withAttributes(runsTotal, { outcome: "limit" })
}

const runDuration = Metric.histogram("headwater_run_duration_seconds", {
  description: "Time from the beginning of a run in the sandbox until its end.",
  boundaries: Metric.boundariesFromIterable([0.001, 0.002, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30, 300])
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

export const make = Effect.fnUntraced(function*(owner: ProgramOwner) {
  const secretsOf = yield* makeSecretsOf
  const moduleOf = yield* makeStoredModuleOf
  const sandbox = yield* Sandbox
  const { publicUrl } = yield* EngineConfig
  const marks = yield* DedupeMarks
  const quotas = yield* Quotas
  const turns = yield* Turns
  const context = yield* Effect.context()
  const wideLog = yield* WideLog
  const figures = yield* Figures
  /** Dedupe looks at what is committed and what is handed over, so deciding and handing over are one step. */
  const deciding = yield* Semaphore.make(1)
  const poison = new Map<string, CommitRejected>()
  const suspects = new Set<string>()

  const requestOf = (memory: ProgramMemory, executable: Executable, call: RunCall): Effect.Effect<RunRequest> =>
    Effect.map(
      secretsOf(memory.program, executable.declared, executable.values),
      (secrets) => ({
        accountId: memory.program.accountId,
        programId: memory.program.id,
        module: moduleOf(executable.component),
        call,
        additionalProps: Object.fromEntries(executable.additionalProps.map((prop) => [prop.name, prop])),
        props: executable.values,
        interfaces: interfacesOf(memory.program, executable.declared, publicUrl),
        ...secrets,
        db: memory.db
      })
    )

  const knownMarks = Effect.fnUntraced(function*(
    memory: ProgramMemory,
    strategy: Strategy,
    runs: ReadonlyArray<EndedRun>
  ) {
    const wanted = Dedupe.marksFor(strategy, runs.flatMap(({ result }) => result.emits.map((emit) => emit.id)))
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

  /** Remembers what a commit under way writes until the database shows it. */
  const remember = (memory: ProgramMemory, result: RunResult, added: RunEvents.RunEvents) => {
    for (const [key, value] of Object.entries(result.db)) {
      if (value === null) delete memory.db[key]
      else OwnMember.set(memory.db, key, value)
    }
    for (const { mark, value } of added.marks) memory.marks.set(mark, value)
    return () => {
      for (const { mark, value } of added.marks) {
        if (memory.marks.get(mark) === value) memory.marks.delete(mark)
      }
    }
  }

  const report = (memory: ProgramMemory, run: EndedRun, events: number) => {
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

  const use: CodeRuns["use"] = ({ program: { accountId, id } }, used) =>
    Effect.map(DateTime.now, (now) => {
      quotas.note(accountId, used)
      return { usage: [{ emitterId: id, accountId, day: DateTime.formatIsoDateUtc(now), ...used }] }
    })

  const noteRefusal: CodeRuns["noteRefusal"] = (submission, ids) =>
    submission.onEnd((exit) => {
      for (const id of ids) suspects.delete(id)
      if (Exit.isSuccess(exit)) return
      const refusal = Exit.findErrorOption(exit)
      if (Option.isNone(refusal) || refusal.value._tag !== "CommitRejected") return
      const [first, ...others] = ids
      if (others.length === 0) poison.set(first!, refusal.value)
      else for (const id of ids) suspects.add(id)
    })

  return {
    execute: (memory, executable, call, onRespond) =>
      Effect.flatMap(
        requestOf(memory, executable, call),
        (request) => sandbox.run({ ...request, ...(onRespond === undefined ? {} : { onRespond }) })
      ),
    executeBatch: (memory, executable, call) =>
      Effect.flatMap(requestOf(memory, executable, call), (request) => sandbox.runBatch(request)),
    handOver: Effect.fnUntraced(function*(memory, runs) {
      const [{ component }] = runs
      const { program } = memory
      const now = yield* Clock.currentTimeMillis
      const known = new Map(component.dedupe === null ? noMarks : yield* knownMarks(memory, component.dedupe, runs))
      const made: Array<RunEvents.RunEvents> = []
      const events: Array<NewEvent> = []
      const forgetMarks: Array<() => void> = []
      const streams = new Set(Object.keys(memory.log.head.streams))
      let used = { invocations: 0, computeMs: 0 }
      for (const { at, isInvocation = true, isReported, origin, result } of runs) {
        const one = yield* turns.work(
          program.accountId,
          RunEvents.make({
            origin,
            result,
            strategy: component.dedupe,
            known,
            streams,
            now: at ?? now,
            emitId: EmitId.make,
            ...(isReported === undefined ? {} : { isReported })
          })
        )
        made.push(one)
        events.push(...(at === undefined ? one.events : one.events.map((event) => ({ ...event, at }))))
        for (const { mark, value } of one.marks) known.set(mark, value)
        forgetMarks.push(remember(memory, result, one))
        used = {
          invocations: used.invocations + (isInvocation ? 1 : 0),
          computeMs: used.computeMs + Math.ceil(result.wallMs)
        }
      }
      const usage = yield* use(memory, used)
      const submission = yield* owner.commit(memory, events, (appended) => {
        let from = 0
        const parts: ReadonlyArray<CommitParts> = runs.map(({ parts }, index) => {
          const own = appended.slice(from, from + made[index]!.events.length)
          from += own.length
          return typeof parts === "function" ? parts(own) : parts
        })
        return {
          ...mergeParts(parts),
          duePut: [...parts.flatMap(({ duePut = [] }) => duePut), ...made.flatMap(({ delayed }) => delayed)],
          marks: made.flatMap(({ marks }) => marks),
          state: runs.flatMap(({ result }) =>
            Object.entries(result.db).map(([key, value]) => ({ programId: program.id, key, value }))
          ),
          ...usage
        }
      })
      submission.onEnd(() => {
        for (const forget of forgetMarks) forget()
      })
      for (const [index, run] of runs.entries()) report(memory, run, made[index]!.events.length)
      return submission
    }, deciding.withPermits(1)),
    fail: Effect.fnUntraced(function*(memory, origin, failure, parts) {
      const now = yield* Clock.currentTimeMillis
      return yield* owner.commit(memory, [{
        stream: Stream.errors,
        emitId: EmitId.make(),
        hops: RunEvents.errorHops(origin),
        meta: {},
        cause: origin.input.cause,
        payload: RunEvents.errorPayload(origin, now, failure)
      }], parts)
    }),
    use,
    refusalOf: (id) => {
      const refusal = poison.get(id)
      poison.delete(id)
      return refusal
    },
    isSuspect: (id) => suspects.has(id),
    noteRefusal
  } satisfies CodeRuns as CodeRuns
})
