import { PgClient } from "@effect/sql-pg"
import { assert, it, layer } from "@effect/vitest"
import * as OwnPostgres from "@headwater/fixtures/OwnPostgres"
import { EmbeddedPostgres } from "@headwater/postgres/EmbeddedPostgres"
import { Effect, Fiber, Layer, Logger, Metric, Redacted, References, type Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, SqlError } from "effect/sql"
import { TestClock } from "effect/testing"
import { layerWatch, OldestSnapshot } from "./OldestSnapshot.ts"

interface Line {
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** A connection of somebody's, and its process id. */
const connected = Effect.fnUntraced(function*(
  applicationName: string,
  more: { readonly database?: string; readonly username?: string; readonly password?: Redacted.Redacted } = {}
) {
  const { connection } = yield* EmbeddedPostgres
  const sql = yield* PgClient.makeClient({ ...connection, applicationName, ...more }).pipe(
    Effect.provide(Reactivity.layer)
  )
  const [row] = yield* sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`
  return { sql, pid: row!.pid }
})

const holdSnapshot = (sql: SqlClient.SqlClient) =>
  Effect.andThen(sql`BEGIN ISOLATION LEVEL REPEATABLE READ`, sql`SELECT 1`)

/** Assigns a transaction id, as each change does. */
const change = (sql: SqlClient.SqlClient) => sql`SELECT pg_current_xact_id()::text`

/** What looks and writes lines, over a connection of Headwater's or another one. */
const watcher = Effect.fnUntraced(function*(sql?: SqlClient.SqlClient) {
  const lines: Array<Line> = []
  const logger = Logger.make(({ fiber, message }) =>
    void lines.push({ message: String(message), fields: fiber.getRef(References.CurrentLogAnnotations) })
  )
  const own = sql ?? (yield* connected("headwater")).sql
  const { look } = yield* Effect.provide(OldestSnapshot, OldestSnapshot.layer).pipe(
    Effect.provideService(SqlClient.SqlClient, own)
  )
  return { lines, look: Effect.provide(look, Logger.layer([logger])) }
})

const secondsOf = (holder: string) =>
  Effect.map(Metric.snapshot, (all) => {
    const found = all.find(({ attributes, id }) =>
      id === "headwater_oldest_snapshot_seconds" && attributes?.["holder"] === holder
    )
    return found?.type === "Gauge" ? Number(found.state.value) : undefined
  })

/** So many seconds by the clock, and a few by that of the database before the first look, more on a busy machine. */
const assertHeldFor = (seconds: number, told: number | undefined) => {
  assert.isAtLeast(told!, seconds)
  assert.isBelow(told!, seconds + 30)
}

/** Waits for what happens in the database, in real time. */
const until = <A, E, R>(found: Effect.Effect<ReadonlyArray<A>, E, R>) =>
  Effect.repeat(found, { until: (rows) => rows.length > 0 })

const postgres = OwnPostgres.layer({ max_prepared_transactions: "5", wal_level: "logical" })

layer(postgres, { timeout: "60 seconds", excludeTestServices: true })("the oldest snapshot", (it) => {
  const test = (name: string, body: () => Effect.Effect<void, unknown, EmbeddedPostgres | Scope.Scope>) =>
    it.effect(name, () => Effect.provide(body(), TestClock.layer()))

  test("is warned of when it is a minute old, and again when it is twice as old, with who holds it", () =>
    Effect.gen(function*() {
      const { look, lines } = yield* watcher()
      const dump = yield* connected("pg_dump of somebody's")
      yield* holdSnapshot(dump.sql)
      yield* look
      yield* TestClock.adjust("55 seconds")
      yield* look
      assert.deepStrictEqual(lines, [])
      yield* TestClock.adjust("6 seconds")
      yield* look
      assert.lengthOf(lines, 1)
      assert.strictEqual(
        lines[0]!.message,
        "The database can't remove old versions of rows, and grows: a transaction of another program is open. End " +
          `it where it was begun, or with: SELECT pg_terminate_backend(${dump.pid})`
      )
      const { held_seconds, ...fields } = lines[0]!.fields
      assert.deepStrictEqual(fields, {
        holder: "session",
        pid: dump.pid,
        application_name: "pg_dump of somebody's",
        user: "postgres",
        database: "postgres",
        state: "idle in transaction"
      })
      assertHeldFor(61, Number(held_seconds))
      assertHeldFor(61, yield* secondsOf("session"))
      assert.strictEqual(yield* secondsOf("headwater"), 0)

      yield* TestClock.adjust("55 seconds")
      yield* look
      assert.lengthOf(lines, 1)
      yield* TestClock.adjust("10 seconds")
      yield* look
      assert.lengthOf(lines, 2)

      yield* dump.sql`COMMIT`
      yield* look
      assert.strictEqual(yield* secondsOf("session"), 0)
      yield* change(dump.sql)
      yield* holdSnapshot(dump.sql)
      yield* look
      yield* TestClock.adjust("55 seconds")
      yield* look
      assert.lengthOf(lines, 2, "what one session held before counts for nothing")
    }))

  test("is told to be Headwater's own where it is", () =>
    Effect.gen(function*() {
      const { look, lines } = yield* watcher()
      const own = yield* connected("headwater")
      yield* holdSnapshot(own.sql)
      yield* look
      yield* TestClock.adjust("61 seconds")
      yield* look
      assert.deepStrictEqual(lines.map(({ fields }) => [fields["holder"], fields["pid"]]), [["headwater", own.pid]])
      assertHeldFor(61, yield* secondsOf("headwater"))
    }))

  test("counts as old as the database says, when it was there before the first look", () =>
    Effect.gen(function*() {
      const dump = yield* connected("early")
      yield* holdSnapshot(dump.sql)
      yield* dump.sql`SELECT pg_sleep(1.1)`
      const { look } = yield* watcher()
      yield* look
      assert.isAtLeast((yield* secondsOf("session"))!, 1.1)
    }))

  test("is not held by an open transaction that has none, or a new one for each statement", () =>
    Effect.gen(function*() {
      const { look, lines } = yield* watcher()
      const idle = yield* connected("idle in transaction")
      yield* idle.sql`BEGIN`
      yield* idle.sql`SELECT 1`
      // Takes the place of what the SELECT left open, and has no snapshot.
      yield* idle.sql`SAVEPOINT later`
      const blocker = yield* connected("blocker")
      yield* blocker.sql`SELECT pg_advisory_lock(1)`
      const busy = yield* connected("busy in transaction")
      yield* busy.sql`BEGIN`
      const waiting = until(blocker.sql`
        SELECT FROM pg_stat_activity WHERE pid = ${busy.pid} AND wait_event_type = 'Lock' AND backend_xmin IS NOT NULL`)
      const first = yield* Effect.forkChild(busy.sql`SELECT pg_advisory_lock(1)`)
      yield* waiting
      yield* look
      yield* blocker.sql`SELECT pg_advisory_unlock(1)`
      yield* Fiber.join(first)
      yield* change(blocker.sql)
      yield* busy.sql`SELECT pg_advisory_unlock(1)`
      yield* blocker.sql`SELECT pg_advisory_lock(1)`
      const second = yield* Effect.forkChild(busy.sql`SELECT pg_advisory_lock(1)`)
      yield* waiting
      yield* TestClock.adjust("61 seconds")
      yield* look
      assert.deepStrictEqual(lines, [])
      assert.isBelow((yield* secondsOf("session"))!, 1)
      yield* blocker.sql`SELECT pg_advisory_unlock(1)`
      yield* Fiber.join(second)
    }))

  test("is held from another database by who writes there, and not by who reads", () =>
    Effect.gen(function*() {
      const { look, lines } = yield* watcher()
      const { sql } = yield* connected("creator")
      yield* sql`CREATE DATABASE other`
      const reader = yield* connected("reader", { database: "other" })
      yield* holdSnapshot(reader.sql)
      const writer = yield* connected("writer", { database: "other" })
      yield* writer.sql`BEGIN`
      yield* change(writer.sql)
      yield* look
      yield* TestClock.adjust("61 seconds")
      yield* look
      assert.deepStrictEqual(lines.map(({ fields }) => [fields["pid"], fields["database"]]), [[writer.pid, "other"]])
    }))

  test("is not held by a VACUUM", () =>
    Effect.gen(function*() {
      const { look, lines } = yield* watcher()
      const vacuum = yield* connected("vacuum")
      yield* vacuum.sql`CREATE TABLE large AS SELECT n, repeat('x', 1000) AS text FROM generate_series(1, 10000) AS n`
      yield* vacuum.sql`SET vacuum_cost_limit = 1`
      yield* vacuum.sql`SET vacuum_cost_delay = 100`
      yield* Effect.forkChild(vacuum.sql`VACUUM large`)
      const { sql } = yield* connected("observer")
      const progress = sql`
        SELECT FROM pg_stat_progress_vacuum JOIN pg_stat_activity USING (pid)
        WHERE pid = ${vacuum.pid} AND backend_xmin IS NOT NULL`
      yield* until(progress)
      yield* look
      yield* TestClock.adjust("61 seconds")
      yield* look
      assert.lengthOf(yield* progress, 1)
      assert.deepStrictEqual(lines, [])
      yield* sql`SELECT pg_terminate_backend(${vacuum.pid})`
    }))

  test("may be a prepared transaction's or a replication slot's", () =>
    Effect.gen(function*() {
      const { look, lines } = yield* watcher()
      const { sql } = yield* connected("somebody")
      yield* sql`SELECT FROM pg_create_logical_replication_slot('forgotten', 'pgoutput')`
      yield* sql`BEGIN`
      yield* change(sql)
      yield* sql`PREPARE TRANSACTION 'it''s mine'`
      yield* look
      yield* TestClock.adjust("61 seconds")
      yield* look
      assert.deepStrictEqual(
        lines.map(({ fields, message }) => [fields["holder"], fields["name"], message.replace(/^.*\. /, "")]),
        [
          [
            "prepared_transaction",
            "it's mine",
            "End it: COMMIT PREPARED 'it''s mine' or ROLLBACK PREPARED 'it''s mine'"
          ],
          [
            "replication_slot",
            "forgotten",
            "Start what reads it, or remove it: SELECT pg_drop_replication_slot('forgotten')"
          ]
        ]
      )
      assertHeldFor(61, yield* secondsOf("prepared_transaction"))
      assert.strictEqual(yield* secondsOf("replication_slot"), 61)
      yield* sql`ROLLBACK PREPARED 'it''s mine'`
      yield* sql`SELECT FROM pg_drop_replication_slot('forgotten')`
      yield* look
      assert.strictEqual(yield* secondsOf("prepared_transaction"), 0)
      assert.strictEqual(yield* secondsOf("replication_slot"), 0)
    }))

  test("is told of as far as a role may see that sees little, which it says once", () =>
    Effect.gen(function*() {
      const { sql } = yield* connected("creator")
      yield* sql`CREATE ROLE weak LOGIN PASSWORD 'weak'`
      const weak = yield* connected("headwater", { username: "weak", password: Redacted.make("weak") })
      const { look, lines } = yield* watcher(weak.sql)
      yield* look
      assert.deepStrictEqual(lines, [])
      const dump = yield* connected("pg_dump")
      yield* holdSnapshot(dump.sql)
      yield* look
      assert.lengthOf(lines, 1)
      assert.match(lines[0]!.message, /GRANT pg_read_all_stats/)
      yield* TestClock.adjust("61 seconds")
      yield* look
      assert.lengthOf(lines, 2)
      assert.deepStrictEqual(lines[1]!.fields, {
        holder: "session",
        pid: dump.pid,
        application_name: "pg_dump",
        user: "postgres",
        database: "postgres",
        held_seconds: 61
      })
    }))
})

it.effect("is looked for every 30 seconds, and one line says that looking has begun to fail", () =>
  Effect.gen(function*() {
    const lines: Array<string> = []
    const logger = Logger.make(({ message }) => void lines.push(String(message)))
    const refused = new SqlError.SqlError({ reason: new SqlError.AuthorizationError({ cause: new Error("refused") }) })
    let looks = 0
    let isRefused = false
    const look = Effect.suspend(() => {
      looks++
      return isRefused ? Effect.fail(refused) : Effect.void
    })
    yield* Layer.build(layerWatch.pipe(
      Layer.provide(Layer.succeed(OldestSnapshot, OldestSnapshot.of({ look }))),
      Layer.provide(Logger.layer([logger]))
    ))
    yield* TestClock.adjust("29 seconds")
    assert.strictEqual(looks, 1)
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual([looks, lines], [2, []])

    isRefused = true
    yield* TestClock.adjust("90 seconds")
    assert.strictEqual(looks, 5)
    assert.deepStrictEqual(lines, ["Could not look for old snapshots in the database"])
    isRefused = false
    yield* TestClock.adjust("30 seconds")
    isRefused = true
    yield* TestClock.adjust("30 seconds")
    assert.lengthOf(lines, 2)
  }))
