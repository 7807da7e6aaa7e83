import { assert, layer } from "@effect/vitest"
import type * as EventId from "@headwater/domain/EventId"
import * as Id from "@headwater/domain/Id"
import * as Stream from "@headwater/domain/Stream"
import * as TestTables from "@headwater/fixtures/TestTables"
import { Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { inOpenTransaction } from "../../test/OpenTransaction.ts"
import { EventLog } from "../logs/EventLog.ts"
import { Heads } from "../logs/Heads.ts"
import { Journals } from "../logs/Journals.ts"
import { AccountTail, type AccountTailFilter, type GrownLogsPlace, type LogPart } from "./AccountTail.ts"

const accountId = Id.AccountId.make(Id.of("account", 1, new Uint8Array(Id.randomLength)))

const emitters = 2_300

const emitterOf = (n: number): string => `dc_${String(n).padStart(5, "0")}`

/** Each has one event of each of its streams. A head and its events are committed together, as the log does it. */
const setup = Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(makeLogs(sql)))

const makeLogs = Effect.fnUntraced(function*(sql: SqlClient.SqlClient) {
  yield* sql`DELETE FROM events`
  yield* sql`DELETE FROM accounts`
  yield* sql`INSERT INTO accounts (id, username, email, plan, created_at) VALUES (${accountId}, 'a', 'a@b', 'free', 0)`
  yield* sql`
    INSERT INTO heads_folded (emitter_id, account_id, last_id, streams)
    SELECT 'dc_' || to_char(n, 'FM00000'), ${accountId}, 2, '{"": 1, "$requests": 1}'
    FROM generate_series(0, ${emitters - 1}) AS n`
  yield* sql`
    INSERT INTO events (emitter_id, stream, id, n, emit_id, hops, payload)
    SELECT 'dc_' || to_char(n, 'FM00000'), stream, 1, 1, 'e', 0, '"old"'
    FROM generate_series(0, ${emitters - 1}) AS n, unnest(ARRAY['', '$requests']) AS stream`
})

/** Commits an event to the default stream of an emitter, within a transaction. */
const append = Effect.fnUntraced(function*(n: number, id: EventId.EventId) {
  const address = { emitterId: emitterOf(n), stream: "" }
  yield* (yield* EventLog).append([{
    ...address,
    id,
    n: Number(id),
    emitId: "e",
    hops: 0,
    meta: {},
    payload: "\"new\""
  }])
  const to = { lastId: id, streams: { "": Number(id), [Stream.requests]: 1 } }
  yield* (yield* Heads).move([{ emitterId: address.emitterId, to, used: undefined }])
})

const commit = Effect.fnUntraced(function*(n: number, id: EventId.EventId) {
  return yield* (yield* SqlClient.SqlClient).withTransaction(append(n, id))
})

/** All that has grown, and how many looks that took. */
const lookAt = Effect.fnUntraced(function*(since: string | undefined, filter: AccountTailFilter = {}) {
  const tail = yield* AccountTail
  const first = yield* tail.grown(accountId, filter, since, undefined)
  const parts: Array<LogPart> = [...first.parts]
  let goesOnAt: GrownLogsPlace | undefined = first.goesOnAt
  let looks = 1
  while (goesOnAt !== undefined) {
    const more = yield* tail.grown(accountId, filter, since ?? first.position, goesOnAt)
    parts.push(...more.parts)
    goesOnAt = more.goesOnAt
    looks += 1
  }
  return { position: first.position, parts, looks }
})

/** A position behind all that was committed: those of other databases of the same Postgres hold it back too. */
const settled = Effect.suspend(() => lookAt(undefined)).pipe(
  Effect.repeat({ until: ({ parts }) => parts.length === 0, schedule: Schedule.spaced("10 millis") }),
  TestClock.withLive
)

const shown = (parts: ReadonlyArray<LogPart>) => parts.map(({ emitterId, last, seen }) => [emitterId, seen, last])

