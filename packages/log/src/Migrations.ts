import { PgMigrator } from "@effect/sql-pg"
import { Effect } from "effect"
import { Migrator } from "effect/sql"
import accounts from "./migrations/0001_accounts.ts"
import resources from "./migrations/0002_resources.ts"
import log from "./migrations/0003_log.ts"

/** Brings the database to this version's schema. Forward only; safe to run on several nodes at once. */
export const run = PgMigrator.run({
  table: "headwater_migrations",
  loader: Migrator.fromRecord({
    "0001_accounts": accounts,
    "0002_resources": resources,
    "0003_log": log
  })
}).pipe(Effect.asVoid)
