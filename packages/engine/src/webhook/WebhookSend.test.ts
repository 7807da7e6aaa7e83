import { assert, layer } from "@effect/vitest"
import * as Loopback from "@headwater/fixtures/Loopback"
import { Webhooks } from "@headwater/log/resources/Webhooks"
import { Attempts } from "@headwater/log/work/Attempts"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Net from "node:net"
import * as EngineFixture from "../../test/EngineFixture.ts"
import * as WebhookFixture from "../../test/WebhookFixture.ts"
import * as Wake from "../ground/Wake.ts"
import * as SentHeaders from "./SentHeaders.ts"
import { WebhookActor } from "./WebhookActor.ts"

/** An endpoint whose connections answer their first request, and end at the second. */
const breaking = Effect.gen(function*() {
  let requests = 0
  const server = Net.createServer((socket) => {
    let isFirst = true
    socket.on("error", () => {}).on("data", (chunk) => {
      if (!chunk.toString("latin1").startsWith("POST")) return
      requests += 1
      if (isFirst) socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")
      else socket.destroy()
      isFirst = false
    })
  })
  const port = yield* Loopback.listen(server)
  return { url: `http://127.0.0.1:${port}/`, requests: () => requests }
})

layer(EngineFixture.layerNoSandbox, { timeout: "60 seconds", excludeTestServices: true })(
  "the record of an attempt",
  (it) => {
    it.effect("tells of both requests where it took two, and shows that anything is accepted", () =>
      EngineFixture.onTestClock(Effect.gen(function*() {
        const endpoint = yield* breaking
        const { account, log, webhook } = yield* WebhookFixture.make(() => ({ status: 200 }))
        const unchanged = { name: undefined, description: undefined, active: true }
        yield* (yield* Webhooks).update(account.id, webhook.id, { ...unchanged, url: endpoint.url })
        const actor = yield* WebhookActor.make(webhook.id)
        for (const payload of ["1", "2"]) {
          yield* EngineFixture.append(log, [payload])
          yield* actor.wake(Wake.forEverything)
          // The connection is free for the next one a moment later.
          yield* TestClock.withLive(Effect.sleep("50 millis"))
        }
        const attempts = yield* (yield* Attempts).ofWebhook(webhook.id)
        // The clock has not gone on.
        const [first, second] = attempts.toSorted((a, b) => Number(a.eventId - b.eventId))
        assert.deepStrictEqual([first!.outcome, second!.outcome], ["delivered", "delivered"])
        assert.isUndefined(first!.firstRequest)
        assert.deepInclude(second!.firstRequest, { address: "127.0.0.1", errorClass: "reset", connectMs: null })
        assert.strictEqual(endpoint.requests(), 3)
        assert.strictEqual(SentHeaders.shown(second!)!["accept"], "*/*")
      })))
  }
)
