/** The state of sources and workflows that run while another server still sends what they would. */
import { Schema } from "effect"
import * as Extension from "./Extension.ts"

export const shown = {
  shadow: Schema.optionalKey(Schema.Boolean.annotate({
    description: "true: it runs, and what it sends to others is held back. Missing if that is sent.",
    ...Extension.mark
  }))
}

export const given = {
  shadow: Schema.optionalKey(Schema.Boolean.annotate({
    description:
      "true: it runs, and what it sends to others is held back. Default: unchanged, and false for a new one.",
    ...Extension.mark
  }))
}
