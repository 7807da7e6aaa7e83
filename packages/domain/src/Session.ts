import { Schema } from "effect"
import { KeyScope } from "./ApiKey.ts"
import { AccountId, KeyId, SessionId } from "./Id.ts"

/** A session of the console: what a person does who has signed in with a key. It may do what its key may do. */
export const Session = Schema.Struct({
  id: SessionId,
  accountId: AccountId,
  username: Schema.String,
  email: Schema.String,
  keyId: KeyId,
  keyName: Schema.String,
  scope: KeyScope,
  /** Unix seconds, as all of these. */
  createdAt: Schema.Int,
  /** When it ends at the latest: with its key, where that is sooner. */
  expiresAt: Schema.Int,
  /** When it was last used, up to a minute earlier than it was. */
  usedAt: Schema.Int
})
export type Session = typeof Session.Type

/** How long a session lasts, in seconds. */
export const longestSeconds = 12 * 60 * 60

/** How long it lasts without a request, in seconds. */
export const longestIdleSeconds = 60 * 60
