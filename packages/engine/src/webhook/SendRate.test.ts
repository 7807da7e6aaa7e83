import { assert, it } from "@effect/vitest"
import { SendRate } from "./SendRate.ts"

const second = 1_000

/** Begins attempts whenever they may for a while, a millisecond at a time. Answers when each began. */
const begun = (rate: SendRate, from: number, to: number): ReadonlyArray<number> => {
  const times: Array<number> = []
  for (let now = from; now < to; now++) {
    while (rate.startsAt(now) <= now) {
      if (!rate.isReserved(now)) rate.noteReserved(rate.toReserve(now))
      rate.take(now)
      times.push(now)
    }
  }
  return times
}

it("attempts are spread evenly over their interval, and those that may begin together do so after a pause", () => {
  const even = begun(new SendRate({ limit: 10, intervalMs: second, burst: 1 }, 0), 5_000, 15_000)
  assert.isAtMost(Math.abs(even.length - 100), 1)
  for (const [index, at] of even.entries()) if (index > 0) assert.isAtLeast(at - even[index - 1]!, 80)
  const burst = begun(new SendRate({ limit: 10, intervalMs: second, burst: 5 }, 0), 5_000, 15_000)
  assert.strictEqual(burst.filter((at) => at === 5_000).length, 5)
  assert.isAtMost(burst.length, 105)
  const fast = begun(new SendRate({ limit: 5_000, intervalMs: second, burst: 1 }, 0), 5_000, 7_000)
  assert.isAtMost(Math.abs(fast.length - 10_000), 110)
})

it("who goes on from what was reserved is never too early, and at most a second too late", () => {
  for (const setting of [{ limit: 10, intervalMs: second, burst: 1 }, { limit: 1, intervalMs: 60_000, burst: 1 }]) {
    const intervalMs = setting.intervalMs / setting.limit
    for (let crashedAt = 10_001; crashedAt < 10_000 + 2 * setting.intervalMs; crashedAt += setting.intervalMs / 7) {
      let reserved = 0
      const before = new SendRate(setting, 0)
      const note = before.noteReserved.bind(before)
      before.noteReserved = (until) => {
        reserved = until
        note(until)
      }
      const last = begun(before, 10_000, crashedAt).at(-1)!
      const [first] = begun(new SendRate(setting, reserved), Math.ceil(crashedAt), crashedAt + 3 * setting.intervalMs)
      assert.isAtLeast(first! - last, intervalMs - 20)
      assert.isAtMost(first! - Math.max(last + intervalMs, crashedAt), second + 1)
    }
  }
})

it("a clock that is set back holds up attempts no longer than a burst and a block take", () => {
  const rate = new SendRate({ limit: 10, intervalMs: second, burst: 1 }, 0)
  begun(rate, 1_000_000, 1_000_500)
  assert.isAtMost(rate.startsAt(5_000), 5_000 + 1_000 + 100)
})
