import { version } from "@headwater/domain/Version"
import { Effect, Option, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as DatabaseClaim from "./DatabaseClaim.ts"
import { isTransient } from "./TransientSqlError.ts"

/** A newer version of Headwater has made of the database what this one can't work with. */
export class VersionTooOld extends Schema.TaggedError<VersionTooOld>()("VersionTooOld", {
  /** The number of this version's schema, and the lowest that the database allows. */
  schemaNumber: Schema.Int,
  oldestAllowed: Schema.Int,
  /** The version that has changed the database. */
  changedBy: Schema.String
}) {
  override get message() {
    return `This version of Headwater (${version}, schema ${this.schemaNumber}) is too old for the database: version ` +
      `${this.changedBy} has changed it, and it allows none below schema ${this.oldestAllowed}. Start that version or a ` +
      "later one, or restore a backup from before the upgrade"
  }
}

/** The interval at which a server checks that it is still allowed. */
const lookEvery = "2 seconds"

/**
 * The `oldest_allowed` table: a row that says which versions may use the database, by the numbers of their schemas.
 * None in a database that no version has brought so far.
 */
export const read = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const [table] = yield* sql<{ exists: boolean }>`SELECT to_regclass('oldest_allowed') IS NOT NULL AS exists`
  if (table?.exists !== true) return Option.none()
  const [row] = yield* sql<
    { schema_number: number; version: string }
  >`SELECT schema_number, version FROM oldest_allowed`
  return Option.map(
    Option.fromUndefinedOr(row),
    (row) => ({ oldestAllowed: row.schema_number, changedBy: row.version })
  )
})

/** Allows no schema below a number from now on. */
export const raise = Effect.fnUntraced(function*(schemaNumber: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO oldest_allowed (schema_number, version) VALUES (${schemaNumber}, ${version})
    ON CONFLICT (sole) DO UPDATE SET schema_number = excluded.schema_number, version = excluded.version
    WHERE oldest_allowed.schema_number < excluded.schema_number`
})

/**
 * Allows no schema below a number from now on, unless servers of one use the database. Answers whether it does.
 *
 * For what older versions would misread, and that can be done without while they are there.
 */
export const raiseIfUnused = Effect.fnUntraced(function*(schemaNumber: number) {
  const older = yield* DatabaseClaim.olderServers(schemaNumber)
  if (older.length > 0) return false
  yield* raise(schemaNumber)
  return true
})

/** Fails where the database does not allow a schema. */
export const verify = Effect.fnUntraced(function*(schemaNumber: number) {
  const allowed = yield* read
  if (Option.isNone(allowed) || allowed.value.oldestAllowed <= schemaNumber) return
  return yield* new VersionTooOld({ schemaNumber, ...allowed.value })
})

/** Fails once the database no longer allows a schema. */
export const untilTooOld = (schemaNumber: number) =>
  verify(schemaNumber).pipe(
    Effect.catchTag("SqlError", (error) =>
      isTransient(error)
        ? Effect.void
        : Effect.logWarning("Could not look which versions the database allows; trying again", error)),
    Effect.repeat(Schedule.spaced(lookEvery)),
    Effect.andThen(Effect.never)
  )
