import { assert, layer } from "@effect/vitest"
import * as EventId from "@headwater/domain/EventId"
import * as Stream from "@headwater/domain/Stream"
import { EventLog } from "@headwater/log/logs/EventLog"
import { Heads } from "@headwater/log/logs/Heads"
import { beforeAll, Cursors } from "@headwater/log/work/Cursors"
import { Deferred, Effect, Fiber, References } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { inOpenTransaction } from "../../../log/test/OpenTransaction.ts"
import * as EngineFixture from "../../test/EngineFixture.ts"
import { actorOf, onRequest, post, start, stream } from "../../test/ProgramFixture.ts"
import { Draining } from "../ground/Draining.ts"
import { defaults, EngineLimits } from "../ground/EngineLimits.ts"
import * as Wake from "../ground/Wake.ts"
import { RunTurns } from "./RunTurns.ts"

/** A request is answered after ten seconds, and not before, that it could not be taken. */
const isGivenUp = Effect.fnUntraced(function*(failing: Fiber.Fiber<{ readonly _tag: string }, unknown>) {
  yield* TestClock.adjust("9 seconds")
  assert.isUndefined(failing.pollUnsafe())
  yield* TestClock.adjust("1 second")
  assert.strictEqual((yield* Fiber.join(failing))._tag, "Unavailable")
})

