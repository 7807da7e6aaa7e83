import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Effect } from "effect"
import { createHmac } from "node:crypto"
import { gzipSync } from "node:zlib"
import * as Http from "../../../apps/server/test/HttpAppFixture.ts"
import { codeOf } from "../test/ComponentCode.ts"
import * as Endpoint from "../test/Endpoint.ts"

const secret = "hush"

/** JavaScript has a number for none of them. */
const inexact = "[8202522731445525542,-9007199254740993,1e400,0.12345678901234567891]"

const hmac = (body: Uint8Array, before = "") => createHmac("sha256", secret).update(before).update(body).digest("hex")

interface Taking {
  readonly props: Record<string, unknown>
  readonly headers: (body: Uint8Array) => Record<string, string>
}

/** How registry components with an endpoint take a request. */
const components: Readonly<Record<string, Taking>> = {
  "http-requests": { props: {}, headers: () => ({}) },
  "http-requests ": { props: { bodyOnly: true }, headers: () => ({}) },
  "signed-webhook": { props: { secret }, headers: (body) => ({ "x-signature": hmac(body) }) },
  "signed-webhook ": {
    props: { secret, bodyOnly: true, signedText: "{method}.{body}.{body}" },
    headers: (body) => ({ "x-signature": hmac(Buffer.concat([body, Buffer.from("."), body]), "POST.") })
  },
  "stripe-webhook": {
    props: { secret },
    headers: (body) => {
      const now = Math.floor(Date.now() / 1000)
      return { "stripe-signature": `t=${now},v1=${hmac(body, `${now}.`)}` }
    }
  },
  github: {
    props: { secret },
    headers: (body) => ({ "x-github-event": "push", "x-hub-signature-256": `sha256=${hmac(body)}` })
  }
}

const json = "application/json"
const form = "application/x-www-form-urlencoded; charset=utf-8"

