import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Layer, Logger, Redacted, Schedule, type Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import { execFileSync, spawn } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { DataDirectory } from "./DataDirectory.ts"
import { EmbeddedPostgres, type EmbeddedPostgresConnection } from "./EmbeddedPostgres.ts"
import { livingProcesses } from "./PostgresProcesses.ts"
import { isRoot } from "./Unprivileged.ts"

const temporaryDirectory = Effect.acquireRelease(
  Effect.sync(() => Fs.mkdtempSync(Path.join(Os.tmpdir(), "headwater-test-"))),
  (path) => Effect.sync(() => Fs.rmSync(path, { recursive: true, force: true }))
)

const postgresOn = (directory: string) =>
  EmbeddedPostgres.layer().pipe(Layer.provideMerge(DataDirectory.layer(directory)))

/** Runs `use` with a server on the directory, and stops the server. */
const withPostgres = <A, E>(
  directory: string,
  use: (postgres: EmbeddedPostgres["Service"]) => Effect.Effect<A, E, Scope.Scope>
) => Effect.scoped(Effect.flatMap(EmbeddedPostgres, use)).pipe(Effect.provide(postgresOn(directory)))

const withClient = <A, E>(
  connection: EmbeddedPostgresConnection,
  use: (sql: PgClient.PgClient) => Effect.Effect<A, E>
) => Effect.scoped(Effect.flatMap(PgClient.makeClient(connection), use)).pipe(Effect.provide(Reactivity.layer))

const write = (value: number) => (sql: PgClient.PgClient) =>
  Effect.gen(function*() {
    yield* sql`CREATE TABLE IF NOT EXISTS entries (value integer)`
    yield* sql`INSERT INTO entries (value) VALUES (${value})`
  })

const read = (sql: PgClient.PgClient) =>
  Effect.map(sql<{ value: number }>`SELECT value FROM entries ORDER BY value`, (rows) => rows.map(({ value }) => value))

const isAlive = (pid: number) => {
  try {
    return !/^State:\s+Z/m.test(Fs.readFileSync(`/proc/${pid}/status`, "utf8"))
  } catch {
    return false
  }
}

/** A server in a process of its own, and its database's process id. It is stopped at the end if it still runs. */
const holder = (directory: string) =>
  Effect.gen(function*() {
    const program = fileURLToPath(new URL("../test/DatabaseHolder.ts", import.meta.url))
    const ended = yield* Deferred.make<void>()
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const started = spawn(process.execPath, [program, directory], { stdio: ["ignore", "pipe", "inherit"] })
        started.on("exit", () => Deferred.doneUnsafe(ended, Effect.void))
        return started
      }),
      (started) => {
        started.kill("SIGTERM")
        return Deferred.await(ended)
      }
    )
    const postgres = yield* Effect.callback<number>((resume) => {
      let said = ""
      child.stdout.on("data", (chunk: Buffer) => {
        said += chunk.toString("utf8")
        const pid = /^postgres (\d+)$/m.exec(said)?.[1]
        if (pid !== undefined) resume(Effect.succeed(Number(pid)))
      })
      child.on("exit", () => resume(Effect.die(`The server ended: ${said}`)))
    })
    return { server: child.pid ?? 0, postgres, ended: Deferred.await(ended) }
  })

