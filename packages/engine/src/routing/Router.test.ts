import { assert, layer } from "@effect/vitest"
import * as Id from "@headwater/domain/Id"
import type { Program } from "@headwater/domain/Program"
import * as Stream from "@headwater/domain/Stream"
import { AccountTurns, Turns } from "@headwater/domain/Turns"
import { GroupCommit } from "@headwater/log/commit/GroupCommit"
import { Programs } from "@headwater/log/resources/Programs"
import { Subscriptions } from "@headwater/log/resources/Subscriptions"
import { Context, Effect, Latch, Layer, Option, Schedule } from "effect"
import { TestClock } from "effect/testing"
import * as EngineFixture from "../../test/EngineFixture.ts"
import { ActorCalls } from "../ground/ActorCalls.ts"
import { EmitterLog } from "../ground/EmitterLog.ts"
import { ShardsAcquired } from "../ground/ShardsAcquired.ts"
import { Router } from "./Router.ts"

const code = `export default { props: { http: "$.interface.http" }, run() {} }`

const receive = Effect.fnUntraced(function*({ id }: Program) {
  const log = Option.getOrThrow(yield* EmitterLog.acquire(id))
  yield* EngineFixture.appendTo(log, Stream.requests, ["request"])
})

const setActive = Effect.fnUntraced(function*(program: Program, active: boolean) {
  yield* (yield* Programs).update({ ...program, active })
})

/** A router of its own, and a way to have it hear of an event. */
const routing = Effect.fnUntraced(function*(
  subscriptions: Subscriptions["Service"],
  wake: ActorCalls["Service"]["wake"]
) {
  const { committed } = yield* GroupCommit
  const actors = Layer.mock(ActorCalls, {
    ingest: () => assert.fail("nothing is ingested"),
    isHere: () => true,
    wake
  })
  const shardsAcquired = Layer.succeed(ShardsAcquired, yield* Latch.make())
  const given = Layer.mergeAll(actors, shardsAcquired, Layer.succeed(Subscriptions, subscriptions))
  const router = Context.get(yield* Layer.build(Layer.fresh(Router.layer).pipe(Layer.provide(given))), Router)
  const tell = Effect.fnUntraced(function*(accountId: string, emitterId: string) {
    const event = { emitterId, stream: "", id: 1n, n: 1, emitId: "e", hops: 0, meta: {}, payload: "1" }
    committed.tell([{ accountId, events: [event] }])
    yield* Effect.repeat(Effect.yieldNow, { until: () => committed.isTold })
  })
  return { router, tell }
})

