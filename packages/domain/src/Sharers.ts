import { Context } from "effect"

/**
 * How many processes of one server share its machine. What bounds the memory, processes or connections of a server is
 * divided by this number in each of them.
 */
export const Sharers: Context.Reference<number> = Context.Reference("@headwater/domain/Sharers", {
  defaultValue: () => 1
})
