import type { Dedupe as Strategy } from "@headwater/domain/Component"
import * as EmitId from "@headwater/domain/EmitId"
import { maxHops } from "@headwater/domain/Event"
import * as EventId from "@headwater/domain/EventId"
import * as Stream from "@headwater/domain/Stream"
import * as CrashPoint from "@headwater/log/CrashPoint"
import type { CursorMove } from "@headwater/log/Cursors"
import { DedupeMarks } from "@headwater/log/DedupeMarks"
import type { DueItem } from "@headwater/log/DueWork"
import { EventLog } from "@headwater/log/EventLog"
import type { CommitError, CommitRejected } from "@headwater/log/GroupCommit"
import type { Submission } from "@headwater/log/Submission"
import type { RunCall, RunResponse, RunResult } from "@headwater/sandbox/Run"
import { Sandbox } from "@headwater/sandbox/Sandbox"
import type { SandboxUnavailable } from "@headwater/sandbox/SandboxPool"
import { Clock, DateTime, Effect, Exit, Metric, Option, Semaphore } from "effect"
import { makeCredentialsOf, moduleOf } from "./ComponentRuns.ts"
import { untilAnswered } from "./DatabaseRetry.ts"
import * as Dedupe from "./Dedupe.ts"
import * as DueEmits from "./DueEmits.ts"
import { EngineConfig } from "./EngineConfig.ts"
import { HookFailed } from "./HookFailed.ts"
import * as LogText from "./LogText.ts"
import { type QuotaExceeded, Quotas } from "./Quotas.ts"
import * as RunEvents from "./RunEvents.ts"
import type { SourceInput } from "./SourceInput.ts"
import { interfacesOf, propValues, repeatWindowMs, type SourceMemory } from "./SourceMemory.ts"
import type { SourceOwner } from "./SourceOwner.ts"

export type Hook = "deploy" | "activate" | "deactivate"

/** Runs a source's code and hands over what each run did, as one commit. */
export interface SourceRuns {
  /** Runs an input. Where the sandbox can't, nothing is taken and the input is still to be run. */
  readonly run: (
    memory: SourceMemory,
    input: SourceInput,
    onRespond: (response: RunResponse) => Effect.Effect<void>
  ) => Effect.Effect<void, SandboxUnavailable>
  /** Takes an input without running it, and says why. */
  readonly refuse: (memory: SourceMemory, input: SourceInput, reason: QuotaExceeded) => Effect.Effect<void>
  /** Runs a hook to its commit. One that fails writes nothing; what it emits may be left out. */
  readonly hook: (
    memory: SourceMemory,
    hook: Hook,
    emits?: boolean
  ) => Effect.Effect<void, HookFailed | SandboxUnavailable>
  /** Passes requests that had come too far round to be run, and says so. */
  readonly passRequests: (memory: SourceMemory, move: CursorMove) => Effect.Effect<void>
  /** Appends a delayed emit whose time has come. */
  readonly append: (memory: SourceMemory, item: DueItem) => Effect.Effect<void>
  /** Puts the failure of a hook on `$errors`. */
  readonly report: (memory: SourceMemory, hook: Hook, failure: HookFailed) => Effect.Effect<void>
}

/** Requests are pruned behind the cursor in bites of this many: with every run it would cost most of the append rate. */
const pruneEvery = 200

const runsTotal = Metric.counter("headwater_runs_total", { description: "Runs of component code.", incremental: true })

const runsBy = {
  success: Metric.withAttributes(runsTotal, { outcome: "success" }),
  error: Metric.withAttributes(runsTotal, { outcome: "error" }),
  limit: Metric.withAttributes(runsTotal, { outcome: "limit" })
}

const runDuration = Metric.histogram("headwater_run_duration_seconds", {
  description: "From when a run begins in the sandbox until it ends.",
  boundaries: Metric.boundariesFromIterable([0.001, 0.002, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30, 300])
})

/** An id that is emitted again and again stays remembered: its time is written anew once a day, in milliseconds. */
const rememberAgainMs = 24 * 3_600_000

const noMarks: ReadonlyMap<string, string> = new Map()

const hookInput = (hook: Hook, at: number): SourceInput => ({
  kind: "HOOK",
  eventJson: JSON.stringify({ hook }),
  id: `${hook}-${at}`,
  at,
  hops: 0,
  take: () => ({})
})

