import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { AccountPlaces } from "./AccountPlaces.ts"

const mebibyte = 1024 * 1024

const fill = (places: AccountPlaces, accountId: string, bytes = 0): number => {
  let taken = 0
  for (; !places.isFull(accountId); taken++) places.take(accountId, bytes)
  return taken
}

describe("places of accounts", () => {
  it("an account has a quarter of the room, and however many have much, one that comes late finds some", () => {
    const places = new AccountPlaces({ count: 1_000, bytes: 1 })
    const taken = ["a", "b", "c", "d", "e", "f"].map((accountId) => fill(places, accountId))
    assert.deepStrictEqual(taken, [250, 250, 250, 125, 63, 31])
    const many = Array.from({ length: 2_000 }, (_, n) => fill(places, `late ${n}`))
    assert.deepStrictEqual(many.slice(0, 4), [16, 8, 4, 2])
    // All of them together have no more than there is.
    assert.strictEqual([...taken, ...many].reduce((sum, count) => sum + count), 1_000)
  })

  it("an account's one large item takes no more of the room than a quarter, until it is released", () => {
    const places = new AccountPlaces({ count: 1_000, bytes: 64 * mebibyte })
    places.take("large", 100 * mebibyte)
    assert.isTrue(places.isFull("large"))
    assert.strictEqual(fill(places, "other", mebibyte), 16)
    assert.strictEqual(fill(places, "third", mebibyte), 16)
    assert.strictEqual(fill(places, "fourth", mebibyte), 8)
    places.release("large", 100 * mebibyte)
    assert.isFalse(places.isFull("large"))
    assert.strictEqual(fill(places, "large", mebibyte), 12)
  })

  it.effect("who waits is let in by account in turn, first who has little, and in order within an account", () =>
    Effect.gen(function*() {
      const places = new AccountPlaces({ count: 8, bytes: 1 })
      const order: Array<string> = []
      const waiting = (accountId: string, name: string) =>
        Effect.forkChild(
          Effect.map(places.free(accountId), () => {
            places.take(accountId, 0)
            order.push(name)
          }),
          { startImmediately: true }
        )
      for (const accountId of ["a", "a", "b", "b", "c", "c", "d", "e"]) places.take(accountId, 0)
      yield* Effect.forEach(["a 1", "a 2", "a 3", "f 1", "f 2", "g 1"], (name) => waiting(name[0]!, name))
      places.release("b", 0)
      assert.deepStrictEqual(order, ["f 1"])
      places.release("b", 0)
      assert.deepStrictEqual(order, ["f 1", "g 1"])
      for (const accountId of ["c", "c", "d", "e", "a", "a"]) places.release(accountId, 0)
      assert.deepStrictEqual(order, ["f 1", "g 1", "f 2", "a 1", "a 2"])
      places.release("a", 0)
      assert.deepStrictEqual(order, ["f 1", "g 1", "f 2", "a 1", "a 2", "a 3"])
    }))
})
