import type { KeyScope } from "@headwater/domain/ApiKey"
import { Context } from "effect"

/** The key of what says, in the OpenAPI document, which scope an operation needs. */
export const scopeKey = "x-headwater-scope"

/**
 * The scope that a key needs for an endpoint. Each endpoint says its own: `read` shows what exists, secrets excepted; `run`
 * also runs, sends and steers what exists; `write` also changes it. One that says nothing is for keys that may do everything.
 */
export const NeededScope: Context.Reference<KeyScope> = Context.Reference("@headwater/api/NeededScope", {
  defaultValue: (): KeyScope => "write"
})
