import { assert, layer } from "@effect/vitest"
import type { LoggedEvent } from "@headwater/domain/Event"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import { Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { ownRequests } from "../work/Cursors.ts"
import { EventLog, isWhole } from "./EventLog.ts"
import { Heads } from "./Heads.ts"

const mebibyte = 1024 * 1024
const everything = { from: 0n, to: 1_000n }

/** An emitter with an event for each payload, in turn in these streams. */
const fill = Effect.fnUntraced(
  function*(emitterId: string, payloads: ReadonlyArray<string>, streams: ReadonlyArray<string> = [""]) {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
    INSERT INTO accounts (id, username, email, plan, created_at) VALUES ('u_test', 'a', 'a@b', 'free', 0)
    ON CONFLICT DO NOTHING`
    yield* (yield* Heads).create(emitterId, "u_test")
    yield* sql`UPDATE heads_folded SET streams = ${
      JSON.stringify(Object.fromEntries(streams.map((stream) => [stream, payloads.length])))
    }::jsonb WHERE emitter_id = ${emitterId}`
    yield* (yield* EventLog).append(payloads.map((payload, index): LoggedEvent => ({
      emitterId,
      stream: streams[index % streams.length]!,
      id: BigInt(index + 1),
      n: index + 1,
      emitId: `e${index}`,
      hops: 0,
      meta: {},
      payload
    })))
    return { emitterId, stream: streams[0]! }
  }
)

const large = Array.from({ length: 20 }, (_, n) => JSON.stringify({ n, text: "ä".repeat(mebibyte / 8) }))
const bytesOf = (events: ReadonlyArray<{ readonly payload: string }>) =>
  events.reduce((sum, { payload }) => sum + Buffer.byteLength(payload), 0)

const logs = Layer.merge(EventLog.layer, Heads.layer).pipe(Layer.provideMerge(TestDatabase.layer))

layer(logs, { excludeTestServices: true })("a log's reads", (it) => {
  it.effect("give pages of as many large events as fit into so many bytes, towards older and newer ones, and at least one", () =>
    Effect.gen(function*() {
      const log = yield* EventLog
      const address = yield* fill("dc_pages", large)
      const page = (options: { readonly before?: bigint; readonly after?: bigint }, maxBytes = mebibyte) =>
        Effect.map(
          log.page({ ...address, limit: 100, maxBytes, whole: true, ...options }),
          (events) => events.map(({ n }) => n)
        )
      assert.deepStrictEqual(yield* page({}), [20, 19, 18, 17])
      assert.deepStrictEqual(yield* page({ after: 17n }), [16, 15, 14, 13])
      assert.deepStrictEqual(yield* page({ before: 3n }), [7, 6, 5, 4])
      assert.deepStrictEqual(yield* page({}, 1), [20])
      const read = yield* log.payloads(address, [19n, 20n, 21n])
      assert.deepStrictEqual([...read].toSorted(), [[19n, large[18]!], [20n, large[19]!]])
    }))

  it.effect("load no more of large events than their beginnings where these are not asked for as a whole", () =>
    Effect.gen(function*() {
      const log = yield* EventLog
      const small = Array.from({ length: 20 }, (_, n) => JSON.stringify({ n }))
      const address = yield* fill("dc_beginnings", [...large, ...small], ["", "$logs"])
      const lists = [
        yield* log.page({ ...address, limit: 100, maxBytes: mebibyte, whole: false }),
        yield* log.outlinesAfter(address, 0n, 100, mebibyte),
        yield* log.inRange(address.emitterId, everything, 1_000, mebibyte),
        Option.toArray(yield* log.findInAny(address.emitterId, 1n))
      ]
      assert.deepStrictEqual(lists.map(({ length }) => length), [20, 20, 40, 1])
      for (const event of lists.flat()) {
        const whole = [...large, ...small][event.n - 1]!
        assert.strictEqual(event.bytes, Buffer.byteLength(whole))
        assert.strictEqual(event.payload, isWhole(event) ? whole : whole.slice(0, 2_048))
      }
      assert.isBelow(bytesOf(lists[2]!), 100 * 1024)
    }))

  it.effect("end where what events say of themselves comes to so many bytes", () =>
    Effect.gen(function*() {
      const log = yield* EventLog
      const address = yield* fill("dc_meta", [])
      const meta = { summary: "s".repeat(mebibyte / 2) }
      yield* log.append([1, 2, 3, 4].map((n) => ({
        ...address,
        id: BigInt(n),
        n,
        emitId: `e${n}`,
        hops: 0,
        meta,
        payload: "null"
      })))
      assert.lengthOf(yield* log.page({ ...address, limit: 100, maxBytes: mebibyte, whole: false }), 2)
      assert.lengthOf(yield* log.after(address, 0n, 100, mebibyte), 2)
    }))
})

layer(logs, { excludeTestServices: true })("a log's removals", (it) => {
  it.effect("read what they remove and no more of a long stream, also where the database takes it for a short one", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const log = yield* EventLog
      const long = 30_000
      const grow = (emitterId: string, stream: string, count: number) =>
        sql`
          INSERT INTO events (emitter_id, stream, id, n, emit_id, hops, payload)
          SELECT ${emitterId}, ${stream}, i, i, i::text, 0, '{}' FROM generate_series(1, ${count}::int) AS i`
      yield* fill("dc_long", [])
      yield* sql`ALTER TABLE events SET (autovacuum_enabled = off)`
      yield* grow("dc_known", "", 2_000)
      yield* sql`ANALYZE events`
      yield* grow("dc_long", "", long)
      yield* grow("dc_long", "$requests", long)
      yield* sql`
        INSERT INTO cursors_folded (subscription_id, emitter_id, n, id, start_n)
        VALUES (${ownRequests}, 'dc_long', ${long}, ${long}, 0)`

      const counts = Effect.map(
        sql<{ read: bigint; removed: bigint }>`
          SELECT coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) AS read, n_tup_del AS removed
          FROM pg_stat_xact_user_tables WHERE relid = 'events'::regclass`,
        ([row]) => ({ read: Number(row!.read), removed: Number(row!.removed) })
      )
      const removals: ReadonlyArray<readonly [removal: Effect.Effect<unknown, SqlError.SqlError>, removed: number]> = [
        [log.removeSome({ emitterId: "dc_long", stream: "" }, { from: 0n, to: BigInt(long) }), 1_000],
        [
          log.removeSome({ emitterId: "dc_long", stream: "" }, { from: 0n, to: BigInt(long) }, { keepPending: true }),
          1_000
        ],
        [log.removePassedRequests(BigInt(long)), 1_000],
        [log.removeAll("dc_long"), 2 * long - 3_000]
      ]
      for (const [removal, removed] of removals) {
        // What a connection counts is its own until it has been idle for a while.
        const [before, after] = yield* sql.withTransaction(Effect.all([counts, Effect.andThen(removal, counts)]))
        assert.strictEqual(after.removed - before.removed, removed)
        assert.isAtMost(after.read - before.read, 3 * removed)
      }
    }))
})
