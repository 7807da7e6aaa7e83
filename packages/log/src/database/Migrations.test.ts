import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import { Effect, Exit, Fiber, Latch, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import * as DatabaseClaim from "./DatabaseClaim.ts"
import * as Migrations from "./Migrations.ts"
import * as OldestAllowed from "./OldestAllowed.ts"

const { schemaNumber } = Migrations

const later = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`CREATE TABLE later ()`)

/** A version with one migration more than this one. */
const laterVersion = (oldestBeside: number) => Migrations.make({ migrations: { "9999_later": later }, oldestBeside })

/** Holds the test's database as a node for such a schema does, over a client of its own. */
const nodeOf = Effect.fnUntraced(function*(schemaNumber: number) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ name: string }>`SELECT current_database() AS name`
  const client = Layer.fresh(TestDatabase.layerNamed(row!.name))
  yield* Layer.build(DatabaseClaim.layer({ shared: true, schemaNumber }).pipe(Layer.provide(client)))
})

const hasLater = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.map(sql`SELECT FROM pg_tables WHERE tablename = 'later'`, ({ length }) => length > 0)
)

const database = Layer.merge(TestDatabase.layer, NodeServices.layer)

it.live("a database that a later version has changed is used on by one that it can be beside", () =>
  Effect.gen(function*() {
    yield* nodeOf(schemaNumber)
    yield* laterVersion(schemaNumber).run
    assert.isTrue(yield* hasLater)
    yield* Migrations.run
    yield* Migrations.runForServer
  }).pipe(Effect.provide(database)))

it.live("a database that a later version has changed for good is refused, in one line that says so", () =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* laterVersion(9999).run
    // As one leaves it that ends between its migrations and this.
    yield* sql`DELETE FROM oldest_allowed`
    yield* laterVersion(9999).run
    for (const refused of [yield* Effect.flip(Migrations.run), yield* Effect.flip(Migrations.runForServer)]) {
      assert.match(
        refused.message,
        /^This version of Headwater \([\d.]+, schema \d+\) is too old for the database: version [\d.]+ has [^\n]+9999[^\n]+$/
      )
    }
    assert.strictEqual((yield* Effect.flip(OldestAllowed.untilTooOld(schemaNumber)))._tag, "VersionTooOld")
  }).pipe(Effect.provide(database)))

it.live("servers that can't go on are told to stop by a later one, which changes nothing until they have", () =>
  Effect.gen(function*() {
    const running = yield* Scope.make()
    yield* Scope.provide(nodeOf(schemaNumber), running)
    yield* nodeOf(9999)
    // A command stops no server.
    const refused = yield* Effect.flip(laterVersion(9999).run)
    assert.match(refused.message, /^Servers of an older version run on this database \(from a local socket\)/)
    yield* Migrations.run

    const upgrading = yield* Effect.forkChild(laterVersion(9999).runForServer)
    assert.strictEqual((yield* Effect.flip(OldestAllowed.untilTooOld(schemaNumber)))._tag, "VersionTooOld")
    yield* Effect.sleep("1 second")
    assert.isFalse(yield* hasLater)
    yield* Scope.close(running, Exit.void)
    yield* Fiber.join(upgrading)
    assert.isTrue(yield* hasLater)
  }).pipe(Effect.provide(database)))

it.live("migrations wait for tables that somebody keeps locked", () =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const locked = yield* Latch.make()
    yield* sql`LOCK TABLE headwater_migrations`.pipe(
      Effect.andThen(locked.open),
      Effect.andThen(Effect.sleep("1200 millis")),
      sql.withTransaction,
      Effect.forkChild
    )
    yield* locked.await
    yield* laterVersion(schemaNumber).run
    assert.isTrue(yield* hasLater)
  }).pipe(Effect.provide(database)))

it.live("a database from before the baseline is refused by its number, with the advice what to do", () =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* sql`DELETE FROM headwater_migrations WHERE migration_id > 36`
    yield* sql`UPDATE headwater_migrations SET migration_id = 35`
    for (const refused of [yield* Effect.flip(Migrations.run), yield* Effect.flip(Migrations.runForServer)]) {
      assert.match(
        refused.message,
        /^The database has schema 35, .* from schema 36 alone\. Start the last version [^\n]+$/
      )
    }
  }).pipe(Effect.provide(database)))
