import { Context } from "effect"

/** Marks an endpoint that only reads although it is no GET, so that the audit log leaves its requests out. */
export const ChangesNothing: Context.Reference<boolean> = Context.Reference("@headwater/api/ChangesNothing", {
  defaultValue: () => false
})
