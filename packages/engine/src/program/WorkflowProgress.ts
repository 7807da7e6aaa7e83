import type { Step } from "@headwater/domain/Component"
import * as EventId from "@headwater/domain/EventId"
import * as Id from "@headwater/domain/Id"
import type { Program } from "@headwater/domain/Program"
import type { RunFile } from "@headwater/domain/RunFile"
import * as Stream from "@headwater/domain/Stream"
import { version } from "@headwater/domain/Version"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import type { WorkflowFiles } from "@headwater/log/work/WorkflowFiles"
import type { RunProgress, RunTrigger, StepRecord, WorkflowRun, WorkflowRuns } from "@headwater/log/work/WorkflowRuns"
import type { RunCall, RunFiles, StepInput, StepKeys } from "@headwater/sandbox/Run"
import { Effect } from "effect"
import * as AttachedFiles from "./AttachedFiles.ts"
import type { ProgramInput } from "./ProgramInput.ts"

type DoneStep = Pick<StepRecord, "n" | "name" | "result" | "resumeData" | "status">

/** A run that has not ended, as its workflow's owner holds it while it goes on. */
export class WorkflowProgress {
  run: WorkflowRun
  /** The files that its next step finds. */
  files: ReadonlyArray<RunFile> = []
  /** JSON text of what each step gave that is done, by name, in their order. */
  readonly results: Map<string, string>
  /** Characters of these results. */
  resultsHeld: number
  /** The number of steps that were recorded. */
  recorded: number
  /** JSON text of the request by which the step that is next was asked to run again, before its time. */
  callback: string | null = null
  /** JSON text of the request by which the run last went on to another step. */
  resumed: string | null = null
  /** True in a trial, of which nothing is kept. */
  readonly isTrial: boolean

  /** @param done those of its steps that are recorded, in their order */
  constructor(run: WorkflowRun, done: ReadonlyArray<DoneStep> = [], isTrial = false) {
    this.run = run
    this.isTrial = isTrial
    this.results = new Map(done.flatMap(({ name, result }) => result === null ? [] : [[name, result] as const]))
    this.resultsHeld = [...this.results.values()].reduce((sum, { length }) => sum + length, 0)
    this.recorded = done.at(-1)?.n ?? 0
    for (const { result, resumeData, status } of done) {
      if (status === "error") continue
      this.callback = result === null ? resumeData : null
      if (result !== null && resumeData !== null) this.resumed = resumeData
    }
  }

  /** Characters of all that it holds. */
  get held(): number {
    const { callback, resultsHeld, resumed, run: { event, rerunContext } } = this
    return [event, rerunContext, callback, resumed].reduce((sum, text) => sum + (text?.length ?? 0), resultsHeld)
  }

  /** Notes the turn that it takes after a step, and what that gave. */
  noteStep(step: string, turn: Omit<RunProgress, "id">, resultJson: string | null): void {
    this.run = { ...this.run, ...turn }
    this.recorded += 1
    if (turn.error === null) this.callback = null
    if (resultJson !== null) this.noteResult(step, resultJson)
  }

  /** Notes what a step gave. */
  noteResult(step: string, result: string): void {
    this.resultsHeld += result.length - (this.results.get(step)?.length ?? 0)
    this.results.set(step, result)
  }
}

/** Reads what a run has come to. */
export const read = (
  { files, runs }: { readonly files: WorkflowFiles["Service"]; readonly runs: WorkflowRuns["Service"] },
  run: WorkflowRun
): Effect.Effect<WorkflowProgress> =>
  Effect.zipWith(
    untilAnswered(runs.stepsOf(run.id)),
    untilAnswered(files.of(run.id)),
    (steps, files) => {
      const progress = new WorkflowProgress(run, steps)
      progress.files = files
      return progress
    },
    { concurrent: true }
  )

/** The state of a run that is at the beginning of a step. */
export const beginning = {
  status: "running",
  tries: 0,
  failures: 0,
  rerunContext: null,
  dueAt: null,
  waitsFor: null,
  error: null,
  exitReason: null,
  endedAt: null
} as const

