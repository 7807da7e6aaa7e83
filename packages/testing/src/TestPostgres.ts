import { NodeServices } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import * as DatabaseClient from "@headwater/log/database/DatabaseClient"
import * as Migrations from "@headwater/log/database/Migrations"
import { DataDirectory } from "@headwater/postgres/DataDirectory"
import { EmbeddedPostgres, type EmbeddedPostgresConnection } from "@headwater/postgres/EmbeddedPostgres"
import { Context, Effect, Layer, References, Scope } from "effect"
import { execFile } from "node:child_process"
import { createHash, randomUUID } from "node:crypto"
import * as Fs from "node:fs"
import type { Socket } from "node:net"
import * as Os from "node:os"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import * as ProcessFolder from "./ProcessFolder.ts"

const template = "headwater_template"

// Nothing of it has to survive a power cut.
const settings = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  autovacuum: "off",
  shared_buffers: "32MB",
  max_connections: "200"
}

const migrate = Effect.fnUntraced(function*(connection: EmbeddedPostgresConnection) {
  yield* Effect.provide(
    Effect.flatMap(PgClient.PgClient, (sql) => sql`CREATE DATABASE ${sql(template)}`),
    PgClient.layer(connection)
  )
  yield* Effect.provide(Migrations.run, [
    PgClient.layer({ ...connection, database: template }),
    NodeServices.layer
  ])
})

const run = (folder: string) =>
  Effect.map(
    Layer.build(
      EmbeddedPostgres.layer({ settings, holdsProcess: false }).pipe(Layer.provide(DataDirectory.layer(folder)))
    ),
    (context) => Context.get(context, EmbeddedPostgres)
  ).pipe(Effect.provideService(References.MinimumLogLevel, "Error"))

/** Says what a prepared cluster holds: with another schema or on another platform it is another one. */
const version = async (): Promise<string> => {
  const folder = Path.dirname(fileURLToPath(import.meta.resolve("@headwater/log/database/Migrations")))
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}`)
  for (const name of (await Fs.promises.readdir(folder, { recursive: true })).toSorted()) {
    const file = Path.join(folder, name)
    if ((await Fs.promises.stat(file)).isFile()) hash.update(await Fs.promises.readFile(file))
  }
  return hash.digest("hex").slice(0, 16)
}

const cacheFolder = (): string =>
  Path.join(process.env["XDG_CACHE_HOME"] ?? Path.join(Os.homedir(), ".cache"), "headwater", "testing")

/** A cluster with a migrated database, which is copied for each process: made once, all at once or not at all. */
const prepared = Effect.gen(function*() {
  const cache = cacheFolder()
  const folder = Path.join(cache, yield* Effect.promise(version))
  if (Fs.existsSync(folder)) return folder
  const unfinished = ProcessFolder.make("prepared")
  yield* Effect.scoped(Effect.flatMap(run(unfinished), ({ connection }) => migrate(connection)))
  yield* Effect.promise(async () => {
    await Fs.promises.mkdir(cache, { recursive: true, mode: 0o700 })
    const staged = Path.join(cache, randomUUID())
    await copy(unfinished, staged)
    // Another process may have made the same meanwhile.
    await Fs.promises.rename(staged, folder).catch(() => Fs.promises.rm(staged, { recursive: true, force: true }))
  })
  return folder
})

/** With the owners of files, where this process may give them away: Postgres insists on owning its own. */
const copy = (from: string, to: string) => promisify(execFile)("cp", ["-pR", from, to])

const start = Effect.gen(function*() {
  const from = yield* prepared
  const folder = Path.join(ProcessFolder.make("postgres"), "data")
  yield* Effect.promise(() => copy(from, folder))
  const postgres = yield* run(folder)
  return postgres.connection
})

let running: Promise<EmbeddedPostgresConnection> | undefined

/** Starts it for the first who asks. It ends with the process. */
const ofProcess = Effect.promise(() =>
  running ??= Effect.runPromise(
    start.pipe(Effect.provideService(Scope.Scope, Scope.makeUnsafe()))
  )
)

/**
 * A client of a database with the current schema and no rows, on a Postgres that this process has for all of its tests.
 * The database goes with the scope.
 *
 * @param onOpen told of each socket to it, before anything is said on it
 */
export const database = Effect.gen(function*() {
  const connection = yield* ofProcess
  // A connection that stayed open would keep the process from ending.
  const statement = (run: (sql: PgClient.PgClient) => Effect.Effect<unknown, unknown>) =>
    Effect.orDie(
      Effect.provide(Effect.flatMap(PgClient.PgClient, run), PgClient.layer({ ...connection, maxConnections: 1 }))
    )
  const name = `test_${randomUUID().replaceAll("-", "")}`
  yield* Effect.acquireRelease(
    // Without fsync, copying the files is faster than writing them through the WAL.
    statement((sql) => sql`CREATE DATABASE ${sql(name)} TEMPLATE ${sql(template)} STRATEGY FILE_COPY`),
    () => statement((sql) => sql`DROP DATABASE ${sql(name)} WITH (FORCE)`)
  )
  return (onOpen: (socket: Socket) => void) =>
    DatabaseClient.layer({
      ...connection,
      database: name,
      maxConnections: 10,
      startupParameters: { lock_timeout: "2s" }
    }, onOpen)
})
