import { assert, it } from "@effect/vitest"
import * as SigningKey from "@headwater/domain/SigningKey"
import { Redacted } from "effect"
import { createPublicKey, verify } from "node:crypto"
import { Webhook } from "standardwebhooks"
import { Webhook as SvixWebhook } from "svix"
import * as StandardWebhook from "./StandardWebhook.ts"

const body = "{\"test\": 2432232314}"

const secrets = [1, 2].map((byte) => Redacted.value(SigningKey.secret(new Uint8Array(32).fill(byte))))

const pairs = [1, 2].map((byte) => SigningKey.keyPair(new Uint8Array(32).fill(byte)))

const headersSignedBy = (keys: ReadonlyArray<Redacted.Redacted>) => {
  const timestamp = Math.floor(Date.now() / 1_000)
  return {
    "webhook-id": "one",
    "webhook-timestamp": String(timestamp),
    "webhook-signature": StandardWebhook.signature(keys.map(SigningKey.signer), "one", timestamp, body)
  }
}

/** As a receiver does it that knows no more than the specification and `whpk_`. */
const verifies = (publicKey: string, headers: Readonly<Record<string, string>>): boolean => {
  const key = createPublicKey({
    key: {
      kty: "OKP",
      crv: "Ed25519",
      x: Buffer.from(publicKey.slice("whpk_".length), "base64").toString("base64url")
    },
    format: "jwk"
  })
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`
  return headers["webhook-signature"]!.split(" ").some((signature) =>
    signature.startsWith("v1a,") && verify(null, Buffer.from(signed), key, Buffer.from(signature.slice(4), "base64"))
  )
}

it("the signature is the specification's for its known vector", () => {
  assert.strictEqual(
    StandardWebhook.signature(
      [SigningKey.signer(Redacted.make("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))],
      "msg_p5jXN8AQM9LWM0D4loKWxJek",
      1614265330,
      body
    ),
    "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
  )
})

it("a key pair is that of its seed (RFC 8032, section 7.1, test 1), and signs as that", () => {
  const seed = Buffer.from("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60", "hex")
  const pair = SigningKey.keyPair(seed)
  const publicKey = Buffer.from("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "hex")
  assert.strictEqual(SigningKey.publicKey(pair), `whpk_${publicKey.toString("base64")}`)
  assert.strictEqual(Redacted.value(pair), `whsk_${Buffer.concat([seed, publicKey]).toString("base64")}`)
})

it("each live secret signs, so a receiver that has either verifies", () => {
  const headers = headersSignedBy(secrets.map((secret) => Redacted.make(secret)))
  for (const Verifier of [Webhook, SvixWebhook]) {
    for (const secret of secrets) {
      new Verifier(secret).verify(body, headers)
    }
    const stranger = new Verifier(`whsec_${Buffer.alloc(32, 3).toString("base64")}`)
    assert.throws(() => stranger.verify(body, headers))
  }
})

it("a key pair signs beside secrets, and a receiver that has its public key or one of them verifies", () => {
  const headers = headersSignedBy([Redacted.make(secrets[0]!), ...pairs])
  for (const pair of pairs) assert.isTrue(verifies(SigningKey.publicKey(pair), headers))
  assert.isFalse(verifies(SigningKey.publicKey(SigningKey.keyPair(new Uint8Array(32).fill(3))), headers))
  assert.isFalse(verifies(SigningKey.publicKey(pairs[0]!), headersSignedBy(pairs.slice(1))))
  for (const Verifier of [Webhook, SvixWebhook]) {
    new Verifier(secrets[0]!).verify(body, headers)
    assert.throws(() => new Verifier(secrets[0]!).verify(body, headersSignedBy(pairs)))
  }
})
