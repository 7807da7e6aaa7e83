import { NodeServices } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import * as Migrations from "@headwater/log/Migrations"
import { DataDirectory } from "@headwater/postgres/DataDirectory"
import { EmbeddedPostgres } from "@headwater/postgres/EmbeddedPostgres"
import { Effect, Layer, Option } from "effect"
import { ServerConfig } from "./ServerConfig.ts"

const maxConnections = 24

/**
 * Session settings of every connection: acknowledged is durable, and a node that freezes in the middle of a transaction
 * does not hold the others for ever.
 */
const session = {
  synchronous_commit: "on",
  idle_in_transaction_session_timeout: "15s",
  lock_timeout: "2s",
  statement_timeout: "60s"
}

const embedded = Layer.unwrap(Effect.map(EmbeddedPostgres, ({ connection }) =>
  PgClient.layer({
    ...connection,
    applicationName: "headwater",
    maxConnections,
    startupParameters: session
  }))).pipe(Layer.provide(EmbeddedPostgres.layer()))

/** The data directory of this server. */
export const dataDirectory = Layer.unwrap(
  Effect.map(ServerConfig, ({ dataDirectory }) => DataDirectory.layer(dataDirectory))
)

const client = Layer.unwrap(Effect.gen(function*() {
  const { databaseUrl } = yield* ServerConfig
  return Option.match(databaseUrl, {
    onNone: () => embedded,
    onSome: (url) => PgClient.layer({ url, applicationName: "headwater", maxConnections, startupParameters: session })
  })
}))

const migrated = Layer.effectDiscard(Migrations.run).pipe(Layer.provide(NodeServices.layer))

/** The configured database, brought to this version's schema. */
export const layer = migrated.pipe(Layer.provideMerge(client))
