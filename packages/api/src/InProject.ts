/** The project that a source or workflow belongs to. */
import { Schema } from "effect"
import * as Extension from "./Extension.ts"
import { ResourceId } from "./ResourceId.ts"
import { Text } from "./Text.ts"

/** The field of a source or workflow that says where it belongs. Only there if it belongs to a project. */
export const shown = {
  project_id: Schema.optionalKey(
    ResourceId("project").annotate({ description: "The project that it belongs to, if to one.", ...Extension.mark })
  )
}

/** The same as the input of a source or workflow. */
export const given = {
  project_id: Schema.optionalKey(
    Schema.NullOr(Text).annotate({
      description: "The id, name or slug of the project that it is to belong to; null for none. Default: as it was, " +
        "none for a new one.",
      ...Extension.mark
    })
  )
}

/** Makes a list that of one project. */
export const filter = {
  project_id: Schema.optionalKey(
    Text.annotate({ description: "Id, name or slug of a project. Lists only what belongs to it.", ...Extension.mark })
  )
}
