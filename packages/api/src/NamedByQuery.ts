import { Context } from "effect"

/** The parameter of an endpoint's query that names what it is about, where the audit log would find no id. */
export const NamedByQuery: Context.Reference<string | undefined> = Context.Reference("@headwater/api/NamedByQuery", {
  defaultValue: (): string | undefined => undefined
})
