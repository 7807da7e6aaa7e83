import { PgMigrator } from "@effect/sql-pg"
import { version } from "@headwater/domain/Version"
import { Effect, Option, Schedule, Schema } from "effect"
import { Migrator, SqlClient, SqlError } from "effect/sql"
import * as Baseline from "./Baseline.ts"
import * as DatabaseClaim from "./DatabaseClaim.ts"
import * as BulkOwners from "./migrations/BulkOwners.ts"
import * as Couriers from "./migrations/Couriers.ts"
import * as DatabaseIdentities from "./migrations/DatabaseIdentities.ts"
import * as DataStores from "./migrations/DataStores.ts"
import * as EnvironmentVariables from "./migrations/EnvironmentVariables.ts"
import * as FilesAndObjects from "./migrations/FilesAndObjects.ts"
import * as ImportReports from "./migrations/ImportReports.ts"
import * as Mailboxes from "./migrations/Mailboxes.ts"
import * as MovingPrograms from "./migrations/MovingPrograms.ts"
import * as OAuthAccounts from "./migrations/OAuthAccounts.ts"
import * as OAuthConnections from "./migrations/OAuthConnections.ts"
import * as OwnLimits from "./migrations/OwnLimits.ts"
import * as Projects from "./migrations/Projects.ts"
import * as RunBooks from "./migrations/RunBooks.ts"
import * as RunPaths from "./migrations/RunPaths.ts"
import * as StepProps from "./migrations/StepProps.ts"
import * as StoredFileChecksums from "./migrations/StoredFileChecksums.ts"
import * as StoredFiles from "./migrations/StoredFiles.ts"
import * as SuspendedRuns from "./migrations/SuspendedRuns.ts"
import * as WorkflowFiles from "./migrations/WorkflowFiles.ts"
import * as OldestAllowed from "./OldestAllowed.ts"
import { isLocked } from "./TransientSqlError.ts"

/** The schema that a database begins with, and the lowest that can be brought to a later one. */
const baseline = 36

const migrations = {
  [`00${baseline}_baseline`]: Baseline.make,
  "0037_environment_variables": EnvironmentVariables.make,
  "0038_data_stores": DataStores.make,
  "0039_workflow_files": WorkflowFiles.make,
  "0040_stored_files": StoredFiles.make,
  "0041_suspended_runs": SuspendedRuns.make,
  "0042_oauth_accounts": OAuthAccounts.make,
  "0043_oauth_connections": OAuthConnections.make,
  "0044_mailboxes": Mailboxes.make,
  "0045_stored_file_checksums": StoredFileChecksums.make,
  "0046_files_and_objects": FilesAndObjects.make,
  "0048_step_props": StepProps.make,
  "0049_projects": Projects.make,
  "0050_run_paths": RunPaths.make,
  "0051_import_reports": ImportReports.make,
  "0052_moving_programs": MovingPrograms.make,
  "0053_couriers": Couriers.make,
  "0054_bulk_owners": BulkOwners.make,
  "0055_run_books": RunBooks.make,
  "0056_database_identity": DatabaseIdentities.make,
  "0057_own_limits": OwnLimits.make
}

/** A version of before the baseline has made the database. */
export class SchemaTooOld extends Schema.TaggedError<SchemaTooOld>()("SchemaTooOld", {
  schemaNumber: Schema.Int
}) {
  override get message() {
    return `The database has schema ${this.schemaNumber}, and this version of Headwater (${version}) goes on from schema ` +
      `${baseline} alone. Start the last version that still brings it to schema ${baseline} once, or export the account ` +
      "with the version that made it (headwater export) and apply it to a new database"
  }
}

/** Servers of an older version use the database, and could not go on after the migrations that are to come. */
export class OlderServers extends Schema.TaggedError<OlderServers>()("OlderServers", {
  /** The addresses from which they connect. */
  addresses: Schema.Array(Schema.String)
}) {
  override get message() {
    return `Servers of an older version run on this database (from ${
      this.addresses.join(", ")
    }), and can't go on beside ` +
      "this version. Stop them, and start this version's servers"
  }
}

