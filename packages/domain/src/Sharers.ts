import { Context } from "effect"

/**
 * The number of processes of one server that share its machine. Each of them divides the server's limits on memory,
 * processes and connections by this number.
 */
export const Sharers: Context.Reference<number> = Context.Reference("@headwater/domain/Sharers", {
  defaultValue: () => 1
})
