import { Schema } from "effect"
import { Text } from "./Text.ts"

/** The part of a path that names a resource. Text that can't be an id or a slug names nothing, so it answers 404. */
export const PathId = (description: string): Schema.Struct<{ readonly id: typeof Text }> =>
  Schema.Struct({ id: Text.annotate({ description }) })

export const workflowParams = PathId("The workflow's id or its name slug.")
