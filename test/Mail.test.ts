import { assert, it } from "@effect/vitest"
import * as FreePort from "@headwater/fixtures/FreePort"
import * as Json from "@headwater/fixtures/Json"
import * as MailSink from "@headwater/fixtures/MailSink"
import { Effect, Schedule } from "effect"
import { createTransport } from "nodemailer"
import * as ServerProcess from "./ServerProcess.ts"

const answering = `export default {
  name: "Answer",
  props: { mail: "$.interface.email" },
  run({ steps, $ }) {
    const { body, headers } = steps.trigger.event
    $.send.email({ subject: "Re: " + headers.subject, text: body.text })
  }
}`

it.live(
  "a server with several workers takes e-mail for a workflow, and sends what that answers with to its owner",
  () =>
    Effect.gen(function*() {
      const sink = yield* MailSink.make()
      const port = yield* FreePort.find
      const server = yield* ServerProcess.make
      yield* server.startWith({
        HEADWATER_WORKERS: "2",
        HEADWATER_SMTP_URL: sink.url,
        HEADWATER_MAIL_FROM: "Headwater <headwater@example.com>",
        HEADWATER_MAIL_PORT: String(port),
        HEADWATER_MAIL_DOMAIN: "in.example.com"
      })
      const response = yield* Effect.promise(() =>
        fetch(`${server.url}/v1/workflows`, {
          method: "POST",
          headers: { authorization: `Bearer ${ServerProcess.key}`, "content-type": "application/json" },
          body: JSON.stringify({ workflow_code: answering })
        })
      )
      const { data } = Json.parse(yield* Effect.promise(() => response.text())) as { data: Json.Json }
      const address = Json.textOf(data["configured_props"]!["mail"]!["address"])
      assert.match(address, /@in\.example\.com$/)
      const transport = createTransport({ host: "127.0.0.1", port, ignoreTLS: true })
      for (const subject of ["one", "two", "three"]) {
        yield* Effect.promise(() =>
          transport.sendMail({ from: "ann@example.com", to: address, subject, text: `about ${subject}` })
        )
      }
      transport.close()
      const subjects = yield* Effect.sync(() => sink.received.map(({ mail }) => mail.subject)).pipe(
        Effect.repeat({ until: (found) => found.length >= 3, schedule: Schedule.spaced("50 millis") }),
        Effect.timeout("30 seconds")
      )
      assert.sameMembers(subjects, ["Re: one", "Re: two", "Re: three"])
      assert.deepStrictEqual(sink.received.map(({ to }) => to[0]), Array.from({ length: 3 }, () => "admin@localhost"))
    }).pipe(Effect.scoped),
  120_000
)
