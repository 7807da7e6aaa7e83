import { assert, layer } from "@effect/vitest"
import * as MailServer from "@headwater/engine/MailServer"
import * as Json from "@headwater/fixtures/Json"
import * as MailSink from "@headwater/fixtures/MailSink"
import { Context, Effect, Layer, Redacted, Schedule } from "effect"
import * as Http from "../../../test/HttpAppFixture.ts"

class Sink extends Context.Service<Sink, MailSink.MailSink>()("SentMailSink") {
  /** It refuses the first message for now, and the second one for good. */
  static readonly layer = Layer.effect(
    Sink,
    MailSink.make((count) =>
      count === 0
        ? { code: 451, message: "try again later" }
        : count === 1
        ? { code: 550, message: "no such mailbox" }
        : undefined
    )
  )
}

const mail = Layer.unwrap(
  Effect.map(
    Sink,
    ({ url }) => MailServer.layer({ url: Redacted.make(url), from: "Headwater <headwater@example.com>" })
  )
)

const live = Http.layer.pipe(Layer.provide(mail), Layer.provideMerge(Sink.layer))

const sending = `export default {
  run({ steps, $ }) {
    $.send.email(steps.trigger.event)
  }
}`

const failing = `export default {
  name: "Charge",
  steps: { check: { run({ steps }) { throw new RangeError("no total of " + steps.trigger.event) } } }
}`

layer(live, { excludeTestServices: true })("$.send.email", (it) => {
  it.effect("reaches the account's owner through the operator's SMTP server, and is tried again until it is taken or refused", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const { received } = yield* Sink
      const workflow = yield* http.created("/v1/workflows", { workflow_code: sending })
      const invoke = (event: unknown) =>
        http.request("POST", `/v1/workflows/${workflow.id}/invocations`, { body: { event } })
      const deliveries = (state: string) =>
        http.request("GET", `/v1/deliveries?state=${state}`).pipe(
          Effect.map(({ json }) => Json.listOf(json["data"])),
          Effect.repeat({ until: (found) => found.length > 0, schedule: Schedule.spaced("20 millis") }),
          Effect.timeout("30 seconds")
        )
      yield* invoke({ subject: "first", text: "Grüße", html: "<b>Grüße</b>" })
      const [waiting] = yield* deliveries("pending").pipe(
        Effect.repeat({
          until: ([first]) => first?.["last_attempt"] !== null && first !== undefined,
          schedule: Schedule.spaced("20 millis")
        }),
        Effect.timeout("30 seconds")
      )
      yield* invoke({ subject: "second" })
      const [refused] = yield* deliveries("exhausted")
      assert.include(JSON.stringify(refused), "550")
      yield* http.request("POST", `/v1/deliveries/${Json.textOf(waiting!["id"])}/retry`)
      yield* deliveries("delivered")
      assert.strictEqual(received.length, 1)
      const { from, mail, to } = received[0]!
      assert.deepStrictEqual([from, to], ["headwater@example.com", ["ann@example.com"]])
      assert.deepStrictEqual([mail.subject, mail.text?.trim(), mail.html], ["first", "Grüße", "<b>Grüße</b>"])
    }))

  it.effect("tells the owner of a workflow that fails, of each error once a day", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const { received } = yield* Sink
      const workflow = yield* http.created("/v1/workflows", { workflow_code: failing })
      const before = received.length
      const invoke = (event: unknown) =>
        http.request("POST", `/v1/workflows/${workflow.id}/invocations`, { body: { event } })
      for (const order of [17, 17, 18, 17]) yield* invoke(order)
      yield* http.summaries(`/v1/workflows/${workflow.id}/$errors/event_summaries`, 4)
      yield* Effect.sync(() => received.length).pipe(
        Effect.repeat({ until: (count) => count >= before + 2, schedule: Schedule.spaced("20 millis") }),
        Effect.timeout("30 seconds")
      )
      const sends = yield* http.summaries(`/v1/workflows/${workflow.id}/event_summaries?event_name=$sends`, 2)
      assert.strictEqual(sends.length, 2)
      const mails = received.slice(before).map((
        { mail, to }
      ) => [to[0], mail.subject, /no total of \d+/.exec(mail.text ?? "")?.[0]])
      assert.sameDeepMembers(mails, [
        ["ann@example.com", "The workflow charge failed: RangeError", "no total of 17"],
        ["ann@example.com", "The workflow charge failed: RangeError", "no total of 18"]
      ])
    }))

  it.effect("tells of no more than 20 errors of a workflow in a day, and says which is the last", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const workflow = yield* http.created("/v1/workflows", { workflow_code: failing })
      for (let order = 1; order <= 25; order++) {
        yield* http.request("POST", `/v1/workflows/${workflow.id}/invocations`, { body: { event: order } })
      }
      yield* http.summaries(`/v1/workflows/${workflow.id}/$errors/event_summaries?limit=100`, 25)
      const sends = `/v1/workflows/${workflow.id}/event_summaries?event_name=$sends&expand=event&limit=100`
      const summaries = yield* http.summaries(sends, 20)
      assert.strictEqual(summaries.length, 20)
      assert.strictEqual(summaries.filter((summary) => JSON.stringify(summary).includes("the last of 20")).length, 1)
    }))
})
