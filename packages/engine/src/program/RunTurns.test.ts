import { assert, expect, it } from "@effect/vitest"
import type { AccountId } from "@headwater/domain/Id"
import { Effect, Exit, Scope } from "effect"
import { TestClock } from "effect/testing"
import { RequestTurn, RunTurns } from "./RunTurns.ts"

const ann = "u_ann" as AccountId
const bob = "u_bob" as AccountId

const period = TestClock.adjust("10 millis")

/** The runs that had their turn, in its order. */
const make = Effect.gen(function*() {
  const turns = yield* RunTurns
  const begun: Array<string> = []
  return {
    begun,
    /** Has requests come in; answers how to have them be durable. */
    enter: (count: number) => {
      for (let i = 0; i < count; i++) turns.noteEntering()
      return () => {
        for (let i = 0; i < count; i++) turns.noteEntered()
      }
    },
    run: (accountId: AccountId, ...names: ReadonlyArray<string>) =>
      names.map((name) => {
        const turn = turns.ask(accountId, () => begun.push(name))
        if (turn === true) begun.push(name)
        return turn === true ? () => {} : turn
      })
  }
})

const withBusyThread = Effect.provide(RunTurns.layerOf(() => () => 0.5))

it.effect("runs have their turn at once while few requests wait to be durable", () =>
  Effect.gen(function*() {
    const { begun, enter, run } = yield* make
    enter(7)
    yield* period
    run(ann, ..."abcd")
    expect(begun).toEqual([..."abcd"])
  }).pipe(withBusyThread))

it.effect("runs have their turn at once, however many requests wait, while the thread has time", () =>
  Effect.gen(function*() {
    const { begun, enter, run } = yield* make
    enter(1_000)
    yield* period
    yield* period
    run(ann, ..."abcd")
    expect(begun).toEqual([..."abcd"])
  }).pipe(Effect.provide(RunTurns.layerOf(() => () => 0.49))))

it.effect("while many requests wait, one run begins for eight that come in, or half as many as did before", () =>
  Effect.gen(function*() {
    const { begun, enter, run } = yield* make
    enter(32)
    yield* period
    run(ann, ..."abcdefghi")
    expect(begun).toEqual([..."abcd"])
    yield* period
    expect(begun).toEqual([..."abcdef"])
    yield* period
    expect(begun).toEqual([..."abcdefg"])
    yield* period
    expect(begun).toEqual([..."abcdefgh"])
  }).pipe(withBusyThread))

it.effect("more and more runs begin once fewer requests wait", () =>
  Effect.gen(function*() {
    const { begun, enter, run } = yield* make
    const durable = enter(16)
    enter(1)
    yield* period
    durable()
    run(ann, ..."abcdefghijklmno")
    expect(begun.length).toBe(3)
    yield* period
    expect(begun.length).toBe(3 + 5)
    yield* period
    expect(begun.length).toBe(3 + 5 + 7)
  }).pipe(withBusyThread))

it.effect("all runs have their turn when no request waits, and a later burst is noticed as the first was", () =>
  Effect.gen(function*() {
    const { begun, enter, run } = yield* make
    const durable = enter(16)
    yield* period
    run(ann, ..."abcdefgh")
    expect(begun).toEqual(["a", "b"])
    durable()
    yield* period
    expect(begun).toEqual([..."abcdefgh"])
    yield* TestClock.adjust("1 minute")
    enter(16)
    yield* period
    run(ann, "i", "j", "k")
    expect(begun.slice(8)).toEqual(["i", "j"])
  }).pipe(withBusyThread))

it.effect("runs give way for ten seconds, and after that no more until requests have been quick for as long", () =>
  Effect.gen(function*() {
    const { begun, enter, run } = yield* make
    const durable = enter(16)
    yield* TestClock.adjust("9990 millis")
    run(ann, ..."abc")
    expect(begun).toEqual(["a"])
    yield* period
    expect(begun).toEqual([..."abc"])
    yield* TestClock.adjust("1 minute")
    durable()
    yield* TestClock.adjust("9990 millis")
    const durableAgain = enter(16)
    yield* period
    run(ann, ..."def")
    expect(begun).toEqual([..."abcdef"])
    durableAgain()
    yield* TestClock.adjust("11 seconds")
    enter(16)
    yield* period
    run(ann, ..."ghi")
    expect(begun).toEqual([..."abcdefgh"])
  }).pipe(withBusyThread))

it.effect("an account's one run waits for one of another's many", () =>
  Effect.gen(function*() {
    const { begun, enter, run } = yield* make
    enter(8)
    yield* period
    run(ann, "a0", "a1", "a2", "a3")
    run(bob, "b1")
    enter(24)
    yield* period
    expect(begun).toEqual(["a0", "a1", "b1", "a2"])
  }).pipe(withBusyThread))

it.effect("one that gives up waiting leaves its turn to the next", () =>
  Effect.gen(function*() {
    const { begun, enter, run } = yield* make
    enter(8)
    yield* period
    const [, leave] = run(ann, "a", "b", "c")
    leave!()
    yield* period
    expect(begun).toEqual(["a", "c"])
  }).pipe(withBusyThread))

/** Has so much come in that one run begins in a period, and that one has begun. */
const press = Effect.gen(function*() {
  const turns = yield* RunTurns
  for (let i = 0; i < 8; i++) turns.noteEntering()
  yield* TestClock.adjust("10 millis")
  assert.isTrue(turns.ask(ann, () => {}))
})

const withVeryBusyThread = Effect.provide(RunTurns.layerOf(() => () => 1))

it.effect("a turn that was waited for is taken once", () =>
  Effect.gen(function*() {
    let told = 0
    const turn = yield* RequestTurn.make(() => {
      told += 1
    })
    yield* press
    assert.deepStrictEqual([turn.take(ann, 1), turn.take(ann, 1), turn.isAwaited, told], [false, false, true, 0])
    yield* TestClock.adjust("10 millis")
    assert.deepStrictEqual([turn.isAwaited, told], [false, 1])
    assert.deepStrictEqual([turn.take(ann, 1), turn.take(ann, 1), turn.isAwaited], [true, false, true])
  }).pipe(withVeryBusyThread))

it.effect("who leaves waits for no turn any more, and takes none from those behind", () =>
  Effect.gen(function*() {
    const scope = yield* Scope.make()
    const leaving = yield* Effect.provideService(RequestTurn.make(() => {}), Scope.Scope, scope)
    const staying = yield* RequestTurn.make(() => {})
    yield* press
    assert.deepStrictEqual([leaving.take(ann, 1), staying.take(ann, 1)], [false, false])
    yield* Scope.close(scope, Exit.void)
    assert.isFalse(leaving.isAwaited)
    yield* TestClock.adjust("10 millis")
    assert.isTrue(staying.take(ann, 1))
  }).pipe(withVeryBusyThread))

it.effect("a turn for several requests counts as so many runs", () =>
  Effect.gen(function*() {
    const turns = yield* RunTurns
    const turn = yield* RequestTurn.make(() => {})
    for (let i = 0; i < 32; i++) turns.noteEntering()
    yield* TestClock.adjust("10 millis")
    assert.isTrue(turn.take(ann, 4))
    assert.isFunction(turns.ask(ann, () => {}))
  }).pipe(withVeryBusyThread))
