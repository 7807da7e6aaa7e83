import { Schema } from "effect"
import { AccountId, CourierId, DataStoreId, ProjectId } from "./Id.ts"

/** Somebody who may bring named things into an account from elsewhere, for a while, and nothing else. */
export const Courier = Schema.Struct({
  id: CourierId,
  accountId: AccountId,
  /** The data stores here, by the ids that they have there. */
  stores: Schema.Record(Schema.String, DataStoreId),
  /** The environment variables that it may set, as secrets. */
  variables: Schema.Array(Schema.String),
  takesFiles: Schema.Boolean,
  /** The owner of the variables; null for the account. */
  projectId: Schema.NullOr(ProjectId),
  /** Unix seconds. */
  createdAt: Schema.Int,
  expiresAt: Schema.Int
})
export type Courier = typeof Courier.Type

/** The things of one kind that a courier has brought. */
export interface Arrival {
  readonly kind: "data_store" | "variables" | "files"
  /** The id of a data store there; empty otherwise. */
  readonly name: string
  readonly pages: number
  readonly items: number
  readonly bytes: number
  /** Of the last one, in Unix seconds. */
  readonly at: number
}

/** The longest and the usual life of a courier, in seconds. */
export const longestSeconds = 7 * 24 * 3_600
export const usualSeconds = 24 * 3_600

/** The most that one courier may bring of each. */
export const mostStores = 100
export const mostVariables = 500
export const mostPages = 100_000

/** The path at which couriers arrive. */
export const path = "/courier"
