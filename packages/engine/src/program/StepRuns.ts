import type { EventCause } from "@headwater/domain/Event"
import * as EventId from "@headwater/domain/EventId"
import * as Id from "@headwater/domain/Id"
import { maxComponentDepth } from "@headwater/domain/JsonDepth"
import * as Storable from "@headwater/domain/Storable"
import * as Stream from "@headwater/domain/Stream"
import { defaultSettings, type WorkflowSettings } from "@headwater/domain/Workflow"
import { Components } from "@headwater/log/Components"
import * as CrashPoint from "@headwater/log/CrashPoint"
import { Deployments } from "@headwater/log/Deployments"
import type { DueItem } from "@headwater/log/DueWork"
import {
  type RunFault,
  type RunProgress,
  type RunTrigger,
  type StepRecord,
  type WorkflowRun,
  WorkflowRuns
} from "@headwater/log/WorkflowRuns"
import type { RunResponse, RunResult } from "@headwater/sandbox/Run"
import type { SandboxUnavailable } from "@headwater/sandbox/SandboxPool"
import * as StepAnswer from "@headwater/sandbox/StepAnswer"
import { Clock, Effect, Exit, Option, Schema, Semaphore } from "effect"
import { SecureRandom } from "effect/crypto"
import { untilAnswered } from "../DatabaseRetry.ts"
import type { CommitParts } from "../EmitterLog.ts"
import { EngineLimits } from "../EngineLimits.ts"
import type { Unavailable } from "../placement/Unavailable.ts"
import { type CodeRuns, originOf, unstorable } from "./CodeRuns.ts"
import type { Executable } from "./ComponentRuns.ts"
import type { ProgramInput } from "./ProgramInput.ts"
import { executableOf, type ProgramMemory, valuesOf } from "./ProgramMemory.ts"
import type { ProgramNotFound } from "./ProgramOwner.ts"
import type { ProgramOwner } from "./ProgramOwner.ts"
import { changingOwners } from "./ProgramRequests.ts"
import * as RunEvents from "./RunEvents.ts"
import {
  callOf,
  isOfEndpoint,
  make as makeProgress,
  noteResult,
  of as progressOf,
  type WorkflowProgress
} from "./WorkflowProgress.ts"

/** Begins a workflow's runs and takes them from step to step, each of which commits by itself. */
export interface StepRuns {
  /** Takes an input: from here on it is a run, which goes on until it ends, whatever happens. */
  readonly begin: (memory: ProgramMemory, input: ProgramInput) => Effect.Effect<void>
  /**
   * Ends a run that waits, for good. Returns once that is durable.
   *
   * @param onCancelled tells who waits for its response
   */
  readonly cancel: (
    memory: ProgramMemory,
    id: Id.RunId,
    onCancelled: (run: WorkflowRun) => Effect.Effect<void>
  ) => Effect.Effect<Cancellation, ProgramNotFound | Unavailable>
  /** Takes a run that waited for its time. */
  readonly resume: (memory: ProgramMemory, item: DueItem) => Effect.Effect<void>
  /**
   * Runs the next step to its commit, and answers whether there is another one to run now, on memory that holds. Where the
   * sandbox can't, nothing of the step is kept, and it is still to be run.
   */
  readonly next: (
    memory: ProgramMemory,
    run: WorkflowProgress,
    onRespond: (response: RunResponse) => Effect.Effect<void>
  ) => Effect.Effect<boolean, SandboxUnavailable>
}

/** A step that has ended and whose commit failed through no fault of its own. */
interface UncommittedStep {
  /** Its number among the run's steps. */
  readonly n: number
  readonly startedAt: number
  readonly result: RunResult
}

/** What became of the wish to cancel a run: only one that waits is cancelled, and one that was stays so. */
export const Cancellation = Schema.Literals(["cancelled", "not_waiting", "unknown"])
export type Cancellation = typeof Cancellation.Type

/** Where a run goes after a step. */
type Turn = Omit<RunProgress, "id">

const settingsOf = ({ program }: ProgramMemory): WorkflowSettings => program.workflow?.settings ?? defaultSettings

