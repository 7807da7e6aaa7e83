import type { SealBroken } from "@headwater/domain/Seal"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"

/** The account can't be connected in this way. */
export class NotConnectable extends Schema.TaggedError<NotConnectable>()("NotConnectable", {
  message: Schema.String
}) {}

/** The account was deleted since it was read. */
export const gone = Effect.suspend(() => new NotConnectable({ message: "it has been deleted" }))

/** No connection waits for this. */
export class ConnectionUnknown extends Schema.TaggedError<ConnectionUnknown>()("ConnectionUnknown", {}) {}

/** The user has not entered the device's code yet. */
export class ConnectionPending extends Schema.TaggedError<ConnectionPending>()("ConnectionPending", {
  /** The time until it may be asked again, in milliseconds. */
  retryAfterMs: Schema.Int
}) {}

/** The tables can't be read, or what is sealed in them. */
export type Failed = SqlError.SqlError | SealBroken

/** A connection that has begun, as who began it sees it. */
export interface BegunConnection {
  /** The page that the user is to open. */
  readonly url: string
  /** The place to which the provider sends the user; null of a device. */
  readonly redirectUri: string | null
  /** The code that the user is to enter there; null unless a device is connected. */
  readonly userCode: string | null
  /** The secret that ends a device's connection; otherwise the user's browser has it in the end. */
  readonly confirmation: string | null
  readonly intervalMs: number | null
  /** Unix milliseconds. */
  readonly expiresAt: number
}

/** A connection is to be over after so long, in milliseconds. */
export const longestMs = 10 * 60_000
