import type { EventCause } from "@headwater/domain/Event"
import * as EventId from "@headwater/domain/EventId"
import * as Id from "@headwater/domain/Id"
import { maxComponentDepth } from "@headwater/domain/JsonDepth"
import type { Program } from "@headwater/domain/Program"
import * as Storable from "@headwater/domain/Storable"
import * as Stream from "@headwater/domain/Stream"
import { defaultSettings, type Workflow, type WorkflowSettings } from "@headwater/domain/Workflow"
import * as CrashPoint from "@headwater/log/commit/CrashPoint"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { Components } from "@headwater/log/resources/Components"
import { Deployments } from "@headwater/log/resources/Deployments"
import type { DueItem } from "@headwater/log/work/DueWork"
import {
  type RunFault,
  type RunProgress,
  type RunTrigger,
  type StepRecord,
  type WorkflowRun,
  WorkflowRuns
} from "@headwater/log/work/WorkflowRuns"
import type { RunResponse, RunResult } from "@headwater/sandbox/Run"
import type { SandboxUnavailable } from "@headwater/sandbox/SandboxPool"
import * as StepAnswer from "@headwater/sandbox/StepAnswer"
import { Clock, Effect, Exit, Option, Schema, Semaphore } from "effect"
import { SecureRandom } from "effect/crypto"
import { Cancellation, type ProgramNotFound } from "../ground/ActorCalls.ts"
import type { CommitParts } from "../ground/EmitterLog.ts"
import { EngineLimits } from "../ground/EngineLimits.ts"
import type { Unavailable } from "../ground/Unavailable.ts"
import { type CodeRuns, type EndedRun, originOf, unstorable } from "./CodeRuns.ts"
import type { Executable } from "./ComponentRuns.ts"
import type { ProgramInput } from "./ProgramInput.ts"
import { answersItself, executableOf, type ProgramMemory, valuesOf } from "./ProgramMemory.ts"
import type { ProgramOwner } from "./ProgramOwner.ts"
import { changingOwners } from "./ProgramRequests.ts"
import * as RunEvents from "./RunEvents.ts"
import * as RunsTogether from "./RunsTogether.ts"
import {
  callOf,
  make as makeProgress,
  noteResult,
  of as progressOf,
  type WorkflowProgress
} from "./WorkflowProgress.ts"

/** Begins a workflow's runs and takes them from step to step, each of which commits by itself. */
export interface StepRuns {
  /** Takes an input: from here on it is a run, which goes on until it ends, whatever happens. */
  readonly begin: (memory: ProgramMemory, input: ProgramInput) => Effect.Effect<void>
  /** The number of inputs to run together: more while runs are short, if each is one step and follows on the one before. */
  readonly most: (memory: ProgramMemory) => number
  /** Those of some inputs that are run together next, which may be none: then the first is to begin by itself. */
  readonly chooseTogether: (memory: ProgramMemory, inputs: ReadonlyArray<ProgramInput>) => ReadonlyArray<ProgramInput>
  /**
   * Runs inputs from beginning to end, one after the other, each of which begins and ends in one commit. Answers how many
   * were: the others are still to be run, and so are those that the sandbox can't run.
   *
   * @param onBegun a run takes long, and is on its way into the log before it ends
   */
  readonly runTogether: (
    memory: ProgramMemory,
    inputs: ReadonlyArray<ProgramInput>,
    onBegun: (run: WorkflowProgress) => void
  ) => Effect.Effect<number, SandboxUnavailable>
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
   * Runs the next step to its commit, and answers whether there is another one to run now, on memory that holds. If the
   * sandbox can't run it, nothing of the step is kept, and it is still to be run.
   *
   * @param onRespond given where somebody waits for what the run responds, and is told when it has ended without that
   */
  readonly next: (
    memory: ProgramMemory,
    run: WorkflowProgress,
    onRespond: ((response: RunResponse) => Effect.Effect<void>) | undefined
  ) => Effect.Effect<boolean, SandboxUnavailable>
}

/** A step that has ended and whose commit failed through no fault of its own. */
interface UncommittedStep {
  /** Its number among the run's steps. */
  readonly n: number
  readonly startedAt: number
  readonly result: RunResult
}