type Outcome =
  | { readonly _tag: "Done"; readonly flow: StepAnswer.StepAnswer["flow"]; readonly resultJson: string }
  | { readonly _tag: "Failed"; readonly fault: RunFault }

const unreadable = `the result of the step is not JSON of at most ${maxComponentDepth} levels`

/** @param mostResults how many characters the results of a run's steps may have together */
const outcomeOf = (result: RunResult, { results }: WorkflowProgress, mostResults: number): Outcome => {
  const fault = RunEvents.failureOf(result)
  if (fault !== undefined) return { _tag: "Failed", fault }
  const answer = Option.getOrUndefined(StepAnswer.decode(result.answerJson))
  if (answer === undefined) {
    return { _tag: "Failed", fault: { name: "InvalidResult", message: unreadable } }
  }
  const resultJson = JSON.stringify(answer.result)
  const held = [...results.values()].reduce((sum, { length }) => sum + length, resultJson.length)
  if (held > mostResults) {
    const message =
      `the results of a run's steps may have ${mostResults} characters of JSON together; with this step they have ${held}`
    return { _tag: "Failed", fault: { name: "LimitExceeded", message } }
  }
  return { _tag: "Done", flow: answer.flow, resultJson }
}

/** A result with nothing that is to last but what was logged. */
const undone = (result: RunResult, fault: RunFault): RunResult => ({
  ...result,
  emits: [],
  db: {},
  ...(result.outcome === "success" ? { outcome: "error", error: { stack: "", ...fault } } : {})
})

/** Characters that are kept of the reason a step ends a run for: lists of runs show it. */
const longestReason = 1_000

const ended = (
  turn: Pick<Turn, "step" | "tries" | "failures">,
  { error = null, exit }: { readonly error?: RunFault | null; readonly exit?: string },
  now: number
): Turn => ({
  ...turn,
  status: error === null ? "success" : "error",
  rerunContext: null,
  dueAt: null,
  error,
  exitReason: exit?.slice(0, longestReason) ?? null,
  endedAt: now
})

/** Where a run goes whose step has failed. */
const afterFailure = (
  { failures, rerunContext, step, tries }: Turn,
  { retryDelays }: WorkflowSettings,
  fault: RunFault,
  now: number
): Turn => {
  const counted = { step, tries: tries + 1, failures: failures + 1 }
  const delay = retryDelays[failures]
  return delay === undefined
    ? ended(counted, { error: fault }, now)
    : {
      ...counted,
      status: "waiting",
      rerunContext,
      dueAt: now + delay * 1_000,
      error: fault,
      exitReason: null,
      endedAt: null
    }
}

const goingOn = { error: null, exitReason: null, endedAt: null } as const

/** Where a run goes whose step has come to its end. */
const afterSuccess = (
  { failures, step, tries }: Turn,
  { delay, exit, rerun }: StepAnswer.StepAnswer["flow"],
  steps: number,
  mostReruns: number,
  now: number
): Turn => {
  const counted = { step, tries: tries + 1, failures }
  if (exit !== undefined) return ended(counted, { exit }, now)
  if (rerun !== undefined && counted.tries <= mostReruns) {
    const rerunContext = JSON.stringify(rerun.context)
    return { ...counted, ...goingOn, status: "waiting", rerunContext, dueAt: now + rerun.delay }
  }
  if (step + 1 >= steps) return ended(counted, {}, now)
  const onward = { ...goingOn, step: step + 1, tries: 0, failures: 0, rerunContext: null }
  return delay === undefined
    ? { ...onward, status: "running", dueAt: null }
    : { ...onward, status: "waiting", dueAt: now + delay }
}

const beginning = {
  ...goingOn,
  status: "running",
  tries: 0,
  failures: 0,
  rerunContext: null,
  dueAt: null
} as const

/** The input that a run began with; none for a tick, and for what began before triggers told it. */
const causeOf = ({ emitterId, eventId, stream }: RunTrigger): EventCause | undefined => {
  const id = eventId === undefined ? undefined : Option.getOrUndefined(EventId.parse(eventId))
  return id === undefined ? undefined : { emitterId: stream === Stream.requests ? null : emitterId, id }
}

const isRunId = Schema.is(Id.RunId)

