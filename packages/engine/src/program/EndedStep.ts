import type { EventCause } from "@headwater/domain/Event"
import * as EventId from "@headwater/domain/EventId"
import * as Storable from "@headwater/domain/Storable"
import * as Stream from "@headwater/domain/Stream"
import { defaultSettings, type WorkflowSettings } from "@headwater/domain/Workflow"
import type { DueItem } from "@headwater/log/work/DueWork"
import type { RunTrigger, StepRecord, WorkflowRun } from "@headwater/log/work/WorkflowRuns"
import type { RunResult } from "@headwater/sandbox/Run"
import { Option } from "effect"
import type { CommitParts } from "../ground/EmitterLog.ts"
import type { Limits } from "../ground/EngineLimits.ts"
import type { EndedRun } from "./CodeRuns.ts"
import type { Executable } from "./ComponentRuns.ts"
import type { ProgramMemory } from "./ProgramMemory.ts"
import type * as RunEvents from "./RunEvents.ts"
import * as RunTurn from "./RunTurn.ts"
import type { WorkflowProgress } from "./WorkflowProgress.ts"

/** A step that has ended, of which nothing is committed yet. */
export interface EndedStep {
  /** Its number among the run's steps. */
  readonly n: number
  readonly startedAt: number
  readonly result: RunResult
}

export const settingsOf = ({ program }: ProgramMemory): WorkflowSettings =>
  program.workflow?.settings ?? defaultSettings

/** The due work by which a run goes on that waits. */
export const resumption = (workflowId: string, run: string, dueAt: number): DueItem => ({
  ownerId: workflowId,
  kind: "resume",
  key: run,
  dueAt,
  payload: "{}"
})

/** The due work of a turn, if its run waits. */
export const dueOf = ({ id, workflowId }: WorkflowRun, { dueAt }: RunTurn.RunTurn): ReadonlyArray<DueItem> =>
  dueAt === null ? [] : [resumption(workflowId, id, dueAt)]

/** The parts to write of a run's turn. */
export const partsOf = ({ run }: WorkflowProgress, turn: RunTurn.RunTurn): CommitParts => ({
  runChanges: [{ ...turn, id: run.id }],
  duePut: dueOf(run, turn)
})

/** The input that a run began with; none for a tick, and for what began before triggers told it. */
const causeOf = ({ emitterId, eventId, stream }: RunTrigger): EventCause | undefined => {
  const id = eventId === undefined ? undefined : Option.getOrUndefined(EventId.parse(eventId))
  return id === undefined ? undefined : { emitterId: stream === Stream.requests ? null : emitterId, id }
}

export const originOf = (
  { program }: ProgramMemory,
  { run }: WorkflowProgress,
  stepId: string
): RunEvents.RunOrigin => ({
  accountId: program.accountId,
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

/**
 * The next state of a run whose step has ended, and its commit.
 *
 * @param written what the commit has of the run itself, beside the record of the step
 */
export const make = (
  memory: ProgramMemory,
  progress: WorkflowProgress,
  { component }: Executable,
  { n, result, startedAt }: EndedStep,
  now: number,
  { rerunsOfStep, resultsOfRun }: Limits,
  written: (turn: RunTurn.RunTurn) => CommitParts
) => {
  const { run } = progress
  const steps = component.steps ?? []
  const step = steps[run.step]!
  const outcome = RunTurn.outcomeOf(result, progress, resultsOfRun)
  const settings = settingsOf(memory)
  const turn = outcome._tag === "Failed"
    ? RunTurn.afterFailure(run, settings, outcome.fault, now)
    : RunTurn.afterSuccess(run, outcome.flow, steps.length, rerunsOfStep, now)
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
    origin: originOf(memory, progress, step.id),
    component,
    // The effects of a step that failed are undone, so that they are done once when the step is run again.
    result: outcome._tag === "Done" ? result : RunTurn.undone(result, outcome.fault),
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
