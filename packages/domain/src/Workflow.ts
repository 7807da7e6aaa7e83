import { Effect, Schema } from "effect"
import { DeploymentId } from "./Id.ts"

/** The settings for the start of a workflow's runs and for failures. */
export const WorkflowSettings = Schema.Struct({
  /** The most runs under way at a time; runs that wait for a time do not count. */
  concurrency: Schema.Int,
  /** The most runs that may begin within so many seconds; null for no limit. */
  rateLimit: Schema.NullOr(Schema.Struct({ limit: Schema.Int, intervalSeconds: Schema.Int })),
  /** The delays before a failed step is run again, in seconds: one for each time. */
  retryDelays: Schema.Array(Schema.Int),
  /** The failures of a step that go to `$errors`: each, or only the last, after which it is not run again. */
  errors: Schema.Literals(["each", "last"]),
  /** The fate of a suspended run that nobody has resumed in time. */
  suspensionTimeout: Schema.Literals(["cancel", "resume"]).pipe(
    Schema.withDecodingDefaultTypeKey(Effect.succeed("cancel" as const))
  ),
  /** The longest that a step may take, in seconds, where that is less than the server allows; null for all of it. */
  timeoutSeconds: Schema.NullOr(Schema.Int).pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed(null))),
  /** The least heap that a step finds, in MiB, where that is more than the server gives each; null for that. */
  memoryMb: Schema.NullOr(Schema.Int).pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed(null))),
  /** Paths of files of the account by the names under which steps find them below `/tmp/attachments`. */
  attachments: Schema.Record(Schema.String, Schema.String).pipe(
    Schema.withDecodingDefaultTypeKey(Effect.succeed({}))
  ),
  /** The hosts that steps in shadow may ask anything of, since they only read there. */
  shadowReads: Schema.Array(Schema.String).pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed([])))
})
export type WorkflowSettings = typeof WorkflowSettings.Type

/** Runs go in order, one at a time, as fast as they can, and a failed step is not run again. */
export const defaultSettings: WorkflowSettings = {
  concurrency: 1,
  rateLimit: null,
  retryDelays: [],
  errors: "last",
  suspensionTimeout: "cancel",
  timeoutSeconds: null,
  memoryMb: null,
  attachments: {},
  shadowReads: []
}

/** The parts of a workflow beside its code and props. */
export const Workflow = Schema.Struct({
  /** New with each change of its code or props. */
  deploymentId: DeploymentId,
  settings: WorkflowSettings
})
export type Workflow = typeof Workflow.Type
