import type { EventCause } from "@headwater/domain/Event"
import * as EventId from "@headwater/domain/EventId"
import { maxComponentDepth } from "@headwater/domain/JsonDepth"
import { changesOver } from "@headwater/domain/RunFile"
import * as Storable from "@headwater/domain/Storable"
import * as Stream from "@headwater/domain/Stream"
import { defaultSettings, type WorkflowSettings } from "@headwater/domain/Workflow"
import type { WorkflowFiles } from "@headwater/log/work/WorkflowFiles"
import type {
  RunFault,
  RunTrigger,
  RunWait,
  StepRecord,
  WorkflowRun,
  WorkflowRuns
} from "@headwater/log/work/WorkflowRuns"
import { heldName } from "@headwater/sandbox/HeldRequest"
import type { RunResult } from "@headwater/sandbox/Run"
import * as StepAnswer from "@headwater/sandbox/StepAnswer"
import { Option } from "effect"
import type { CommitParts } from "../ground/EmitterLog.ts"
import type { Limits } from "../ground/EngineLimits.ts"
import type { EndedRun } from "./CodeRuns.ts"
import type { Executable } from "./ComponentRuns.ts"
import type { ProgramMemory } from "./ProgramMemory.ts"
import * as RunEvents from "./RunEvents.ts"
import * as RunStanding from "./RunStanding.ts"
import * as TriggeredWorkflows from "./TriggeredWorkflows.ts"
import * as UnstoredRuns from "./UnstoredRuns.ts"
import { beginning, type Turn, type WorkflowProgress } from "./WorkflowProgress.ts"

/** A step that has ended. */
export interface EndedStep {
  /** Its number among the steps of the run, or of the path that it is on. */
  readonly n: number
  readonly startedAt: number
  readonly result: RunResult
}

export const settingsOf = ({ program }: ProgramMemory): WorkflowSettings =>
  program.workflow?.settings ?? defaultSettings

/** The outcome of a step by itself. */
export type Outcome =
  | { readonly _tag: "Done"; readonly flow: StepAnswer.StepAnswer["flow"]; readonly resultJson: string }
  | { readonly _tag: "Failed"; readonly fault: RunFault }

/** The reason for which a step of a run in shadow ended the run, if that is a request that is held. */
const heldBy = ({ message, name }: RunFault, { shadow }: RunTrigger): string | undefined =>
  shadow === true && name === heldName ? message : undefined

/** A step that came to a request that is held has not failed. */
const heldResult = ({ error: _error, ...result }: RunResult): RunResult => ({ ...result, outcome: "success" })

const unreadable = `the result of the step is not JSON of at most ${maxComponentDepth} levels`

/**
 * @param known the workflows that the step may have run
 */
export const outcomeOf = (
  result: RunResult,
  { run, steps }: WorkflowProgress,
  { resultsOfRun, triggersOfStep }: Limits,
  known: TriggeredWorkflows.KnownWorkflows
): Outcome => {
  const fault = RunEvents.failureOf(result)
  if (fault !== undefined) return { _tag: "Failed", fault }
  const answer = Option.getOrUndefined(StepAnswer.decode(result.answerJson))
  if (answer === undefined) {
    return { _tag: "Failed", fault: { name: "InvalidResult", message: unreadable } }
  }
  const resultJson = JSON.stringify(answer.result)
  const held = steps.held + resultJson.length
  if (held > resultsOfRun) {
    const message =
      `the results of a run's steps may have ${resultsOfRun} characters of JSON together; with this step they have ${held}`
    return { _tag: "Failed", fault: { name: "LimitExceeded", message } }
  }
  const triggers = answer.flow.triggers ?? []
  const untriggered = TriggeredWorkflows.faultOf(triggers, known, run.trigger.hops + 1, triggersOfStep)
  return untriggered === undefined
    ? { _tag: "Done", flow: answer.flow, resultJson }
    : { _tag: "Failed", fault: untriggered }
}

/** A result with nothing that is to last but what was logged. */
export const undone = ({ files: _files, ...result }: RunResult, fault: RunFault): RunResult => ({
  ...result,
  emits: [],
  db: {},
  stores: [],
  ...(result.outcome === "success" ? { outcome: "error", error: { stack: "", ...fault } } : {})
})

/** True if the step is committed only where values of data stores are what it found: if they are not, it is run again. */
export const hasExpectations = ({ result }: EndedStep): boolean =>
  result.stores.some(({ changes }) => changes.some((change) => "expected" in change))

/** Characters that are kept of the reason a step ends a run for: lists of runs show it. */
const longestReason = 1_000

