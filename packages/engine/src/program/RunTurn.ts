import { maxComponentDepth } from "@headwater/domain/JsonDepth"
import type { WorkflowSettings } from "@headwater/domain/Workflow"
import type { RunFault, RunProgress } from "@headwater/log/work/WorkflowRuns"
import type { RunResult } from "@headwater/sandbox/Run"
import * as StepAnswer from "@headwater/sandbox/StepAnswer"
import { Option } from "effect"
import * as RunEvents from "./RunEvents.ts"
import type { WorkflowProgress } from "./WorkflowProgress.ts"

/** The turn that a run takes after a step. */
export type RunTurn = Omit<RunProgress, "id">

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

/** The turn of a run that is over. */
export const ended = (
  turn: Pick<RunTurn, "step" | "tries" | "failures">,
  { error = null, exit }: { readonly error?: RunFault | null; readonly exit?: string },
  now: number
): RunTurn => ({
  ...turn,
  status: error === null ? "success" : "error",
  rerunContext: null,
  dueAt: null,
  error,
  exitReason: exit?.slice(0, longestReason) ?? null,
  endedAt: now
})

/** The turn of a run whose step has failed. */
export const afterFailure = (
  { failures, rerunContext, step, tries }: RunTurn,
  { retryDelays }: WorkflowSettings,
  fault: RunFault,
  now: number
): RunTurn => {
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
export const afterSuccess = (
  { failures, step, tries }: RunTurn,
  { delay, exit, rerun }: StepAnswer.StepAnswer["flow"],
  steps: number,
  mostReruns: number,
  now: number
): RunTurn => {
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

/** A run that begins. */
export const beginning = {
  ...goingOn,
  status: "running",
  tries: 0,
  failures: 0,
  rerunContext: null,
  dueAt: null
} as const
