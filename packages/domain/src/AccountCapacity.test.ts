import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { AccountCapacity } from "./AccountCapacity.ts"

const mebibyte = 1024 * 1024

const aQuarterOf = (count: number, bytes: number): AccountCapacity =>
  new AccountCapacity({ count, bytes }, { count: count / 4, bytes: bytes / 4 }, "ignored")

const bytesAlone = (mostOfAll: number, mostOfAccount: number): AccountCapacity =>
  new AccountCapacity({ count: Infinity, bytes: mostOfAll }, { count: Infinity, bytes: mostOfAccount })

const fill = (capacity: AccountCapacity, accountId: string, bytes = 0): number => {
  let taken = 0
  for (; !capacity.isFull(accountId); taken++) capacity.take(accountId, bytes)
  return taken
}

describe("capacity of accounts", () => {
  it("an account has its part, and however many hold much, one that comes late finds some", () => {
    const capacity = aQuarterOf(1_000, mebibyte)
    const taken = ["a", "b", "c", "d", "e", "f"].map((accountId) => fill(capacity, accountId))
    assert.deepStrictEqual(taken, [250, 250, 250, 125, 63, 31])
    const many = Array.from({ length: 2_000 }, (_, n) => fill(capacity, `late ${n}`))
    assert.deepStrictEqual(many.slice(0, 4), [16, 8, 4, 2])
    // All of them together have no more than there is.
    assert.strictEqual([...taken, ...many].reduce((sum, count) => sum + count), 1_000)
  })

  it("an account's one large thing takes no more from the others than the account's part, until it is released", () => {
    const capacity = aQuarterOf(1_000, 64 * mebibyte)
    capacity.take("large", 100 * mebibyte)
    assert.strictEqual(capacity.fullness("large"), "account")
    assert.strictEqual(fill(capacity, "other", mebibyte), 16)
    assert.strictEqual(fill(capacity, "third", mebibyte), 16)
    assert.strictEqual(fill(capacity, "fourth", mebibyte), 8)
    assert.strictEqual(capacity.fullness("fourth"), "all")
    capacity.release("large", 100 * mebibyte)
    assert.isFalse(capacity.isFull("large"))
    assert.strictEqual(fill(capacity, "large", mebibyte), 12)
  })

  it.effect("who waits is let in by account in turn, first who has little, and in order within an account", () =>
    Effect.gen(function*() {
      const capacity = aQuarterOf(8, mebibyte)
      const order: Array<string> = []
      const waiting = (accountId: string, name: string) =>
        Effect.forkChild(
          Effect.map(capacity.free(accountId), () => {
            capacity.take(accountId, 0)
            order.push(name)
          }),
          { startImmediately: true }
        )
      for (const accountId of ["a", "a", "b", "b", "c", "c", "d", "e"]) capacity.take(accountId, 0)
      yield* Effect.forEach(["a 1", "a 2", "a 3", "f 1", "f 2", "g 1"], (name) => waiting(name[0]!, name))
      capacity.release("b", 0)
      assert.deepStrictEqual(order, ["f 1"])
      capacity.release("b", 0)
      assert.deepStrictEqual(order, ["f 1", "g 1"])
      for (const accountId of ["c", "c", "d", "e", "a", "a"]) capacity.release(accountId, 0)
      assert.deepStrictEqual(order, ["f 1", "g 1", "f 2", "a 1", "a 2"])
      capacity.release("a", 0)
      assert.deepStrictEqual(order, ["f 1", "g 1", "f 2", "a 1", "a 2", "a 3"])
    }))

  it("what would fit does not pass what waits before it of the same account, and others don't wait", () => {
    const capacity = bytesAlone(1_000, 100)
    const letIn: Array<string> = []
    const wait = (accountId: string, bytes: number, name: string) =>
      capacity.wait(accountId, bytes, () => {
        capacity.take(accountId, bytes)
        letIn.push(name)
      })
    assert.isTrue(capacity.takeNow("ann", 60))
    assert.isFalse(capacity.takeNow("ann", 60))
    wait("ann", 60, "a2")
    const leave = wait("ann", 10, "a3")
    wait("ann", 30, "a4")
    assert.isTrue(capacity.takeNow("bob", 100))
    assert.isFalse(capacity.takeNow("ann", 1))
    leave()
    capacity.release("ann", 60)
    assert.deepStrictEqual(letIn, ["a2", "a4"])
  })

  it("a thing larger than an account's part is let in by itself", () => {
    const capacity = bytesAlone(1_000, 100)
    assert.isTrue(capacity.takeNow("ann", 500))
    assert.isFalse(capacity.takeNow("ann", 1))
    assert.isTrue(capacity.takeNow("bob", 100))
    capacity.release("ann", 500)
    assert.isTrue(capacity.takeNow("ann", 60))
    assert.isFalse(capacity.takeNow("ann", 500))
  })

  it("all accounts together hold no more bytes than there are, however large each one's first thing is", () => {
    const capacity = bytesAlone(1_000, 100)
    assert.isTrue(capacity.takeNow("ann", 500))
    assert.isTrue(capacity.takeNow("bob", 400))
    assert.isFalse(capacity.takeNow("cid", 200))
    assert.isTrue(capacity.takeNow("cid", 100))
  })

  it("a thing larger than all of the capacity is let in while nobody holds anything", () => {
    const capacity = bytesAlone(1_000, 100)
    assert.isTrue(capacity.takeNow("ann", 5_000))
    assert.strictEqual(capacity.fullness("bob", 1), "all")
    capacity.release("ann", 5_000)
    assert.isTrue(capacity.takeNow("bob", 5_000))
  })

  it("what becomes free goes to accounts in turn, whatever each waits for", () => {
    const capacity = bytesAlone(100, 100)
    const letIn: Array<string> = []
    assert.isTrue(capacity.takeNow("ann", 100))
    for (const [accountId, name] of [["ann", "a1"], ["ann", "a2"], ["bob", "b1"], ["bob", "b2"]] as const) {
      capacity.wait(accountId, 50, () => {
        capacity.take(accountId, 50)
        letIn.push(name)
      })
    }
    capacity.release("ann", 100)
    assert.deepStrictEqual(letIn, ["a1", "b1"])
    capacity.release("ann", 50)
    capacity.release("bob", 50)
    assert.deepStrictEqual(letIn, ["a1", "b1", "a2", "b2"])
  })
})
