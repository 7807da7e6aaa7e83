import { Schema } from "effect"
import * as Problem from "./Problem.ts"
import { ResourceId } from "./ResourceId.ts"

/** The answer to a call that has a run begin: the run's id, under which it is found as soon as it has begun. */
export const RunStarted = Schema.Struct({ id: ResourceId("run") }).annotate({
  identifier: "RunStarted",
  examples: [{ id: "run_0Uz7N5cVwQ2KpXs9TzLd" }]
})

/** The problems for which a run can't be asked for. */
export const runRefused = [
  Problem.NotFound,
  Problem.WorkflowPaused,
  Problem.BacklogFull,
  Problem.QuotaExceeded
] as const
