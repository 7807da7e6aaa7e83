import { assert, layer } from "@effect/vitest"
import { GroupCommit } from "@headwater/log/commit/GroupCommit"
import { DueWork } from "@headwater/log/work/DueWork"
import { Clock, Effect, Layer, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as EngineFixture from "../../test/EngineFixture.ts"
import { ActorCalls } from "../ground/ActorCalls.ts"
import { Suspensions } from "../ground/Suspensions.ts"
import * as DueScanner from "./DueScanner.ts"

const start = Date.parse("2026-11-21T12:00:00Z")

/** A scanner over the due work there is. Answers how often each owner was woken, and how many rows and pages it read. */
const scanner = Effect.fnUntraced(function*(isHere: (owner: string) => boolean = () => true) {
  const dueWork = yield* DueWork
  const woken = new Map<string, number>()
  const asked = { rows: 0, pages: 0 }
  let underWay = 0
  const counting = DueWork.of({
    ...dueWork,
    ownersDue: (now, after, limit) =>
      Effect.acquireUseRelease(
        Effect.sync(() => void underWay++),
        () =>
          Effect.tap(dueWork.ownersDue(now, after, limit), ({ next, owners }) =>
            Effect.sync(() => {
              asked.pages += 1
              asked.rows += next === undefined ? owners.length : limit
            })),
        () => Effect.sync(() => void underWay--)
      )
  })
  const actors = Layer.mock(ActorCalls, {
    ingest: () => assert.fail("nothing is ingested"),
    isHere,
    wake: (owner) => void woken.set(owner, (woken.get(owner) ?? 0) + 1)
  })
  const suspensions = Layer.mock(Suspensions, {
    holds: (owner) => owner.startsWith("wh_suspended"),
    isSuspended: () => false,
    released: yield* Queue.unbounded<ReadonlyArray<string>>()
  })
  yield* Layer.build(DueScanner.layer.pipe(Layer.provide([actors, suspensions, Layer.succeed(DueWork, counting)])))
  // No time passes while the database is asked, however busy it is.
  const rest = Effect.repeat(TestClock.withLive(Effect.sleep("5 millis")), { until: () => underWay === 0 })
  const scan = Effect.andThen(TestClock.adjust("200 millis"), rest)
  const until = (isSo: () => boolean) => Effect.whileLoop({ while: () => !isSo(), body: () => scan, step: () => {} })
  const at = (time: number) => Effect.andThen(TestClock.setTime(time), rest)
  return { woken, asked, at, until }
})

const due = (ownerId: string, dueAt: number, key = "timer") =>
  ({ ownerId, kind: "timer", key, dueAt, payload: "{}" }) as const

const fromStart = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* sql`TRUNCATE due_work`
    yield* TestClock.setTime(start)
    return yield* test
  }).pipe(Effect.scoped, EngineFixture.onTestClock)

