import { assert, layer } from "@effect/vitest"
import * as SigningKey from "@headwater/domain/SigningKey"
import type * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Webhooks } from "@headwater/log/resources/Webhooks"
import { Clock, Effect, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { createPublicKey, verify } from "node:crypto"
import { Webhook } from "standardwebhooks"
import * as EngineFixture from "../../test/EngineFixture.ts"
import * as WebhookFixture from "../../test/WebhookFixture.ts"
import * as Wake from "../ground/Wake.ts"

const signaturesOf = ({ headers }: WebhookSink.Received) => headers["webhook-signature"]!.split(" ")

/** Whether the secret (`whsec_`) made one of the signatures, whenever that was. */
const isSignedBy = (secret: string, received: WebhookSink.Received): boolean => {
  const at = new Date(Number(received.headers["webhook-timestamp"]) * 1_000)
  return signaturesOf(received).includes(new Webhook(secret).sign(received.headers["webhook-id"]!, at, received.body))
}

/** Whether the public key (`whpk_`) verifies one of them. */
const isVerifiedBy = (publicKey: string, received: WebhookSink.Received): boolean => {
  const x = Buffer.from(publicKey.slice("whpk_".length), "base64").toString("base64url")
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" })
  const { body, headers } = received
  const signed = Buffer.from(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`)
  return signaturesOf(received).some((signature) =>
    signature.startsWith("v1a,") && verify(null, signed, key, Buffer.from(signature.slice(4), "base64"))
  )
}

const stays = { name: undefined, description: undefined, url: undefined, active: true }

layer(EngineFixture.layerNoSandbox, { timeout: "60 seconds" })(
  "a webhook, by the Standard Webhooks specification",
  (it) => {
    it.effect("each attempt has its own time and signature, under the id of its event", () =>
      Effect.gen(function*() {
        const { actor, log, sink, webhook } = yield* WebhookFixture.make((count) => ({
          status: count === 0 ? 500 : 200
        }))
        const [secret] = yield* (yield* Webhooks).secrets(webhook.id)
        const begunAt = yield* Clock.currentTimeMillis
        yield* EngineFixture.append(log, ["only"])
        yield* actor.wake(Wake.forEverything)
        const dueAt = (yield* WebhookFixture.retryDueAt(webhook.id))!
        yield* TestClock.setTime(dueAt)
        yield* actor.wake(Wake.forDueWork)
        const [first, second] = sink.received
        assert.strictEqual(first!.headers["webhook-id"], second!.headers["webhook-id"])
        assert.strictEqual(first!.headers["webhook-timestamp"], String(Math.floor(begunAt / 1_000)))
        assert.strictEqual(second!.headers["webhook-timestamp"], String(Math.floor(dueAt / 1_000)))
        for (const received of [first!, second!]) assert.isTrue(isSignedBy(Redacted.value(secret!), received))
        assert.notDeepEqual(signaturesOf(first!), signaturesOf(second!))
      }))

    it.effect("the id and the time of an attempt are the server's own, and have no full stop", () =>
      Effect.gen(function*() {
        const { account, actor, log, sink, webhook } = yield* WebhookFixture.make(() => ({ status: 200 }))
        yield* (yield* Webhooks).update(account.id, webhook.id, { ...stays, request: { headers: { "x-own": "a.b" } } })
        yield* actor.changed
        yield* EngineFixture.append(log, [{ id: "a.b", emit_id: "a.b", timestamp: "1.5", "webhook-id": "a.b", ts: 1 }])
        yield* actor.wake(Wake.forEverything)
        const { headers } = sink.received[0]!
        assert.match(headers["webhook-id"]!, /^[A-Za-z0-9_-]{20,}$/)
        assert.strictEqual(headers["webhook-timestamp"], String(Math.floor((yield* Clock.currentTimeMillis) / 1_000)))
      }))

    it.effect("each webhook has keys of its own", () =>
      Effect.gen(function*() {
        const webhooks = yield* Webhooks
        const account = yield* EngineFixture.account
        const keys = yield* Effect.forEach([1, 2, 3], () =>
          Effect.flatMap(
            webhooks.insert({
              accountId: account.id,
              name: null,
              description: null,
              url: "http://localhost/x",
              request: { signature: "both" }
            }),
            ({ id }) => webhooks.signingKeys(id)
          ))
        assert.strictEqual(new Set(keys.flat().map(Redacted.value)).size, 6)
      }))

    it.effect("for the 24 hours after a rotation the old keys sign beside the new ones, and then no more", () =>
      Effect.gen(function*() {
        const webhooks = yield* Webhooks
        const { account, actor, log, sink, webhook } = yield* WebhookFixture.make(() => ({ status: 200 }))
        const send = Effect.gen(function*() {
          yield* EngineFixture.append(log, ["one"])
          yield* actor.wake(Wake.forEverything)
          return sink.received.at(-1)!
        })
        const keys = Effect.gen(function*() {
          const [secret] = yield* webhooks.secrets(webhook.id)
          const pair = Option.getOrThrow(yield* webhooks.keyPair(account.id, webhook.id))
          return { secret: Redacted.value(secret!), publicKey: SigningKey.publicKey(pair) }
        })
        yield* webhooks.update(account.id, webhook.id, { ...stays, request: { signature: "both" } })
        yield* actor.changed
        const old = yield* keys
        const before = yield* send
        yield* webhooks.rotate(account.id, webhook.id)
        yield* webhooks.rotateKeyPair(account.id, webhook.id)
        yield* actor.changed
        const fresh = yield* keys
        const after = yield* send
        yield* TestClock.adjust("23 hours")
        const late = yield* send
        // A key signs no longer than half a minute past its end.
        yield* TestClock.adjust("61 minutes")
        const over = yield* send
        const signedBy = ({ publicKey, secret }: typeof old) => (received: WebhookSink.Received) => [
          isSignedBy(secret, received),
          isVerifiedBy(publicKey, received)
        ]
        const all = [before, after, late, over]
        assert.deepStrictEqual(all.map((received) => signaturesOf(received).length), [2, 4, 4, 2])
        assert.deepStrictEqual(all.flatMap(signedBy(old)), [true, true, true, true, true, true, false, false])
        assert.deepStrictEqual(all.flatMap(signedBy(fresh)), [false, false, true, true, true, true, true, true])
      }))
  }
)
