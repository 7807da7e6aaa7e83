import * as NodeServices from "@effect/platform-node/NodeServices"
import { PgClient } from "@effect/sql-pg"
import { Sharers } from "@headwater/domain/Sharers"
import * as DatabaseClaim from "@headwater/log/database/DatabaseClaim"
import * as DatabaseClient from "@headwater/log/database/DatabaseClient"
import * as DatabaseIdentity from "@headwater/log/database/DatabaseIdentity"
import * as Migrations from "@headwater/log/database/Migrations"
import { DataDirectory } from "@headwater/postgres/DataDirectory"
import { EmbeddedPostgres, type EmbeddedPostgresConnection } from "@headwater/postgres/EmbeddedPostgres"
import { Context, Effect, Layer, Option, Queue, Redacted, Schema } from "effect"
import type { SqlError } from "effect/sql"
import * as Fs from "node:fs/promises"
import { explain } from "./ErrorExplanation.ts"
import * as OperatorTurn from "./OperatorTurn.ts"
import { ServerConfig } from "./ServerConfig.ts"

/** Connections of a machine, and the fewest that a process needs. */
const maxConnections = 24
const fewestConnections = 8

/** Those that a process's commits have to themselves (`Pipeline`). */
const commitConnections = 2

const connectionsOfEach = (processes: number): number =>
  Math.max(fewestConnections, Math.ceil(maxConnections / processes))

/** Connections that the embedded Postgres takes beside those of the workers: the supervisor's and a command's. */
const otherConnections = 2 * maxConnections + 10
const fewestOfPostgres = 100

/**
 * Session settings of every connection: acknowledged is durable, and a node that freezes in the middle of a transaction, or
 * vanishes from the network, does not hold the others for ever.
 */
const session = {
  synchronous_commit: "on",
  // In seconds and a count. Without effect on a unix socket.
  tcp_keepalives_idle: "10",
  tcp_keepalives_interval: "2",
  tcp_keepalives_count: "5",
  tcp_user_timeout: "30s",
  idle_in_transaction_session_timeout: "15s",
  lock_timeout: "2s",
  statement_timeout: "60s"
}

/** No Postgres lets the server in. */
export class DatabaseUnreachable extends Schema.TaggedError<DatabaseUnreachable>()("DatabaseUnreachable", {
  message: Schema.String
}) {}

/** Says where it was tried, without the password. */
const unreachable = Effect.fnUntraced(function*(error: SqlError.SqlError) {
  const { databaseUrl } = yield* ServerConfig
  const where = Option.match(databaseUrl, {
    onNone: () => "The embedded Postgres",
    onSome: (url) => `DATABASE_URL: Postgres at ${URL.parse(Redacted.value(url))?.host || "its local socket"}`
  })
  return yield* new DatabaseUnreachable({
    message: `${where} can't be reached or refuses the connection: ${explain(error)}`
  })
})

/** A client with our session settings. */
export const client = (connection: EmbeddedPostgresConnection | { readonly url: Redacted.Redacted }) =>
  Layer.unwrap(Effect.map(Sharers, (sharers) =>
    DatabaseClient.layer({
      ...connection,
      applicationName: "headwater",
      maxConnections: connectionsOfEach(sharers),
      startupParameters: session
    })))

/** The data directory of this server. */
export const dataDirectory = Layer.unwrap(
  Effect.map(ServerConfig, ({ dataDirectory }) => DataDirectory.layer(dataDirectory))
)

/** An operator's command that is using the database is let come to its end first, within reason. */
const embedded = Layer.unwrap(Effect.gen(function*() {
  const { databaseCache, workers } = yield* ServerConfig
  const workerConnections = workers * (connectionsOfEach(workers) + commitConnections)
  const scope = yield* Effect.scope
  const settings = {
    shared_buffers: `${databaseCache}MB`,
    max_connections: String(Math.max(fewestOfPostgres, workerConnections + otherConnections)),
    // Notes what it keeps, and reads that back after a restart.
    shared_preload_libraries: "pg_prewarm"
  }
  const started = yield* Effect.scoped(Effect.gen(function*() {
    yield* Effect.catchTag(OperatorTurn.take, "OperatorBusy", ({ message }) => Effect.logWarning(message))
    return yield* Layer.buildWithScope(EmbeddedPostgres.layer({ settings }), scope)
  }))
  return client(Context.get(started, EmbeddedPostgres).connection)
}))

