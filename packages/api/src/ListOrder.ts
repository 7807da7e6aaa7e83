import { Schema } from "effect"

/** The direction of a list of what happens. */
export const ListOrder = Schema.Literals(["newest", "oldest"])
