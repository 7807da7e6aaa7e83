import { assert, it } from "@effect/vitest"
import { Option } from "effect"
import * as DeliveryOutcome from "./DeliveryOutcome.ts"

const now = Date.parse("2026-11-21T12:00:00Z")

const answer = (status: number, headers: Record<string, string> = {}) =>
  DeliveryOutcome.ofResponse(
    {
      status,
      headers,
      body: new Uint8Array(),
      bodyTruncated: false,
      address: "203.0.113.1",
      durationMs: 1,
      phases: { dnsMs: 0, connectMs: null, tlsMs: null, firstByteMs: 1 }
    },
    now
  )

it("every 2xx delivers, 410 is for good, and every other status fails", () => {
  for (const status of [200, 201, 204, 299]) assert.strictEqual(answer(status)._tag, "Delivered")
  assert.strictEqual(answer(410)._tag, "Gone")
  for (const status of [300, 301, 302, 307, 308, 400, 401, 404, 409, 418, 500, 501, 505]) {
    assert.strictEqual(answer(status)._tag, "Failed", String(status))
  }
})

it("429, 502, 503 and 504 hold the webhook's next send back by 30 s, or as Retry-After says", () => {
  for (const status of [429, 502, 503, 504]) {
    const plain = answer(status)
    assert.deepStrictEqual(plain._tag === "Throttled" && plain.until, now + 30_000)
    const asked = answer(status, { "retry-after": "120" })
    assert.deepStrictEqual(asked._tag === "Throttled" && asked.until, now + 120_000)
  }
})

it("Retry-After is seconds or a date, never more than 24 h away and never in the past", () => {
  const at = (text: string) => Option.getOrUndefined(DeliveryOutcome.retryAfter(text, now))
  assert.strictEqual(at("0"), now)
  assert.strictEqual(at(" 7 "), now + 7_000)
  for (const [text, seconds] of [["120.5", 121], ["0.001", 1], [".5", 1], ["30.", 30], ["7.0", 7]] as const) {
    assert.strictEqual(at(text), now + seconds * 1_000, text)
  }
  assert.strictEqual(at("Sat, 21 Nov 2026 12:05:00 GMT"), now + 300_000)
  assert.strictEqual(at("Sat, 21 Nov 2020 12:05:00 GMT"), now)
  assert.strictEqual(at("999999999"), now + 24 * 3_600_000)
  assert.isUndefined(at("soon"))
})
