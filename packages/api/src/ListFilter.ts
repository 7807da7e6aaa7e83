import type { Kind } from "@headwater/domain/Id"
import { Schema } from "effect"
import * as Extension from "./Extension.ts"
import * as Pagination from "./Pagination.ts"
import { SoughtText } from "./SoughtText.ts"

/**
 * The parameters of a list of things that people name and look for.
 *
 * @param searched the fields in which the text is looked for, in words
 * @param states how such a thing can stand
 */
export const query = <State extends Schema.Top>(kind: Kind, searched: string, states: State) => ({
  ...Pagination.namedQuery(kind),
  q: Schema.optionalKey(SoughtText.annotate({
    description: `Lists only what has this text in ${searched}, in any case, or as its id.`,
    ...Extension.mark
  })),
  active: Schema.optionalKey(Schema.Boolean.annotate({
    description: "Lists only what is active, or only what is not.",
    ...Extension.mark
  })),
  state: Schema.optionalKey(states.annotate({
    description: "Lists only what stands so. failing: most attempts or runs failed.",
    ...Extension.mark
  })),
  sort: Schema.optionalKey(
    Schema.Literals(["created_at", "name"]).annotate({
      description: "created_at: newest first. name: in the order of names. Default: created_at.",
      ...Extension.mark
    })
  )
})
