import { Schema } from "effect"
import { KeyScope } from "./ApiKey.ts"
import { AccountId, KeyId, SessionId } from "./Id.ts"

/** A session of the console, for a person who has signed in with a key. It may do what its key may do. */
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
  /** The time at which it ends at the latest: with its key, if that is sooner. */
  expiresAt: Schema.Int,
  /** The time of its last use, or up to a minute before it. */
  usedAt: Schema.Int
})
export type Session = typeof Session.Type

/** The longest life of a session, in seconds. */
export const longestSeconds = 12 * 60 * 60

/** The longest time that a session lasts without a request, in seconds. */
export const longestIdleSeconds = 60 * 60
