import { Context } from "effect"

/** The account for which something is done: accounts take turns at scarce resources. Empty for none, or for all. */
export const OnBehalfOf: Context.Reference<string> = Context.Reference("@headwater/domain/OnBehalfOf", {
  defaultValue: () => ""
})
