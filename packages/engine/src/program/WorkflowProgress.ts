import type { Step } from "@headwater/domain/Component"
import * as EventId from "@headwater/domain/EventId"
import * as Id from "@headwater/domain/Id"
import type { Program } from "@headwater/domain/Program"
import type { RunFile } from "@headwater/domain/RunFile"
import * as Stream from "@headwater/domain/Stream"
import { version } from "@headwater/domain/Version"
import type { RunProgress, RunTrigger, StepRecord, WorkflowRun } from "@headwater/log/work/WorkflowRuns"
import type { RunCall, RunFiles, StepInput, StepKeys } from "@headwater/sandbox/Run"
import * as AttachedFiles from "./AttachedFiles.ts"
import type { ForkedRun } from "./ForkedRun.ts"
import type { ProgramInput } from "./ProgramInput.ts"

/** The turn that a run, or a path of it, takes after a step. */
export type Turn = Omit<RunProgress, "id">

export type DoneStep = Pick<StepRecord, "n" | "name" | "path" | "result" | "resumeData" | "status">

/** The steps of a run that are done, and the files that they left: its paths have them in common. */
export class DoneSteps {
  /** The files that the next step finds. */
  files: ReadonlyArray<RunFile> = []
  /** JSON text of what each step gave, by name, in their order. */
  readonly results = new Map<string, string>()
  /** Characters of these results. */
  held = 0
  /** The number of steps that were recorded. */
  recorded = 0

  /** Notes what steps gave, of those that are recorded, in their order. */
  note(done: ReadonlyArray<Pick<DoneStep, "name" | "result">>): void {
    for (const { name, result } of done) {
      if (result === null) continue
      this.held += result.length - (this.results.get(name)?.length ?? 0)
      this.results.set(name, result)
    }
  }
}

/** A path of a run that is on several at once, and the number of its steps that were recorded. */
export interface OnPath {
  readonly forked: ForkedRun
  readonly name: string
  recorded: number
}

/** A run that has not ended, or a path of it, as its workflow's owner holds it while it goes on. */
export class WorkflowProgress {
  /** With the progress of the path, if it is one. */
  run: WorkflowRun
  readonly path: OnPath | undefined
  readonly steps: DoneSteps
  /** JSON text of the request by which the step that is next was asked to run again, before its time. */
  callback: string | null = null
  /** JSON text of the request by which the run last went on to another step. */
  resumed: string | null = null
  /** True in a trial, of which nothing is kept. */
  readonly isTrial: boolean
  /** True once its run is being cancelled: it takes no further step. */
  isAborted = false
  /** Told of that. */
  onAbort: (() => void) | undefined

  constructor(
    run: WorkflowRun,
    { isTrial = false, path, steps = new DoneSteps() }: {
      readonly isTrial?: boolean
      readonly path?: OnPath
      readonly steps?: DoneSteps
    } = {}
  ) {
    this.run = run
    this.path = path
    this.steps = steps
    this.isTrial = isTrial
  }

  /** Of a run of which steps are recorded: these, in their order. */
  static after(run: WorkflowRun, done: ReadonlyArray<DoneStep>): WorkflowProgress {
    const progress = new WorkflowProgress(run)
    progress.steps.note(done)
    progress.steps.recorded = done.at(-1)?.n ?? 0
    progress.noteRequests(done)
    return progress
  }

  /** The same for each time that its owner takes the run, or the path, up. */
  get key(): string {
    return keyOf(this.run.id, this.path?.name)
  }

  /** The number of the step that is next among those of the run, or of the path. */
  get n(): number {
    return (this.path ?? this.steps).recorded + 1
  }

  /** Characters of all that it holds. */
  get held(): number {
    const { callback, resumed, run: { event, rerunContext }, steps } = this
    return [event, rerunContext, callback, resumed].reduce((sum, text) => sum + (text?.length ?? 0), steps.held)
  }

  /** Has it give up the step that it is at, and take no other. */
  abort(): void {
    this.isAborted = true
    this.onAbort?.()
  }

  /** Notes the requests by which it went on after its own ones of these steps. */
  noteRequests(done: ReadonlyArray<DoneStep>): void {
    for (const { path, result, resumeData, status } of done) {
      if (status === "error" || path !== (this.path?.name ?? null)) continue
      this.callback = result === null ? resumeData : null
      if (result !== null && resumeData !== null) this.resumed = resumeData
    }
  }

  /** Notes the turn that it takes after a step, and what that gave. */
  noteStep(step: string, turn: Turn, resultJson: string | null): void {
    this.run = { ...this.run, ...turn }
    this.steps.recorded += 1
    if (this.path !== undefined) this.path.recorded += 1
    if (turn.error === null) this.callback = null
    this.steps.note([{ name: step, result: resultJson }])
  }
}

/** The key by which due work, and what its owner holds, names a run or a path of it. */
export const keyOf = (run: Id.RunId, path: string | undefined): string => path === undefined ? run : `${run}/${path}`

/** Reads a key. */
export const placeOf = (key: string): { readonly run: Id.RunId; readonly path: string | undefined } => {
  const [run, path] = key.split("/")
  return { run: Id.RunId.make(run!), path }
}

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
    ...(isShadow ? { shadow: true } : {}),
    ...(input.unstored === undefined ? {} : { unstored: input.unstored })
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
  const { path, run, steps: { results } } = progress
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
    ...(path === undefined ? {} : { path: path.name }),
    n: progress.n
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