layer(EngineFixture.layer, { timeout: "60 seconds", excludeTestServices: true })("a source with an endpoint", (it) => {
  it.effect("runs acknowledged requests in order, also where another owner took over before they ran", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* start(onRequest(`
        const count = (this.db.get("count") ?? 0) + 1
        this.db.set("count", count)
        this.$emit({ body: event.body, count })`))
      yield* actor.deploy()
      for (let i = 0; i < 5; i++) assert.strictEqual((yield* post(actor, i)).status, 200)
      assert.deepStrictEqual(yield* stream(program), [])
      const successor = yield* actorOf(program)
      yield* successor.wake(Wake.forEverything)
      assert.deepStrictEqual(
        yield* stream(program),
        Array.from({ length: 5 }, (_, i) => ({ body: i, count: i + 1 }))
      )
    }).pipe(EngineFixture.onTestClock))

  it.effect("keeps an acknowledged request until its run is durable, however old it is", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const log = yield* EventLog
      const { actor, program } = yield* start(onRequest("this.$emit(event.body)"))
      yield* actor.deploy()
      const requests = Effect.map(
        log.emitIdsSince({ emitterId: program.id, stream: Stream.requests }, EventId.make(0, 0)),
        ({ size }) => size
      )
      const bodies = Array.from({ length: 220 }, (_, n) => n)
      const postAll = (some: ReadonlyArray<number>) =>
        Effect.forEach(some, (n) => post(actor, n), { concurrency: 10, discard: true })
      yield* postAll(bodies.slice(0, 190))
      // This many requests may make runs give way for a moment.
      while ((yield* stream(program)).length < 190) yield* actor.wake(Wake.forEverything)
      yield* postAll(bodies.slice(190))
      yield* TestClock.adjust("2 minutes")
      const held = yield* Deferred.make<void>()
      const letGo = yield* Deferred.make<void>()
      const holding = yield* Effect.forkChild(sql.withTransaction(Effect.gen(function*() {
        yield* sql`SELECT FROM fences WHERE owner_id = ${program.id} FOR UPDATE`
        yield* Deferred.succeed(held, undefined)
        yield* Deferred.await(letGo)
      })))
      yield* Deferred.await(held)
      const working = yield* Effect.forkChild(actor.wake(Wake.forEverything))
      let left = 220
      while (left === 220) {
        yield* TestClock.withLive(Effect.sleep("5 millis"))
        left = yield* requests
      }
      assert.strictEqual(left, 30)
      yield* Deferred.succeed(letGo, undefined)
      yield* Fiber.join(holding)
      yield* Fiber.join(working)
      assert.sameMembers(yield* stream(program), bodies)
    }).pipe(EngineFixture.onTestClock))

  it.effect("answers a repeated request with its first outcome and runs it once", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* start(onRequest("this.$emit(event.body)"))
      yield* actor.deploy()
      yield* post(actor, "a", "same")
      yield* post(actor, "a", "same")
      const successor = yield* actorOf(program)
      yield* post(successor, "a", "same")
      yield* successor.wake(Wake.forEverything)
      assert.deepStrictEqual(yield* stream(program), ["a"])
    }).pipe(EngineFixture.onTestClock))

  it.effect("takes a repeat that comes while the first waits for room only once", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { actor, program } = yield* start(onRequest("this.$emit(event.body)"))
      yield* actor.deploy()
      // Each batch notes itself here first: nothing is committed until the lock is gone.
      const lock = yield* inOpenTransaction(sql`LOCK TABLE batches`)
      const many = yield* Effect.forkChild(
        Effect.forEach(Array.from({ length: 64 }, (_, n) => n), (n) => post(actor, n), {
          concurrency: "unbounded",
          discard: true
        })
      )
      yield* Effect.repeat(Effect.yieldNow, { times: 200 })
      const repeats = yield* Effect.forkChild(
        Effect.forEach(["same", "same", "same"], (id) => post(actor, id, id), { concurrency: "unbounded" })
      )
      const givenUp = yield* Effect.forkChild(post(actor, "left", "left"))
      yield* Effect.repeat(Effect.yieldNow, { times: 200 })
      const afterIt = yield* Effect.forkChild(post(actor, "left", "left"))
      yield* Effect.repeat(Effect.yieldNow, { times: 200 })
      yield* Fiber.interrupt(givenUp)
      yield* lock.commit
      yield* Fiber.join(many)
      const answers = yield* Fiber.join(repeats)
      assert.deepStrictEqual(answers.map(({ status }) => status), [200, 200, 200])
      assert.strictEqual((yield* Fiber.join(afterIt)).status, 200)
      const bodies = (yield* stream(program, "$requests")).map(({ body }) => body).slice(64)
      assert.deepStrictEqual(bodies, ["same", "left"])
    }).pipe(EngineFixture.onTestClock))

  it.effect("takes repeats that come at once only once, wherever the first is interrupted by another fiber", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* start(onRequest("this.$emit(event.body)"), { state: "ready" })
      const counts = Array.from({ length: 60 }, (_, index) => index + 5)
      for (const count of counts) {
        const twice = Effect.forEach([1, 2], () => post(actor, count, `r${count}`), { concurrency: "unbounded" })
        yield* Effect.provideService(twice, References.MaxOpsBeforeYield, count)
      }
      assert.deepStrictEqual((yield* stream(program, "$requests")).map(({ body }) => body), counts)
    }).pipe(EngineFixture.onTestClock))

  it.effect("runs an acknowledged request when it is its turn, and does not stand still until then", () =>
    Effect.gen(function*() {
      const turns = yield* RunTurns
      const { account, program } = yield* start(onRequest("this.$emit(event.body)"), { state: "ready" })
      let kicks = 0
      const { awaitsTurn, ingest, wake } = yield* actorOf(program, () => {
        kicks += 1
      })
      yield* Effect.repeat(Effect.sync(turns.noteEntering), { times: 7 })
      yield* TestClock.adjust("10 millis")
      assert.isTrue(turns.ask(account.id, () => {}))
      yield* wake(Wake.nothing)
      yield* ingest({ emitId: "r", payload: `{"body":"late"}`, hops: 0 })
      yield* wake(Wake.nothing)
      assert.isTrue(awaitsTurn())
      kicks = 0
      yield* ingest({ emitId: "s", payload: `{"body":"later"}`, hops: 0 })
      assert.strictEqual(kicks, 0, "it is going to look anyway")
      assert.deepStrictEqual(yield* stream(program), [])
      yield* TestClock.adjust("10 millis")
      assert.strictEqual(kicks, 1)
      yield* wake(Wake.nothing)
      assert.deepStrictEqual(yield* stream(program), ["late"])
      yield* TestClock.adjust("10 millis")
      yield* wake(Wake.nothing)
      assert.isFalse(awaitsTurn())
      assert.deepStrictEqual(yield* stream(program), ["late", "later"])
      yield* Effect.repeat(Effect.sync(turns.noteEntered), { times: 7 })
      yield* TestClock.adjust("10 millis")
      yield* TestClock.adjust("10 millis")
      assert.isTrue(Array.from({ length: 20 }, () => turns.ask(account.id, () => {})).every((turn) => turn === true))
    }).pipe(Effect.provide(RunTurns.layerOf(() => () => 1)), EngineFixture.onTestClock))

  it.effect.each([{ count: 3, bytes: 1_000_000 }, { count: 1_000, bytes: 36 }])(
    "refuses requests beyond a backlog of $count and $bytes bytes, but for repeats, until some have run",
    (backlog) =>
      Effect.gen(function*() {
        const { actor, program } = yield* Effect.provideService(
          start(onRequest("this.$emit(event.body)")),
          EngineLimits,
          { ...defaults, backlog }
        )
        yield* actor.deploy()
        for (const body of ["a", "b", "c"]) yield* post(actor, body, body)
        assert.strictEqual((yield* Effect.flip(post(actor, "d", "d")))._tag, "BacklogFull")
        assert.strictEqual((yield* post(actor, "c", "c")).status, 200)
        yield* actor.wake(Wake.forEvents([]))
        assert.strictEqual((yield* post(actor, "d", "d")).status, 200)
        yield* actor.wake(Wake.forEvents([]))
        assert.deepStrictEqual(yield* stream(program), ["a", "b", "c", "d"])
      }).pipe(EngineFixture.onTestClock)
  )

  it.effect("takes a request that has been round too often off its backlog, unrun", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* start(onRequest("this.$emit(event.body)"))
      yield* actor.deploy()
      yield* actor.ingest({ emitId: "tired", payload: JSON.stringify({ body: "tired" }), hops: 16 })
      yield* post(actor, "fresh")
      yield* actor.wake(Wake.forEvents([]))
      assert.deepStrictEqual(yield* stream(program), ["fresh"])
      assert.deepStrictEqual((yield* (yield* Cursors).listenersOwed([program.id], beforeAll)).owed, [])
    }).pipe(EngineFixture.onTestClock))

  it.effect("says that it could not take a request in time while the database is slow, and runs what came through", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { actor, program } = yield* start(onRequest("this.$emit(event.body)"), { state: "ready" })
      yield* post(actor, "quick")
      yield* sql`
        CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.5); RETURN NEW; END'`
      yield* sql`CREATE TRIGGER slowly BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION slowly()`
      yield* Effect.gen(function*() {
        const slow = yield* Effect.forkChild(Effect.flip(post(actor, "slow")))
        yield* sql`SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()`.pipe(
          Effect.repeat({ until: (rows) => rows.length > 0 })
        )
        yield* isGivenUp(slow)
      }).pipe(
        // It waits for the insert, which takes as long as locks may be waited for.
        Effect.ensuring(Effect.orDie(sql.withTransaction(
          Effect.andThen(sql`SET LOCAL lock_timeout = '20s'`, sql`DROP FUNCTION slowly CASCADE`)
        )))
      )
      yield* post(actor, "after")
      yield* actor.wake(Wake.forEverything)
      assert.deepStrictEqual(yield* stream(program), ["quick", "slow", "after"])
    }).pipe(EngineFixture.onTestClock))

  it.effect("says so too while it can't read what it has to know anew", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { actor, program } = yield* start(onRequest("this.$emit(event.body)"), { state: "ready" })
      yield* (yield* Heads).acquire(program.id)
      assert.strictEqual((yield* Effect.flip(post(actor, "fenced")))._tag, "Unavailable")
      const locked = yield* Deferred.make<void>()
      const answered = yield* Deferred.make<void>()
      const holder = yield* sql`SELECT 1 FROM fences WHERE owner_id = ${program.id} FOR UPDATE`.pipe(
        Effect.andThen(Deferred.succeed(locked, undefined)),
        Effect.andThen(Deferred.await(answered)),
        sql.withTransaction,
        Effect.forkChild
      )
      yield* Deferred.await(locked)
      const stuck = yield* Effect.forkChild(Effect.flip(post(actor, "stuck")))
      yield* sql`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`.pipe(
        Effect.repeat({ until: (rows) => rows.length > 0 })
      )
      yield* isGivenUp(stuck)
      yield* Deferred.succeed(answered, undefined)
      yield* Fiber.join(holder)
      assert.strictEqual((yield* post(actor, "after")).status, 200)
      yield* actor.wake(Wake.forEverything)
      assert.deepStrictEqual(yield* stream(program), ["after"])
    }).pipe(EngineFixture.onTestClock))

  it.effect("leaves nobody waiting for an answer when it is to leave its node", () =>
    Effect.gen(function*() {
      const code = `export default { props: { http: { type: "$.interface.http", customResponse: true } }, run() {} }`
      const { program } = yield* start(code, { state: "ready" })
      const draining = yield* Draining.ofActor
      const actor = yield* Effect.provideService(actorOf(program), Draining, draining)
      const waiting = yield* Effect.forkChild(Effect.flip(post(actor, "asked")))
      yield* Effect.repeat(stream(program, "$requests"), { until: (requests) => requests.length > 0 })
      yield* draining.begin
      yield* actor.wake(Wake.forEverything)
      assert.deepInclude({ ...(yield* Fiber.join(waiting)) }, { _tag: "NotAnswered", reason: "late" })
    }).pipe(EngineFixture.onTestClock))

  it.effect("answers at no endpoint but its own", () =>
    Effect.gen(function*() {
      const { actor } = yield* start(onRequest("this.$emit(1)"), { state: "ready" })
      const request = { endpointKey: "another", emitId: "r", payload: "{}", hops: 0 }
      assert.strictEqual((yield* Effect.flip(actor.ingest(request)))._tag, "EndpointNotFound")
    }).pipe(EngineFixture.onTestClock))
})
