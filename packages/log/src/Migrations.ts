import { PgMigrator } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { Migrator, SqlClient } from "effect/sql"
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

const migrator = {
  table: "headwater_migrations",
  loader: Migrator.fromRecord({
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
    "0033_backlog_figures": backlogFigures
  })
}

/** A newer version of Headwater has changed the database: this one would misread it. */
export class DatabaseNewer extends Schema.TaggedError<DatabaseNewer>()("DatabaseNewer", {
  /** Numbers of the last migrations: that of the database, and that of this version. */
  migration: Schema.Int,
  newest: Schema.Int
}) {
  override get message() {
    return `A newer version of Headwater has changed the database (its schema is number ${this.migration}, this version's is ` +
      `${this.newest}). Start that version or a later one, or restore a backup`
  }
}

const refuseNewer = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { loader, table } = migrator
  const [known] = yield* sql<{ exists: boolean }>`SELECT to_regclass(${table}) IS NOT NULL AS exists`
  if (known?.exists !== true) return
  const [last] = yield* sql<{ migration: number | null }>`SELECT max(migration_id) AS migration FROM ${sql(table)}`
  const migration = last?.migration ?? 0
  const newest = Math.max(...(yield* loader).map(([id]) => id))
  if (migration > newest) return yield* new DatabaseNewer({ migration, newest })
})

/** Brings the database to this version's schema. Forward only; safe to run on several nodes at once. */
export const run = Effect.andThen(refuseNewer, Effect.asVoid(PgMigrator.run(migrator)))
