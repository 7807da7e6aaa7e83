import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { inOpenTransaction } from "../../log/test/OpenTransaction.ts"
import * as Polling from "../test/Polling.ts"
import * as PostgresPort from "../test/PostgresPort.ts"

/** A table of a test's own, in the database of all of them, and a source of its rows. */
const makeTable = Effect.fnUntraced(function*(table: string, columns: string, props: Record<string, unknown> = {}) {
  const sql = yield* SqlClient.SqlClient
  const port = yield* PostgresPort.make
  const [row] = yield* sql<{ name: string }>`SELECT current_database() AS name`
  yield* sql.unsafe(`CREATE TABLE ${table} (${columns})`)
  const source = (more: Record<string, unknown> = {}) =>
    Polling.source("postgres-rows", {
      connectionString: port.connectionString(row!.name),
      tls: "off",
      table,
      orderColumn: "id",
      ...props,
      ...more
    })
  return { port, run: sql.unsafe, source, sql }
})

const idsOf = ({ emitted }: { readonly emitted: ReadonlyArray<{ readonly event: { readonly id: unknown } }> }) =>
  emitted.map(({ event }) => event.id)

layer(Polling.layer, { timeout: "60 seconds", excludeTestServices: true })("Postgres rows", (it) => {
  it.effect("are emitted as they are, each new one once, from now on or from the beginning", () =>
    Effect.gen(function*() {
      const { run, source } = yield* makeTable(
        "orders",
        "id bigint PRIMARY KEY, total numeric, at timestamptz, tags text[], note text"
      )
      yield* run(`INSERT INTO orders SELECT n, n FROM generate_series(1, 5) n`)
      const later = yield* source({ condition: "note IS DISTINCT FROM 'draft'" })
      assert.deepStrictEqual(idsOf(yield* later.deploy), [])
      const all = yield* source({ startAt: "beginning" })
      assert.deepStrictEqual(idsOf(yield* all.deploy), [1, 2, 3, 4, 5])
      yield* run(`INSERT INTO orders VALUES
        (9007199254740993, 17.50, '2026-11-21 09:55:08.123456+01', '{a,b}', 'ü'), (7, null, null, null, 'draft')`)
      const expected = {
        id: "9007199254740993",
        total: 17.5,
        at: "2026-11-21T08:55:08.123456+00:00",
        tags: ["a", "b"],
        note: "ü"
      }
      const { emitted } = yield* later.tick
      assert.deepStrictEqual(emitted, [{
        event: expected,
        meta: { id: "public orders 9007199254740993", summary: "orders 9007199254740993" }
      }])
      assert.deepStrictEqual(idsOf(yield* all.tick), [7, expected.id])
      yield* run(`UPDATE orders SET note = 'changed'`)
      assert.deepStrictEqual(idsOf(yield* all.tick), [])
    }).pipe(Polling.onTestClock))

  it.effect("are all emitted where many have the same time, in the order of their keys, over batches and runs", () =>
    Effect.gen(function*() {
      const { run, source } = yield* makeTable("ties", "id int PRIMARY KEY, changed_at timestamptz(6)", {
        orderColumn: "changed_at",
        rows: "changed",
        startAt: "beginning",
        settleSeconds: 0
      })
      const time = "2026-11-21T09:55:08.123456Z"
      yield* run(`INSERT INTO ties SELECT n, '${time}' FROM generate_series(1, 500) n`)
      const changes = yield* source()
      const additions = yield* source({ rows: "new" })
      yield* additions.deploy
      assert.deepStrictEqual(idsOf(yield* changes.deploy), Array.from({ length: 500 }, (_, index) => index + 1))
      // Behind in order, although not in time; and a microsecond later.
      yield* run(`INSERT INTO ties VALUES (501, '${time}')`)
      yield* run(`UPDATE ties SET changed_at = changed_at + interval '1 microsecond' WHERE id = 3`)
      const { emitted } = yield* changes.tick
      assert.deepStrictEqual(emitted.map(({ event }) => event.id), [501, 3])
      assert.deepStrictEqual(emitted.map(({ meta }) => meta.ts), [
        "2026-11-21T09:55:08.123456+00:00",
        "2026-11-21T09:55:08.123457+00:00"
      ])
      assert.deepStrictEqual(idsOf(yield* changes.tick), [])
      yield* run(`UPDATE ties SET changed_at = now() WHERE id = 3`)
      assert.deepStrictEqual(idsOf(yield* changes.tick), [3])
      assert.deepStrictEqual(idsOf(yield* additions.tick), [501])
    }).pipe(Polling.onTestClock))

  for (const count of [2, 1_500]) {
    it.effect(`are emitted that are committed after others which drew their ids later, in a table of ${count}`, () =>
      Effect.gen(function*() {
        const table = `late_${count}`
        const { run, source } = yield* makeTable(table, "id int PRIMARY KEY")
        const insert = (...ids: ReadonlyArray<number>) =>
          run(`INSERT INTO ${table} VALUES ${ids.map((id) => `(${id})`).join(", ")}`)
        yield* run(`INSERT INTO ${table} SELECT n * 10 FROM generate_series(1, ${count}) n`)
        const last = count * 10
        const first = yield* inOpenTransaction(insert(last - 15, last - 5))
        const rows = yield* source()
        yield* rows.deploy
        const second = yield* inOpenTransaction(insert(last + 5))
        yield* insert(last + 10)
        assert.deepStrictEqual(idsOf(yield* rows.tick), [last + 10])
        yield* first.commit
        yield* run(`DELETE FROM ${table} WHERE id = ${last - 10}`)
        assert.deepStrictEqual(idsOf(yield* rows.tick), [last - 15, last - 5])
        yield* second.commit
        assert.deepStrictEqual(idsOf(yield* rows.tick), [last + 5])
        assert.deepStrictEqual(idsOf(yield* rows.tick), [])
      }).pipe(Polling.onTestClock))
  }

  it.effect("are emitted by as many runs as it takes, and what is remembered of them stays small", () =>
    Effect.gen(function*() {
      const { run, source } = yield* makeTable("many", "id int PRIMARY KEY, text text", { startAt: "beginning" })
      yield* run(`INSERT INTO many SELECT n, repeat('x', 4000) FROM generate_series(1, 3000) n`)
      yield* run(`INSERT INTO many VALUES (1500000, repeat('x', 6000000)), (1500001, '')`)
      const rows = yield* source()
      const found = idsOf(yield* rows.deploy)
      assert.isBelow(found.length, 2_000)
      let logged = ""
      for (let runs = 0; runs < 4; runs++) {
        const outcome = yield* rows.tick
        assert.deepStrictEqual(outcome.errors, [])
        found.push(...idsOf(outcome))
        logged += outcome.logged.join()
      }
      assert.deepStrictEqual(found, [...Array.from({ length: 3000 }, (_, index) => index + 1), 1500001])
      assert.include(logged, "[1500000] is too large")
      const { rows: state } = yield* rows.store
      assert.isBelow(state!.length, 50_000)
    }).pipe(Polling.onTestClock))

  it.effect("come over TLS, if the server's certificate is right or any will do", () =>
    Effect.gen(function*() {
      const { port, run, source } = yield* makeTable(`"Odd ""name"""`, "id int PRIMARY KEY", { startAt: "beginning" })
      const table = `Odd "name"`
      yield* run(`INSERT INTO "Odd ""name""" VALUES (1)`)
      const deploy = (props: Record<string, unknown>) =>
        Effect.flatMap(source({ table, ...props }), ({ deploy }) => deploy)
      assert.deepStrictEqual(idsOf(yield* deploy({ tls: "no-verify" })), [1])
      assert.deepStrictEqual(idsOf(yield* deploy({ tls: "verify", ca: port.authority })), [1])
      assert.strictEqual(port.encrypted(), 2)
      assert.match((yield* Effect.flip(deploy({ tls: "verify" }))).message, /certificate|issuer/i)
    }).pipe(Polling.onTestClock))

  it.effect("are refused where they can't be had, without a word of the password", () =>
    Effect.gen(function*() {
      const { source } = yield* makeTable("there", "id int PRIMARY KEY")
      const refused = (props: Record<string, unknown>) =>
        Effect.flatMap(source(props), ({ deploy }) => Effect.map(Effect.flip(deploy), ({ message }) => message))
      assert.include(yield* refused({ table: "gone" }), `relation "public.gone" does not exist`)
      assert.include(yield* refused({ keyColumn: "key" }), `column headwater_row.key does not exist`)
      assert.include(yield* refused({ condition: "nothing" }), `column "nothing" does not exist`)
      for (const connectionString of ["host=localhost password=hush", "postgres://ann:hush@[::", "http://ann:hush@a"]) {
        const message = yield* refused({ connectionString })
        assert.include(message, "has to be a URL")
        assert.notInclude(message, "hush")
      }
    }).pipe(Polling.onTestClock))
})
