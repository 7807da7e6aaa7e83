import { assert, layer } from "@effect/vitest"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Effect, Fiber, Schedule } from "effect"
import { Webhook } from "standardwebhooks"
import * as CommandInProcess from "../../test/CommandInProcess.ts"
import * as HeadwaterCommand from "../../test/HeadwaterCommand.ts"
import * as HeardSource from "../../test/HeardSource.ts"
import { RunningServer } from "../../test/RunningServer.ts"

/** They are about the subscription, which there is none of, and what else is sent over the connection. */
const ofOther = /^(x-headwater-(subscription-id|hops)|connection|content-length|host|accept-.*|sec-fetch-mode)$/

const namesOf = ({ headers }: WebhookSink.Received) => Object.keys(headers).filter((name) => !ofOther.test(name)).sort()

const times = ({ received }: WebhookSink.WebhookSink, count: number) =>
  Effect.sync(() => received).pipe(
    Effect.repeat({ until: ({ length }) => length >= count, schedule: Schedule.spaced("20 millis") }),
    Effect.timeout("60 seconds")
  )

layer(RunningServer.layer, { excludeTestServices: true, timeout: "120 seconds" })("headwater listen", (it) => {
  it.effect(
    "sends a program what a webhook is sent, goes on where it was, and sends the last one again",
    () =>
      Effect.gen(function*() {
        const { environment } = yield* RunningServer
        const { headwater, post, received, sink: hook } = yield* HeardSource.make(() => ({ status: 200 }))
        const local = yield* WebhookSink.make((count) =>
          count === 1 ? { status: 500, body: "no such order\n" } : { status: 200 }
        )
        const listen = (...more: ReadonlyArray<string>) =>
          headwater("listen", "--forward-to", local.url, "--source", "Orders", ...more)

        yield* post(1)
        yield* received(1)
        const first = yield* listen("--from", "beginning", "--max", "1")
        assert.strictEqual(first.code, 0, first.stderr)
        assert.match(first.stdout, /^Forwarding to \S+, from beginning\. /)
        const [, secret = ""] = /^Signed with (whsec_\S+)$/m.exec(first.stdout) ?? []
        assert.match(first.stdout, /^\S+ {2}orders {2}default {2}\d+-\d+ {2}200 {2}\d+ ms$/m)
        const [sent] = local.received
        new Webhook(secret).verify(sent!.body, sent!.headers)
        assert.strictEqual(sent!.body, hook.received[0]!.body)
        assert.deepStrictEqual(namesOf(sent!), namesOf(hook.received[0]!))
        for (const name of ["webhook-id", "x-headwater-event-id", "x-headwater-emitter-id", "user-agent"]) {
          assert.strictEqual(sent!.headers[name], hook.received[0]!.headers[name])
        }

        yield* post(2)
        yield* post(3)
        const next = yield* listen("--max", "2")
        assert.include(next.stdout, secret)
        assert.deepStrictEqual(local.received.slice(1).map(({ body }) => body), ["{\"n\":2}", "{\"n\":3}"])
        assert.match(next.stdout, / {2}500 {2}\d+ ms\n {10}no such order\n/)

        let type: (keys: string) => void = () => {}
        const going = yield* Effect.forkScoped(CommandInProcess.run(
          ["listen", "--forward-to", local.url, "--emitter", "orders"],
          { env: environment, typed: "", typing: (typing) => void (type = typing) }
        ))
        yield* post(4)
        yield* times(local, 4)
        type("r")
        const [, , , fourth, again] = yield* times(local, 5)
        yield* Fiber.interrupt(going)
        assert.strictEqual(again!.headers["webhook-id"], fourth!.headers["webhook-id"])
        assert.deepStrictEqual([again!.body, again!.headers["x-headwater-attempt"]], ["{\"n\":4}", "2"])
        HeadwaterCommand.assertRefused(yield* listen("--emitter", "orders"), /leave one out/)
        HeadwaterCommand.assertRefused(yield* headwater("listen", "--forward-to", "localhost:1"), /no.*URL/)
      }).pipe(Effect.scoped),
    HeadwaterCommand.patienceMs
  )
})
