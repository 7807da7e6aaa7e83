import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import * as CommandInProcess from "../../test/CommandInProcess.ts"
import * as HeadwaterCommand from "../../test/HeadwaterCommand.ts"
import { RunningServer } from "../../test/RunningServer.ts"

layer(RunningServer.layer, { excludeTestServices: true, timeout: "120 seconds" })("headwater demo", (it) => {
  it.effect(
    "shows an event on its way through a source to a signed webhook, and makes nothing twice",
    () =>
      Effect.gen(function*() {
        const { environment, headwater, server } = yield* RunningServer
        const first = yield* headwater("/tmp", "demo")
        assert.strictEqual(first.code, 0, first.stderr)
        assert.match(
          first.stdout,
          /^Received {3}\{"order":17,"total":42\.5\} at the webhook, \d+ ms later, signature valid$/m
        )
        const again = HeadwaterCommand.jsonOf(yield* headwater("/tmp", "demo", "--json"))
        Json.assertHolds(again, { valid: true })
        const event = Json.textOf(again["event_id"])
        const source = Json.textOf(again["source_id"])
        assert.include(Json.textOf(again["page"]), `/console/events/${source}/${event}`)
        for (const path of ["/users/me/webhooks", "/users/me/sources"]) {
          const { data } = yield* server.api("GET", path)
          assert.lengthOf(Json.listOf(data).filter(({ name }) => Json.textOf(name) === "demo"), 1, path)
        }
        const elsewhere = { ...environment, HEADWATER_URL: "https://events.example.com" }
        HeadwaterCommand.assertRefused(
          yield* CommandInProcess.run(["demo"], { env: elsewhere }),
          /events\.example\.com is another machine.*headwater listen/
        )
      }),
    HeadwaterCommand.patienceMs
  )

  it.effect(
    "changes no source and no webhook of its name that others have made",
    () =>
      Effect.gen(function*() {
        const { headwater, server } = yield* RunningServer
        yield* headwater("/tmp", "sources", "delete", "demo")
        yield* headwater("/tmp", "webhooks", "delete", "demo")
        const url = "http://127.0.0.1:9/orders"
        const hook = yield* server.api("POST", "/webhooks", { name: "demo", url })
        const shown = yield* headwater("/tmp", "demo")
        assert.strictEqual(shown.code, 0, shown.stderr)
        const { data } = yield* server.api("GET", `/webhooks/${Json.textOf(hook.data!["id"])}`)
        assert.strictEqual(Json.textOf(data!["url"]), url)
        yield* headwater("/tmp", "sources", "delete", "demo")
        const component_code = `export default { name: "Orders", run() {} }`
        yield* server.api("POST", "/sources", { name: "demo", component_code })
        HeadwaterCommand.assertRefused(yield* headwater("/tmp", "demo"), /is not that of the demo/)
      }),
    HeadwaterCommand.patienceMs
  )
})