class NotWaiting extends Schema.TaggedError<NotWaiting>()("NotWaiting", { cancellation: Cancellation }) {}

/** The turn that a run takes after a step. */
type Turn = Omit<RunProgress, "id">

const settingsOf = ({ program }: ProgramMemory): WorkflowSettings => program.workflow?.settings ?? defaultSettings

/** The outcome of a step by itself. */
export type Outcome =
  | { readonly _tag: "Done"; readonly flow: StepAnswer.StepAnswer["flow"]; readonly resultJson: string }
  | { readonly _tag: "Failed"; readonly fault: RunFault }

const unreadable = `the result of the step is not JSON of at most ${maxComponentDepth} levels`

/** @param mostResults how many characters the results of a run's steps may have together */
export const outcomeOf = (result: RunResult, { results }: WorkflowProgress, mostResults: number): Outcome => {
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
export const undone = (result: RunResult, fault: RunFault): RunResult => ({
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

/** The turn of a run whose step has failed. */
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

/** The turn of a run whose step has come to its end. */
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

/** A run of those that are done together that takes longer shows as under way before it ends, in milliseconds. */
const longMs = 1_000

const isRunId = Schema.is(Id.RunId)

/** An input over which a run of its own begins. */
type InputOfRun = ProgramInput & { readonly kind: RunTrigger["kind"] }

const isOfRun = (input: ProgramInput): input is InputOfRun => input.kind !== "HOOK" && input.kind !== "RERUN"

/** A run that begins now. */
const runOver = (
  { id: workflowId }: Program,
  { deploymentId }: Workflow,
  input: InputOfRun,
  id: Id.RunId,
  startedAt: number
): WorkflowRun => ({
  id,
  workflowId: Id.WorkflowId.make(workflowId),
  deploymentId,
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
})

/** The request of a rerun, in its event. */
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
  /** The executables of runs that began before the last deployment. */
  const former = new Map<string, Executable>()
  /** By run. It is committed when the run goes on, and not run again: what it did outside can't be undone. */
  const uncommitted = new Map<string, UncommittedStep>()
  /** Runs whose beginning was not committed, by their input: they begin again under the same id. */
  const unbegun = new Map<string, Id.RunId>()
  const together = yield* RunsTogether.make(code)

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
    const component = yield* untilAnswered(components.runnable(deployment.value.componentId))
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

  const dueOf = ({ id, workflowId }: WorkflowRun, { dueAt }: Turn): ReadonlyArray<DueItem> =>
    dueAt === null ? [] : [resumption(workflowId, id, dueAt)]

  /** The parts to write of a run's turn. */
  const partsOf = ({ run }: WorkflowProgress, turn: Turn): CommitParts => ({
    runChanges: [{ ...turn, id: run.id }],
    duePut: dueOf(run, turn)
  })

  /** The next state of a run whose step has ended, and the parts of its commit, with those that are written of the run itself. */
  const endStep = (
    memory: ProgramMemory,
    progress: WorkflowProgress,
    executable: Executable,
    { n, result, startedAt }: UncommittedStep,
    now: number,
    written: (turn: Turn) => CommitParts
  ) => {
    const { run } = progress
    const steps = executable.component.steps ?? []
    const step = steps[run.step]!
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
    const parts = written(turn)
    const ended: EndedRun = {
      origin: originOfStep(memory, progress, step.id),
      component: executable.component,
      // The effects of a step that failed are undone, so that they are done once when the step is run again.
      result: outcome._tag === "Done" ? result : undone(result, outcome.fault),
      isReported: settings.errors === "each" || turn.endedAt !== null,
      isInvocation: parts.runs !== undefined,
      parts: (appended) => {
        const first = appended[0]?.id
        const last = appended.at(-1)?.id
        return {
          ...parts,
          steps: [{ ...record, events: first === undefined || last === undefined ? null : { first, last } }]
        }
      },
      annotations: { run_id: run.id, deployment_id: run.deploymentId, step: step.name }
    }
    return { ended, resultJson, turn }
  }

  const failRun = Effect.fnUntraced(function*(memory: ProgramMemory, progress: WorkflowProgress, fault: RunFault) {
    const now = yield* Clock.currentTimeMillis
    const turn = ended(progress.run, { error: fault }, now)
    yield* code.fail(memory, originOfStep(memory, progress, progress.run.workflowId), fault, partsOf(progress, turn))
    return false
  })

  const newRunId = Effect.map(
    Effect.provideService(Id.make("run"), SecureRandom.SecureRandom, random),
    (id) => Id.RunId.make(id)
  )

  /** An invocation through the API knows its run beforehand. */
  const runIdOf = ({ id }: ProgramInput) => {
    const known = isRunId(id) ? id : unbegun.get(id)
    unbegun.delete(id)
    return known === undefined ? newRunId : Effect.succeed(known)
  }

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
    const submission = yield* owner.commit(memory, [], { ...input.take(), ...usage, runs: [run], steps })
    submission.onEnd((exit) => {
      // Its step may be done by now, and is not to be run again.
      if (Exit.isFailure(exit)) unbegun.set(input.id, run.id)
    })
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

  /** Runs that follow each other from beginning to end are done together: those of one step, one at a time. */
  const mostTogether = (memory: ProgramMemory): number => {
    const { concurrency, rateLimit } = settingsOf(memory)
    return memory.component.steps?.length === 1 && concurrency === 1 && rateLimit === null ? together.most() : 1
  }

  return {
    begin: Effect.fnUntraced(function*(memory, input) {
      if (memory.program.workflow === null) return
      if (input.kind === "RERUN") return yield* beginAgain(memory, input)
      if (!isOfRun(input)) return
      const startedAt = yield* Clock.currentTimeMillis
      const run = runOver(memory.program, memory.program.workflow, input, yield* runIdOf(input), startedAt)
      yield* enter(memory, input, makeProgress(run, []), [])
    }),
    most: mostTogether,
    chooseTogether: (memory, inputs) => {
      if (mostTogether(memory) === 1) return []
      const end = inputs.findIndex((input) =>
        !isOfRun(input) || unbegun.has(input.id) || input.kind === "HTTP" && answersItself(memory)
      )
      return end < 0 ? inputs : inputs.slice(0, end)
    },
    runTogether: Effect.fnUntraced(function*(memory, inputs, onBegun) {
      const { program, program: { workflow } } = memory
      const chosen = inputs.filter(isOfRun)
      if (workflow === null) return 0
      CrashPoint.reached("step-chosen")
      const executable = executableOf(memory)
      let startedAt = yield* Clock.currentTimeMillis
      // Lists have runs by their ids.
      const ids = (yield* Effect.replicateEffect(newRunId, chosen.length)).toSorted()
      const runs = chosen.map((input, index) =>
        makeProgress(runOver(program, workflow, input, isRunId(input.id) ? input.id : ids[index]!, startedAt), [])
      )
      /** Runs that are handed over, and one that is so before it has ended. */
      let handedOver = 0
      let begun: number | undefined
      let isHandingOver = false

      const handOver = Effect.fnUntraced(function*(results: ReadonlyArray<RunResult>, from: number) {
        CrashPoint.reached("step-ended")
        isHandingOver = true
        const now = yield* Clock.currentTimeMillis
        const steps = results.map((result, index): UncommittedStep => {
          const step = { n: 1, startedAt, result }
          startedAt = Math.min(now, startedAt + Storable.toInteger(result.wallMs))
          runs[from + index]!.run = { ...runs[from + index]!.run, startedAt: step.startedAt }
          return step
        })
        const [first, ...more] = steps.map((step, index) => {
          const progress = runs[from + index]!
          const begins = from + index !== begun
          const taken = begins ? chosen[from + index]!.take() : {}
          return endStep(memory, progress, executable, step, now, (turn) =>
            begins
              ? {
                ...taken,
                runs: [{ ...progress.run, ...turn }],
                duePut: [...taken.duePut ?? [], ...dueOf(progress.run, turn)]
              }
              : partsOf(progress, turn)).ended
        })
        const submission = yield* code.handOver(memory, [first!, ...more])
        handedOver = from + results.length
        isHandingOver = false
        submission.onEnd((exit) => {
          if (Exit.isSuccess(exit)) return
          for (const [index, step] of steps.entries()) {
            const { id } = runs[from + index]!.run
            uncommitted.set(id, step)
            if (from + index !== begun) unbegun.set(chosen[from + index]!.id, id)
          }
        })
      })

      /** Hands over that a run has begun, where that can be done at once, so that nothing comes in between. */
      const show = (usage: CommitParts) => {
        const progress = runs[handedOver]
        const input = chosen[handedOver]
        if (isHandingOver || progress === undefined || input === undefined) return
        const parts = () => ({ ...input.take(), ...usage, runs: [progress.run] })
        const submission = owner.submit(memory, [], parts)
        if (submission === undefined) return
        begun = handedOver
        onBegun(progress)
        submission.onEnd((exit) => {
          if (Exit.isFailure(exit)) unbegun.set(input.id, progress.run.id)
        })
      }

      const showLong = Effect.gen(function*() {
        yield* Effect.sleep(longMs)
        if (owner.ready === memory) show(yield* code.use(memory, { invocations: 1, computeMs: 0 }))
      })

      yield* Effect.forkChild(Effect.repeat(showLong, { until: () => begun !== undefined }))
      const call = callOf(program, runs, memory.component.steps![0]!.name)
      return yield* together.run(memory, executable, call, handOver, {
        besideOf: (run) => chosen[run]!.eventJson.length
      })
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
      // The commit that took the run up, or to where it waits, may be on its way to the database.
      yield* owner.settled
      const workflowId = Id.WorkflowId.make(memory.program.id)
      // Decided anew each time it is handed over: who owned the workflow in between may have taken the run up.
      const end = Effect.fnUntraced(function*(memory: ProgramMemory) {
        const run = Option.getOrUndefined(yield* untilAnswered(runs.get(workflowId, id)))
        if (run === undefined) return yield* new NotWaiting({ cancellation: "unknown" })
        const { dueAt, status } = run
        if (status === "cancelled") yield* onCancelled(run)
        if (status !== "waiting" || dueAt === null) {
          return yield* new NotWaiting({ cancellation: status === "cancelled" ? status : "not_waiting" })
        }
        const cancelled: WorkflowRun = {
          ...run,
          status: "cancelled",
          dueAt: null,
          rerunContext: null,
          error: null,
          endedAt: yield* Clock.currentTimeMillis
        }
        const parts = { runChanges: [cancelled], dueDone: [resumption(workflowId, id, dueAt)] }
        const { durable } = yield* owner.commit(memory, [], parts)
        return { durable: Effect.andThen(durable, onCancelled(run)) }
      })
      return yield* owner.durably(end).pipe(
        Effect.as<Cancellation>("cancelled"),
        Effect.catchTags({
          NotWaiting: ({ cancellation }) => Effect.succeed(cancellation),
          Fenced: () => changingOwners,
          CommitRejected: () => changingOwners
        })
      )
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
        const call = callOf(memory.program, [progress], step.name)
        const result = yield* code.execute(memory, executable.value, call, onRespond)
        together.noteAlone(result.wallMs)
        return { n: progress.recorded + 1, startedAt, result }
      })
      const done: UncommittedStep = takeUncommitted(progress) ?? (yield* execute)
      CrashPoint.reached("step-ended")
      const now = yield* Clock.currentTimeMillis
      const { ended, resultJson, turn } = endStep(
        memory,
        progress,
        executable.value,
        done,
        now,
        (turn) => partsOf(progress, turn)
      )
      const submission = yield* code.handOver(memory, [ended])
      code.noteRefusal(submission, [run.id])
      submission.onEnd((exit) => {
        const error = Exit.findErrorOption(exit)
        if (Option.isSome(error) && error.value._tag === "Fenced") uncommitted.set(run.id, done)
      })
      const isOver = turn.status !== "running"
      // On memory that has failed the commit fails too: what the step did is to be kept before the run is taken up again.
      if (isOver && onRespond === undefined && !memory.failed) return false
      // A step's effect is there for good before the next one begins. If it is not, the step is still to be run.
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
