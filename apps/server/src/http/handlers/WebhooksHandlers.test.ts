import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as Other from "@headwater/fixtures/OtherCertificates"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Clock, Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { createPublicKey, verify } from "node:crypto"
import { createServer } from "node:https"
import type { TLSSocket } from "node:tls"
import { Webhook } from "standardwebhooks"
import { Webhook as SvixWebhook } from "svix"
import { listening, openOf } from "../../../../../packages/egress/test/Listening.ts"
import * as Http from "../../../test/HttpAppFixture.ts"

const url = "http://127.0.0.1:9/"

/** Whether a public key (`whpk_`) verifies one of the signatures of what was received. */
const verifies = (publicKey: string, { body, headers }: WebhookSink.Received): boolean => {
  const x = Buffer.from(publicKey.slice("whpk_".length), "base64").toString("base64url")
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" })
  const signed = Buffer.from(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`)
  return headers["webhook-signature"]!.split(" ").some((signature) =>
    signature.startsWith("v1a,") && verify(null, signed, key, Buffer.from(signature.slice(4), "base64"))
  )
}

const receivedBy = (sink: WebhookSink.WebhookSink, count: number) =>
  Effect.sync(() => sink.received).pipe(
    Effect.repeat({ until: (received) => received.length >= count, schedule: Schedule.spaced("10 millis") }),
    Effect.timeout("60 seconds")
  )

layer(Http.layer, { excludeTestServices: true })("webhooks", (it) => {
  it.effect("are created from the query or a body, changed, listed and deleted", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const stranger = yield* Http.tenant()
      const { json: { data: plain } } = yield* http.request("POST", "/v1/webhooks?url=http://127.0.0.1:8443/a?b=c")
      Json.assertHolds(plain, {
        user_id: http.accountId,
        name: null,
        description: null,
        url: "http://127.0.0.1:8443/a?b=c",
        active: true
      })
      assert.hasAllKeys(plain, ["id", "user_id", "name", "description", "url", "active", "created_at", "updated_at"])
      const named = yield* http.created("/v1/webhooks/", { url, name: "Ünï 😀", description: "d" })
      const { user_id: _, ...later } = named
      Json.assertHolds((yield* http.request("GET", `/v1/webhooks/${named.id}`)).json["data"], later)
      const changed = yield* http.request("PUT", `/v1/webhooks/${named.id}`, { body: { name: null, active: false } })
      Json.assertHolds(changed.json["data"], { name: null, description: "d", url, active: false })
      const back = yield* http.request("PUT", `/v1/webhooks/${named.id}/`, { body: {} })
      Json.assertHolds(back.json["data"], { active: true })
      const list = yield* http.request("GET", "/v1/users/me/webhooks?limit=1")
      Json.assertHolds(list.json["page_info"], { total_count: 2, count: 1 })
      for (const method of ["GET", "DELETE"]) {
        Http.assertProblem(yield* stranger.request(method, `/v1/webhooks/${named.id}`), 404, "not_found")
      }
      assert.strictEqual((yield* http.request("DELETE", `/v1/webhooks/${named.id}`)).status, 204)
      Http.assertProblem(yield* http.request("GET", `/v1/webhooks/${named.id}`), 404, "not_found")
      Http.assertProblem(yield* http.request("DELETE", `/v1/webhooks/${named.id}`), 404, "not_found")
    }))

  it.effect("use the password of their URL, show it nowhere, and keep it sealed", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const sql = yield* SqlClient.SqlClient
      const sink = yield* WebhookSink.make(() => ({ status: 200 }))
      const { host } = new URL(sink.url)
      const source = yield* http.created("/v1/sources", { component_code: Http.httpCode("this.$emit(event.body)") })
      const given = `http://ann:s%C3%A9cret-7Yb2@${host}/a?b=c`
      const shown = `http://ann:***@${host}/a?b=c`
      const created = yield* http.request("POST", "/v1/webhooks", { body: { url: given } })
      const webhook = created.json["data"]!
      assert.strictEqual<unknown>(webhook["url"], shown, created.text)
      const path = `/v1/webhooks/${Json.textOf(webhook["id"])}`
      const parties = `emitter_id=${source.id}&listener_id=${Json.textOf(webhook["id"])}`
      yield* http.request("POST", `/v1/subscriptions?${parties}`)
      // A client that sends back what it was shown changes nothing.
      const same = yield* http.request("PUT", path, { body: { url: shown, name: "n" } })
      const answers = [
        same,
        yield* http.request("GET", path),
        yield* http.request("GET", "/v1/users/me/webhooks"),
        yield* http.request("POST", `/v1/subscriptions/preview?${parties}`)
      ]
      for (const { status, text } of answers) {
        assert.strictEqual(status, 200, text)
        assert.notInclude(text, "7Yb2")
      }
      for (const [method, at] of [["POST", "/v1/webhooks"], ["PUT", path]] as const) {
        const masked = yield* http.request(method, at, { body: { url: `http://ann:***@${host}/elsewhere` } })
        Http.assertProblem(masked, 400, "invalid_request")
        assert.deepStrictEqual(Http.issuePaths(masked), ["url"])
      }
      const [row] = yield* sql<{ readonly text: string }>`
        SELECT w::text AS text FROM webhooks w WHERE id = ${Json.textOf(webhook["id"])}`
      assert.notInclude(row!.text, "7Yb2")
      assert.notInclude(row!.text, Buffer.from("s%C3%A9cret-7Yb2").toString("hex"))

      const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`
      yield* http.request("POST", Http.endpointOf(source), { body: { n: 1 } })
      const [first] = yield* receivedBy(sink, 1)
      assert.strictEqual(first!.headers["authorization"], basic("ann:sécret-7Yb2"))
      yield* http.request("PUT", path, { body: { url: `http://bob:other@${host}/` } })
      yield* http.request("POST", Http.endpointOf(source), { body: { n: 2 } })
      const [, second] = yield* receivedBy(sink, 2)
      assert.strictEqual(second!.headers["authorization"], basic("bob:other"))
      yield* http.request("PUT", path, { body: { url: `http://${host}/` } })
      yield* http.request("POST", Http.endpointOf(source), { body: { n: 3 } })
      const [, , third] = yield* receivedBy(sink, 3)
      assert.isUndefined(third!.headers["authorization"])
    }))

  it.effect("without a body do not care about its media type", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const answer = yield* http.request("POST", `/v1/webhooks?url=${url}`, {
        headers: { "content-type": "application/x-www-form-urlencoded" }
      })
      assert.strictEqual(answer.status, 200)
    }))

  it.effect("show the secret that signs, and after a rotation both sign", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const stranger = yield* Http.tenant()
      const sink = yield* WebhookSink.make()
      const source = yield* http.created("/v1/sources", { component_code: Http.httpCode("this.$emit(event.body)") })
      const { id } = yield* http.created("/v1/webhooks", { url: sink.url })
      yield* http.created("/v1/subscriptions", { emitter_id: source.id, listener_id: id })
      const { json: { data: before } } = yield* http.request("GET", `/v1/webhooks/${id}/secret`)
      assert.match(Json.textOf(before!["secret"]), /^whsec_[A-Za-z0-9+/]{43}=$/)
      yield* http.request("POST", Http.endpointOf(source), { body: { n: 1 } })
      yield* receivedBy(sink, 1)
      const rotated = yield* http.request("POST", `/v1/webhooks/${id}/secret/rotate`)
      assert.strictEqual(rotated.status, 200)
      assert.notStrictEqual(rotated.json["data"]!["secret"], before!["secret"])
      assert.deepStrictEqual((yield* http.request("GET", `/v1/webhooks/${id}/secret`)).json, rotated.json)
      yield* http.request("POST", Http.endpointOf(source), { body: { n: 2 } })
      const [first, second] = yield* receivedBy(sink, 2)
      const old = new Webhook(Json.textOf(before!["secret"]))
      const current = new Webhook(Json.textOf(rotated.json["data"]!["secret"]))
      assert.deepStrictEqual(old.verify(first!.body, first!.headers), { n: 1 })
      for (const verifier of [old, current]) {
        assert.deepStrictEqual(verifier.verify(second!.body, second!.headers), { n: 2 })
      }
      new SvixWebhook(Json.textOf(rotated.json["data"]!["secret"])).verify(second!.body, second!.headers)
      const [summary] = yield* http.summaries(`/v1/sources/${source.id}/event_summaries`, 2)
      assert.strictEqual(second!.headers["webhook-id"], Json.textOf(summary!["metadata"]!["emit_id"]))
      for (const [method, path] of [["GET", "secret"], ["POST", "secret/rotate"]] as const) {
        Http.assertProblem(yield* stranger.request(method, `/v1/webhooks/${id}/${path}`), 404, "not_found")
      }
    }))

  it.effect("sign by ed25519 too where they say so, and their public key verifies it, through a rotation", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const stranger = yield* Http.tenant()
      const sink = yield* WebhookSink.make()
      const source = yield* http.created("/v1/sources", { component_code: Http.httpCode("this.$emit(event.body)") })
      const { id } = yield* http.created("/v1/webhooks", { url: sink.url, signature: "ed25519" })
      yield* http.created("/v1/subscriptions", { emitter_id: source.id, listener_id: id })
      const publicKey = Effect.map(
        http.request("GET", `/v1/webhooks/${id}/public_key`),
        ({ json }) => Json.textOf(json["data"]!["public_key"])
      )
      const before = yield* publicKey
      assert.match(before, /^whpk_[A-Za-z0-9+/]{43}=$/)
      yield* http.request("POST", Http.endpointOf(source), { body: { n: 1 } })
      yield* receivedBy(sink, 1)
      const rotated = yield* http.request("POST", `/v1/webhooks/${id}/public_key/rotate`)
      assert.notInclude(rotated.text, "whsk_")
      const after = yield* publicKey
      assert.notStrictEqual(after, before)
      assert.strictEqual<unknown>(rotated.json["data"]!["public_key"], after)
      yield* http.request("PUT", `/v1/webhooks/${id}`, { body: { signature: "both" } })
      yield* http.request("POST", Http.endpointOf(source), { body: { n: 2 } })
      const [first, second] = yield* receivedBy(sink, 2)
      const kinds = ({ headers }: WebhookSink.Received) =>
        headers["webhook-signature"]!.split(" ").map((signature) => signature.split(",")[0])
      assert.deepStrictEqual(kinds(first!), ["v1a"])
      assert.deepStrictEqual(kinds(second!), ["v1", "v1a", "v1a"])
      assert.isTrue(verifies(before, first!))
      for (const key of [before, after]) assert.isTrue(verifies(key, second!))
      assert.isFalse(verifies(after, first!))
      for (const [method, path] of [["GET", "public_key"], ["POST", "public_key/rotate"]] as const) {
        Http.assertProblem(yield* stranger.request(method, `/v1/webhooks/${id}/${path}`), 404, "not_found")
      }
    }))

  it.effect("send headers of their own, and show the secret ones nowhere", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const sink = yield* WebhookSink.make()
      const source = yield* http.created("/v1/sources", { component_code: Http.httpCode("this.$emit(event.body)") })
      const headers = { "X-Team": "orders & more", "user-agent": "Own Agent" }
      const created = yield* http.request("POST", "/v1/webhooks", {
        body: { url: sink.url, headers, secret_headers: { Authorization: "Bearer s3cr7Yb2", "x-plain": "s3cr7Yb2" } }
      })
      const id = Json.textOf(created.json["data"]!["id"])
      yield* http.created("/v1/subscriptions", { emitter_id: source.id, listener_id: id })
      const shown = {
        headers: { "x-team": "orders & more", "user-agent": "Own Agent" },
        secret_headers: { authorization: "***", "x-plain": "***" }
      }
      Json.assertHolds((yield* http.request("GET", `/v1/webhooks/${id}`)).json["data"], shown)
      yield* http.request("POST", Http.endpointOf(source), { body: { n: 1 } })
      // What was shown and is sent back changes nothing.
      const put = yield* http.request("PUT", `/v1/webhooks/${id}`, { body: shown })
      Json.assertHolds(put.json["data"], shown)
      yield* http.request("POST", Http.endpointOf(source), { body: { n: 2 } })
      for (const { headers } of yield* receivedBy(sink, 2)) {
        assert.deepInclude(headers, { ...shown.headers, authorization: "Bearer s3cr7Yb2", "x-plain": "s3cr7Yb2" })
      }
      const deliveries = yield* http.request("GET", `/v1/webhooks/${id}/deliveries`).pipe(
        Effect.repeat({
          until: ({ json }) => Json.listOf(json["data"]).length === 2,
          schedule: Schedule.spaced("10 millis")
        })
      )
      const delivery = yield* http.request(
        "GET",
        `/v1/deliveries/${Json.textOf(Json.listOf(deliveries.json["data"])[0]!["id"])}`
      )
      Json.assertHolds(Json.listOf(delivery.json["data"]!["attempts"])[0]!["request"]!["headers"], {
        ...shown.headers,
        ...shown.secret_headers
      })
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ readonly text: string }>`
        SELECT w::text AS text FROM webhooks w WHERE id = ${id}
        UNION ALL SELECT a::text FROM attempts a WHERE webhook_id = ${id}`
      const told = [created, put, deliveries, delivery, yield* http.request("GET", "/v1/users/me/webhooks")]
      for (const { text } of [...told, ...rows]) assert.notInclude(text, "s3cr7Yb2")
      const none = yield* http.request("PUT", `/v1/webhooks/${id}`, { body: { headers: null, secret_headers: {} } })
      assert.deepInclude(none.json["data"], { headers: {}, secret_headers: {} })
    }))

  it.effect("keep nothing of a secret that their endpoint shows", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const echo = JSON.stringify({ token: "s3cr7Yb2", authorization: "Bearer s3cr7Yb2", password: "p&ssw0rd" })
      const answers = [200, 500] as const
      const sink = yield* WebhookSink.make((count) => ({
        status: answers[count % 2]!,
        headers: { "x-echo": "Bearer s3cr7Yb2" },
        body: echo
      }))
      const created = yield* http.request("POST", "/v1/webhooks", {
        body: {
          url: sink.url.replace("//", "//ann:p%26ssw0rd@"),
          secret_headers: { Authorization: "Bearer s3cr7Yb2" }
        }
      })
      const path = `/v1/webhooks/${Json.textOf(created.json["data"]!["id"])}/test`
      for (const status of answers) {
        const { json } = yield* http.request("POST", path, { body: {} })
        const response = json["data"]!["attempt"]!["response"]!
        Json.assertHolds(response, { status })
        assert.strictEqual(Json.textOf(response["headers"]!["x-echo"]), "***")
        assert.deepStrictEqual(JSON.parse(Json.textOf(response["body"])), {
          token: "***",
          authorization: "***",
          password: "***"
        })
      }
    }))

  it.effect("take no secret along to another origin", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const url = "http://127.0.0.1:9/hook"
      const created = yield* http.request("POST", "/v1/webhooks", {
        body: {
          url,
          secret_headers: { authorization: "Bearer s3cr7Yb2", "x-key": "s3cr7Yb2" },
          tls: { certificate: Other.clientCertificate, key: Other.otherKey }
        }
      })
      const path = `/v1/webhooks/${Json.textOf(created.json["data"]!["id"])}`
      const put = (body: object) => http.request("PUT", path, { body })
      const all = ["secret_headers.authorization", "secret_headers.x-key", "tls.key"]
      const tls = { certificate: Other.clientCertificate, key: "***" }
      const refused = [
        [{}, all],
        [{ secret_headers: { authorization: "***", "x-key": "***" }, tls }, all],
        [{ secret_headers: { authorization: "Bearer new", "x-key": "***" } }, ["secret_headers.x-key", "tls.key"]],
        [{ secret_headers: null }, ["tls.key"]],
        [{ tls: null }, all.slice(0, 2)]
      ] as const
      for (const other of ["http://127.0.0.1:10/hook", "https://127.0.0.1:9/hook", "http://127.0.0.2:9/hook"]) {
        for (const [body, paths] of refused) {
          const answer = yield* put({ url: other, ...body })
          Http.assertProblem(answer, 400, "invalid_request")
          assert.deepStrictEqual(Http.issuePaths(answer), [...paths])
        }
      }
      Json.assertHolds((yield* http.request("GET", path)).json["data"], { url })
      const moved = "http://127.0.0.1:9/elsewhere?a=1"
      Json.assertHolds((yield* put({ url: moved })).json["data"], { url: moved, tls })
      const other = "http://127.0.0.1:10/"
      const given = yield* put({ url: other, secret_headers: { "x-key": "new" }, tls: { ...tls, key: Other.otherKey } })
      Json.assertHolds(given.json["data"], { url: other, secret_headers: { "x-key": "***" }, tls })
      Json.assertHolds((yield* put({ url, secret_headers: null, tls: null })).json["data"], { url, tls: null })
    }))

  it.effect("connect by their own authority and certificate, whose key is shown nowhere", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const names: Array<string | undefined> = []
      const { port, sockets } = yield* listening(() =>
        createServer(
          {
            keepAliveTimeout: 60_000,
            key: Other.otherKey,
            cert: Other.otherCertificate,
            ca: Other.otherAuthority,
            requestCert: true
          },
          (request, response) => {
            names.push((request.socket as TLSSocket).getPeerCertificate().subject?.CN?.toString())
            request.resume()
            response.end()
          }
        )
      )
      const source = yield* http.created("/v1/sources", { component_code: Http.httpCode("this.$emit(event.body)") })
      const { clientCertificate: certificate, otherAuthority: ca, otherKey: key } = Other
      const created = yield* http.request("POST", "/v1/webhooks", {
        body: { url: `https://localhost:${port}/`, tls: { ca, certificate, key } }
      })
      const id = Json.textOf(created.json["data"]!["id"])
      const shown = { ca, certificate, key: "***" }
      Json.assertHolds((yield* http.request("GET", `/v1/webhooks/${id}`)).json["data"], { tls: shown })
      yield* http.created("/v1/subscriptions", { emitter_id: source.id, listener_id: id })
      const settled = (count: number) =>
        http.request("GET", `/v1/webhooks/${id}/deliveries`).pipe(
          Effect.map(({ json }) => Json.listOf(json["data"])),
          Effect.repeat({ until: (all) => all.length === count, schedule: Schedule.spaced("10 millis") }),
          Effect.map((all) => all[0]!)
        )
      yield* http.request("POST", Http.endpointOf(source), { body: { n: 1 } })
      Json.assertHolds(yield* settled(1), { state: "delivered" })
      const put = yield* http.request("PUT", `/v1/webhooks/${id}`, { body: { tls: shown } })
      Json.assertHolds(put.json["data"], { tls: shown })
      yield* http.request("POST", Http.endpointOf(source), { body: { n: 2 } })
      Json.assertHolds(yield* settled(2), { state: "delivered" })
      assert.deepStrictEqual(names, ["headwater", "headwater"])
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ readonly text: string }>`SELECT w::text AS text FROM webhooks w WHERE id = ${id}`
      const secret = key.split("\n")[1]!
      for (const text of [created.text, put.text, row!.text]) assert.notInclude(text, secret)
      yield* http.request("PUT", `/v1/webhooks/${id}`, { body: { tls: null } })
      yield* http.request("POST", Http.endpointOf(source), { body: { n: 3 } })
      Json.assertHolds(yield* settled(3), { state: "pending", error_class: "certificate" })
      // What was connected by the settings before is not kept.
      yield* Effect.sync(() => openOf(sockets).length).pipe(
        Effect.repeat({ until: (open) => open === 0, schedule: Schedule.spaced("10 millis") }),
        Effect.timeout("60 seconds")
      )

      const wrong = [
        [{ ca: "text", certificate, key: "text" }, ["tls.ca", "tls.key"]],
        [{ ca: `${ca}${key}` }, ["tls.ca"]],
        [{ certificate }, ["tls.key"]],
        [{ certificate, key: "***" }, ["tls.key"]],
        [{ key }, ["tls.certificate"]],
        [{ certificate: "x".repeat(16_385), key }, ["tls.certificate"]]
      ] as const
      for (const [tls, paths] of wrong) {
        const refused = yield* http.request("PUT", `/v1/webhooks/${id}`, { body: { tls } })
        Http.assertProblem(refused, 400, "invalid_request")
        assert.deepStrictEqual(Http.issuePaths(refused), [...paths])
        assert.notInclude(refused.text, secret)
      }
    }))

  it.effect("refuse settings of their requests that can't be, naming each field", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const { id } = yield* http.created("/v1/webhooks", { url })
      const many = Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`x-${i}`, "v"]))
      const wrong = [
        [{ signature: "rsa" }, ["signature"]],
        [{ max_bytes: 0 }, ["max_bytes"]],
        [{ max_bytes: 1e12 }, ["max_bytes"]],
        [{ headers: { Host: "a", "Webhook-Id": "b", "x-fine": "c", "X-Headwater-Hops": "0", "content-length": "1" } }, [
          "headers.Host",
          "headers.Webhook-Id",
          "headers.X-Headwater-Hops",
          "headers.content-length"
        ]],
        [{ headers: { "a b": "c", "x-line": "a\r\nb: c", "x-empty": "", "x-wide": "é" } }, [
          "headers.a b",
          "headers.x-line",
          "headers.x-empty",
          "headers.x-wide"
        ]],
        [{ headers: { "x-a": "1", "X-A": "2" } }, ["headers.X-A"]],
        [{ headers: { "x-a": "1" }, secret_headers: { "X-A": "2" } }, ["secret_headers.x-a"]],
        [{ headers: many }, ["headers"]],
        [{ secret_headers: { "x-a": "v".repeat(8_190) } }, ["secret_headers"]],
        [{ secret_headers: { "x-unknown": "***", te: "trailers" } }, ["secret_headers.x-unknown", "secret_headers.te"]]
      ] as const
      for (const [body, paths] of wrong) {
        for (const [method, path] of [["POST", "/v1/webhooks"], ["PUT", `/v1/webhooks/${id}`]] as const) {
          const answer = yield* http.request(method, path, { body: { url, ...body } })
          Http.assertProblem(answer, 400, "invalid_request")
          assert.deepStrictEqual(Http.issuePaths(answer), [...paths])
        }
      }
      // What is kept counts as well.
      yield* http.request("PUT", `/v1/webhooks/${id}`, { body: { secret_headers: { "x-a": "v".repeat(5_000) } } })
      const both = { secret_headers: { "x-a": "***", "x-b": "v".repeat(5_000) } }
      const over = yield* http.request("PUT", `/v1/webhooks/${id}`, { body: both })
      assert.deepStrictEqual(Http.issuePaths(over), ["secret_headers"])
    }))

  it.effect("are deleted though their endpoint hangs, which is sent nothing more", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const sink = yield* WebhookSink.make(() => undefined)
      const source = yield* http.created("/v1/sources", { component_code: Http.httpCode("this.$emit(event.body)") })
      const { id } = yield* http.created("/v1/webhooks", { url: sink.url })
      yield* http.created("/v1/subscriptions", { emitter_id: source.id, listener_id: id })
      for (const n of [1, 2]) yield* http.request("POST", Http.endpointOf(source), { body: n })
      yield* receivedBy(sink, 1)
      assert.strictEqual((yield* http.request("DELETE", `/v1/webhooks/${id}`)).status, 204)
      Http.assertProblem(yield* http.request("GET", `/v1/webhooks/${id}`), 404, "not_found")
      assert.deepStrictEqual(sink.received.map(({ body }) => body), ["1"])
    }))

  it.effect("say what their deliveries wait for by their settings", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const sink = yield* WebhookSink.make(() => ({ status: 500 }))
      const source = yield* http.created("/v1/sources", { component_code: Http.httpCode("this.$emit(event.body)") })
      const settings = { ordering: "strict", circuit: { failures: 1, cooldown_seconds: 3_600 } }
      const { id } = yield* http.created("/v1/webhooks", { url: sink.url, ...settings })
      yield* http.created("/v1/subscriptions", { emitter_id: source.id, listener_id: id })
      for (const n of [1, 2]) yield* http.request("POST", Http.endpointOf(source), { body: { n } })
      const [second] = yield* http.summaries(`/v1/sources/${source.id}/event_summaries`, 2)
      const circuit = yield* http.request("GET", `/v1/webhooks/${id}`).pipe(
        Effect.map(({ json }) => json["data"]!["circuit_state"]!),
        Effect.repeat({ until: ({ state }) => String(state) === "open", schedule: Schedule.spaced("10 millis") }),
        Effect.timeout("60 seconds")
      )
      const until = Number(circuit["until_ms"])
      const traced = Effect.map(
        http.request("GET", `/v1/sources/${source.id}/events/${Json.textOf(second!["id"])}/trace`),
        ({ json }) => Json.listOf(json["data"]!["subscriptions"])[0]
      )
      Json.assertHolds(yield* traced, { state: "waiting", waiting_for: "circuit", next_attempt_at_ms: until })
      const [delivery] = Json.listOf((yield* http.request("GET", `/v1/webhooks/${id}/deliveries`)).json["data"])
      const details = yield* http.request("GET", `/v1/deliveries/${Json.textOf(delivery!["id"])}`)
      Json.assertHolds(details.json["data"]!["next_attempt"], { reason: "circuit", at_ms: until })
      yield* http.request("PUT", `/v1/webhooks/${id}`, { body: { circuit: null } })
      Json.assertHolds(yield* traced, { state: "waiting", waiting_for: "order", next_attempt_at_ms: null })
    }))

  it.effect("say since when they fail, until when their endpoint asked for a pause, and why they were switched off", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const source = yield* http.created("/v1/sources", { component_code: Http.httpCode("this.$emit(event.body)") })
      const answering = Effect.fnUntraced(function*(answer: WebhookSink.Answer) {
        const sink = yield* WebhookSink.make(() => answer)
        const { id } = yield* http.created("/v1/webhooks", { url: sink.url })
        yield* http.created("/v1/subscriptions", { emitter_id: source.id, listener_id: id })
        return id
      })
      const failing = yield* answering({ status: 500 })
      const throttling = yield* answering({ status: 429, headers: { "retry-after": "600" } })
      const gone = yield* answering({ status: 410 })
      const calm = { failing_since_ms: null, throttled_until_ms: null, disabled_reason: null }
      const details = (id: string) => Effect.map(http.request("GET", `/v1/webhooks/${id}`), ({ json }) => json["data"]!)
      Json.assertHolds(yield* details(failing), calm)
      const before = yield* Clock.currentTimeMillis
      yield* http.request("POST", Http.endpointOf(source), { body: 1 })
      const until = (id: string, field: string) =>
        details(id).pipe(
          Effect.repeat({
            until: (webhook) => JSON.stringify(webhook[field]) !== "null",
            schedule: Schedule.spaced("10 millis")
          }),
          Effect.timeout("60 seconds")
        )
      const failed = yield* until(failing, "failing_since_ms")
      assert.isAtLeast(Number(failed["failing_since_ms"]), before)
      Json.assertHolds(failed, { active: true, throttled_until_ms: null, disabled_reason: null })
      const throttled = yield* until(throttling, "throttled_until_ms")
      assert.isAtLeast(Number(throttled["throttled_until_ms"]), before + 600_000)
      Json.assertHolds(yield* until(gone, "disabled_reason"), {
        active: false,
        disabled_reason: "gone",
        state: "disabled"
      })
      const { json } = yield* http.request("GET", `/v1/graph?node=${gone}`)
      Json.assertHolds(Json.listOf(json["data"]!["nodes"])[0], { state: "disabled" })
    }))

  it.effect("that are inactive keep their place, and those deleted are sent nothing more", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const sink = yield* WebhookSink.make()
      const source = yield* http.created("/v1/sources", { component_code: Http.httpCode("this.$emit(event.body)") })
      const { id } = yield* http.created("/v1/webhooks", { url: sink.url })
      yield* http.created("/v1/subscriptions", { emitter_id: source.id, listener_id: id })
      const emit = Effect.fnUntraced(function*(n: number) {
        yield* http.request("POST", Http.endpointOf(source), { body: n })
        yield* http.summaries(`/v1/sources/${source.id}/event_summaries`, n)
      })
      yield* emit(1)
      yield* receivedBy(sink, 1)
      yield* http.request("PUT", `/v1/webhooks/${id}`, { body: { active: false } })
      yield* emit(2)
      yield* http.request("PUT", `/v1/webhooks/${id}`, { body: { active: true } })
      assert.deepStrictEqual((yield* receivedBy(sink, 2)).map(({ body }) => body), ["1", "2"])
      yield* http.request("DELETE", `/v1/webhooks/${id}`)
      assert.deepStrictEqual<unknown>((yield* http.request("GET", "/v1/users/me/subscriptions")).json, { data: [] })
      yield* emit(3)
      assert.lengthOf(sink.received, 2)
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(
        yield* sql`SELECT n FROM cursors WHERE emitter_id = ${source.id} AND subscription_id LIKE 'sub_%'`,
        []
      )
    }))
})
