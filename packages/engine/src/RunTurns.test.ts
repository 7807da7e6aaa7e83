import { expect, it } from "@effect/vitest"
import type { AccountId } from "@headwater/domain/Id"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { RunTurns } from "./RunTurns.ts"

const ann = "u_ann" as AccountId
const bob = "u_bob" as AccountId

const period = TestClock.adjust("10 millis")

/** The runs that had their turn, in its order. */
const make = Effect.gen(function*() {
  const turns = yield* RunTurns
  const begun: Array<string> = []
  return {
    begun,
    /** Has requests come in; answers how to acknowledge them. */
    enter: Effect.fnUntraced(function*(count: number) {
      const acknowledged = yield* Deferred.make<void>()
      const entering = Effect.forkChild(turns.whileEntering(Deferred.await(acknowledged)), { startImmediately: true })
      yield* Effect.repeat(entering, { times: count - 1 })
      return { acknowledge: Deferred.succeed(acknowledged, undefined) }
    }),
    run: (accountId: AccountId, ...names: ReadonlyArray<string>) =>
      Effect.forEach(names, (name) =>
        turns.next(accountId).pipe(
          Effect.andThen(Effect.sync(() => begun.push(name))),
          Effect.forkChild({ startImmediately: true })
        ))
  }
})

const withTurns = Effect.provide(RunTurns.layer)

it.effect("runs have their turn at once while few requests wait to be acknowledged", () =>
  Effect.gen(function*() {
    const { begun, enter, run } = yield* make
    yield* enter(7)
    yield* period
    yield* run(ann, "a", "b", "c", "d")
    expect(begun).toEqual(["a", "b", "c", "d"])
  }).pipe(withTurns))

it.effect("while many requests wait, one run begins for eight that come in, or half as many as did before", () =>
  Effect.gen(function*() {
    const { begun, enter, run } = yield* make
    yield* enter(32)
    yield* period
    yield* run(ann, "a", "b", "c", "d", "e", "f", "g")
    expect(begun).toEqual(["a", "b", "c", "d"])
    yield* period
    expect(begun).toEqual(["a", "b", "c", "d", "e", "f"])
    yield* period
    expect(begun).toEqual(["a", "b", "c", "d", "e", "f", "g"])
  }).pipe(withTurns))

it.effect("more and more runs begin once fewer requests wait", () =>
  Effect.gen(function*() {
    const { begun, enter, run } = yield* make
    const { acknowledge } = yield* enter(16)
    yield* enter(1)
    yield* period
    yield* acknowledge
    yield* run(ann, ..."abcdefghijklmno")
    expect(begun.length).toBe(3)
    yield* period
    expect(begun.length).toBe(3 + 5)
    yield* period
    expect(begun.length).toBe(3 + 5 + 7)
  }).pipe(withTurns))

it.effect("all runs have their turn when no request waits, and a later burst is noticed as the first was", () =>
  Effect.gen(function*() {
    const { begun, enter, run } = yield* make
    const { acknowledge } = yield* enter(16)
    yield* period
    yield* run(ann, ..."abcdefgh")
    expect(begun).toEqual(["a", "b"])
    yield* acknowledge
    yield* period
    expect(begun).toEqual([..."abcdefgh"])
    yield* TestClock.adjust("1 minute")
    yield* enter(16)
    yield* period
    yield* run(ann, "i", "j", "k")
    expect(begun.slice(8)).toEqual(["i", "j"])
  }).pipe(withTurns))

it.effect("an account's one run waits for one of another's many", () =>
  Effect.gen(function*() {
    const { begun, enter, run } = yield* make
    yield* enter(8)
    yield* period
    yield* run(ann, "a0", "a1", "a2", "a3")
    yield* run(bob, "b1")
    yield* enter(24)
    yield* period
    expect(begun).toEqual(["a0", "a1", "b1", "a2"])
  }).pipe(withTurns))

it.effect("one that gives up waiting leaves its turn to the next", () =>
  Effect.gen(function*() {
    const { begun, enter, run } = yield* make
    yield* enter(8)
    yield* period
    const [, waiting] = yield* run(ann, "a", "b", "c")
    yield* Fiber.interrupt(waiting!)
    yield* enter(8)
    yield* period
    expect(begun).toEqual(["a", "c"])
  }).pipe(withTurns))
