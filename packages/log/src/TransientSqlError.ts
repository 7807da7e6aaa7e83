import { Predicate } from "effect"
import type { SqlError } from "effect/sql"

const retryableReasons = new Set([
  "ConnectionError",
  "DeadlockError",
  "LockTimeoutError",
  "SerializationError",
  "StatementTimeoutError"
])

/** SQLSTATE of the server's answer, if it gave one. */
const sqlState = (error: SqlError.SqlError): string | undefined => {
  const cause = error.reason.cause
  return Predicate.hasProperty(cause, "code") && typeof cause.code === "string" ? cause.code : undefined
}

/**
 * Whether an error is the database's state and not the statement's fault: the same work can succeed later. Beside
 * connections, locks and timeouts these are SQLSTATE classes 53 (insufficient resources), 57P (operator intervention:
 * shutting down, starting) and 58 (system error).
 */
export const isTransient = (error: SqlError.SqlError): boolean => {
  if (retryableReasons.has(error.reason._tag)) return true
  const state = sqlState(error)
  return state !== undefined && (state.startsWith("53") || state.startsWith("57P") || state.startsWith("58"))
}