layer(EngineFixture.layerNoSandbox, { timeout: "60 seconds", excludeTestServices: true })("the due scanner", (it) => {
  it.effect("wakes an owner behind a thousand that leave their work due, and each of those again after a while", () =>
    Effect.gen(function*() {
      const stuck = Array.from({ length: 1_000 }, (_, i) => `dc_stuck${i}`)
      yield* (yield* DueWork).put([
        ...stuck.map((owner) => due(owner, start - 60_000)),
        due("dc_last", start - 1_000)
      ])
      const { until, woken } = yield* scanner()
      yield* until(() => woken.has("dc_last"))
      assert.strictEqual(woken.size, 1_001)
      assert.isBelow((yield* Clock.currentTimeMillis) - start, 10_000)
      yield* until(() => woken.get("dc_stuck999") === 2)
    }).pipe(fromStart))

  it.effect("looks at what is due once, and not at all of it with each scan", () =>
    Effect.gen(function*() {
      const dueWork = yield* DueWork
      yield* dueWork.put(Array.from({ length: 8_000 }, (_, i) => due("wh_busy", start - 60_000 + i, `${i}`)))
      yield* dueWork.put([due("dc_other", start - 5_000), due("dc_next", start + 1_000)])
      const { asked, until, woken } = yield* scanner()
      yield* until(() => woken.has("dc_other"))
      assert.isAtMost(asked.rows, 20_000)
      yield* until(() => woken.has("dc_next"))
      Object.assign(asked, { rows: 0, pages: 0 })
      const before = woken.get("wh_busy") ?? 0
      yield* until(() => (woken.get("wh_busy") ?? 0) >= before + 2)
      assert.isAtMost(asked.rows, 20_000)
    }).pipe(fromStart))

  it.effect("leaves the owners of other nodes to these, but for work that nobody has done after a while", () =>
    Effect.gen(function*() {
      yield* (yield* DueWork).put([due("dc_away", start), due("dc_here", start)])
      const { until, woken } = yield* scanner((owner) => owner === "dc_here")
      yield* until(() => woken.has("dc_here"))
      assert.isFalse(woken.has("dc_away"))
      yield* until(() => woken.has("dc_away"))
      assert.isAtLeast((yield* Clock.currentTimeMillis) - start, 10_000)
    }).pipe(fromStart))

  it.effect("finds work that is committed long after the time it is due at", () =>
    Effect.gen(function*() {
      const { until, woken } = yield* scanner()
      const dueWork = yield* DueWork
      yield* dueWork.put([due("dc_first", start)])
      yield* until(() => woken.has("dc_first"))
      yield* TestClock.adjust("10 seconds")
      yield* dueWork.put([due("dc_late", start + 1_000)])
      yield* until(() => woken.has("dc_late"))
    }).pipe(fromStart))

  it.effect("finds such work as fast behind any amount that waits for a suspended account", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const dueWork = yield* DueWork
      yield* sql`
        INSERT INTO due_work (owner_id, kind, key, due_at, payload)
        SELECT 'wh_suspended' || i % 500, 'retry', i, ${start - 300_000} + i, '{}' FROM generate_series(1, 100000) AS i`
      yield* dueWork.put([due("dc_first", start)])
      const { until, woken } = yield* scanner()
      yield* until(() => woken.has("dc_first"))
      yield* TestClock.adjust("10 seconds")
      yield* dueWork.put([due("dc_late", start + 1_000)])
      const committedAt = yield* Clock.currentTimeMillis
      yield* until(() => woken.has("dc_late"))
      assert.isAtMost((yield* Clock.currentTimeMillis) - committedAt, 20_000)
      assert.sameMembers([...woken.keys()], ["dc_first", "dc_late"])
    }).pipe(fromStart))

  it.effect("wakes an owner for work that is committed a little late, though it was woken for later work just before", () =>
    Effect.gen(function*() {
      const { until, woken } = yield* scanner()
      const dueWork = yield* DueWork
      yield* dueWork.put([due("dc_both", start + 1_500, "later")])
      yield* until(() => woken.has("dc_both"))
      yield* dueWork.done([due("dc_both", start + 1_500, "later")])
      const before = woken.get("dc_both")!
      yield* dueWork.put([due("dc_both", start + 500, "earlier")])
      const committedAt = yield* Clock.currentTimeMillis
      yield* until(() => woken.get("dc_both")! > before)
      assert.isAtMost((yield* Clock.currentTimeMillis) - committedAt, 2_000)
    }).pipe(fromStart))

  it.effect("wakes an owner at the time at which its work is due, and looks at nothing before", () =>
    Effect.gen(function*() {
      yield* (yield* DueWork).put([due("dc_timer", start + 900)])
      const { asked, at, woken } = yield* scanner()
      yield* at(start + 200)
      const { pages } = asked
      yield* at(start + 899)
      assert.deepStrictEqual([asked.pages, woken.size], [pages, 0])
      yield* at(start + 900)
      assert.strictEqual(woken.get("dc_timer"), 1)
    }).pipe(fromStart))

  it.effect("wakes an owner for work that is put in while nothing else is due for long", () =>
    Effect.gen(function*() {
      const { at, woken } = yield* scanner()
      yield* at(start + 200)
      const submission = (yield* GroupCommit).submit({ accountId: "acc_one", duePut: [due("dc_soon", start + 500)] })
      yield* submission.durable
      yield* at(start + 400)
      yield* at(start + 600)
      assert.strictEqual(woken.get("dc_soon"), 1)
    }).pipe(fromStart))
})
