import { Schema } from "effect"
import { AccountId, KeyId } from "./Id.ts"

/** What a key may do. Each scope includes those before it. */
export const KeyScope = Schema.Literals(["read", "run", "write"])
export type KeyScope = typeof KeyScope.Type

/** Whether a key with a scope may do what needs another. */
export const covers = (scope: KeyScope, needed: KeyScope): boolean =>
  KeyScope.literals.indexOf(scope) >= KeyScope.literals.indexOf(needed)

/** A key by which requests name their account; what it says of itself, without the key. */
export const ApiKey = Schema.Struct({
  id: KeyId,
  accountId: AccountId,
  /** Empty where none was given. */
  name: Schema.String,
  scope: KeyScope,
  /** Unix seconds. */
  createdAt: Schema.Int,
  /** Unix seconds: from then on it is refused. Null for a key that does not expire. */
  expiresAt: Schema.NullOr(Schema.Int)
})
export type ApiKey = typeof ApiKey.Type

/** How long the key before a rotation still counts, in seconds, where nothing else is asked for, and at most. */
export const defaultOverlapSeconds = 24 * 60 * 60
export const maxOverlapSeconds = 30 * 24 * 60 * 60