layer(EngineFixture.layer, { excludeTestServices: true, timeout: "60 seconds" })("the router", (it) => {
  it.effect("hints at all that is owed when actors were taken over, and again for as long as it is", () =>
    Effect.gen(function*() {
      const { id } = yield* EngineFixture.account
      const deploy = EngineFixture.program(id, code)
      const [owing, paused, later, away] = yield* Effect.all([deploy, deploy, deploy, deploy])
      yield* setActive(paused, false)
      yield* Effect.forEach([owing, paused, away], receive) // Another node's writer has appended that.
      ;(yield* GroupCommit).takeAppendedTo()

      const hinted: Array<string> = []
      const shardsAcquired = yield* Latch.make()
      const actors = Layer.mock(ActorCalls, {
        ingest: () => assert.fail("nothing is ingested"),
        isHere: (actorId) => actorId !== away.id,
        wake: (actorId) => {
          hinted.push(actorId)
        }
      })
      yield* Layer.build(Router.layer.pipe(Layer.provide([actors, Layer.succeed(ShardsAcquired, shardsAcquired)])))
      /** Who is hinted at from now on until that one is. */
      const hintedUntil = Effect.fnUntraced(function*({ id }: Program) {
        hinted.length = 0
        for (let i = 0; i < 1_000 && !hinted.includes(id); i++) {
          yield* TestClock.adjust("5 seconds")
          yield* TestClock.withLive(Effect.sleep("2 millis"))
        }
        return new Set(hinted)
      })

      yield* shardsAcquired.open
      assert.deepStrictEqual(yield* hintedUntil(owing), new Set([owing.id]))
      assert.deepStrictEqual(yield* hintedUntil(owing), new Set([owing.id]))
      yield* setActive(owing, false)
      yield* receive(later)
      yield* hintedUntil(later)
      assert.deepStrictEqual(yield* hintedUntil(later), new Set([later.id]))
      yield* setActive(owing, true)
      yield* shardsAcquired.open
      assert.isTrue((yield* hintedUntil(owing)).has(owing.id))
    }).pipe(EngineFixture.onTestClock))

  it.effect("wakes another account's listener before the last of many of one account's", () =>
    Effect.gen(function*() {
      const subscriptions = yield* Subscriptions
      const [ann, bob] = [yield* EngineFixture.account, yield* EngineFixture.account]
      const many = 200
      const listened = Effect.fnUntraced(function*(accountId: Id.AccountId, count: number) {
        const log = yield* EngineFixture.emitter(accountId)
        const listenerIds = yield* Effect.forEach(Array.from({ length: count }), () => Id.make("webhook"))
        for (const listenerId of listenerIds) {
          yield* subscriptions.create({ accountId, emitterId: log.emitterId, listenerId, eventName: "" })
        }
        return { log, listenerIds }
      })
      const [anns, bobs] = [yield* listened(ann.id, many), yield* listened(bob.id, 1)]
      let now = 0
      /** Turns that come once Bob's listener was woken, however long the database takes to tell who listens to him. */
      let held: Array<() => void> | undefined
      const turns = new AccountTurns({
        now: () => now,
        later: (callback) => held === undefined ? void setImmediate(callback) : void held.push(callback)
      })
      turns.note(ann.id)
      turns.note(bob.id)
      const woken: Array<string> = []
      const actors = Layer.mock(ActorCalls, {
        ingest: () => assert.fail("nothing is ingested"),
        isHere: () => true,
        wake: (actorId) => {
          woken.push(actorId)
          now += 1
          if (actorId !== bobs.listenerIds[0]) return
          for (const callback of held ?? []) setImmediate(callback)
          held = undefined
        }
      })
      const shardsAcquired = Layer.succeed(ShardsAcquired, yield* Latch.make())
      const router = yield* Effect.map(
        Layer.build(Router.layer.pipe(Layer.provide([actors, shardsAcquired]))),
        Context.get(Router)
      ).pipe(Effect.provideService(Turns, turns))
      const committed = ({ id }: { readonly id: string }, { log: { emitterId } }: typeof anns) => ({
        accountId: id,
        events: [{ emitterId, stream: "", id: 1n, n: 1, emitId: "e", hops: 0, meta: {}, payload: "1" }]
      })
      const routed = Effect.fnUntraced(function*(count: number, ...batch: ReadonlyArray<ReturnType<typeof committed>>) {
        ;(yield* GroupCommit).committed.tell(batch)
        yield* router.isQuiet.pipe(
          Effect.repeat({
            until: (isQuiet) => isQuiet && woken.length >= count,
            schedule: Schedule.spaced("1 millis")
          }),
          TestClock.withLive
        )
      })
      held = []
      yield* routed(many + 1, committed(ann, anns), committed(bob, bobs))
      assert.sameMembers(woken, [...anns.listenerIds, ...bobs.listenerIds])
      assert.isBelow(woken.indexOf(bobs.listenerIds[0]!), many)
    }).pipe(EngineFixture.onTestClock))

  it.effect("wakes a listener that subscribes while the subscriptions of its account are read", () =>
    Effect.gen(function*() {
      const subscriptions = yield* Subscriptions
      const { id: accountId } = yield* EngineFixture.account
      const { emitterId } = yield* EngineFixture.emitter(accountId)
      const listenerId = yield* Id.make("webhook")
      const [isRead, goesOn] = [yield* Latch.make(), yield* Latch.make()]
      const slow = Subscriptions.of({
        ...subscriptions,
        forAccount: (id) => subscriptions.forAccount(id).pipe(Effect.tap(isRead.open), Effect.tap(goesOn.await))
      })
      const woken: Array<string> = []
      const { router, tell } = yield* routing(slow, (actorId) => void woken.push(actorId))
      yield* tell(accountId, emitterId)
      yield* isRead.await
      yield* subscriptions.create({ accountId, emitterId, listenerId, eventName: "" })
      yield* router.invalidate(accountId)
      yield* tell(accountId, emitterId)
      yield* goesOn.open
      yield* Effect.repeat(router.isQuiet, { until: (isQuiet) => isQuiet, schedule: Schedule.spaced("1 millis") }).pipe(
        TestClock.withLive
      )
      assert.deepStrictEqual(woken, [listenerId])
    }).pipe(EngineFixture.onTestClock))

  it.effect("holds so many commits at most while an account's subscriptions are read, and those of others beside them", () =>
    Effect.gen(function*() {
      const subscriptions = yield* Subscriptions
      const goesOn = yield* Latch.make()
      const slow = Subscriptions.of({
        ...subscriptions,
        forAccount: (id) => Effect.tap(subscriptions.forAccount(id), goesOn.await)
      })
      const heard = new Map<string, number>()
      const { router, tell } = yield* routing(slow, (actorId, { fed }) => {
        heard.set(actorId, (heard.get(actorId) ?? 0) + fed.reduce((sum, { events }) => sum + events.length, 0))
      })
      const listened = Effect.gen(function*() {
        const { id: accountId } = yield* EngineFixture.account
        const { emitterId } = yield* EngineFixture.emitter(accountId)
        const listenerId = yield* Id.make("webhook")
        yield* subscriptions.create({ accountId, emitterId, listenerId, eventName: "" })
        return { listenerId, tell: tell(accountId, emitterId) }
      })
      const [much, little] = [yield* listened, yield* listened]
      for (let count = 0; count < 300; count++) yield* much.tell
      yield* Effect.all([little.tell, little.tell])
      yield* goesOn.open
      yield* Effect.repeat(router.isQuiet, { until: (isQuiet) => isQuiet, schedule: Schedule.spaced("1 millis") }).pipe(
        TestClock.withLive
      )
      // The first one has the subscriptions read, and 256 may wait for that.
      assert.deepStrictEqual([heard.get(much.listenerId), heard.get(little.listenerId)], [257, 2])
    }).pipe(EngineFixture.onTestClock))

  it.effect("stops reading subscriptions when it ends", () =>
    Effect.gen(function*() {
      const { id: accountId } = yield* EngineFixture.account
      const [isRead, isStopped] = [yield* Latch.make(), yield* Latch.make()]
      const endless = Subscriptions.of({
        ...yield* Subscriptions,
        forAccount: () => isRead.open.pipe(Effect.andThen(Effect.never), Effect.onInterrupt(() => isStopped.open))
      })
      yield* Effect.scoped(Effect.gen(function*() {
        const { tell } = yield* routing(endless, () => assert.fail("nobody listens"))
        yield* tell(accountId, "dc_any")
        yield* isRead.await
      }))
      assert.isTrue(isStopped.isOpen())
    }).pipe(EngineFixture.onTestClock))
})
