import { assert, it } from "@effect/vitest"
import { Deferred, type Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Wake from "../ground/Wake.ts"
import * as Residents from "./Residents.ts"

const places = (most = 10_000): Residents.Population => ({ size: 0, most })

/** An actor that notes when it works, as long as `work` takes. */
const add = Effect.fnUntraced(function*(work: Effect.Effect<void> = Effect.void) {
  let hints = 0
  let drained = false
  const worked: Array<number> = []
  const residents = yield* Residents.make<Residents.Wakeable>(places())
  const resident = yield* residents.add(
    "dc_1",
    {
      hint: () => {
        hints += 1
      },
      wake: () =>
        Effect.suspend(() => {
          worked.push(hints)
          return work
        })
    },
    Effect.sync(() => {
      drained = true
    })
  )
  return { resident, residents, worked, isDrained: () => drained }
})

const settled = Effect.repeat(Effect.yieldNow, { times: 20 })

it.effect("an actor that is awake works at every hint, and is sent off when there was none for a while", () =>
  Effect.gen(function*() {
    const { resident, worked } = yield* add()
    assert.isFalse(resident.hint(Wake.forDueWork), "it is not awake yet")
    assert.isUndefined(resident.enter())
    const stay = yield* Effect.forkChild(resident.stay(Wake.forEverything))
    yield* settled
    assert.deepStrictEqual(worked, [1])
    yield* TestClock.adjust("59 seconds")
    assert.isTrue(resident.hint(Wake.forDueWork))
    yield* settled
    assert.deepStrictEqual(worked, [1, 2])
    yield* TestClock.adjust("59 seconds")
    assert.isTrue(resident.hint(Wake.forDueWork), "it was used a while ago")
    yield* TestClock.adjust("62 seconds")
    yield* Fiber.join(stay)
    assert.isFalse(resident.hint(Wake.forDueWork))
    assert.deepStrictEqual(worked, [1, 2, 3])
  }))

const idle: Residents.Wakeable = { hint: () => {}, wake: () => Effect.void }

/** Has so many actors in memory that those who are not used are to leave. */
const crowd = (residents: Residents.Residents<Residents.Wakeable>) =>
  Effect.forEach(
    Array.from({ length: 1_001 }, (_, i) => `dc_many_${i}`),
    (id) => residents.add(id, idle, Effect.void),
    { discard: true }
  )

it.effect("among very many an actor rests for seconds only", () =>
  Effect.gen(function*() {
    const { resident, residents } = yield* add()
    const stay = yield* Effect.forkChild(resident.stay(Wake.forEverything))
    yield* crowd(residents)
    yield* TestClock.adjust("2 seconds")
    assert.isTrue(resident.hint(Wake.forDueWork))
    yield* TestClock.adjust("5 seconds")
    yield* Fiber.join(stay)
    assert.isFalse(resident.hint(Wake.forDueWork))
  }))

it.effect("an actor stays for as long as it waits for its turn, also among very many", () =>
  Effect.gen(function*() {
    const residents = yield* Residents.make<Residents.Wakeable>(places())
    let awaitsTurn = true
    const resident = yield* residents.add("dc_1", { ...idle, awaitsTurn: () => awaitsTurn }, Effect.void)
    const stay = yield* Effect.forkChild(resident.stay(Wake.forEverything))
    yield* crowd(residents)
    yield* TestClock.adjust("20 seconds")
    assert.isUndefined(stay.pollUnsafe())
    awaitsTurn = false
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(stay)
  }))

it.effect("an actor that comes to wait for its turn at the end of work that outlasts its rest stays", () =>
  Effect.gen(function*() {
    const residents = yield* Residents.make<Residents.Wakeable>(places())
    const working = yield* Deferred.make<void>()
    let awaitsTurn = false
    const actor = { hint: () => {}, wake: () => Deferred.await(working), awaitsTurn: () => awaitsTurn }
    const resident = yield* residents.add("dc_1", actor, Effect.void)
    yield* Effect.forkChild(resident.stay(Wake.forEverything))
    yield* crowd(residents)
    yield* TestClock.adjust("20 seconds")
    awaitsTurn = true
    yield* Deferred.succeed(working, undefined)
    yield* settled
    assert.isTrue(resident.hint(Wake.nothing))
  }))

it.effect("among very many an actor that comes back soon after it has left rests as long as any", () =>
  Effect.gen(function*() {
    const residents = yield* Residents.make<Residents.Wakeable>(places())
    yield* crowd(residents)
    const comeAndGo = Effect.scoped(residents.add("dc_1", idle, Effect.void))
    const restsAfter = Effect.fnUntraced(function*(away: Duration.Input) {
      yield* comeAndGo
      yield* TestClock.adjust(away)
      return yield* Effect.scoped(Effect.gen(function*() {
        const resident = yield* residents.add("dc_1", idle, Effect.void)
        const stay = yield* Effect.forkChild(resident.stay(Wake.forEverything))
        yield* TestClock.adjust("50 seconds")
        const isAwake = resident.hint(Wake.forDueWork)
        yield* Fiber.interrupt(stay)
        return isAwake
      }))
    })
    assert.isTrue(yield* restsAfter("9 seconds"))
    assert.isFalse(yield* restsAfter("12 seconds"))
  }))

it.effect("where nearly all places are taken an actor rests for seconds only, though it came back soon", () =>
  Effect.gen(function*() {
    const population = places(10)
    const residents = yield* Residents.make<Residents.Wakeable>(population)
    const others = yield* Residents.make<Residents.Wakeable>(population)
    yield* Effect.forEach(Array.from({ length: 8 }, (_, i) => `wh_${i}`), (id) => others.add(id, idle, Effect.void))
    yield* Effect.scoped(residents.add("dc_1", idle, Effect.void))
    const resident = yield* residents.add("dc_1", idle, Effect.void)
    yield* Effect.forkChild(resident.stay(Wake.forEverything))
    yield* TestClock.adjust("5 seconds")
    assert.isFalse(resident.hint(Wake.nothing))
    assert.strictEqual(population.size, 9)
  }))

it.effect("a hint that comes while an actor works is followed after that", () =>
  Effect.gen(function*() {
    const done = yield* Deferred.make<void>()
    const { resident, worked } = yield* add(Deferred.await(done))
    yield* Effect.forkChild(resident.stay(Wake.forEverything))
    yield* settled
    assert.isTrue(resident.hint(Wake.forDueWork))
    assert.deepStrictEqual(worked, [1])
    yield* Deferred.succeed(done, undefined)
    yield* settled
    assert.deepStrictEqual(worked, [1, 2])
  }))

it.effect("an actor that has to leave takes on nothing more, and ends its work and the calls to it first", () =>
  Effect.gen(function*() {
    const working = yield* Deferred.make<void>()
    const { isDrained, resident, worked } = yield* add(Deferred.await(working))
    const stay = yield* Effect.forkChild(resident.stay(Wake.forEverything))
    yield* settled
    const call = resident.enter()!
    assert.isTrue(resident.hint(Wake.forDueWork))
    const leave = yield* Effect.forkChild(Fiber.interrupt(stay))
    yield* settled
    assert.isUndefined(leave.pollUnsafe(), "it works")
    assert.isTrue(isDrained())
    assert.isFalse(resident.hint(Wake.forDueWork))
    assert.isUndefined(resident.enter())
    yield* resident.stay(Wake.forDueWork)
    yield* Deferred.succeed(working, undefined)
    yield* settled
    assert.deepStrictEqual(worked, [1])
    assert.isUndefined(leave.pollUnsafe(), "it is being called")
    call.end()
    yield* Fiber.join(leave)
  }))

it.effect("an actor is not woken for a hint that it has seen to, and what comes of that ends before it leaves", () =>
  Effect.gen(function*() {
    const answer = yield* Deferred.make<void>()
    let underWay = 0
    let wakes = 0
    const actor = {
      hint: (wake: Wake.Wake) => {
        if (!wake.due) return false
        underWay += 1
        return true
      },
      wake: () =>
        Effect.suspend(() => {
          wakes += 1
          return underWay === 0 ? Effect.void : Effect.andThen(Deferred.await(answer), Effect.sync(() => underWay--))
        }),
      awaitsTurn: () => underWay > 0
    }
    const residents = yield* Residents.make<Residents.Wakeable>(places())
    const resident = yield* residents.add("wh_1", actor, Effect.void)
    const stay = yield* Effect.forkChild(resident.stay(Wake.nothing))
    yield* settled
    assert.isTrue(resident.hint(Wake.forDueWork))
    yield* settled
    assert.strictEqual(wakes, 1)
    yield* TestClock.adjust("5 minutes")
    assert.isUndefined(stay.pollUnsafe(), "it waits for an answer")
    const leave = yield* Effect.forkChild(Fiber.interrupt(stay))
    yield* settled
    assert.isUndefined(leave.pollUnsafe(), "it still does")
    yield* Deferred.succeed(answer, undefined)
    yield* Fiber.join(leave)
    assert.deepStrictEqual([wakes, underWay], [2, 0])
  }))

it.effect("an actor at rest that has to leave does so at once", () =>
  Effect.gen(function*() {
    const { resident } = yield* add()
    const stay = yield* Effect.forkChild(resident.stay(Wake.forEverything))
    yield* settled
    yield* Fiber.interrupt(stay)
    assert.isFalse(resident.hint(Wake.forDueWork))
  }))

it.effect("an actor is found for as long as it is in memory", () =>
  Effect.gen(function*() {
    const residents = yield* Residents.make<Residents.Wakeable>(places())
    const actor = { hint: () => {}, wake: () => Effect.void }
    let drained = false
    const drain = Effect.sync(() => {
      drained = true
    })
    const first = yield* Effect.scoped(residents.add("dc_1", actor, drain))
    assert.isUndefined(residents.find("dc_1"))
    assert.isTrue(drained)
    const second = yield* residents.add("dc_1", actor, Effect.void)
    assert.notStrictEqual(first, second)
    assert.strictEqual(residents.find("dc_1"), second)
  }))