/** The last turn of a run. */
export const lastTurn = (
  turn: Pick<Turn, "step" | "tries" | "failures">,
  { error = null, exit }: { readonly error?: RunFault | null; readonly exit?: string },
  now: number
): Turn => ({
  ...turn,
  status: error === null ? "success" : "error",
  rerunContext: null,
  dueAt: null,
  waitsFor: null,
  error,
  exitReason: exit?.slice(0, longestReason) ?? null,
  endedAt: now
})

const until = (waitsFor: RunWait, dueAt: number) => ({ status: "waiting", waitsFor, dueAt }) as const

/** The turn of a run whose step has failed. */
const afterFailure = (
  { failures, rerunContext, step, tries }: Turn,
  { retryDelays }: WorkflowSettings,
  fault: RunFault,
  isLimited: boolean,
  now: number
): Turn => {
  const counted = { step, tries: tries + 1, failures: failures + 1 }
  // A step that has taken too long, or too much, would do so again.
  const delay = isLimited ? undefined : retryDelays[failures]
  return delay === undefined
    ? lastTurn(counted, { error: fault }, now)
    : { ...beginning, ...counted, ...until("retry", now + delay * 1_000), rerunContext, error: fault }
}

/** The place of the step that comes next: always a later one, whatever code says, so that a run ends. */
export const placeAfter = (step: number, { next = step + 1 }: StepAnswer.StepAnswer["flow"]): number =>
  Math.max(next, step + 1)

/**
 * The turn of a run, or of a path of it, whose step has come to its end. A path may wait behind its last step.
 *
 * @param end the place behind its last step, and if the run goes on after that
 */
const afterSuccess = (
  { failures, step, tries }: Turn,
  flow: StepAnswer.StepAnswer["flow"],
  { end, goesOn }: { readonly end: number; readonly goesOn: boolean },
  mostReruns: number,
  now: number
): Turn => {
  const { delay, exit, rerun, suspend } = flow
  const counted = { step, tries: tries + 1, failures }
  if (exit !== undefined) return lastTurn(counted, { exit }, now)
  if (rerun !== undefined && counted.tries <= mostReruns) {
    const rerunContext = JSON.stringify(rerun.context)
    return { ...beginning, ...counted, ...until("rerun", now + rerun.delay), rerunContext }
  }
  const next = Math.min(placeAfter(step, flow), end)
  const onward = { ...beginning, step: next }
  if (next < end || goesOn) {
    if (suspend !== undefined) return { ...onward, ...until("suspend", now + suspend) }
    if (delay !== undefined) return { ...onward, ...until("delay", now + delay) }
  }
  return next < end ? onward : lastTurn(counted, {}, now)
}

/** The input that a run began with; none for a tick, and for what began before triggers told it. */
const causeOf = ({ emitterId, eventId, stream }: RunTrigger): EventCause | undefined => {
  const id = eventId === undefined ? undefined : Option.getOrUndefined(EventId.parse(eventId))
  return id === undefined ? undefined : { emitterId: stream === Stream.requests ? null : emitterId, id }
}

/** The origin of a step; of a run as a whole, if it is the workflow that is given as the cell. */
export const originOf = (
  memory: ProgramMemory,
  { run }: WorkflowProgress,
  cellId: string
): RunEvents.RunOrigin => ({
  accountId: memory.program.accountId,
  programId: run.workflowId,
  deploymentId: run.deploymentId,
  cellId,
  input: {
    kind: run.trigger.kind,
    eventJson: UnstoredRuns.isUnstored(run) ? "{}" : run.event,
    // The event of a workflow's run is whole from the beginning.
    isShaped: true,
    id: run.trigger.id,
    at: run.trigger.at,
    hops: run.trigger.hops,
    isShadow: run.trigger.shadow === true,
    cause: causeOf(run.trigger)
  },
  isHandler: run.trigger.kind === "EVENT" && run.trigger.stream === Stream.errors
})

/** The parts to write of a run that stood another way. */
export const partsOf = (
  runs: Pick<WorkflowRuns["Service"], "writePaths">,
  before: RunStanding.RunStanding,
  after: RunStanding.RunStanding
) => {
  const { parts, paths } = RunStanding.differenceOf(before, after)
  return { ...parts, updates: runs.writePaths(after.run.id, paths) }
}

/** The standing of a run after a step. One that is over already stays so. */
const standingAfter = (
  before: RunStanding.RunStanding,
  { block, fork, path, turn }: {
    readonly path: string | undefined
    readonly turn: Turn
    readonly fork: StepAnswer.Fork | undefined
    readonly block: RunStanding.Block
  },
  steps: number
): RunStanding.RunStanding => {
  if (before.run.endedAt !== null) return before
  return fork === undefined
    ? RunStanding.afterTurn(before, path, turn, steps)
    : RunStanding.afterFork(before, path, block, fork)
}

/**
 * The standing of a run after a step, the result that the steps after it see, and the parts to hand over.
 *
 * @param written the parts to write of the run itself
 */
