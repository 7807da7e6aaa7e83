import { assert, describe, it } from "@effect/vitest"
import * as WebhookHealth from "@headwater/api/WebhookHealth"
import * as ThingText from "./ThingText.ts"

describe("ThingText", () => {
  it("shows the health of a webhook by spans, without figures that there are none of", () => {
    const idle = { attempts: 0, failed_attempts: 0, success_rate: null, p50_ms: null, p95_ms: null }
    assert.deepStrictEqual(
      ThingText.rowsOf("webhook", { id: "wh_1", state: "ok", health: { ...WebhookHealth.example, last_1h: idle } }),
      [
        ["Webhook", "wh_1"],
        ["State", "ok"],
        ["Last 1h", "attempts 0, failed attempts 0"],
        ["Last 24h", "attempts 119, failed attempts 1, success rate 0.9916, p50 38.2 ms, p95 140.5 ms"],
        ["Last 7d", "attempts 119, failed attempts 1, success rate 0.9916, p50 38.2 ms, p95 140.5 ms"],
        ["Last delivered", "2025-10-09 08:55:00 UTC"]
      ]
    )
  })
})
