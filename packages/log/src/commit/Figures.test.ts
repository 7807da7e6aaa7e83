import { assert, layer } from "@effect/vitest"
import type { LoggedEvent } from "@headwater/domain/Event"
import * as Id from "@headwater/domain/Id"
import * as Stream from "@headwater/domain/Stream"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { noTally } from "../work/Cursors.ts"
import type { Commit } from "./Commit.ts"
import { FigureCounts, latencyBounds, minuteMs, wholeAccount } from "./FigureCounts.ts"
import { Figures, hourMs, hoursKeptMs, layerWriting, minutesKeptMs, writeEveryMs } from "./Figures.ts"

/** Soon after the beginning: timers go off for all the time that the clock is set on by. */
const start = 2 * hourMs

const accountOf = Effect.fnUntraced(function*(n: number) {
  const id = Id.AccountId.make(Id.of("account", n, new Uint8Array(Id.randomLength)))
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO accounts (id, username, email, plan, created_at) VALUES (${id}, ${`a${n}`}, 'a@b', 'free', 0)`
  return id
})

const events = (...streams: ReadonlyArray<string>): ReadonlyArray<LoggedEvent> =>
  streams.map((stream, n) => ({
    stream,
    emitterId: "dc_a",
    id: BigInt(n),
    n,
    emitId: "e",
    hops: 1,
    meta: {},
    payload: "1"
  }))

const commitOf = (accountId: Id.AccountId, ...streams: ReadonlyArray<string>): Commit => ({
  head: { emitterId: "dc_a", accountId, fence: { ownerId: "dc_a", accountId, epoch: 1n }, lastId: 1n, streams: {} },
  events: events(...streams)
})

/** Another node on the same database. */
const node = Effect.map(Layer.build(Layer.fresh(Figures.layer)), (context) => context)

const whole = { from: start, until: start + hourMs, stepMs: hourMs }

layer(Figures.layer.pipe(Layer.provideMerge(TestDatabase.layer)), { timeout: "60 seconds" })("figures", (it) => {
  it.effect("of an account that is gone are not written", () =>
    Effect.gen(function*() {
      const [gone, kept] = [yield* accountOf(21), yield* accountOf(22)]
      const figures = yield* Figures
      const sql = yield* SqlClient.SqlClient
      for (const accountId of [gone, kept]) figures.noteAttempt(accountId, "wh_a", false, 12)
      yield* sql`DELETE FROM accounts WHERE id = ${gone}`
      yield* figures.write
      const rows = yield* sql<{ account_id: string }>`
        SELECT DISTINCT account_id FROM figures_minutes WHERE account_id IN (${gone}, ${kept})`
      assert.deepStrictEqual(rows, [{ account_id: kept }])
    }))

  it.effect("of several nodes add up, in the minute in which it happened, for the subject and for the account", () =>
    Effect.gen(function*() {
      const accountId = yield* accountOf(1)
      yield* TestClock.setTime(start + 30_000)
      const one = yield* Figures
      const other = yield* Effect.provide(Figures, yield* node)
      one.noteCommits([commitOf(accountId, "", "orders", Stream.requests, Stream.logs, Stream.errors)])
      one.noteAttempt(accountId, "wh_a", false, 12)
      other.noteAttempt(accountId, "wh_a", true, 90_000)
      other.noteAttempt(accountId, "wh_b", false, 12)
      yield* Effect.all([one.write, other.write], { concurrency: "unbounded" })
      yield* TestClock.setTime(start + minuteMs)
      one.noteRun(accountId, "dc_a", true, 7.4)
      other.noteCommits([{
        fence: { ownerId: "wh_a", accountId, epoch: 1n },
        moves: [{
          subscriptionId: "sub",
          emitterId: "dc_a",
          from: 0,
          to: { n: 1, id: 1n },
          tally: { ...noTally, filtered: 3 }
        }],
        settlements: [
          { subscriptionId: "sub", emitterId: "dc_a", tally: { ...noTally, pending: -1, exhausted: 1 } },
          { subscriptionId: "sub", emitterId: "dc_a", tally: { ...noTally, pending: 1, exhausted: -1 } }
        ]
      }])
      yield* one.write
      yield* other.write
      yield* one.write
      const counted = (subjectId: string) =>
        Effect.map(
          one.series(accountId, subjectId, { ...whole, stepMs: minuteMs }),
          (steps) =>
            steps.map(({ at, latencies, ...counts }) => ({
              at: at - start,
              ...Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
              latencies: latencies.flatMap((count, bucket) => count > 0 ? [[latencyBounds[bucket], count]] : [])
            }))
        )
      const emitted = { requests: 1, events: 2, errors: 1 }
      const ran = { runs: 1, failed_runs: 1, run_ms: 7 }
      const kept = { exhausted: 1, filtered: 3 }
      assert.deepStrictEqual<unknown>(yield* counted("dc_a"), [
        { at: 0, ...emitted, latencies: [] },
        { at: minuteMs, ...ran, latencies: [] }
      ])
      assert.deepStrictEqual<unknown>(yield* counted("wh_a"), [
        { at: 0, attempts: 2, failed_attempts: 1, attempt_ms: 90_012, latencies: [[15, 1], [undefined, 1]] },
        { at: minuteMs, ...kept, latencies: [] }
      ])
      assert.deepStrictEqual<unknown>(yield* counted(wholeAccount), [
        {
          at: 0,
          ...emitted,
          attempts: 3,
          failed_attempts: 1,
          attempt_ms: 90_024,
          latencies: [[15, 2], [undefined, 1]]
        },
        { at: minuteMs, ...ran, ...kept, latencies: [] }
      ])
      const since = yield* one.since(accountId, [wholeAccount, "dc_a", "wh_a", "wh_b"], start + minuteMs)
      assert.deepStrictEqual([...since.keys()].toSorted(), [wholeAccount, "dc_a", "wh_a"])
      assert.deepStrictEqual([...(yield* one.since(yield* accountOf(2), [wholeAccount, "dc_a"], start)).keys()], [])
    }))

  it.effect("are written every few seconds, and at the end; what can't be written is written later", () =>
    Effect.gen(function*() {
      const accountId = yield* accountOf(3)
      const sql = yield* SqlClient.SqlClient
      yield* TestClock.setTime(start)
      const figures = yield* Figures
      const runs = Effect.map(
        sql<{ runs: bigint }>`SELECT runs FROM figures_minutes WHERE account_id = ${accountId} AND subject_id = ''`,
        ([row]) => Number(row?.runs ?? 0)
      )
      const until = (count: number) =>
        Effect.timeout(Effect.repeat(runs, { until: (found) => found === count }), "10 seconds")
      yield* Effect.scoped(Effect.gen(function*() {
        yield* Layer.build(layerWriting)
        figures.noteRun(accountId, "dc_a", false, 1)
        yield* Effect.yieldNow
        assert.strictEqual(yield* runs, 0)
        yield* TestClock.adjust(writeEveryMs)
        yield* until(1)
        yield* sql`ALTER TABLE figures_minutes RENAME TO figures_away`
        figures.noteRun(accountId, "dc_a", false, 1)
        yield* figures.write
        yield* sql`ALTER TABLE figures_away RENAME TO figures_minutes`
        figures.noteRun(accountId, "dc_a", false, 1)
        yield* figures.write
        assert.strictEqual(yield* runs, 3)
        figures.noteRun(accountId, "dc_a", false, 1)
      }))
      assert.strictEqual(yield* runs, 4)
    }))

  it.effect("are folded into hours when they are old, late ones too, and forgotten later", () =>
    Effect.gen(function*() {
      const accountId = yield* accountOf(4)
      const figures = yield* Figures
      const sql = yield* SqlClient.SqlClient
      for (let minute = 0; minute < 90; minute++) {
        yield* TestClock.setTime(start + minute * minuteMs)
        figures.noteAttempt(accountId, "wh_a", minute === 0, minute < 60 ? 4 : 400)
      }
      yield* figures.write
      const steps = (stepMs: number) =>
        Effect.map(
          figures.series(accountId, "wh_a", { from: start - hourMs, until: start + 2 * hourMs, stepMs }),
          (found) =>
            found.map(({ at, attempts, failed_attempts }) => [(at - start) / minuteMs, attempts, failed_attempts])
        )
      const hours = [[0, 60, 1], [60, 30, 0]]
      const buckets = Effect.map(
        figures.series(accountId, "wh_a", { from: start, until: start + 2 * hourMs, stepMs: 2 * hourMs }),
        ([all]) => all!.latencies.flatMap((count, bucket) => count > 0 ? [[latencyBounds[bucket], count]] : [])
      )
      const [minutes, spread] = [yield* steps(minuteMs), yield* buckets]
      assert.strictEqual(minutes.length, 90)
      assert.deepStrictEqual(spread, [[5, 60], [500, 30]])
      assert.deepStrictEqual(yield* steps(hourMs), hours)
      yield* figures.fold(start + minutesKeptMs)
      assert.strictEqual((yield* steps(minuteMs)).length, 90)
      yield* figures.fold(start + minutesKeptMs + 10 * minuteMs)
      assert.strictEqual((yield* steps(minuteMs)).length, 81)
      assert.deepStrictEqual(yield* steps(hourMs), hours)
      yield* figures.fold(start + minutesKeptMs + 2 * hourMs)
      assert.deepStrictEqual(yield* steps(minuteMs), hours)
      assert.deepStrictEqual(yield* buckets, spread)
      // A node that had lost the database.
      yield* TestClock.setTime(start)
      figures.noteAttempt(accountId, "wh_a", true, 4)
      yield* figures.write
      yield* figures.fold(start + minutesKeptMs + 2 * hourMs)
      assert.deepStrictEqual(yield* steps(minuteMs), [[0, 61, 2], [60, 30, 0]])
      const [left] = yield* sql<{ count: bigint }>`
        SELECT count(*) AS count FROM figures_minutes WHERE account_id = ${accountId}`
      assert.strictEqual(Number(left!.count), 0)
      yield* figures.fold(start + hoursKeptMs + hourMs)
      assert.deepStrictEqual(yield* steps(minuteMs), [[60, 30, 0]])
      yield* figures.removeOfAccount(accountId)
      assert.deepStrictEqual(yield* steps(minuteMs), [])
    }))

  it.effect("take no more memory for however many subjects, and still count them for their account", () =>
    Effect.sync(() => {
      const counts = new FigureCounts()
      for (let n = 0; n < 50_000; n++) counts.note(start, "u_a", `dc_${n}`, (counts) => counts.noteRun(false, 1))
      for (let n = 0; n < 50_000; n++) counts.note(start, `u_${n}`, "dc", (counts) => counts.noteRun(false, 1))
      const taken = counts.take()
      assert.isAtMost(taken.length, 40_001)
      assert.strictEqual(
        taken.find(({ accountId, subjectId }) => accountId === "u_a" && subjectId === "")?.counts.runs,
        50_000
      )
      assert.deepStrictEqual(counts.take(), [])
    }))
})
