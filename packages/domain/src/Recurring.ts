import { Context } from "effect"

/**
 * Whether a fiber does something again and again, however little there is to do: a sweep, a scan. A clock that goes from
 * one thing that is due to the next does not stop where such a fiber would go on.
 */
export const Recurring: Context.Reference<boolean> = Context.Reference("@headwater/domain/Recurring", {
  defaultValue: () => false
})