layer(Endpoint.layer, { excludeTestServices: true })("a request", (it) => {
  for (const [name, { headers, props }] of Object.entries(components)) {
    it.effect(`goes on through ${name}${props["bodyOnly"] === true ? "with its body alone" : ""} as it was, signed over its bytes`, () =>
      Effect.gen(function*() {
        const source = yield* Endpoint.source(name.trim(), props)
        const text = (n: number) => `{"id":"evt_${n}","n":${n},"name":"caf\xe9","numbers":${inexact}}`
        const bodies: ReadonlyArray<readonly [string, Buffer]> = [
          [`${json}; charset=iso-8859-1`, Buffer.from(text(0), "latin1")],
          [json, Buffer.from(`\ufeff${text(1)}`)],
          [json, Buffer.from(`\ufeff${text(2)}`, "utf16le")],
          // Of what is no text only the bytes are there to be signed.
          ...(name === "stripe-webhook" || name === "github" ? [] : [["x/y", Buffer.from([0xff, 0, 0xfe])] as const]),
          ...(name === "github" ? [[form, Buffer.from(`payload=${encodeURIComponent(text(3))}`)] as const] : [])
        ]
        for (const [type, body] of bodies) {
          const sent = { ...headers(body), "content-type": type }
          const gzip = { ...sent, "content-encoding": "gzip" }
          assert.strictEqual(yield* source.post(Uint8Array.from(body), sent), 200, type)
          assert.strictEqual(yield* source.post(Uint8Array.from(gzipSync(body)), gzip), 200, type)
        }
        // Stripe's events are the same where their ids are.
        const count = name === "stripe-webhook" ? bodies.length : 2 * bodies.length
        yield* source.emitted(count)
        const path = `/v1/sources/${source.id}/event_summaries?expand=event&limit=100`
        for (const query of ["", "&include=event"]) {
          const { text } = yield* source.http.request("GET", path + query)
          // Once in each event; where the request is in it, its text is, too.
          const passed = text.match(/"numbers":\[[^\]]+\]/g) ?? []
          const holding = bodies.filter(([type]) => type !== "x/y").length * (count / bodies.length)
          assert.lengthOf(passed, holding, text)
          for (const numbers of passed) assert.strictEqual(numbers, `"numbers":${inexact}`)
          assert.lengthOf(text.match(/"name":"café"/g) ?? [], holding)
        }
      }))
  }

  it.effect("passes code without run, batches, errors, invocations, tests and trials with its numbers as they were", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const sink = yield* WebhookSink.make(() => ({ status: 200 }))
      const passing = yield* http.created("/v1/sources", {
        component_code: `export default { props: { http: "$.interface.http" } }`
      })
      const heard = yield* http.created("/v1/sources", {
        component_code: "export default { props: {}, run: undefined }"
      })
      const throwing = yield* http.created("/v1/sources", {
        component_code: `export default { run(event) { throw new Error("no") } }`
      })
      const posting = yield* http.created("/v1/sources", {
        component_code: yield* codeOf("batch-post"),
        configured_props: { url: sink.url }
      })
      for (const [emitter, listener] of [[passing, heard], [heard, throwing], [heard, posting]] as const) {
        yield* http.created("/v1/subscriptions", { emitter_id: emitter.id, listener_id: listener.id })
      }
      yield* http.request("POST", Http.endpointOf(passing), {
        raw: inexact,
        headers: { "content-type": json }
      })
      yield* http.summaries(`/v1/sources/${posting.id}/event_summaries`, 1)
      yield* http.summaries(`/v1/sources/${throwing.id}/$errors/event_summaries`, 1)
      const holds = (text: string) =>
        assert.match(text, /8202522731445525542,-9007199254740993,(?:1e400|1),0\.12345678901234567891/)
      for (const path of [passing.id, heard.id, `${throwing.id}/$errors`]) {
        for (const query of ["", "&include=event"]) {
          holds((yield* http.request("GET", `/v1/sources/${path}/event_summaries?expand=event${query}`)).text)
        }
      }
      holds(sink.received[0]!.body)

      const workflow = yield* http.created("/v1/workflows", { workflow_code: Http.workflowCode })
      // The API refuses numbers that are none in JavaScript.
      const large64 = inexact.replace("1e400", "1")
      const raw = (name: string) => ({ raw: `{"${name}":{"a":${large64}}}`, headers: { "content-type": json } })
      const invoked = yield* http.request("POST", `/v1/workflows/${workflow.id}/invocations`, raw("event"))
      assert.strictEqual(invoked.status, 202, invoked.text)
      const run = Json.textOf(invoked.json["data"]!["id"])
      for (const query of ["", "?include=event"]) {
        holds((yield* http.request("GET", `/v1/workflows/${workflow.id}/runs/${run}${query}`)).text)
      }
      const webhook = yield* http.created("/v1/webhooks", { url: sink.url })
      const tested = yield* http.request("POST", `/v1/webhooks/${webhook.id}/test`, raw("payload"))
      assert.strictEqual(tested.status, 200, tested.text)
      holds(sink.received.at(-1)!.body)
      const tried = yield* http.request("POST", `/v1/sources/${passing.id}/trial`, {
        raw: `{"event":${large64}}`,
        headers: { "content-type": json }
      })
      const { emits } = tried.json["data"] as Record<string, Json.Json>
      assert.lengthOf(Json.listOf(emits), 1)
      assert.lengthOf(tried.text.match(/"body":\[8202522731445525542,-9007199254740993,1,/g) ?? [], 2, tried.text)

      const large = `{"a":${inexact},"b":"${"x".repeat(1_500)}"}`
      yield* http.request("POST", Http.endpointOf(passing), { raw: large, headers: { "content-type": json } })
      yield* http.summaries(`/v1/sources/${passing.id}/event_summaries`, 2)
      holds((yield* http.request("GET", `/v1/sources/${passing.id}/event_summaries?limit=1`)).text)
    }))
})
