import { assert, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import * as Wake from "../ground/Wake.ts"
import * as Hints from "./Hints.ts"

const settled = Effect.repeat(Effect.yieldNow, { times: 20 })

it.effect("hints to an actor that is slow to hear are merged, and hold up no other", () =>
  Effect.gen(function*() {
    const slow = yield* Deferred.make<void>()
    const sent: Array<readonly [string, boolean, boolean]> = []
    const hint = yield* Hints.make((actorId, { due, look }) => {
      sent.push([actorId, due, look])
      return actorId === "dc_slow" ? Deferred.await(slow) : Effect.void
    })
    hint("dc_slow", Wake.nothing)
    hint("dc_slow", Wake.forDueWork)
    hint("dc_slow", Wake.forEverything)
    hint("dc_other", Wake.nothing)
    yield* settled
    assert.deepStrictEqual(sent, [["dc_slow", false, false], ["dc_other", false, false]])
    yield* Deferred.succeed(slow, undefined)
    yield* settled
    assert.deepStrictEqual(sent.slice(2), [["dc_slow", true, true]])
  }))

for (
  const [what, ending] of [
    ["an error", Effect.fail("away")],
    ["a defect", Effect.die("broken")],
    ["an interrupt", Effect.interrupt]
  ] as const
) {
  it.effect(`a hint that ends in ${what} keeps none from being sent after it`, () =>
    Effect.gen(function*() {
      let sent = 0
      const hint = yield* Hints.make(() => {
        sent += 1
        return ending
      })
      for (let count = 1; count <= 3; count++) {
        hint("dc_1", Wake.nothing)
        yield* settled
        assert.strictEqual(sent, count)
      }
    }))
}
