/** The key of what marks, in the OpenAPI document, an operation, parameter or field that stands beside the contract. */
export const key = "x-headwater-extension"

/** Spread into a schema's annotations, or given as an operation's `override`. */
export const mark = { [key]: true } as const
