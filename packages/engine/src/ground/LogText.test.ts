import { assert, it } from "@effect/vitest"
import * as LogText from "./LogText.ts"

it("text from outside stays on its line, can't steer a terminal, and is cut", () => {
  assert.strictEqual(
    LogText.make("failed\n[10:00:00] ERROR fake\u001b[31m\u0007 \u009bend"),
    "failed [10:00:00] ERROR fake [31m   end"
  )
  assert.strictEqual(LogText.make("x".repeat(10_000)).length, 501)
})