/** An input over which a run of its own begins. */
export type InputOfRun = ProgramInput & { readonly kind: RunTrigger["kind"] }

export const isOfRun = (input: ProgramInput): input is InputOfRun => input.kind !== "HOOK" && input.kind !== "RERUN"

/** A run that begins at the first step. */
export const runOver = (
  programId: Program["id"],
  deploymentId: Id.DeploymentId,
  input: InputOfRun,
  id: Id.RunId,
  startedAt: number,
  isShadow = input.isShadow === true
): WorkflowRun => ({
  id,
  workflowId: Id.WorkflowId.make(programId),
  deploymentId,
  trigger: {
    kind: input.kind,
    id: input.id,
    at: input.at,
    hops: input.hops,
    emitterId: input.from?.emitterId ?? programId,
    stream: input.from?.stream ?? Stream.requests,
    ...(input.cause === undefined ? {} : { eventId: EventId.format(input.cause.id) }),
    ...(isShadow ? { shadow: true } : {})
  },
  event: input.eventJson,
  startedAt,
  ...beginning,
  step: 0
})

/** True if somebody may wait for the run's response. */
export const isOfEndpoint = ({ trigger }: WorkflowRun): boolean =>
  trigger.kind === "HTTP" && trigger.rerunOf === undefined

const triggerOf = (
  { accountId, name, projectId, workflow }: Program,
  { isTrial, run }: WorkflowProgress
): string => {
  const { deploymentId, event, trigger, tries, workflowId } = run
  const attachments = AttachedFiles.pathsOf(workflow?.settings.attachments ?? {})
  const context = JSON.stringify({
    id: trigger.id,
    ts: new Date(trigger.at).toISOString(),
    workflow_id: workflowId,
    workflow_name: name,
    project_id: projectId ?? accountId,
    deployment_id: deploymentId,
    source_type: trigger.kind,
    verified: false,
    owner_id: accountId,
    platform_version: version,
    emitter_id: trigger.emitterId,
    trace_id: trigger.id,
    hops: trigger.hops,
    attempt: tries + 1,
    replay: trigger.rerunOf !== undefined,
    test: isTrial,
    ...(Object.keys(attachments).length === 0 ? {} : { attachments })
  })
  return `{"event":${event},"context":${context}}`
}

/** The input of a step: `steps`, with the trigger and the results of the steps before it, `$.context`, and its files. */
const inputOf = (program: Program, progress: WorkflowProgress, { filesOf, steps }: StepsOfRuns): StepInput => {
  const { results, run } = progress
  return {
    files: filesOf(progress),
    stepsJson: `{"trigger":${triggerOf(program, progress)}${
      [...results].map(([name, result]) => `,${JSON.stringify(name)}:${result}`).join("")
    }}`,
    context: {
      id: run.id,
      workflow_id: run.workflowId,
      deployment_id: run.deploymentId,
      step: steps[run.step]!.name,
      ...(run.trigger.shadow === true ? { shadow: { reads: program.workflow?.settings.shadowReads ?? [] } } : {}),
      run: {
        runs: run.tries + 1,
        context: parsed(run.rerunContext),
        callback_request: parsed(progress.callback)
      },
      resume: parsed(progress.resumed)
    },
    n: progress.recorded + 1
  }
}

const parsed = (json: string | null): unknown => json === null ? null : JSON.parse(json)

/** The steps of a workflow, and all that they are given beside what the steps before them gave. */
export interface StepsOfRuns {
  readonly steps: ReadonlyArray<Pick<Step, "lang" | "name">>
  readonly keys: StepKeys
  readonly filesOf: (progress: WorkflowProgress) => RunFiles
}

/** The call of the step that runs are at, one after the other. */
export const callOf = (
  program: Program,
  runs: readonly [WorkflowProgress, ...ReadonlyArray<WorkflowProgress>],
  of: StepsOfRuns
): RunCall => {
  const { lang, name } = of.steps[runs[0].run.step]!
  return { _tag: "Step", step: name, lang, keys: of.keys, runs: runs.map((progress) => inputOf(program, progress, of)) }
}
