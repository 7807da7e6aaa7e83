import { PgMigrator } from "@effect/sql-pg"
import { Effect, Option, Schedule, Schema } from "effect"
import { Migrator, SqlClient, SqlError } from "effect/sql"
import * as DatabaseClaim from "./DatabaseClaim.ts"
import accounts from "./migrations/0001_accounts.ts"
import resources from "./migrations/0002_resources.ts"
import log from "./migrations/0003_log.ts"
import accountLimits from "./migrations/0004_account_limits.ts"
import idempotencyKeys from "./migrations/0005_idempotency_keys.ts"
import registry from "./migrations/0006_registry.ts"
import autoSubscriptions from "./migrations/0007_auto_subscriptions.ts"
import retention from "./migrations/0008_retention.ts"
import linkedComponents from "./migrations/0009_linked_components.ts"
import appAccounts from "./migrations/0010_app_accounts.ts"
import sealedProps from "./migrations/0011_sealed_props.ts"
import lockedComponents from "./migrations/0012_locked_components.ts"
import additionalProps from "./migrations/0013_additional_props.ts"
import workflows from "./migrations/0014_workflows.ts"
import programs from "./migrations/0015_programs.ts"
import exitReasons from "./migrations/0016_exit_reasons.ts"
import dueOwners from "./migrations/0017_due_owners.ts"
import keyCopies from "./migrations/0018_key_copies.ts"
import webhookPasswords from "./migrations/0019_webhook_passwords.ts"
import suspendedAccounts from "./migrations/0020_suspended_accounts.ts"
import journals from "./migrations/0021_journals.ts"
import subscriptionFilters from "./migrations/0022_subscription_filters.ts"
import deliveryLists from "./migrations/0023_delivery_lists.ts"
import webhookSettings from "./migrations/0024_webhook_settings.ts"
import webhookTelling from "./migrations/0025_webhook_telling.ts"
import webhookRequests from "./migrations/0026_webhook_requests.ts"
import consumers from "./migrations/0027_consumers.ts"
import deliveryActions from "./migrations/0028_delivery_actions.ts"
import batches from "./migrations/0029_batches.ts"
import access from "./migrations/0030_access.ts"
import figures from "./migrations/0031_figures.ts"
import devClock from "./migrations/0032_dev_clock.ts"
import backlogFigures from "./migrations/0033_backlog_figures.ts"
import oldestAllowed from "./migrations/0034_oldest_allowed.ts"
import firstRequests from "./migrations/0035_first_requests.ts"
import filterWork from "./migrations/0036_filter_work.ts"
import * as OldestAllowed from "./OldestAllowed.ts"
import { isLocked } from "./TransientSqlError.ts"

const migrations = {
  "0001_accounts": accounts,
  "0002_resources": resources,
  "0003_log": log,
  "0004_account_limits": accountLimits,
  "0005_idempotency_keys": idempotencyKeys,
  "0006_registry": registry,
  "0007_auto_subscriptions": autoSubscriptions,
  "0008_retention": retention,
  "0009_linked_components": linkedComponents,
  "0010_app_accounts": appAccounts,
  "0011_sealed_props": sealedProps,
  "0012_locked_components": lockedComponents,
  "0013_additional_props": additionalProps,
  "0014_workflows": workflows,
  "0015_programs": programs,
  "0016_exit_reasons": exitReasons,
  "0017_due_owners": dueOwners,
  "0018_key_copies": keyCopies,
  "0019_webhook_passwords": webhookPasswords,
  "0020_suspended_accounts": suspendedAccounts,
  "0021_journals": journals,
  "0022_subscription_filters": subscriptionFilters,
  "0023_delivery_lists": deliveryLists,
  "0024_webhook_settings": webhookSettings,
  "0025_webhook_telling": webhookTelling,
  "0026_webhook_requests": webhookRequests,
  "0027_consumers": consumers,
  "0028_delivery_actions": deliveryActions,
  "0029_batches": batches,
  "0030_access": access,
  "0031_figures": figures,
  "0032_dev_clock": devClock,
  "0033_backlog_figures": backlogFigures,
  "0034_oldest_allowed": oldestAllowed,
  "0035_first_requests": firstRequests,
  "0036_filter_work": filterWork
}

/** Servers of an older version use the database, and could not go on after the migrations that are to come. */
export class OlderServers extends Schema.TaggedError<OlderServers>()("OlderServers", {
  /** Where they connect from. */
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
 * How a database is brought to a version's schema.
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
     * Brings the database to this schema, unless it has a later one that allows this. Forward only; safe to run by several
     * at once. Fails where servers run that could not go on.
     */
    run: bring(() => noOlderServers),
    /** The same, for a server that has claimed the database: servers that can't go on are told to stop, and waited for. */
    runForServer: bring((isRaisable) =>
      Effect.gen(function*() {
        if (isRaisable) yield* OldestAllowed.raise(oldestBeside)
        yield* noOlderServers.pipe(Effect.retry({ ...untilStopped, while: ({ _tag }) => _tag === "OlderServers" }))
      })
    )
  }
}

/**
 * A version's place among others: each migration is a step in what the database and the nodes share. What changes the
 * messages between nodes so that older ones can't read them takes a migration too, if an empty one.
 */
export const { run, runForServer, schemaNumber } = make({
  migrations,
  // Raised by a migration after which older versions would misread the database or the messages of newer nodes, or be
  // misread: to its own number. Up to then old and new nodes run beside each other while a server is upgraded.
  oldestBeside: 31
})
