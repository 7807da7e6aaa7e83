import { Context } from "effect"

/**
 * Marks an endpoint that only reads although it is no GET, or notes how far a reader has come, so that the audit log leaves
 * its requests out: a reader commits with each page.
 */
export const ChangesNothing: Context.Reference<boolean> = Context.Reference("@headwater/api/ChangesNothing", {
  defaultValue: () => false
})
