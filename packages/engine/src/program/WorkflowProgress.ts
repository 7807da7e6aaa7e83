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
}

/** The progress of a run by these of its steps. */
export const make = (
  run: WorkflowRun,
  steps: ReadonlyArray<Pick<StepRecord, "n" | "name" | "result">>
): WorkflowProgress => {
  const results = new Map(steps.flatMap(({ name, result }) => result === null ? [] : [[name, result] as const]))
  const held = [...results.values()].reduce((sum, { length }) => sum + length, run.event.length)
  return { run, results, held, recorded: steps.at(-1)?.n ?? 0 }
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

const triggerOf = ({ accountId, name }: Program, run: WorkflowRun): string => {
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
    test: false
  })
  return `{"event":${event},"context":${context}}`
}

/** The input of a step: `steps`, with the trigger and the results of the steps before it, and `$.context`. */
const inputOf = (program: Program, { results, run }: WorkflowProgress, step: string): StepInput => ({
  stepsJson: `{"trigger":${triggerOf(program, run)}${
    [...results].map(([name, result]) => `,${JSON.stringify(name)}:${result}`).join("")
  }}`,
  context: {
    id: run.id,
    workflow_id: run.workflowId,
    deployment_id: run.deploymentId,
    step,
    run: {
      runs: run.tries + 1,
      context: run.rerunContext === null ? null : JSON.parse(run.rerunContext)
    }
  }
})

/** The call of a step of runs, one after the other. */
export const callOf = (program: Program, runs: ReadonlyArray<WorkflowProgress>, step: string): RunCall => ({
  _tag: "Step",
  step,
  runs: runs.map((progress) => inputOf(program, progress, step))
})
