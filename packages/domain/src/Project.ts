import { Schema } from "effect"
import { AccountId, ProjectId } from "./Id.ts"

/** Sources and workflows of an account that share environment variables. */
export const Project = Schema.Struct({
  id: ProjectId,
  accountId: AccountId,
  /** Unique among the account's. */
  name: Schema.String,
  /** Unique among the account's. */
  nameSlug: Schema.String,
  /** Unix seconds. */
  createdAt: Schema.Int,
  updatedAt: Schema.Int
})
export type Project = typeof Project.Type

/** The longest name, in characters. */
export const longestName = 255

/** The most projects of an account. */
export const mostProjects = 1_000
