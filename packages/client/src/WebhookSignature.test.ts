import { generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import { Webhook } from "standardwebhooks"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { verifyWebhook, type WebhookRequest, WebhookVerificationError } from "./WebhookSignature.ts"

const secret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
const now = 1_760_000_000
const body = "{\"order\":1001,\"name\":\"Zoë\"}"

const headersOf = (signature: string, timestamp: number | string = now) => ({
  "webhook-id": "msg_1",
  "webhook-timestamp": String(timestamp),
  "webhook-signature": signature
})

const hmac = (key = secret, text = body, timestamp = now) =>
  new Webhook(key).sign("msg_1", new Date(timestamp * 1000), text)

const keyPair = () => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519")
  const raw = Buffer.from(publicKey.export({ format: "jwk" }).x!, "base64url")
  return { privateKey, key: `whpk_${raw.toString("base64")}` }
}

const ed25519 = (privateKey: KeyObject, text = body) =>
  `v1a,${sign(null, Buffer.from(`msg_1.${now}.${text}`), privateKey).toString("base64")}`

const refusalOf = async (request: WebhookRequest) => {
  const [outcome] = await Promise.allSettled([verifyWebhook(request)])
  if (outcome.status === "fulfilled") return "verified"
  assert.instanceOf(outcome.reason, WebhookVerificationError)
  return outcome.reason.reason
}

describe("verifyWebhook", () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: now * 1000, toFake: ["Date"] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it("takes what the specification's library signs, as text and as bytes, with any kind of headers", async () => {
    const signed = headersOf(hmac())
    const verified = { id: "msg_1", timestamp: new Date(now * 1000), text: body }
    const bytes = new TextEncoder().encode(body)
    const upper = Object.fromEntries(Object.entries(signed).map(([name, value]) => [name.toUpperCase(), value]))
    for (const headers of [signed, new Headers(signed), upper]) {
      for (const given of [body, bytes, bytes.buffer, Buffer.from(body)]) {
        assert.deepStrictEqual(await verifyWebhook({ headers, body: given, key: secret }), verified)
      }
    }
  })

  it("takes an ed25519 signature by the public key alone", async () => {
    const { key, privateKey } = keyPair()
    const headers = headersOf(ed25519(privateKey))
    assert.strictEqual((await verifyWebhook({ headers, body, key })).text, body)
    assert.strictEqual(await refusalOf({ headers, body, key: keyPair().key }), "no_match")
    assert.strictEqual(await refusalOf({ headers, body, key: secret }), "no_match")
  })

  it("takes one of several signatures and one of several keys, as during a rotation", async () => {
    const { key, privateKey } = keyPair()
    const old = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    const headers = headersOf(`${hmac(old)} ${hmac()} ${ed25519(privateKey)} v2,x v1 ,`)
    for (const one of [old, secret, key, [secret, keyPair().key], [keyPair().key, old]]) {
      assert.strictEqual(await refusalOf({ headers, body, key: one }), "verified")
    }
  })

  it("refuses what was changed, or signed for another id or time", async () => {
    const headers = headersOf(hmac())
    const requests = [
      { headers, body: `${body} ` },
      { headers: { ...headers, "webhook-id": "msg_2" }, body },
      { headers: headersOf(hmac(), now + 1), body },
      { headers: headersOf(hmac().slice(0, -2)), body },
      { headers: headersOf("v1,!"), body },
      { headers: headersOf("v1,"), body },
      { headers: headersOf(hmac().replace("v1,", "v1a,")), body }
    ]
    for (const request of requests) {
      assert.strictEqual(await refusalOf({ ...request, key: secret }), "no_match", JSON.stringify(request))
    }
  })

  it("refuses what is older or newer than it may be, though it is signed", async () => {
    const at = (timestamp: number, toleranceSeconds?: number) =>
      refusalOf({ headers: headersOf(hmac(secret, body, timestamp), timestamp), body, key: secret, toleranceSeconds })
    assert.deepStrictEqual(
      await Promise.all([
        at(now - 300),
        at(now - 301),
        at(now + 300),
        at(now + 301),
        at(now - 11, 10),
        at(now - 10, 10)
      ]),
      ["verified", "too_old", "verified", "too_new", "too_old", "verified"]
    )
    for (const timestamp of ["", "1e9", "-1", " 1", "0x10", "17600000000000"]) {
      const refusal = await refusalOf({ headers: headersOf(hmac(), timestamp), body, key: secret })
      assert.strictEqual(refusal, timestamp === "" ? "missing_header" : "bad_timestamp", timestamp)
    }
  })

  it("refuses a request that lacks a header, and says of a key that it is none", async () => {
    for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"]) {
      assert.strictEqual(
        await refusalOf({ headers: { ...headersOf(hmac()), [name]: undefined }, body, key: secret }),
        "missing_header",
        name
      )
    }
    for (const key of ["", "secret", "whsec_", "whsec_!", "whpk_AAAA", "whsk_AAAA"]) {
      const [outcome] = await Promise.allSettled([verifyWebhook({ headers: headersOf(hmac()), body, key })])
      assert.instanceOf(outcome.status === "rejected" ? outcome.reason : undefined, TypeError, key)
    }
  })
})
