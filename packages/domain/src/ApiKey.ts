import { Schema } from "effect"
import { AccountId, KeyId } from "./Id.ts"

/** The permissions of a key. Each scope includes those before it. */
export const KeyScope = Schema.Literals(["read", "run", "write"])
export type KeyScope = typeof KeyScope.Type

/** True if `scope` includes `needed`. */
export const covers = (scope: KeyScope, needed: KeyScope): boolean =>
  KeyScope.literals.indexOf(scope) >= KeyScope.literals.indexOf(needed)

/** A key by which requests name their account: its description, without the key itself. */
export const ApiKey = Schema.Struct({
  id: KeyId,
  accountId: AccountId,
  /** Empty where none was given. */
  name: Schema.String,
  scope: KeyScope,
  /** Unix seconds. */
  createdAt: Schema.Int,
  /** The time from which it is refused, in Unix seconds; null for a key that does not expire. */
  expiresAt: Schema.NullOr(Schema.Int)
})
export type ApiKey = typeof ApiKey.Type

/** The time for which the old key stays valid after a rotation, in seconds: by default, and at most. */
export const defaultOverlapSeconds = 24 * 60 * 60
export const maxOverlapSeconds = 30 * 24 * 60 * 60
