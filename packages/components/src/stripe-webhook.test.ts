import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import { createHmac } from "node:crypto"
import * as Endpoint from "../test/Endpoint.ts"

const secret = "whsec_8jXhc2l5Fw"

const eventOf = (id: string, type: string) =>
  JSON.stringify({ id, type, created: 1_686_089_970, data: { object: { name: "Łódź" } } }, null, 2)

const secondsAgo = (seconds: number) => Math.floor(Date.now() / 1000) - seconds

const signatureOf = (body: string, timestamp: number | string, key = secret) =>
  createHmac("sha256", key).update(`${timestamp}.${body}`).digest("hex")

const signed = (body: string, timestamp: number | string = secondsAgo(0), header = "stripe-signature") => ({
  "content-type": "application/json",
  [header]: `t=${timestamp},v1=${signatureOf(body, timestamp)},v0=${"0".repeat(64)}`
})

layer(Endpoint.layer, { excludeTestServices: true })("the Stripe webhook", (it) => {
  it.effect("emits each event once whose signature is right and young, and refuses all else", () =>
    Effect.gen(function*() {
      const source = yield* Endpoint.source("stripe-webhook", { secret })
      const body = eventOf("evt_1", "invoice.paid")
      const now = secondsAgo(0)
      const refused = [
        "",
        `t=${now}`,
        `v1=${signatureOf(body, "")}`,
        `t=${now},v1=${signatureOf(body, now, "whsec_other")}`,
        `t=${now},v1=${signatureOf(`${body} `, now)}`,
        `t=${now - 1},v1=${signatureOf(body, now)}`,
        `t=${now},v0=${signatureOf(body, now)}`,
        signed(body, now - 310)["stripe-signature"],
        signed(body, now + 310)["stripe-signature"]
      ]
      for (const header of refused) {
        assert.strictEqual(yield* source.post(body, { "stripe-signature": header! }), 401, header)
      }
      assert.strictEqual(yield* source.post(body, signed(body, now - 290)), 200)
      assert.strictEqual(yield* source.post(body, signed(body)), 200)
      const rotated = eventOf("evt_2", "invoice.paid")
      const both = `t=${now},v1=${signatureOf(rotated, now, "whsec_old")}, v1=${signatureOf(rotated, now)}`
      assert.strictEqual(yield* source.post(rotated, { ...signed(rotated), "stripe-signature": both }), 200)
      const emitted = yield* source.emitted(2)
      assert.deepStrictEqual<unknown>(emitted.map(({ event }) => event), [JSON.parse(body), JSON.parse(rotated)])
      Json.assertHolds(emitted[0]!.metadata, { id: "evt_1", summary: "invoice.paid", ts: 1_686_089_970 })
    }))

  it.effect("emits the types that are named alone, from another header and of any age where that is set", () =>
    Effect.gen(function*() {
      const source = yield* Endpoint.source("stripe-webhook", {
        secret,
        eventTypes: ["invoice.*", "charge.failed"],
        signatureHeader: "X-Vendor-Signature",
        toleranceSeconds: 0
      })
      for (const type of ["charge.failed.late", "invoice.paid", "charge.succeeded", "charge.failed"]) {
        const body = eventOf(`evt_${type}`, type)
        assert.strictEqual(yield* source.post(body, signed(body, secondsAgo(1e6), "x-vendor-signature")), 200)
      }
      const emitted = yield* source.emitted(2)
      assert.deepStrictEqual<unknown>(emitted.map(({ event }) => event["type"]), ["invoice.paid", "charge.failed"])
      assert.include(yield* Endpoint.refusal("stripe-webhook", { secret: "" }), "secret is empty")
    }))
})
