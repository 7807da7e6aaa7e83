/** The `database_identity` table: where the database is that servers work on. A copy has the row of what it is a copy of. */
import { Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"

const Identity = Schema.Struct({
  /** Of the Postgres, the same on its replicas; null where this user may not ask. */
  systemIdentifier: Schema.NullOr(Schema.String),
  databaseOid: Schema.String,
  /** The data directory of an embedded Postgres. */
  directory: Schema.NullOr(Schema.String)
})
type Identity = typeof Identity.Type

const placeOf = ({ databaseOid, directory, systemIdentifier }: Identity): string =>
  [
    `system identifier ${systemIdentifier ?? "unknown"}`,
    `database oid ${databaseOid}`,
    ...(directory === null ? [] : [`in ${directory}`])
  ].join(", ")

/** Servers have worked on this database at another place: here is a copy of it, or it was moved. */
export class DatabaseCopied extends Schema.TaggedError<DatabaseCopied>()("DatabaseCopied", {
  was: Identity,
  is: Identity
}) {
  override get message() {
    return `This database is a copy of another one, or was moved: it was at ${placeOf(this.was)}, and is at ${
      placeOf(this.is)
    }. Servers that work on both deliver and run everything twice. Start this one with --take-over (HEADWATER_TAKE_OVER=1) ` +
      "to have it work here from now on, or with --without-work (HEADWATER_WORK=off) to look only"
  }
}

/** Managed databases may keep it from their users. */
const systemIdentifier = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly id: string }>`SELECT system_identifier::text AS id FROM pg_control_system()`
  return row?.id ?? null
}).pipe(Effect.catchTag("SqlError", () => Effect.succeed(null)))

const present = Effect.fnUntraced(function*(directory: string | null) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly oid: string }>`
    SELECT oid::text AS oid FROM pg_database WHERE datname = current_database()`
  return { systemIdentifier: yield* systemIdentifier, databaseOid: row?.oid ?? "", directory } satisfies Identity
})

const kept = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const [table] = yield* sql<{ exists: boolean }>`SELECT to_regclass('database_identity') IS NOT NULL AS exists`
  if (table?.exists !== true) return Option.none<Identity>()
  const [row] = yield* sql<Identity>`
    SELECT system_identifier AS "systemIdentifier", database_oid::text AS "databaseOid", directory FROM database_identity`
  return Option.fromUndefinedOr(row)
})

/** A field that one of the two does not know makes no difference. */
const differs = (was: Identity, is: Identity): boolean =>
  (["systemIdentifier", "databaseOid", "directory"] as const).some((field) =>
    was[field] !== null && is[field] !== null && was[field] !== is[field]
  )

/** Fails where servers have worked on this database at another place. Changes nothing. */
export const verify = Effect.fnUntraced(function*(directory: string | null) {
  const was = yield* kept
  if (Option.isNone(was)) return
  const is = yield* present(directory)
  if (differs(was.value, is)) return yield* new DatabaseCopied({ was: was.value, is })
})

/** Notes that servers work on this database where it is. */
export const note = Effect.fnUntraced(function*(directory: string | null) {
  const sql = yield* SqlClient.SqlClient
  const is = yield* present(directory)
  yield* sql`
    INSERT INTO database_identity (system_identifier, database_oid, directory)
    VALUES (${is.systemIdentifier}, ${is.databaseOid}::bigint, ${is.directory})
    ON CONFLICT (sole) DO UPDATE SET system_identifier = excluded.system_identifier,
      database_oid = excluded.database_oid, directory = excluded.directory`
})