const table = "headwater_migrations"

/** A server waits for a minute at most until older ones have stopped. */
const untilStopped = { schedule: Schedule.spaced("500 millis"), times: 120 }

/** For tables that somebody keeps locked too: each time as long as a statement waits for a lock. */
const untilUnlocked = { schedule: Schedule.spaced("500 millis"), times: 24 }

const isTableLocked = (error: unknown) =>
  SqlError.isSqlError(error)
    ? isLocked(error)
    : error instanceof Migrator.MigrationError && SqlError.isSqlError(error.cause) && isLocked(error.cause)

/**
 * Brings a database to a version's schema.
 *
 * @param options.oldestBeside the number of the oldest schema whose versions can work beside this one, on this one's schema
 */
export const make = (options: {
  readonly migrations: Parameters<typeof Migrator.fromRecord>[0]
  readonly oldestBeside: number
}) => {
  const { migrations, oldestBeside } = options
  const schemaNumber = Math.max(...Object.keys(migrations).map((name) => Number.parseInt(name, 10)))

  /** That of the database; 0 where it is empty. */
  const present = Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [known] = yield* sql<{ exists: boolean }>`SELECT to_regclass(${table}) IS NOT NULL AS exists`
    if (known?.exists !== true) return 0
    const [last] = yield* sql<{ migration: number | null }>`SELECT max(migration_id) AS migration FROM ${sql(table)}`
    return last?.migration ?? 0
  })

  const noOlderServers = Effect.flatMap(
    DatabaseClaim.olderServers(oldestBeside),
    (addresses) => addresses.length === 0 ? Effect.void : Effect.fail(new OlderServers({ addresses }))
  )

  const migrate = PgMigrator.run({ table, loader: Migrator.fromRecord(migrations) })

  const bring = <E, R>(awaitOlder: (isRaisable: boolean) => Effect.Effect<void, E, R>) =>
    Effect.gen(function*() {
      yield* OldestAllowed.verify(schemaNumber)
      const number = yield* present
      if (number > schemaNumber) return
      if (number > 0 && number < baseline) return yield* new SchemaTooOld({ schemaNumber: number })
      if (number < schemaNumber) {
        const allowed = Option.map(yield* OldestAllowed.read, ({ oldestAllowed }) => oldestAllowed)
        // Versions that knew no such row ran on no database but that of their own schema.
        if (Option.getOrElse(allowed, () => number) < oldestBeside) yield* awaitOlder(Option.isSome(allowed))
        yield* migrate
      }
      // Also where whoever has migrated ended before saying so.
      yield* OldestAllowed.raise(oldestBeside)
    }).pipe(
      Effect.tapError((error) =>
        isTableLocked(error)
          ? Effect.logWarning("Somebody keeps tables locked; the migrations wait for them")
          : Effect.void
      ),
      Effect.retry({ ...untilUnlocked, while: isTableLocked })
    )

  return {
    /** Of its last migration. */
    schemaNumber,
    /**
     * Brings the database to this schema, unless it has a later one that allows this. Forward only; safe to run by
     * several at once. Fails where servers run that could not go on.
     */
    run: bring(() => noOlderServers),
    /**
     * The same, for a server that has claimed the database: servers that can't go on are told to stop, and waited for.
     */
    runForServer: bring((isRaisable) =>
      Effect.gen(function*() {
        if (isRaisable) yield* OldestAllowed.raise(oldestBeside)
        yield* noOlderServers.pipe(Effect.retry({ ...untilStopped, while: ({ _tag }) => _tag === "OlderServers" }))
      })
    )
  }
}

/**
 * A version's place among others: each migration is a step in what the database and the nodes share. A change to the
 * messages between nodes takes a migration too, if an empty one, where older nodes can't read the changed messages.
 */
export const { run, runForServer, schemaNumber } = make({
  migrations,
  // Raised by a migration after which older versions would misread the database or the messages of newer nodes, or be
  // misread: to its own number. Up to then old and new nodes run beside each other while a server is upgraded.
  oldestBeside: 55
})