layer(TestTables.layer, { timeout: "60 seconds" })("the tail of an account with thousands of logs", (it) => {
  it.effect("is told of those alone that have grown, folded or not, and of all of them page by page", () =>
    Effect.gen(function*() {
      yield* setup
      const now = yield* settled
      yield* commit(7, 2n)
      yield* commit(7, 3n)
      yield* commit(2_000, 2n)
      yield* (yield* Journals).foldEmitters([emitterOf(2_000)])
      const grown = yield* lookAt(now.position)
      assert.deepStrictEqual(shown(grown.parts), [[emitterOf(7), 1n, 3n], [emitterOf(2_000), 1n, 2n]])
      const { position } = yield* settled
      // To fold is not to grow.
      yield* (yield* Journals).foldEmitters([emitterOf(7)])
      assert.deepStrictEqual((yield* lookAt(position)).parts, [])
      assert.deepStrictEqual(shown((yield* lookAt(now.position, { emitterIds: [emitterOf(7), emitterOf(8)] })).parts), [
        [emitterOf(7), 1n, 3n]
      ])
      const all = yield* lookAt("1")
      assert.strictEqual(all.looks, 3)
      assert.deepStrictEqual(
        all.parts.map(({ emitterId }) => emitterId),
        Array.from({ length: emitters }, (_, n) => emitterOf(n))
      )
    }))

  it.effect("is told of what a transaction commits that was under way, however its log is folded then", () =>
    Effect.gen(function*() {
      yield* setup
      yield* settled
      const open = yield* inOpenTransaction(append(1, 2n))
      yield* commit(2, 2n)
      const before = yield* lookAt(undefined)
      // Seen already, but not told apart by the position.
      assert.deepStrictEqual(shown(before.parts), [[emitterOf(2), 1n, 2n]])
      yield* open.commit
      yield* (yield* Journals).foldEmitters([emitterOf(1), emitterOf(2)])
      const after = yield* lookAt(before.position)
      assert.deepStrictEqual(shown(after.parts), [[emitterOf(1), 1n, 2n], [emitterOf(2), 1n, 2n]])
      const tail = yield* AccountTail
      const { events, reached } = yield* tail.arrived(accountId, after.parts, {})
      assert.deepStrictEqual(events.map(({ emitterId, id }) => [emitterId, id]), [[emitterOf(1), 2n], [
        emitterOf(2),
        2n
      ]])
      const { position } = yield* settled
      assert.isTrue(
        reached.every(({ committedIn }) => committedIn >= BigInt(before.position) && committedIn < BigInt(position))
      )
    }))

  it.effect("reads what is new of them in the order of ids, some at a time, with gaps in all logs", () =>
    Effect.gen(function*() {
      yield* setup
      const sql = yield* SqlClient.SqlClient
      const now = yield* settled
      yield* sql`
        INSERT INTO events (emitter_id, stream, id, n, emit_id, hops, payload)
        SELECT 'dc_' || to_char(n % 300, 'FM00000'), '', n + 2, n + 2, 'e', 0, '"new"' FROM generate_series(0, 1999) AS n`
      yield* sql`UPDATE heads_folded SET last_id = 5000 WHERE emitter_id < 'dc_00300'`
      let { parts } = yield* lookAt(now.position)
      const tail = yield* AccountTail
      const ids: Array<bigint> = []
      while (true) {
        const { events, reached } = yield* tail.arrived(accountId, parts, {})
        if (reached.length === 0) break
        ids.push(...events.map(({ id }) => id))
        const seen = new Map(reached.map(({ emitterId, id }) => [emitterId, id]))
        parts = parts.map((part) => ({ ...part, seen: seen.get(part.emitterId) ?? part.seen }))
      }
      assert.deepStrictEqual(ids, Array.from({ length: 2_000 }, (_, n) => BigInt(n + 2)))
    }))
})