/** What is asked for by a rerun, in its event. */
export const Rerun = Schema.Struct({ run: Id.RunId, step: Schema.NullOr(Schema.String) })

const decodeRerun = Schema.decodeUnknownEffect(Schema.fromJsonString(Rerun))

const resumption = (workflowId: string, run: string, dueAt: number): DueItem => ({
  ownerId: workflowId,
  kind: "resume",
  key: run,
  dueAt,
  payload: "{}"
})

export const make = Effect.fnUntraced(function*(owner: ProgramOwner, code: CodeRuns) {
  const components = yield* Components
  const deployments = yield* Deployments
  const limits = yield* EngineLimits
  const runs = yield* WorkflowRuns
  const random = yield* SecureRandom.SecureRandom
  /** Held by what decides on a run that waits: one is not taken up and cancelled at once. */
  const deciding = yield* Semaphore.make(1)
  /** What runs that began before the last deployment go on with. */
  const former = new Map<string, Executable>()
  /** By run. It is committed when the run goes on, and not run again: what it did outside can't be undone. */
  const uncommitted = new Map<string, UncommittedStep>()

  const takeUncommitted = ({ recorded, run }: WorkflowProgress): UncommittedStep | undefined => {
    const step = uncommitted.get(run.id)
    uncommitted.delete(run.id)
    return step?.n === recorded + 1 ? step : undefined
  }

  const executableFor = Effect.fnUntraced(function*(memory: ProgramMemory, { run }: WorkflowProgress) {
    if (run.deploymentId === memory.program.workflow?.deploymentId) return Option.some(executableOf(memory))
    const known = former.get(run.deploymentId)
    if (known !== undefined) return Option.some(known)
    const deployment = yield* untilAnswered(deployments.get(run.workflowId, run.deploymentId))
    if (Option.isNone(deployment)) return Option.none<Executable>()
    const component = yield* untilAnswered(components.getById(deployment.value.componentId))
    return Option.map(component, (component) => {
      const executable: Executable = {
        component,
        declared: component.configurableProps,
        values: valuesOf(deployment.value),
        additionalProps: []
      }
      former.clear()
      former.set(run.deploymentId, executable)
      return executable
    })
  })

  const originOfStep = (memory: ProgramMemory, { run }: WorkflowProgress, stepId: string): RunEvents.RunOrigin => ({
    accountId: memory.program.accountId,
    programId: run.workflowId,
    deploymentId: run.deploymentId,
    cellId: stepId,
    input: {
      kind: run.trigger.kind,
      eventJson: run.event,
      id: run.trigger.id,
      at: run.trigger.at,
      hops: run.trigger.hops,
      cause: causeOf(run.trigger)
    },
    isHandler: run.trigger.kind === "EVENT" && run.trigger.stream === Stream.errors
  })

  /** What is written of where a run goes. */
  const partsOf = (progress: WorkflowProgress, turn: Turn): CommitParts => {
    const { id, workflowId } = progress.run
    return {
      runChanges: [{ ...turn, id }],
      ...(turn.dueAt === null ? {} : { duePut: [resumption(workflowId, id, turn.dueAt)] })
    }
  }

  const failRun = Effect.fnUntraced(function*(memory: ProgramMemory, progress: WorkflowProgress, fault: RunFault) {
    const now = yield* Clock.currentTimeMillis
    const turn = ended(progress.run, { error: fault }, now)
    yield* code.fail(memory, originOfStep(memory, progress, progress.run.workflowId), fault, partsOf(progress, turn))
    return false
  })

  /** What is invoked through the API knows its run beforehand. */
  const runIdOf = ({ id }: ProgramInput) =>
    isRunId(id)
      ? Effect.succeed(id)
      : Effect.map(Effect.provideService(Id.make("run"), SecureRandom.SecureRandom, random), (id) => Id.RunId.make(id))

  const enter = Effect.fnUntraced(function*(
    memory: ProgramMemory,
    input: ProgramInput,
    progress: WorkflowProgress,
    steps: ReadonlyArray<StepRecord>
  ) {
    const { run } = progress
    if (settingsOf(memory).rateLimit !== null) memory.begun.push(run.startedAt)
    memory.underWay.push(progress)
    const usage = yield* code.use(memory, { invocations: 1, computeMs: 0 })
    yield* owner.commit(memory, [], { ...input.take(), ...usage, runs: [run], steps })
    CrashPoint.reached("run-begun")
  })

  /** Begins a run over the event of another, on the code of today, with what the steps before the one asked for gave then. */
  const beginAgain = Effect.fnUntraced(function*(memory: ProgramMemory, input: ProgramInput) {
    const asked = yield* Effect.orDie(decodeRerun(input.eventJson))
    const workflowId = Id.WorkflowId.make(memory.program.id)
    const former = yield* untilAnswered(runs.get(workflowId, asked.run))
    const all = memory.component.steps ?? []
    const step = asked.step === null ? 0 : all.findIndex(({ name }) => name === asked.step)
    if (Option.isNone(former) || step < 0 || memory.program.workflow === null) {
      const message = step < 0
        ? `the workflow no longer has the step ${JSON.stringify(asked.step)}`
        : `the run ${asked.run} no longer exists`
      yield* code.fail(memory, originOf(memory, input), { name: "NotRepeatable", message }, input.take())
      return
    }
    const id = yield* runIdOf(input)
    const { event, trigger } = former.value
    const before = new Set(all.slice(0, step).map(({ name }) => name))
    const done = (yield* untilAnswered(runs.stepsOf(asked.run)))
      .filter(({ name, result }) => result !== null && before.has(name))
      .map((record, index) => ({ ...record, runId: id, n: index + 1 }))
    const run = {
      id,
      workflowId,
      deploymentId: memory.program.workflow.deploymentId,
      trigger: { ...trigger, rerunOf: asked.run },
      event,
      startedAt: yield* Clock.currentTimeMillis,
      ...beginning,
      step
    }
    yield* enter(memory, input, makeProgress(run, done), done)
  })

  return {
    begin: Effect.fnUntraced(function*(memory, input) {
      const { id: workflowId, workflow } = memory.program
      if (workflow === null || input.kind === "HOOK") return
      if (input.kind === "RERUN") return yield* beginAgain(memory, input)
      const startedAt = yield* Clock.currentTimeMillis
      const run: WorkflowProgress["run"] = {
        id: yield* runIdOf(input),
        workflowId: Id.WorkflowId.make(workflowId),
        deploymentId: workflow.deploymentId,
        trigger: {
          kind: input.kind,
          id: input.id,
          at: input.at,
          hops: input.hops,
          emitterId: input.from?.emitterId ?? workflowId,
          stream: input.from?.stream ?? Stream.requests,
          ...(input.cause === undefined ? {} : { eventId: EventId.format(input.cause.id) })
        },
        event: input.eventJson,
        startedAt,
        ...beginning,
        step: 0
      }
      yield* enter(memory, input, makeProgress(run, []), [])
    }),
    resume: Effect.fnUntraced(function*(memory, item) {
      const workflowId = Id.WorkflowId.make(memory.program.id)
      const found = yield* untilAnswered(runs.get(workflowId, Id.RunId.make(item.key)))
      const isDue = Option.isSome(found) && found.value.status === "waiting"
      if (isDue) {
        const run = { ...found.value, status: "running" as const, dueAt: null }
        memory.underWay.push(yield* untilAnswered(Effect.provideService(progressOf(run), WorkflowRuns, runs)))
        yield* owner.commit(memory, [], { dueDone: [item], runChanges: [run] })
      } else {
        yield* owner.commit(memory, [], { dueDone: [item] })
      }
    }, deciding.withPermits(1)),
    cancel: Effect.fnUntraced(function*(memory, id, onCancelled) {
      // What took the run up, or took it to where it waits, may be on its way to the database.
      yield* owner.settled
      const workflowId = Id.WorkflowId.make(memory.program.id)
      const found = yield* untilAnswered(runs.get(workflowId, id))
      if (Option.isNone(found)) return "unknown"
      const { dueAt, status } = found.value
      if (status === "cancelled") return "cancelled"
      if (status !== "waiting" || dueAt === null) return "not_waiting"
      const endedAt = yield* Clock.currentTimeMillis
      const cancelled = {
        ...found.value,
        status: "cancelled" as const,
        dueAt: null,
        rerunContext: null,
        error: null,
        endedAt
      }
      const parts = { runChanges: [cancelled], dueDone: [resumption(workflowId, id, dueAt)] }
      yield* owner.durably((memory) => owner.commit(memory, [], parts)).pipe(
        Effect.catchTags({ Fenced: () => changingOwners, CommitRejected: () => changingOwners })
      )
      yield* onCancelled(found.value)
      return "cancelled"
    }, deciding.withPermits(1)),
    next: Effect.fnUntraced(function*(memory, progress, onRespond) {
      const { run } = progress
      const executable = yield* executableFor(memory, progress)
      const steps = Option.match(executable, { onNone: () => [], onSome: ({ component }) => component.steps ?? [] })
      const step = steps[run.step]
      if (Option.isNone(executable) || step === undefined) {
        return yield* failRun(memory, progress, {
          name: "DeploymentGone",
          message: "the code that the run began with no longer exists"
        })
      }
      const refusal = code.refusalOf(run.id)
      if (refusal !== undefined) return yield* failRun(memory, progress, unstorable("the results of a step", refusal))
      CrashPoint.reached("step-chosen")
      const execute = Effect.gen(function*() {
        const startedAt = yield* Clock.currentTimeMillis
        const result = yield* code.execute(
          memory,
          executable.value,
          callOf(memory.program, progress, step.name),
          isOfEndpoint(run) ? onRespond : undefined
        )
        return { n: progress.recorded + 1, startedAt, result }
      })
      const done: UncommittedStep = takeUncommitted(progress) ?? (yield* execute)
      const { n, result, startedAt } = done
      CrashPoint.reached("step-ended")
      const now = yield* Clock.currentTimeMillis
      const outcome = outcomeOf(result, progress, limits.resultsOfRun)
      const settings = settingsOf(memory)
      const turn = outcome._tag === "Failed"
        ? afterFailure(run, settings, outcome.fault, now)
        : afterSuccess(run, outcome.flow, steps.length, limits.rerunsOfStep, now)
      const isAgain = turn.status === "waiting" && turn.step === run.step
      const resultJson = outcome._tag === "Done" && !isAgain ? outcome.resultJson : null
      const record: Omit<StepRecord, "events"> = {
        runId: run.id,
        n,
        name: step.name,
        status: outcome._tag === "Done" ? "success" : "error",
        startedAt,
        wallMs: Storable.toInteger(result.wallMs),
        cpuMs: Storable.toInteger(result.cpuMs),
        result: resultJson,
        error: outcome._tag === "Done" ? null : outcome.fault
      }
      const submission = yield* code.handOver(memory, [{
        origin: originOfStep(memory, progress, step.id),
        component: executable.value.component,
        // What a step did that failed is undone, so that it is done once when the step is run again.
        result: outcome._tag === "Done" ? result : undone(result, outcome.fault),
        isReported: settings.errors === "each" || turn.endedAt !== null,
        // The run was counted as it began.
        isInvocation: false,
        parts: (appended) => {
          const first = appended[0]?.id
          const last = appended.at(-1)?.id
          return {
            ...partsOf(progress, turn),
            steps: [{ ...record, events: first === undefined || last === undefined ? null : { first, last } }]
          }
        },
        annotations: { run_id: run.id, deployment_id: run.deploymentId, step: step.name }
      }])
      code.noteRefusal(submission, [run.id])
      submission.onEnd((exit) => {
        const error = Exit.findErrorOption(exit)
        if (Option.isSome(error) && error.value._tag === "Fenced") uncommitted.set(run.id, done)
      })
      const isOver = turn.status !== "running"
      // On memory that has failed the commit fails too: what the step did is to be kept before the run is taken up again.
      if (isOver && !isOfEndpoint(run) && !memory.failed) return false
      // A step's effect is there for good before the next one begins. Where it is not, the step is still to be run.
      const exit = yield* Effect.exit(submission.durable)
      if (Exit.isFailure(exit)) return true
      CrashPoint.reached("step-done")
      progress.run = { ...run, ...turn }
      progress.recorded += 1
      if (resultJson !== null) noteResult(progress, step.name, resultJson)
      return !isOver
    })
  } satisfies StepRuns as StepRuns
})
