import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import { type BinaryToTextEncoding, createHmac } from "node:crypto"
import { Webhook } from "standardwebhooks"
import * as Endpoint from "../test/Endpoint.ts"

const hmac = (algorithm: string, key: string | Buffer, text: string, encoding: BinaryToTextEncoding) =>
  createHmac(algorithm, key).update(text).digest(encoding)

const body = `{ "order": 17,\r\n"name": "Ærø 🌊" }`
const json = { "content-type": "application/json" }
const key = Buffer.from("7365637265742d6b6579", "hex")
const second = () => String(Math.floor(Date.now() / 1000))

interface Vendor {
  readonly props: Record<string, unknown>
  readonly headers: (body: string) => Record<string, string>
}

/** How some vendors sign, as they document it. */
const vendors: Record<string, Vendor> = {
  "base64 of the body": {
    props: { secret: "hush", signatureHeader: "X-Shopify-Hmac-SHA256", encoding: "base64" },
    headers: (body) => ({ "x-shopify-hmac-sha256": hmac("sha256", "hush", body, "base64") })
  },
  "a version and a time before the body": {
    props: {
      secret: "hush",
      signatureHeader: "X-Slack-Signature",
      prefix: "v0=",
      signedText: "v0:{timestamp}:{body}",
      timestampHeader: "X-Slack-Request-Timestamp"
    },
    headers: (body) => {
      const now = second()
      return {
        "x-slack-request-timestamp": now,
        "x-slack-signature": `v0=${hmac("sha256", "hush", `v0:${now}:${body}`, "hex")}`
      }
    }
  },
  "an id and a time, a key in hexadecimal, upper case": {
    props: {
      secret: key.toString("hex"),
      secretEncoding: "hex",
      algorithm: "sha512",
      signedText: "{id}|{timestamp}|{method}|{body}",
      timestampHeader: "X-Time",
      idHeader: "X-Id"
    },
    headers: (body) => {
      const now = new Date().toISOString()
      const signature = hmac("sha512", key, `one|${now}|POST|${body}`, "hex")
      return { "x-time": now, "x-id": "one", "x-signature": signature.toUpperCase() }
    }
  },
  "one of several signatures, SHA-1": {
    props: { secret: "hush", algorithm: "sha1", prefix: "sha1=" },
    headers: (body) => ({ "x-signature": `sha1=${"0".repeat(40)}, sha1=${hmac("sha1", "hush", body, "hex")}` })
  }
}

layer(Endpoint.layer, { excludeTestServices: true })("the signed webhook", (it) => {
  for (const [name, { headers, props }] of Object.entries(vendors)) {
    it.effect(`takes ${name}, and nothing that is signed otherwise`, () =>
      Effect.gen(function*() {
        const source = yield* Endpoint.source("signed-webhook", props)
        const good = headers(body)
        assert.strictEqual(yield* source.post(`${body} `, { ...json, ...good }), 401)
        const another = yield* Endpoint.source("signed-webhook", {
          ...props,
          secret: `00${String(props["secret"]).slice(2)}`
        })
        assert.strictEqual(yield* another.post(body, { ...json, ...good }), 401)
        for (const header of Object.keys(good)) {
          const { [header]: _, ...rest } = good
          assert.strictEqual(yield* source.post(body, { ...json, ...rest }), 401, header)
        }
        assert.strictEqual(yield* source.post(body, { ...json, ...good }), 200)
        const emitted = yield* source.emitted(1)
        assert.strictEqual(emitted.length, 1)
        Json.assertHolds(emitted[0]!.event, { method: "POST", bodyRaw: body, body: JSON.parse(body) })
      }))
  }

  it.effect("takes Standard Webhooks as their own library signs them, under either name, each message once", () =>
    Effect.gen(function*() {
      const secret = `whsec_${Buffer.alloc(24, "k").toString("base64")}`
      const source = yield* Endpoint.source("signed-webhook", { scheme: "standard-webhooks", secret, bodyOnly: true })
      const signer = new Webhook(secret)
      const headersOf = (id: string, at: Date, vendor = "webhook") => ({
        ...json,
        [`${vendor}-id`]: id,
        [`${vendor}-timestamp`]: String(Math.floor(at.getTime() / 1000)),
        [`${vendor}-signature`]: `v1,${"A".repeat(43)}= ${signer.sign(id, at, body)}`
      })
      const now = new Date()
      const other = headersOf("msg_2", now)
      assert.strictEqual(yield* source.post(body, { ...other, "webhook-id": "msg_3" }), 401)
      assert.strictEqual(yield* source.post(body, headersOf("msg_1", new Date(now.getTime() - 310_000))), 401)
      for (
        const headers of [headersOf("msg_1", now), headersOf("msg_1", new Date()), headersOf("msg_2", now, "svix")]
      ) {
        assert.strictEqual(yield* source.post(body, headers), 200)
      }
      const emitted = yield* source.emitted(2)
      assert.deepStrictEqual<unknown>(emitted.map(({ event }) => event), [JSON.parse(body), JSON.parse(body)])
      assert.deepStrictEqual<unknown>(emitted.map(({ metadata }) => metadata["id"]), ["msg_1", "msg_2"])
    }))

  it.effect("takes a token", () =>
    Effect.gen(function*() {
      const props = { scheme: "token", secret: "tok", signatureHeader: "Authorization", prefix: "Bearer " }
      const source = yield* Endpoint.source("signed-webhook", props)
      for (const authorization of ["", "tok", "Bearer", "Bearer to", "Bearer tok2"]) {
        assert.strictEqual(yield* source.post(body, { authorization }), 401, authorization)
      }
      assert.strictEqual(yield* source.post(body, { authorization: "Bearer tok" }), 200)
      assert.strictEqual((yield* source.emitted(1)).length, 1)
    }))

  it.effect("is refused where what is set would let anybody in, or nobody", () =>
    Effect.gen(function*() {
      const cases = [
        [{ secret: "" }, "secret is empty"],
        [{ secret: "whsec_", scheme: "standard-webhooks" }, "secret is empty"],
        [{ secret: "s", signedText: "{timestamp}", timestampHeader: "X-Time" }, "no {body}"],
        [{ secret: "s", timestampHeader: "X-Time" }, "{timestamp}"],
        [{ secret: "s", signedText: "{timestamp}.{body}" }, "timestamp header"],
        [{ secret: "s", signedText: "{id}.{body}" }, "id header"]
      ] as const
      for (const [props, why] of cases) assert.include(yield* Endpoint.refusal("signed-webhook", props), why)
    }))
})
