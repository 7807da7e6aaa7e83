import { Schema } from "effect"
import { DeploymentId } from "./Id.ts"

/** How a workflow's runs begin and what becomes of those that fail. */
export const WorkflowSettings = Schema.Struct({
  /** How many runs may be under way at a time, those that wait for a time not counted. */
  concurrency: Schema.Int,
  /** How many runs may begin within so many seconds; null for as many as come. */
  rateLimit: Schema.NullOr(Schema.Struct({ limit: Schema.Int, intervalSeconds: Schema.Int })),
  /** After how many seconds a step that failed is run again: one delay for each time. */
  retryDelays: Schema.Array(Schema.Int),
  /** Which failures of a step go to `$errors`: each, or the last, after which it is not run again. */
  errors: Schema.Literals(["each", "last"])
})
export type WorkflowSettings = typeof WorkflowSettings.Type

/** In order, one at a time, as fast as they go, and once. */
export const defaultSettings: WorkflowSettings = { concurrency: 1, rateLimit: null, retryDelays: [], errors: "last" }

/** What a workflow is beside its code and props. */
export const Workflow = Schema.Struct({
  /** New with each change of its code or props. */
  deploymentId: DeploymentId,
  settings: WorkflowSettings
})
export type Workflow = typeof Workflow.Type
