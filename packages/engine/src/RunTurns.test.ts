import { expect, it } from "@effect/vitest"
import type { AccountId } from "@headwater/domain/Id"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { RunTurns } from "./RunTurns.ts"

const ann = "u_ann" as AccountId
const bob = "u_bob" as AccountId

/** Requests that stay unacknowledged until they are let go, and the runs that had their turn. */
const make = Effect.gen(function*() {
  const turns = yield* RunTurns
  const acknowledged = yield* Deferred.make<void>()
  const begun: Array<string> = []
  return {
    begun,
    acknowledge: Deferred.succeed(acknowledged, undefined),
    enter: (count: number) =>
      Effect.forEach(
        Array.from({ length: count }),
        () => Effect.forkChild(turns.whileEntering(Deferred.await(acknowledged)), { startImmediately: true }),
        { discard: true }
      ),
    run: (accountId: AccountId, name: string) =>
      turns.next(accountId).pipe(
        Effect.andThen(Effect.sync(() => begun.push(name))),
        Effect.forkChild({ startImmediately: true })
      ),
    period: TestClock.adjust("20 millis")
  }
})

const layer = Effect.provide(RunTurns.layer)

it.effect("a run has its turn at once while few requests wait to be acknowledged", () =>
  Effect.gen(function*() {
    const { begun, enter, period, run } = yield* make
    yield* enter(7)
    yield* period
    yield* run(ann, "a")
    expect(begun).toEqual(["a"])
  }).pipe(layer))

it.effect("runs give way while many requests wait, but for one in eight that come in", () =>
  Effect.gen(function*() {
    const { begun, enter, period, run } = yield* make
    yield* enter(20)
    yield* period
    yield* run(ann, "a")
    yield* run(ann, "b")
    yield* period
    expect(begun).toEqual([])
    yield* enter(8)
    expect(begun).toEqual(["a"])
    yield* enter(7)
    expect(begun).toEqual(["a"])
    yield* enter(1)
    expect(begun).toEqual(["a", "b"])
    yield* enter(8)
    yield* run(ann, "c")
    expect(begun).toEqual(["a", "b", "c"])
  }).pipe(layer))

it.effect("all that gave way go on once the requests are acknowledged", () =>
  Effect.gen(function*() {
    const { acknowledge, begun, enter, period, run } = yield* make
    yield* enter(20)
    yield* period
    yield* run(ann, "a")
    yield* run(bob, "b")
    yield* acknowledge
    yield* period
    expect(begun).toEqual(["a", "b"])
    // A later burst is noticed as the first was.
    yield* TestClock.adjust("1 minute")
    const later = yield* make
    yield* later.enter(20)
    yield* period
    yield* later.run(ann, "c")
    expect(later.begun).toEqual([])
  }).pipe(layer))

it.effect("an account's one run waits for one of another's many", () =>
  Effect.gen(function*() {
    const { begun, enter, period, run } = yield* make
    yield* enter(20)
    yield* period
    yield* Effect.forEach(["a1", "a2", "a3"], (name) => run(ann, name))
    yield* run(bob, "b1")
    yield* enter(24)
    expect(begun).toEqual(["a1", "b1", "a2"])
  }).pipe(layer))

it.effect("one that gives up waiting leaves its turn to the next", () =>
  Effect.gen(function*() {
    const { begun, enter, period, run } = yield* make
    yield* enter(20)
    yield* period
    yield* Fiber.interrupt(yield* run(ann, "a"))
    yield* run(ann, "b")
    yield* enter(8)
    expect(begun).toEqual(["b"])
  }).pipe(layer))
