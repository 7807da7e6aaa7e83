import { afterEach, assert, expect, it, vi } from "vitest"
import { pause } from "./Pause.ts"

afterEach(() => vi.useRealTimers())

it("a pause that is longer than a timer can be is as long as that", async () => {
  vi.useFakeTimers()
  const ended = vi.fn()
  void pause(2 ** 31, undefined).then(ended)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(ended).not.toHaveBeenCalled()
  await vi.runAllTimersAsync()
  assert.strictEqual(ended.mock.calls.length, 1)
})