/** The database of `DATABASE_URL` lacks what Headwater is built on. */
export class DatabaseUnsuitable extends Schema.TaggedError<DatabaseUnsuitable>()("DatabaseUnsuitable", {
  message: Schema.String
}) {}

const oldestVersion = 15

/** Behind a pooler that gives each transaction another session, notifications are lost: this waits for one. */
const isSessionOurs = Effect.scoped(Effect.gen(function*() {
  const sql = yield* PgClient.PgClient
  const channel = "headwater_start"
  const notices = yield* sql.listen(channel)
  yield* sql.notify(channel, "")
  return Option.isSome(yield* Effect.timeoutOption(Queue.take(notices), "5 seconds"))
}))

/** Refuses a Postgres that is too old, or is reached through a transaction-mode pooler. */
const suitable = Layer.effectDiscard(Effect.gen(function*() {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<{ version: string }>`SELECT current_setting('server_version_num') AS version`.pipe(
    Effect.catchTag("SqlError", unreachable)
  )
  const major = Math.floor(Number(row?.version) / 10_000)
  if (major < oldestVersion) {
    return yield* new DatabaseUnsuitable({
      message: `DATABASE_URL: Postgres ${major} is too old: use Postgres ${oldestVersion} or newer`
    })
  }
  if (!(yield* isSessionOurs)) {
    return yield* new DatabaseUnsuitable({
      message:
        "DATABASE_URL: notifications do not arrive, probably because of a transaction-mode pooler. Connect to Postgres " +
        "directly, or through a pooler in session mode"
    })
  }
}))

const configured = Layer.unwrap(Effect.gen(function*() {
  const { databaseUrl } = yield* ServerConfig
  return Option.match(databaseUrl, {
    onNone: () => embedded,
    onSome: (url) => client({ url })
  })
}))

/** Refuses a client's database that can't serve, and brings it to this version's schema. */
export const ready = Layer.effectDiscard(Migrations.run).pipe(
  Layer.provide(NodeServices.layer),
  Layer.provideMerge(suitable)
)

const { schemaNumber } = Migrations

/** Before anything is changed: a server that is not to run on the database leaves it as it is. */
const claimed = Layer.unwrap(
  Effect.map(ServerConfig, ({ node }) => DatabaseClaim.layer({ shared: Option.isSome(node), schemaNumber }))
)

/** The database of a worker, whose supervisor runs the embedded one and has brought it to this version's schema. */
export const ofWorker = Layer.unwrap(Effect.gen(function*() {
  const { databaseUrl } = yield* ServerConfig
  return client(Option.isSome(databaseUrl) ? { url: databaseUrl.value } : yield* EmbeddedPostgres.attach)
}))

/** A copy is left as it is, unless this server is to work on it, or only shows what is there. */
const verifyPlace = Effect.fnUntraced(function*(directory: string | null) {
  const { takeOver, work } = yield* ServerConfig
  yield* DatabaseIdentity.verify(directory).pipe(
    Effect.catchTag("DatabaseCopied", (error) =>
      work && !takeOver
        ? Effect.fail(error)
        : Effect.logWarning(
          work ? "This server works on a copied or moved database from now on" : "This database is a copy, or was moved"
        ))
  )
})

const brought = Effect.gen(function*() {
  const { dataDirectory, databaseUrl, work } = yield* ServerConfig
  const directory = Option.isSome(databaseUrl) ? null : yield* Effect.promise(() => Fs.realpath(dataDirectory))
  yield* verifyPlace(directory)
  yield* Migrations.runForServer
  if (work) yield* DatabaseIdentity.note(directory)
})

/** The configured database, claimed by this server and brought to this version's schema. */
export const layer = Layer.effectDiscard(brought).pipe(
  Layer.provide(NodeServices.layer),
  Layer.provideMerge(claimed),
  Layer.provideMerge(suitable),
  Layer.provideMerge(configured)
)
