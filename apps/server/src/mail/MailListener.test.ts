import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect, Layer } from "effect"
import { createTransport, type NodemailerError, type SendMailOptions } from "nodemailer"
import * as Http from "../../test/HttpAppFixture.ts"
import { BodyRoom } from "../http/conventions/BodyRoom.ts"
import { HttpSettings } from "../http/conventions/HttpSettings.ts"
import { RateLimiting } from "../http/conventions/RateLimiting.ts"
import * as MailEvent from "./MailEvent.ts"
import { MailListener } from "./MailListener.ts"

const held: Array<{ readonly accountId: string; readonly bytes: number }> = []

/** Room that notes for whom it is held. */
const room = Layer.effect(
  BodyRoom,
  Effect.map(BodyRoom, (room) =>
    BodyRoom.of({
      ...room,
      hold: (accountId, bytes) => {
        held.push({ accountId, bytes })
        return room.hold(accountId, bytes)
      }
    }))
).pipe(Layer.provide(BodyRoom.layer))

const listener = MailListener.layer({
  host: "127.0.0.1",
  port: 0,
  domain: Http.mailDomain,
  maxBytes: 20_000,
  maxConnections: 5,
  tls: undefined,
  reusePort: false
}).pipe(
  Layer.provide(room),
  Layer.provide(RateLimiting.layer),
  Layer.provide(Layer.succeed(HttpSettings, Http.settings)),
  Layer.provideMerge(Http.layer)
)

const onMail = `export default {
  props: { mail: "$.interface.email" },
  run(event) { this.$emit({ event, address: this.mail.address }) }
}`

/** Sends a message as a mail server does, and gives the reply. */
const send = Effect.fnUntraced(function*(message: SendMailOptions) {
  const { port } = yield* MailListener
  const transport = createTransport({ host: "127.0.0.1", port, ignoreTLS: true })
  return yield* Effect.promise(() =>
    transport.sendMail({ from: "Ann <ann@example.com>", ...message }).then(
      ({ response }) => response,
      (error: NodemailerError) => error.response ?? error.message
    ).finally(() => transport.close())
  )
})

const addressOf = (program: Json.Json) => Json.textOf(program["configured_props"]!["mail"]!["address"])

layer(listener, { excludeTestServices: true })("the mail listener", (it) => {
  it.effect("hands a source what a message has, at its address with any tag and in any case", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const source = yield* http.created("/v1/sources", { component_code: onMail })
      const address = addressOf(source)
      assert.match(address, /^[0-9a-z]{24}@mail\.example\.com$/)
      const to = address.replace("@", "+Orders@")
      const reply = yield* send({
        to: `Shop <${to.toUpperCase()}>`,
        subject: "Grüße",
        text: "an order",
        html: "<b>an order</b>",
        attachments: [{ filename: "a.bin", content: Buffer.from([0, 255, 1]) }]
      })
      assert.match(reply, /^250/)
      const [summary] = yield* http.summaries(`/v1/sources/${source.id}/event_summaries?expand=event`, 1)
      const { event, address: own } = summary!["event"]!["raw_event"] as Record<string, Json.Json>
      assert.strictEqual(Json.textOf(own!), address)
      Json.assertHolds(event!["body"]!, { text: "an order", html: "<b>an order</b>" })
      const headers = event!["headers"]!
      assert.strictEqual(Json.textOf(headers["subject"]), "Grüße")
      assert.include(Json.textOf(headers["from"]!["text"]), "Ann")
      Json.assertHolds(headers["from"]!["value"]![0]!, { name: "Ann", address: "ann@example.com" })
      assert.strictEqual(Json.listOf(headers["to"]!["value"]).length, 1)
      Json.assertHolds(event!["attachments"]![0]!, {
        filename: "a.bin",
        size: 3,
        content: Buffer.from([0, 255, 1]).toString("base64"),
        contentTruncated: false
      })
      assert.strictEqual(Json.textOf(event!["envelope"]!["tag"]).toLowerCase(), "orders")
      const url = Json.textOf(event!["attachments"]![0]!["contentUrl"])
      const found = yield* http.request("GET", url.slice(Http.publicUrl.length), { key: null })
      assert.deepStrictEqual([found.status, found.headers.get("content-length")], [200, "3"])
    }))

  it.effect("begins a run of a workflow with each message", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const workflow = yield* http.created("/v1/workflows", {
        workflow_code: `export default {
          props: { mail: "$.interface.email" },
          run({ steps, $ }) {
            $.emit([steps.trigger.context.source_type, steps.trigger.event.headers.subject])
          }
        }`
      })
      assert.match(yield* send({ to: addressOf(workflow), subject: "one", text: "x" }), /^250/)
      const [summary] = yield* http.summaries(`/v1/workflows/${workflow.id}/event_summaries?expand=event`, 1)
      assert.strictEqual(JSON.stringify(summary!["event"]!["raw_event"]), `["EMAIL","one"]`)
    }))

  it.effect("refuses what it can't keep: other addresses, a second recipient, and what is too large", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const source = yield* http.created("/v1/sources", { component_code: onMail })
      const other = yield* http.created("/v1/sources", { component_code: Http.httpCode("this.$emit(event)") })
      const address = addressOf(source)
      const keyOf = Http.endpointOf(other).split("/").at(-1)!
      assert.match(yield* send({ to: `nobody@${Http.mailDomain}`, text: "x" }), /^550/)
      assert.match(yield* send({ to: address.replace(/@.*/, "@example.org"), text: "x" }), /^550/)
      assert.match(yield* send({ to: `${keyOf}@${Http.mailDomain}`, text: "x" }), /^550/)
      assert.match(yield* send({ to: address, text: "x".repeat(30_000) }), /^552/)
      const controls = { text: "\u0001".repeat(10_000), textEncoding: "base64" as const }
      assert.match(yield* send({ to: address, ...controls }), /^552/)
      const refused = yield* http.request("POST", `/http/${address.split("@")[0]}`, { key: null, raw: "x" })
      Http.assertProblem(refused, 404, "not_found")
      yield* http.request("PUT", `/v1/sources/${source.id}`, { body: { active: false } })
      assert.match(yield* send({ to: address, text: "x" }), /^550/)
    }))

  it.effect("makes no text of much HTML, which would take the time of everybody", () =>
    Effect.gen(function*() {
      for (const [html, text] of [["<b>x</b>", "x"], [`<b>${"x".repeat(70_000)}</b>`, ""]] as const) {
        const message = Buffer.from(`Content-Type: text/html\r\n\r\n${html}\r\n`)
        const event = Json.parse(
          yield* MailEvent.parse(message, { from: "a", to: "b", tag: null }, () => Effect.succeed(null))
        )
        assert.strictEqual(Json.textOf(event["body"]!["text"]), text)
        assert.strictEqual(Json.textOf(event["body"]!["html"]).trim(), html)
      }
    }))

  it.effect("holds room for a message, as for the body of a request", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const source = yield* http.created("/v1/sources", { component_code: onMail })
      assert.match(yield* send({ to: addressOf(source), text: "x" }), /^250/)
      const own = held.filter(({ accountId }) => accountId === http.accountId)
      assert.strictEqual(own.length, 1)
      assert.isAtLeast(own[0]!.bytes, 1_000)
      assert.isAtMost(own[0]!.bytes, 20_000)
    }))
})
