import { Schema } from "effect"

/** The names of environment variables, by which code asks `process.env` for them. */
export const namePattern = /^[A-Za-z_][A-Za-z0-9_]{0,254}$/

/** The most bytes of a value, and of all names and values of one account or program together. */
export const mostValueBytes = 64 * 1024
export const mostBytes = 256 * 1024

/** A value, and whether it is a secret, which no client is shown again. */
export const EnvironmentVariable = Schema.Struct({
  value: Schema.String,
  isSecret: Schema.Boolean,
  /** Unix seconds. */
  updatedAt: Schema.Int
})
export type EnvironmentVariable = typeof EnvironmentVariable.Type

/** The environment variables of an account, or of one of its programs, by name. */
export const Environment = Schema.Record(Schema.String, EnvironmentVariable)
export type Environment = typeof Environment.Type

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

/** The bytes that an environment takes. */
export const sizeOf = (environment: Environment): number =>
  Object.entries(environment).reduce((sum, [name, { value }]) => sum + bytesOf(name) + bytesOf(value), 0)
