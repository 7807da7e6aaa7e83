import { assert, it } from "@effect/vitest"
import type { AccountId } from "@headwater/domain/Id"
import { Effect, Exit, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as RequestTurn from "./RequestTurn.ts"
import { RunTurns } from "./RunTurns.ts"

const ann = "u_ann" as AccountId

/** Has so much come in that one run begins in a period, and that one has begun. */
const press = Effect.gen(function*() {
  const turns = yield* RunTurns
  for (let i = 0; i < 8; i++) turns.noteEntering()
  yield* TestClock.adjust("10 millis")
  assert.isTrue(turns.ask(ann, () => {}))
})

const withBusyThread = Effect.provide(RunTurns.layerOf(() => () => 1))

it.effect("a turn that was waited for is taken once", () =>
  Effect.gen(function*() {
    let told = 0
    const turn = yield* RequestTurn.make(() => {
      told += 1
    })
    yield* press
    assert.deepStrictEqual([turn.take(ann, 1), turn.take(ann, 1), turn.isAwaited(), told], [false, false, true, 0])
    yield* TestClock.adjust("10 millis")
    assert.deepStrictEqual([turn.isAwaited(), told], [false, 1])
    assert.deepStrictEqual([turn.take(ann, 1), turn.take(ann, 1), turn.isAwaited()], [true, false, true])
  }).pipe(withBusyThread))

it.effect("who leaves waits for no turn any more, and takes none from those behind", () =>
  Effect.gen(function*() {
    const scope = yield* Scope.make()
    const leaving = yield* Effect.provideService(RequestTurn.make(() => {}), Scope.Scope, scope)
    const staying = yield* RequestTurn.make(() => {})
    yield* press
    assert.deepStrictEqual([leaving.take(ann, 1), staying.take(ann, 1)], [false, false])
    yield* Scope.close(scope, Exit.void)
    assert.isFalse(leaving.isAwaited())
    yield* TestClock.adjust("10 millis")
    assert.isTrue(staying.take(ann, 1))
  }).pipe(withBusyThread))

it.effect("a turn for several requests counts as so many runs", () =>
  Effect.gen(function*() {
    const turns = yield* RunTurns
    const turn = yield* RequestTurn.make(() => {})
    for (let i = 0; i < 32; i++) turns.noteEntering()
    yield* TestClock.adjust("10 millis")
    assert.isTrue(turn.take(ann, 4))
    assert.isFunction(turns.ask(ann, () => {}))
  }).pipe(withBusyThread))
