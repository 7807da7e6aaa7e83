import { assert, it } from "@effect/vitest"
import { Redacted } from "effect"
import { Webhook } from "standardwebhooks"
import * as StandardWebhook from "./StandardWebhook.ts"

const body = "{\"test\": 2432232314}"

it("the signature is the specification's for its known vector", () => {
  assert.strictEqual(
    StandardWebhook.signature(
      [StandardWebhook.signingKey(Redacted.make("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))],
      "msg_p5jXN8AQM9LWM0D4loKWxJek",
      1614265330,
      body
    ),
    "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
  )
})

it("each live secret signs, so a receiver that has either verifies", () => {
  const secrets = [1, 2].map((byte) => `whsec_${Buffer.alloc(32, byte).toString("base64")}`)
  const timestamp = Math.floor(Date.now() / 1_000)
  const headers = {
    "webhook-id": "one",
    "webhook-timestamp": String(timestamp),
    "webhook-signature": StandardWebhook.signature(
      secrets.map((secret) => StandardWebhook.signingKey(Redacted.make(secret))),
      "one",
      timestamp,
      body
    )
  }
  for (const secret of secrets) assert.deepStrictEqual(new Webhook(secret).verify(body, headers), { test: 2432232314 })
  const stranger = new Webhook(`whsec_${Buffer.alloc(32, 3).toString("base64")}`)
  assert.throws(() => stranger.verify(body, headers))
})
