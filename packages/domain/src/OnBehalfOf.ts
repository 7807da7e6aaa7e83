import { Context } from "effect"

/** For which account something is done: accounts take turns at what is scarce. Empty where that is for none, or for all. */
export const OnBehalfOf: Context.Reference<string> = Context.Reference("@headwater/domain/OnBehalfOf", {
  defaultValue: () => ""
})