describe("EmbeddedPostgres", () => {
  it.live("keeps its data over a restart and listens on nothing but its socket", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const first = yield* withPostgres(directory, ({ connection, pid }) =>
        Effect.gen(function*() {
          yield* withClient(connection, write(1))
          const listening = yield* withClient(
            connection,
            (sql) => sql<{ setting: string }>`SELECT current_setting('listen_addresses') AS setting`
          )
          assert.strictEqual(listening[0]?.setting, "")
          return (yield* pid) ?? 0
        }))
      assert.isFalse(isAlive(first), "Postgres outlived its scope")
      const values = yield* withPostgres(directory, ({ connection }) => withClient(connection, read))
      assert.deepStrictEqual(values, [1])
    }))

  it.live("keeps its secret to itself and asks clients for it", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* withPostgres(directory, ({ connection }) =>
        Effect.gen(function*() {
          const wrong = { ...connection, password: Redacted.make("wrong") }
          const refused = yield* Effect.exit(withClient(wrong, (sql) => sql`SELECT 1`))
          assert.isTrue(Exit.isFailure(refused))
          assert.strictEqual(Fs.statSync(Path.join(directory, "postgres-password")).mode & 0o777, 0o600)
          assert.strictEqual(Fs.statSync(Path.dirname(connection.path)).mode & 0o777, 0o700)
        }))
    }))

  it.live("comes back on the same socket after a kill -9 of Postgres, with everything that was committed", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* withPostgres(directory, ({ connection, pid }) =>
        Effect.gen(function*() {
          yield* withClient(connection, write(1))
          const before = (yield* pid) ?? 0
          process.kill(before, "SIGKILL")
          const values = yield* withClient(connection, read).pipe(
            Effect.retry(Schedule.spaced("50 millis")),
            Effect.timeout("60 seconds")
          )
          assert.deepStrictEqual(values, [1])
          assert.notStrictEqual(yield* pid, before)
        }))
    }))

  it.live("takes Postgres along when the server is killed with -9, and the next server starts", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const killed = yield* holder(directory)
      process.kill(killed.server, "SIGKILL")
      yield* Effect.sync(() => isAlive(killed.postgres)).pipe(
        Effect.repeat({ until: (alive) => !alive, schedule: Schedule.spaced("20 millis") }),
        Effect.timeout("60 seconds")
      )
      yield* withPostgres(directory, ({ connection }) => withClient(connection, write(1)))
    }))

  it.live("waits for a killed server's Postgres that is ending slowly, and warns of nothing", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const killed = yield* holder(directory)
      const processes = yield* livingProcesses(Path.join(directory, "postgres"))
      const checkpointer = processes.find((pid) => /checkpointer/.test(Fs.readFileSync(`/proc/${pid}/cmdline`, "utf8")))
      process.kill(checkpointer!, "SIGSTOP")
      process.kill(killed.server, "SIGKILL")
      yield* killed.ended
      yield* Effect.forkScoped(
        Effect.delay(Effect.sync(() => process.kill(checkpointer!, "SIGCONT")), "2500 millis")
      )
      const warnings: Array<unknown> = []
      const values = yield* withPostgres(
        directory,
        ({ connection }) => Effect.andThen(withClient(connection, write(1)), withClient(connection, read))
      ).pipe(
        Effect.provide(Logger.layer([Logger.make(({ message }) => void warnings.push(message))]))
      )
      assert.deepStrictEqual([values, warnings], [[1], []])
      assert.isFalse(isAlive(killed.postgres))
    }))

  it.live("takes down a Postgres that outlived its server and its watcher", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const killed = yield* holder(directory)
      const watchers = execFileSync("ps", ["-eo", "pid=,pgid=,comm="], { encoding: "utf8" }).split("\n")
        .map((line) => line.trim().split(/\s+/))
        .filter(([, group, command]) => group === String(killed.postgres) && command === "sh")
      assert.strictEqual(watchers.length, 1)
      process.kill(Number(watchers[0]?.[0]), "SIGKILL")
      process.kill(killed.server, "SIGKILL")
      yield* Effect.sleep("200 millis")
      assert.isTrue(isAlive(killed.postgres), "nothing was left behind to take down")
      yield* withPostgres(directory, ({ connection }) =>
        Effect.gen(function*() {
          assert.isFalse(isAlive(killed.postgres))
          yield* withClient(connection, write(1))
        }))
    }))

  it.live("starts although another process has got the id of the former postmaster", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* withPostgres(directory, ({ connection }) => withClient(connection, write(1)))
      const stranger = yield* Effect.acquireRelease(
        Effect.flatMap(
          Effect.sync(() => Fs.statSync(Path.join(directory, "postgres"))),
          ({ uid, gid }) =>
            Effect.sync(() =>
              spawn("/bin/sleep", ["60"], isRoot() ? { uid, gid, stdio: "ignore" } : { stdio: "ignore" })
            )
        ),
        (child) => Effect.sync(() => child.kill("SIGKILL"))
      )
      const pidFile = Path.join(directory, "postgres", "postmaster.pid")
      Fs.writeFileSync(pidFile, `${stranger.pid}\n/proc/self/cwd\n1\n5432\n.\n\n0 0\nready\n`)
      const values = yield* withPostgres(directory, ({ connection }) => withClient(connection, read))
      assert.deepStrictEqual(values, [1])
      assert.isNull(stranger.exitCode)
      assert.isNull(stranger.signalCode)
    }))

  it.live("refuses a second server on the same directory, naming directory and process", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const running = yield* holder(directory)
      const error = yield* Effect.flip(withPostgres(directory, () => Effect.void))
      assert.strictEqual(error._tag, "DataDirectoryInUse")
      assert.include(error.message, directory)
      assert.include(error.message, `process id ${running.server}.`)
      assert.isTrue(isAlive(running.postgres))
    }))

  it.live("lets another program of the operator reach the database of the running server", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const attach = Effect.scoped(
        Effect.flatMap(EmbeddedPostgres.attach, (connection) => withClient(connection, (sql) => sql`SELECT 1 AS one`))
      ).pipe(Effect.provide(DataDirectory.layer(directory)))
      assert.strictEqual((yield* Effect.flip(attach))._tag, "EmbeddedPostgresNotRunning")
      yield* holder(directory)
      assert.deepStrictEqual(yield* attach, [{ one: 1 }])
    }))

  it.live("works below a directory whose path is longer than a unix socket's may be", () =>
    Effect.gen(function*() {
      const directory = Path.join(yield* temporaryDirectory, "long".repeat(30))
      yield* withPostgres(directory, ({ connection }) => withClient(connection, write(1)))
    }))

  it.live.runIf(isRoot() && process.platform === "linux")(
    "never runs as root, and works below a directory that only root can enter",
    () =>
      Effect.gen(function*() {
        const closed = yield* temporaryDirectory
        Fs.chmodSync(closed, 0o700)
        const directory = Path.join(closed, "clone", ".headwater")
        yield* withPostgres(directory, ({ connection, pid }) =>
          Effect.gen(function*() {
            yield* withClient(connection, write(1))
            const owner = Fs.statSync(`/proc/${(yield* pid) ?? 0}`)
            assert.notStrictEqual(owner.uid, 0)
            // Backends open files of the directory by path when they reload, vacuum or create a database.
            yield* withClient(connection, (sql) => sql`CREATE DATABASE another`)
            yield* withClient(connection, (sql) => sql`SELECT pg_reload_conf()`)
            yield* withClient({ ...connection, database: "another" }, write(1))
          }))
        assert.strictEqual((yield* livingProcesses(Path.join(directory, "postgres"))).length, 0)
      })
  )
})
