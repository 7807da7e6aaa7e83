import { Schema } from "effect"
import { AccountId } from "./Id.ts"

/** The report of an import: of what came over from elsewhere, and of what is to be done yet. */
export const ImportReport = Schema.Struct({
  accountId: AccountId,
  /** Unique among the account's. */
  name: Schema.String,
  /** JSON, in the form of the API. */
  report: Schema.String,
  /** Unix seconds. */
  createdAt: Schema.Int,
  updatedAt: Schema.Int
})
export type ImportReport = typeof ImportReport.Type

/** The longest name, in characters. */
export const longestName = 100

/** The most bytes that the reports of an account take together. */
export const mostBytes = 4 * 1024 * 1024

/** The bytes for which a report counts at least, so that an account has a few hundred at most. */
export const leastBytes = 16 * 1024
