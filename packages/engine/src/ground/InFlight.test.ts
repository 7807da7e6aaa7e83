import { assert, layer } from "@effect/vitest"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import type { Commit } from "@headwater/log/commit/Commit"
import { GroupCommit } from "@headwater/log/commit/GroupCommit"
import { Effect, Fiber, Layer, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { type FallibleMemory, InFlight } from "./InFlight.ts"

const most = 64
const accountId = "u_a"

/** Puts a commit in line once there is room, as an actor does. */
const start = (inFlight: InFlight, memory: FallibleMemory, commit: Commit, onStart = () => {}) =>
  Effect.flatMap(inFlight.room(memory), () =>
    Effect.map(GroupCommit, (writer) => {
      const submission = writer.submit(commit)
      inFlight.track(memory, submission)
      onStart()
      return submission
    }))

layer(GroupCommit.layer.pipe(Layer.provideMerge(TestDatabase.layer)), {
  timeout: "60 seconds",
  excludeTestServices: true
})("an actor's commits under way", (it) => {
  it.effect("are so many at most, in the order of the calls, and the next when one has ended", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const inFlight = yield* InFlight.make({})
      const memory = { accountId, failed: false }
      const started: Array<number> = []
      const startNth = (n: number) => start(inFlight, memory, { accountId }, () => started.push(n))
      const waiting = yield* sql.withTransaction(Effect.gen(function*() {
        // Each batch notes itself here first.
        yield* sql`LOCK TABLE batches`
        yield* Effect.forEach(Array.from({ length: most }, (_, n) => n), startNth)
        assert.isTrue(inFlight.isFull(memory))
        const next = yield* Effect.forkDetach(startNth(most))
        const afterNext = yield* Effect.forkDetach(startNth(most + 1))
        yield* Effect.repeat(Effect.yieldNow, { times: 20 })
        assert.strictEqual(started.length, most)
        return [next, afterNext]
      }))
      yield* Effect.forEach(waiting, Fiber.join)
      yield* inFlight.settled
      assert.deepStrictEqual(started, Array.from({ length: most + 2 }, (_, n) => n))
      assert.deepStrictEqual([inFlight.isFull(memory), memory.failed], [false, false])
    }))

  it.effect("say in one line why one of them failed", () =>
    Effect.gen(function*() {
      const lines: Array<string> = []
      const logger = Logger.map(Logger.formatLogFmt, (line) => void lines.push(line))
      const memory = { accountId, failed: false }
      yield* Effect.gen(function*() {
        const inFlight = yield* InFlight.make({ source_id: "dc_refused" })
        const state = [{ programId: "dc_refused", key: "\u0000", value: "1" }]
        yield* start(inFlight, memory, { state })
        yield* inFlight.settled
      }).pipe(Effect.provide(Logger.layer([logger])))
      assert.isTrue(memory.failed)
      assert.lengthOf(lines, 1)
      assert.match(lines[0]!, /source_id=dc_refused error="invalid byte sequence .* \(SQLSTATE 22021\)"/)
      assert.isBelow(lines[0]!.length, 400)
    }))

  it.effect("take so many bytes at most", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const inFlight = yield* InFlight.make({})
      const memory = { accountId, failed: false }
      const state = [{ programId: "dc_large", key: "k", value: "x".repeat(6 * 1024 * 1024) }]
      const startLarge = start(inFlight, memory, { accountId, state })
      const waiting = yield* sql.withTransaction(Effect.gen(function*() {
        yield* sql`LOCK TABLE batches`
        yield* startLarge
        yield* startLarge
        assert.isFalse(inFlight.isFull(memory))
        yield* startLarge
        assert.isTrue(inFlight.isFull(memory))
        const next = yield* Effect.forkDetach(startLarge)
        yield* Effect.repeat(Effect.yieldNow, { times: 20 })
        assert.isUndefined(next.pollUnsafe())
        return next
      }))
      yield* (yield* Fiber.join(waiting)).durable
      assert.isFalse(inFlight.isFull(memory))
    }))

  it.effect("wait for the writer where that has no room", () =>
    Effect.gen(function*() {
      const writer = yield* GroupCommit
      const sql = yield* SqlClient.SqlClient
      const inFlight = yield* InFlight.make({})
      const memory = { accountId, failed: false }
      const waiting = yield* sql.withTransaction(Effect.gen(function*() {
        yield* sql`LOCK TABLE batches`
        while (!writer.isFull(accountId)) writer.submit({ accountId })
        assert.isTrue(inFlight.isFull(memory))
        const waiting = yield* Effect.forkDetach(start(inFlight, memory, { accountId }))
        yield* Effect.repeat(Effect.yieldNow, { times: 20 })
        assert.isUndefined(waiting.pollUnsafe())
        return waiting
      }))
      yield* (yield* Fiber.join(waiting)).durable
      assert.isFalse(inFlight.isFull(memory))
    }))
})
