import * as Context from "effect/Context"

/** For which account a module is read or its packages are installed: accounts take turns at what is done one at a time. */
export const OnBehalfOf: Context.Reference<string> = Context.Reference("@headwater/sandbox/OnBehalfOf", {
  defaultValue: () => ""
})
