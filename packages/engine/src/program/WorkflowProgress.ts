import type { Program } from "@headwater/domain/Program"
import { version } from "@headwater/domain/Version"
import { type StepRecord, type WorkflowRun, WorkflowRuns } from "@headwater/log/work/WorkflowRuns"
import type { RunCall, StepInput } from "@headwater/sandbox/Run"
import { Effect } from "effect"

/** A run that has not ended, as its workflow's owner holds it while it goes on. */
export interface WorkflowProgress {
  run: WorkflowRun
  /** JSON text of what each step gave that is done, by name, in their order. */
  readonly results: Map<string, string>
  /** Characters of its event and of these results. */
  held: number
  /** The number of steps that were recorded. */
  recorded: number
  /** True in a trial, of which nothing is kept. */
  readonly isTrial: boolean
}

/** The progress of a run by these of its steps. */
export const make = (
  run: WorkflowRun,
  steps: ReadonlyArray<Pick<StepRecord, "n" | "name" | "result">>,
  isTrial = false
): WorkflowProgress => {
  const results = new Map(steps.flatMap(({ name, result }) => result === null ? [] : [[name, result] as const]))
  const held = [...results.values()].reduce((sum, { length }) => sum + length, run.event.length)
  return { run, results, held, recorded: steps.at(-1)?.n ?? 0, isTrial }
}

/** Notes what a step gave. */
export const noteResult = (progress: WorkflowProgress, step: string, result: string): void => {
  progress.held += result.length - (progress.results.get(step)?.length ?? 0)
  progress.results.set(step, result)
}

/** Reads what a run has come to. */
export const of = Effect.fnUntraced(function*(run: WorkflowRun) {
  return make(run, yield* (yield* WorkflowRuns).stepsOf(run.id))
})

/** True if somebody may wait for the run's response. */
export const isOfEndpoint = ({ trigger }: WorkflowRun): boolean =>
  trigger.kind === "HTTP" && trigger.rerunOf === undefined

const triggerOf = ({ accountId, name }: Program, { isTrial, run }: WorkflowProgress): string => {
  const { deploymentId, event, trigger, tries, workflowId } = run
  const context = JSON.stringify({
    id: trigger.id,
    ts: new Date(trigger.at).toISOString(),
    workflow_id: workflowId,
    workflow_name: name,
    project_id: accountId,
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
    test: isTrial
  })
  return `{"event":${event},"context":${context}}`
}

/** The input of a step: `steps`, with the trigger and the results of the steps before it, and `$.context`. */
const inputOf = (program: Program, progress: WorkflowProgress, step: string): StepInput => ({
  stepsJson: `{"trigger":${triggerOf(program, progress)}${
    [...progress.results].map(([name, result]) => `,${JSON.stringify(name)}:${result}`).join("")
  }}`,
  context: {
    id: progress.run.id,
    workflow_id: progress.run.workflowId,
    deployment_id: progress.run.deploymentId,
    step,
    run: {
      runs: progress.run.tries + 1,
      context: progress.run.rerunContext === null ? null : JSON.parse(progress.run.rerunContext)
    }
  }
})

/** The call of a step of runs, one after the other. */
export const callOf = (program: Program, runs: ReadonlyArray<WorkflowProgress>, step: string): RunCall => ({
  _tag: "Step",
  step,
  runs: runs.map((progress) => inputOf(program, progress, step))
})