export const make = (options: {
  readonly memory: ProgramMemory
  readonly executable: Executable
  readonly progress: WorkflowProgress
  readonly step: EndedStep
  readonly files: WorkflowFiles["Service"]
  readonly runs: WorkflowRuns["Service"]
  readonly limits: Limits
  readonly now: number
  /** The workflows that the step may have run. */
  readonly known: TriggeredWorkflows.KnownWorkflows
  readonly erasureOf: UnstoredRuns.ErasureOf
  readonly written?: (run: WorkflowRun) => CommitParts
}) => {
  const { erasureOf, executable, files, known, limits, memory, now, progress, runs, step: { startedAt } } = options
  const { path, run } = progress
  const isUnstored = UnstoredRuns.isUnstored(run)
  const result = isUnstored ? UnstoredRuns.bare(options.step.result) : options.step.result
  const n = progress.steps.recorded + 1
  const steps = executable.component.steps ?? []
  const before = path?.forked.standing ?? RunStanding.ofRun(run)
  const end = before.paths.get(path?.name ?? "")?.until ?? steps.length
  const goesOn = RunStanding.goesOnBehind(before, path?.name, steps.length)
  const { id, name } = steps[run.step]!
  const outcome = outcomeOf(result, progress, limits, known)
  const settings = settingsOf(memory)
  const held = outcome._tag === "Failed" ? heldBy(outcome.fault, run.trigger) : undefined
  const told = held !== undefined
    ? lastTurn(run, { exit: held }, now)
    : outcome._tag === "Failed"
    ? afterFailure(run, settings, outcome.fault, result.outcome === "limit", now)
    : afterSuccess(run, outcome.flow, { end, goesOn }, limits.rerunsOfStep, now)
  const turn = isUnstored && told.exitReason !== null ? { ...told, exitReason: "" } : told
  const fork = outcome._tag === "Done" && turn.status === "running"
    ? RunStanding.checkedFork(outcome.flow.fork, run.step, end)
    : undefined
  const after = standingAfter(
    before,
    { path: path?.name, turn, fork, block: { n, name, place: run.step } },
    steps.length
  )
  const isAgain = turn.status === "waiting" && turn.step === run.step
  const resultJson = outcome._tag === "Done" && !isAgain ? outcome.resultJson : null
  const record: Omit<StepRecord, "events"> = {
    runId: run.id,
    n,
    path: path?.name ?? null,
    name,
    status: outcome._tag === "Done" ? "success" : "error",
    startedAt,
    wallMs: Storable.toInteger(result.wallMs),
    cpuMs: Storable.toInteger(result.cpuMs),
    configuredProps: result.configuredPropsJson ?? null,
    result: resultJson,
    error: outcome._tag === "Done" ? null : outcome.fault,
    resumeData: null
  }
  const isLate = before.run.endedAt !== null
  const own: CommitParts = isLate ? {} : options.written?.(after.run) ?? partsOf(runs, before, after)
  const triggers = outcome._tag === "Done" ? outcome.flow.triggers ?? [] : []
  const parts: CommitParts = {
    ...own,
    duePut: [
      ...own.duePut ?? [],
      ...TriggeredWorkflows.itemsOf(triggers, known, run.trigger.hops + 1, run.trigger.shadow === true, now)
    ]
  }
  // Files are for the next step, if there is one.
  const left = outcome._tag === "Done" && after.run.endedAt === null ? result.files : undefined
  const fileChanges = left === undefined || path === undefined ? left : changesOver(progress.steps.files, left)
  const ofFiles = fileChanges === undefined ? [] : files.write(run.id, fileChanges)
  const erased = after.run.endedAt === null ? [] : erasureOf(memory.program.accountId, run)
  const ended: EndedRun = {
    origin: originOf(memory, progress, id),
    component: executable.component,
    // The effects of a step that failed are undone, so that they are done once when the step is run again.
    result: outcome._tag === "Done"
      ? result
      : held === undefined
      ? undone(result, outcome.fault)
      : heldResult(undone(result, outcome.fault)),
    isReported: settings.errors === "each" || turn.endedAt !== null,
    isInvocation: parts.runs !== undefined,
    failure: turn.status === "error" && !isLate && outcome._tag === "Failed" ? outcome.fault : undefined,
    parts: (appended) => {
      const first = appended[0]?.id
      const last = appended.at(-1)?.id
      return {
        ...parts,
        updates: [...parts.updates ?? [], ...ofFiles, ...erased],
        steps: [{ ...record, events: first === undefined || last === undefined ? null : { first, last } }]
      }
    },
    annotations: { run_id: run.id, deployment_id: run.deploymentId, step: name }
  }
  return { after, before, ended, fileChanges, name, resultJson, turn }
}
