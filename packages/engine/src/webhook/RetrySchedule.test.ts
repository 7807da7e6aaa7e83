import { assert, it } from "@effect/vitest"
import { defaults } from "@headwater/domain/WebhookSettings"
import { Effect, Random } from "effect"
import * as RetrySchedule from "./RetrySchedule.ts"

const delays = defaults.retrySchedule

it.effect("each retry is due within 20 % of its place in the schedule, and after the last there is none", () =>
  Effect.gen(function*() {
    const seen = new Set<number>()
    for (const [index, delay] of delays.entries()) {
      for (let i = 0; i < 50; i++) {
        const at = RetrySchedule.nextAttemptAt(delays, index + 1, 1_000_000, yield* Random.next)
        assert.isDefined(at)
        const waited = at - 1_000_000
        assert.isTrue(waited >= delay * 0.8 && waited <= delay * 1.2, `${waited} for ${delay}`)
        seen.add(waited / delay)
      }
    }
    assert.isTrue(seen.size > 100, "the jitter spreads")
    assert.isUndefined(RetrySchedule.nextAttemptAt(delays, delays.length + 1, 0, 0.5))
  }))

it("the schedule is 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h", () => {
  assert.deepStrictEqual(
    delays,
    [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400].map((seconds) => seconds * 1_000)
  )
})
