import { SealCheck } from "@headwater/log/access/SealCheck"
import * as DataDirectory from "@headwater/postgres/DataDirectory"
import { EmbeddedPostgres } from "@headwater/postgres/EmbeddedPostgres"
import { Context, Effect, Layer, Option, Schedule, Schema } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as Database from "./Database.ts"
import * as OperatorTurn from "./OperatorTurn.ts"
import * as SecretKey from "./SecretKey.ts"
import { ServerConfig } from "./ServerConfig.ts"

/** No server has been started on the data directory yet. */
export class DatabaseMissing extends Schema.TaggedError<DatabaseMissing>()("DatabaseMissing", {
  directory: Schema.String
}) {
  override get message() {
    return `There is no database in ${this.directory}. Start the server once, or set HEADWATER_DATA_DIR or DATABASE_URL `
      + "as the server has it."
  }
}

const startOwn = Effect.suspend(() =>
  Effect.map(Layer.build(EmbeddedPostgres.layer()), (built) => Context.get(built, EmbeddedPostgres).connection)
)

/**
 * The lock says whether there is a server, not a Postgres that answers: one that a killed server left behind answers for a
 * moment. A server that has just begun has the lock before its Postgres can be reached.
 */
const embedded = Effect.gen(function*() {
  yield* OperatorTurn.take
  const connection = yield* startOwn.pipe(
    Effect.catchTag("DataDirectoryInUse", () => EmbeddedPostgres.attach),
    Effect.retry({
      while: ({ _tag }) => _tag === "EmbeddedPostgresNotRunning",
      schedule: Schedule.spaced("200 millis"),
      times: 150
    })
  )
  return Database.client(connection)
})

const configured = Layer.unwrap(Effect.gen(function*() {
  const { databaseUrl, dataDirectory } = yield* ServerConfig
  if (Option.isSome(databaseUrl)) return Database.client({ url: databaseUrl.value })
  const exists = (yield* DataDirectory.isThere(dataDirectory)) &&
    (yield* Effect.promise(() => Fs.stat(Path.join(dataDirectory, "postgres")).then(() => true, () => false)))
  // Before the data directory is opened, which would create it.
  if (!exists) return yield* new DatabaseMissing({ directory: dataDirectory })
  return Layer.unwrap(embedded).pipe(Layer.provide(Database.dataDirectory))
}))

/**
 * The server's database for a command of the operator's, whether or not a server runs: that of `DATABASE_URL`, or the
 * embedded one, reached through the running server's Postgres or else started for as long as the command takes. With it
 * comes what seals the secrets in it. Needs no `DataDirectory`; fails with an error whose message tells an operator what
 * to do.
 */
export const layer = Layer.effectDiscard(SecretKey.verify).pipe(
  Layer.provide(SealCheck.layer),
  Layer.provideMerge(SecretKey.seal),
  Layer.provideMerge(Layer.merge(Digest.layerWebCrypto, SecureRandom.layerWebCrypto)),
  Layer.provideMerge(Database.ready),
  Layer.provideMerge(configured),
  Layer.provideMerge(ServerConfig.layer)
)
