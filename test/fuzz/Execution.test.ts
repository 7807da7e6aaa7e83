import { assert, it } from "@effect/vitest"
import * as Document from "@headwater/api/Document"
import * as Loopback from "@headwater/fixtures/Loopback"
import { Effect } from "effect"
import { createServer, type RequestListener } from "node:http"
import * as ContractValidator from "../ContractValidator.ts"
import { operationsOf } from "./ApiDocument.ts"
import * as Execution from "./Execution.ts"
import * as Leaks from "./Leaks.ts"
import * as Parts from "./Parts.ts"
import * as Placeholder from "./Placeholder.ts"
import type { Plan } from "./Plan.ts"
import * as Tally from "./Tally.ts"
import * as Tenant from "./Tenant.ts"

const markers = new Map([["ann", "mkannaaaaa"], ["bob", "mkbobbbbbb"]])

const tenantOf = (name: string) =>
  Tenant.make({ name, marker: markers.get(name) ?? "", apiKey: `hw_${name}`, sinkUrl: "http://127.0.0.1:1" })

const span = { attempts: 0, failed_attempts: 0, success_rate: null, p50_ms: null, p95_ms: null }

const webhook = {
  id: "wh_0Uz7MtBwGh3VyUc8PqJk",
  name: null,
  description: null,
  url: "http://127.0.0.1/",
  active: true,
  created_at: 1,
  updated_at: 1,
  state: "active",
  health: { last_1h: span, last_24h: span, last_7d: span, last_delivered_at_ms: null },
  ordering: "ordered",
  concurrency: 16,
  rate_limit: null,
  retry_schedule: [5],
  timeout_ms: 15_000,
  circuit: null,
  circuit_state: { state: "closed", until_ms: null, failures: 0 },
  failing_since_ms: null,
  throttled_until_ms: null,
  disabled_reason: null,
  signature: "hmac",
  max_bytes: null,
  http2: true,
  headers: {},
  secret_headers: {},
  tls: null
}

const problem = (status: number, code: string, title: string) => ({
  type: `urn:headwater:problem:${code}`,
  title,
  status,
  detail: "no",
  error: "no",
  code,
  details: {}
})

/** What comes of asking a server for a webhook, by the kinds of the faults. */
const kindsOf = (
  listener: RequestListener,
  options: { readonly id?: string; readonly expects?: Plan["expects"] } = {}
) =>
  Effect.scoped(Effect.gen(function*() {
    const port = yield* Loopback.listen(createServer(listener))
    const document = Document.make("http://127.0.0.1")
    const leaks = Leaks.make(markers)
    leaks.find("bob", "wh_0Uz7MtBwGh3VyUc8PqBB", "")
    const [ann, bob] = [tenantOf("ann"), tenantOf("bob")]
    bob.add("webhook", "wh_0Uz7MtBwGh3VyUc8PqBB")
    const { faults } = yield* Execution.execute(
      {
        port,
        operations: operationsOf(document),
        validator: ContractValidator.make(Object(document)),
        leaks,
        tally: Tally.make()
      },
      ann,
      {
        mode: "valid",
        operation: "webhooks.get",
        trait: "in order",
        expects: options.expects ?? "any",
        content: {
          type: "messages",
          messages: [{
            method: "GET",
            target: `/v1/webhooks/${options.id ?? webhook.id}`,
            headers: Parts.headers,
            body: { type: "none" },
            framing: { type: "length" }
          }]
        }
      },
      bob
    )
    return faults.map(({ kind }) => kind)
  }))

const answering =
  (status: number, body: unknown, headers: Record<string, string> = {}): RequestListener => (_, response) => {
    const type = status < 400 ? "application/json" : "application/problem+json"
    response.writeHead(status, { "content-type": type, "x-request-id": "a", ...headers }).end(JSON.stringify(body))
  }

it.live("what the server does wrong is seen, each as what it is", () =>
  Effect.gen(function*() {
    const found = answering(200, { data: webhook })
    const missing = answering(404, problem(404, "not_found", "Not found"))
    assert.deepStrictEqual(yield* kindsOf(found), [])
    assert.deepStrictEqual(yield* kindsOf(missing), [])
    assert.deepStrictEqual(yield* kindsOf(answering(503, problem(503, "unavailable", "x"))), ["server_error"])
    assert.deepStrictEqual(yield* kindsOf(answering(200, { data: { ...webhook, more: 1 } })), ["undocumented"])
    assert.deepStrictEqual(yield* kindsOf(answering(418, {})), ["undocumented"])
    assert.deepStrictEqual(yield* kindsOf(found, { expects: "refused" }), ["misjudged"])
    assert.deepStrictEqual(
      yield* kindsOf(answering(400, { ...problem(400, "invalid_request", "Invalid request"), details: [] }), {
        expects: "taken"
      }),
      ["misjudged"]
    )
    assert.deepStrictEqual(yield* kindsOf((request) => request.socket.destroy()), ["unanswered"])
  }))

it.live("what of another account's is shown, or treated as if it were there, is a leak", () =>
  Effect.gen(function*() {
    const other = Placeholder.reference("webhook", 0, "other")
    assert.deepStrictEqual(yield* kindsOf(answering(200, { data: { ...webhook, name: "MkBobBBBBB" } })), ["leak"])
    assert.deepStrictEqual(
      yield* kindsOf(answering(200, { data: { ...webhook, id: "wh_0Uz7MtBwGh3VyUc8PqBB" } })),
      ["leak"]
    )
    const existence: RequestListener = (request, response) =>
      request.url?.endsWith("PqBB") === true
        ? answering(200, { data: webhook })(request, response)
        : answering(404, problem(404, "not_found", "Not found"))(request, response)
    assert.deepStrictEqual(yield* kindsOf(existence, { id: other }), ["leak"])
    const alike: RequestListener = (request, response) =>
      answering(404, {
        ...problem(404, "not_found", "Not found"),
        detail: `no ${request.url}`,
        error: `no ${request.url}`
      })(
        request,
        response
      )
    assert.deepStrictEqual(yield* kindsOf(alike, { id: other }), [])
  }))

it("a component is named in requests in order where it shows the props that these set, and not by being listed", () => {
  const ann = tenantOf("ann")
  const [orderly, hostile] = ["sc_0Uz7MdaCCd5QvTf7KzHb", "sc_0Uz7MdaCCd5QvTf7KzHc"]
  ann.learn({ data: [{ id: orderly }, { id: hostile }] }, false)
  ann.learn({ data: { id: hostile, configurable_props: [{ name: "other", type: "string" }] } }, false)
  assert.deepStrictEqual(ann.ids("component"), [])
  ann.learn({ data: { id: orderly, configurable_props: [{ name: "text", type: "string" }] } }, false)
  assert.deepStrictEqual(ann.ids("component"), [orderly])
})