export const make = Effect.fnUntraced(function*(owner: SourceOwner) {
  const credentialsOf = yield* makeCredentialsOf
  const sandbox = yield* Sandbox
  const { publicUrl } = yield* EngineConfig
  const marks = yield* DedupeMarks
  const log = yield* EventLog
  const quotas = yield* Quotas
  const metricContext = yield* Effect.context()
  /** Dedupe looks at what is committed and what is handed over, so deciding and handing over are one step. */
  const deciding = yield* Semaphore.make(1)
  /** Inputs whose commit the database refused: they are passed with an error, or they would run for ever. */
  const poison = new Map<string, CommitRejected>()
  let unpruned = 0

  const execute = (memory: SourceMemory, call: RunCall, onRespond?: (response: RunResponse) => Effect.Effect<void>) =>
    Effect.flatMap(
      credentialsOf(memory.source.accountId, memory.declared, memory.source.props),
      (credentials) =>
        sandbox.run({
          accountId: memory.source.accountId,
          sourceId: memory.source.id,
          module: moduleOf(memory.component),
          call,
          additionalProps: Object.fromEntries(memory.source.additionalProps.map((prop) => [prop.name, prop])),
          props: propValues(memory.source),
          interfaces: interfacesOf(memory, publicUrl),
          credentials,
          db: memory.db,
          ...(onRespond === undefined ? {} : { onRespond })
        })
    )

  const knownMarks = Effect.fnUntraced(function*(memory: SourceMemory, strategy: Strategy, result: RunResult) {
    const wanted = Dedupe.marksFor(strategy, result.emits.map((emit) => emit.id))
    if (wanted.length === 0) return noMarks
    // A commit that ends while the database answers is in one of the three.
    const before = new Map(memory.marks)
    const known = yield* untilAnswered(marks.known(memory.source.id, wanted))
    const now = yield* Clock.currentTimeMillis
    const fading = known.filter(({ seenAt }) => now - seenAt > rememberAgainMs)
    if (fading.length > 0) {
      yield* untilAnswered(marks.touch(memory.source.id, fading.map(({ mark }) => mark), now))
    }
    return new Map([...known.map(({ mark, value }) => [mark, value] as const), ...before, ...memory.marks])
  })

  /** Remembers what a commit under way writes until the database shows it. */
  const remember = (memory: SourceMemory, result: RunResult, added: RunEvents.RunEvents) => {
    for (const [key, value] of Object.entries(result.db)) {
      if (value === null) delete memory.db[key]
      else memory.db[key] = value
    }
    for (const { mark, value } of added.marks) memory.marks.set(mark, value)
    return () => {
      for (const { mark, value } of added.marks) {
        if (memory.marks.get(mark) === value) memory.marks.delete(mark)
      }
    }
  }

  /** Old requests that the cursor has passed; those of the last minute still answer repeats. */
  const prune = Effect.fnUntraced(function*(memory: SourceMemory, passed: EventId.EventId) {
    if (++unpruned < pruneEvery) return
    unpruned = 0
    const old = EventId.make((yield* Clock.currentTimeMillis) - repeatWindowMs, 0)
    const until = old < passed ? old : passed
    for (const [emitId, id] of memory.recent) {
      if (id > old) break
      memory.recent.delete(emitId)
    }
    yield* untilAnswered(log.prune({ emitterId: memory.source.id, stream: Stream.requests }, until))
  })

  /** Notes what the database would refuse each time, when it has. */
  const noteRefusal = (submission: Submission<CommitError>, id: string) =>
    submission.onEnd((exit) => {
      const refusal = Exit.findErrorOption(exit)
      if (Option.isSome(refusal) && refusal.value._tag === "CommitRejected") poison.set(id, refusal.value)
    })

  const handOver = Effect.fnUntraced(function*(
    memory: SourceMemory,
    input: SourceInput,
    result: RunResult
  ) {
    const now = yield* Clock.currentTimeMillis
    const { component, source } = memory
    const known = component.dedupe === null ? noMarks : yield* knownMarks(memory, component.dedupe, result)
    const run = RunEvents.make({
      origin: { accountId: source.accountId, sourceId: source.id, componentId: component.id, input },
      result,
      strategy: component.dedupe,
      known,
      streams: memory.log.head().streams,
      now,
      emitId: EmitId.make
    })
    const written = remember(memory, result, run)
    // Taken before it stands in line, so that the next look does not find the same input again.
    const taken = input.take()
    const computeMs = Math.ceil(result.wallMs)
    const submission = yield* owner.commit(memory, run.events, {
      ...taken,
      duePut: [...(taken.duePut ?? []), ...run.delayed],
      marks: run.marks,
      state: Object.entries(result.db).map(([key, value]) => ({ sourceId: source.id, key, value })),
      usage: [{
        emitterId: source.id,
        accountId: source.accountId,
        day: DateTime.formatIsoDateUtc(DateTime.makeUnsafe(now)),
        invocations: 1,
        computeMs
      }]
    })
    quotas.note(source.accountId, { computeMs })
    runsBy[result.outcome].updateUnsafe(1, metricContext)
    runDuration.updateUnsafe(result.wallMs / 1_000, metricContext)
    noteRefusal(submission, input.id)
    submission.onEnd(written)
    yield* Effect.logInfo("run").pipe(Effect.annotateLogs({
      account_id: source.accountId,
      source_id: source.id,
      component_id: component.id,
      input: input.kind,
      input_id: input.id,
      outcome: result.outcome,
      ...(result.limit === undefined ? {} : { limit: result.limit }),
      ...(result.error === undefined ? {} : { error: LogText.make(`${result.error.name}: ${result.error.message}`) }),
      wall_ms: Math.round(result.wallMs),
      cpu_ms: Math.round(result.cpuMs),
      emits: result.emits.length,
      events: run.events.length
    }))
    return submission
  }, deciding.withPermits(1))

  /** Puts a failure on `$errors`, taking the input with it. */
  const fail = Effect.fnUntraced(function*(
    memory: SourceMemory,
    input: SourceInput,
    failure: RunEvents.RunFailure
  ) {
    const { component, source } = memory
    const now = yield* Clock.currentTimeMillis
    const origin = { accountId: source.accountId, sourceId: source.id, componentId: component.id, input }
    yield* owner.commit(memory, [{
      stream: Stream.errors,
      emitId: EmitId.make(),
      hops: input.hops + 1,
      meta: {},
      payload: RunEvents.errorPayload(origin, now, failure)
    }], input.take())
  })

  return {
    run: Effect.fnUntraced(function*(memory, input, onRespond) {
      const refusal = poison.get(input.id)
      if (refusal !== undefined) {
        poison.delete(input.id)
        return yield* fail(memory, input, {
          name: "CommitRejected",
          message: `what the run did can't be stored: ${String(refusal.cause)}`
        })
      }
      CrashPoint.reached("run-chosen")
      const result = yield* execute(
        memory,
        { _tag: "Run", eventJson: input.eventJson, isRequest: input.kind === "HTTP" },
        onRespond
      )
      CrashPoint.reached("run-ended")
      yield* handOver(memory, input, result)
      if (input.request !== undefined) yield* prune(memory, input.request.id)
    }),
    refuse: (memory, input, reason) => fail(memory, input, { name: reason._tag, message: reason.message }),
    hook: Effect.fnUntraced(function*(memory, hook, emits = true) {
      if (!memory.component.hooks.includes(hook)) return
      const at = yield* Clock.currentTimeMillis
      const result = yield* execute(memory, { _tag: "Hook", hook })
      const failure = RunEvents.failureOf(result)
      if (failure !== undefined) {
        const { column, line } = result.error ?? {}
        return yield* new HookFailed({
          hook,
          message: failure.message,
          stack: failure.stack,
          line,
          column
        })
      }
      const submission = yield* handOver(memory, hookInput(hook, at), emits ? result : { ...result, emits: [] })
      yield* submission.durable.pipe(
        Effect.mapError((error) =>
          new HookFailed({ hook, message: `what it did could not be saved: ${error.message}` })
        )
      )
    }),
    passRequests: Effect.fnUntraced(function*(memory, move) {
      const at = yield* Clock.currentTimeMillis
      yield* fail(memory, {
        kind: "HTTP",
        eventJson: "{}",
        id: EventId.format(move.to.id),
        at,
        hops: maxHops,
        take: () => ({ moves: [move] })
      }, RunEvents.hopLimit(maxHops))
    }),
    append: Effect.fnUntraced(function*(memory, item) {
      CrashPoint.reached("emit-due")
      const id = `${item.kind} ${item.key}`
      const refusal = poison.get(id)
      if (refusal === undefined) {
        const events = yield* DueEmits.decode([item])
        noteRefusal(yield* owner.commit(memory, events, { dueDone: [item] }), id)
        return
      }
      poison.delete(id)
      const at = yield* Clock.currentTimeMillis
      yield* fail(memory, {
        kind: "TIMER",
        eventJson: "{}",
        id,
        at,
        hops: 0,
        take: () => ({ dueDone: [item] })
      }, { name: "CommitRejected", message: `a delayed event can't be stored: ${String(refusal.cause)}` })
    }),
    report: Effect.fnUntraced(function*(memory, hook, failure) {
      const at = yield* Clock.currentTimeMillis
      yield* fail(memory, hookInput(hook, at), {
        name: failure._tag,
        message: failure.message,
        ...(failure.stack === undefined ? {} : { stack: failure.stack })
      })
    })
  } satisfies SourceRuns as SourceRuns
})
