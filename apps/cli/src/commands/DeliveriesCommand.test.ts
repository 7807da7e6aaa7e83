import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Effect, Schedule } from "effect"
import * as Files from "../../test/Files.ts"
import * as HeadwaterCommand from "../../test/HeadwaterCommand.ts"
import * as HeardSource from "../../test/HeardSource.ts"
import { RunningServer } from "../../test/RunningServer.ts"

const files = {
  "orders.mjs": `export default {
    name: "Orders",
    props: { http: "$.interface.http" },
    run(event) { this.$emit(event.body) }
  }`
}

layer(RunningServer.layer, { excludeTestServices: true, timeout: "120 seconds" })("headwater deliveries", (it) => {
  it.effect(
    "lists what did not arrive, and shows why",
    () =>
      Effect.gen(function*() {
        const { headwater, server } = yield* RunningServer
        const folder = yield* Files.make(files)
        const source = HeadwaterCommand.jsonOf(yield* headwater(folder, "deploy", "orders.mjs", "--json"))
        // The escape would colour the terminal of who reads it.
        const answers = [{ status: 500, body: "no \u001b[31mtables" }, { status: 200 }]
        const listeners = yield* Effect.forEach(answers, (answer) =>
          Effect.gen(function*() {
            const sink = yield* WebhookSink.make(() => answer)
            const { data } = yield* server.api("POST", "/webhooks", { url: sink.url })
            const listener_id = Json.textOf(data!["id"])
            yield* server.api("POST", "/subscriptions", { emitter_id: Json.textOf(source["id"]), listener_id })
            return listener_id
          }))
        const list = (...args: ReadonlyArray<string>) =>
          Effect.map(
            headwater(folder, "deliveries", "list", "--json", ...args),
            (ended) => Json.listOf(HeadwaterCommand.jsonOf(ended))
          )
        const url = Json.textOf(source["endpoint_url"])
        yield* Effect.promise(() => fetch(url, { method: "POST", body: "{}" }))
        const all = yield* list().pipe(
          Effect.repeat({ until: (found) => found.length === 2, schedule: Schedule.spaced("50 millis") }),
          Effect.timeout("60 seconds")
        )
        const idOf = (deliveries: ReadonlyArray<Json.Json>) => deliveries.map(({ id }) => Json.textOf(id))
        assert.deepStrictEqual(idOf(yield* list("--sort", "oldest")), idOf(all).toReversed())
        const failed = all.find((delivery) => Json.textOf(delivery["webhook_id"]) === listeners[0])
        const arrived = all.filter((delivery) => delivery !== failed)
        assert.deepStrictEqual(idOf(yield* list("--state", "delivered", "--since", "1h")), idOf(arrived))
        const filters = [
          "--status",
          "5xx",
          "--webhook",
          listeners[0]!,
          "--until",
          "2999-01-01",
          "--last-attempt-since",
          "1h"
        ]
        assert.deepStrictEqual(idOf(yield* list(...filters)), idOf([failed!]))
        assert.deepStrictEqual(idOf(yield* list("--limit", "1")), idOf(all.slice(0, 1)))
        const id = Json.textOf(failed!["id"])
        const table = yield* headwater(folder, "deliveries", "list", "--error", "status")
        assert.match(table.stdout, new RegExp(`^ID +STATE .*\\n${id} +pending +\\d +500 `))
        const shown = yield* headwater(folder, "deliveries", "show", id)
        assert.match(shown.stdout, /\nNext attempt +\S+ \S+ UTC \(schedule\)\n/)
        assert.match(shown.stdout, /\nAttempt 1 .* the endpoint answered 500\n {2}127\.0\.0\.1: .*total \d+ ms\n/)
        assert.match(shown.stdout, /\n {4}webhook-signature: v1,/)
        assert.match(shown.stdout, /\n {4}no \ufffd\[31mtables\n/)
        const eventId = Json.textOf(failed!["event_id"])
        const why = yield* headwater(folder, "why", eventId, "--emitter", Json.textOf(source["id"]))
        assert.match(
          why.stdout,
          new RegExp(
            `^- request to Orders .* UTC\n  - run of Orders .*: ended\n    \\* event ${eventId} of Orders .*\n` +
              "(?=(?:.*\n)?      - delivery to wh_.*: pending, attempt \\d+: the endpoint answered 500, next .* UTC, dlv_)"
          )
        )
        assert.match(why.stdout, /\n {6}- delivery to wh_.*: delivered, attempt 1: 200, dlv_/)
        HeadwaterCommand.assertRefused(yield* headwater(folder, "why", "1-0"), /no event "1-0"/)
        const mistaken = yield* headwater(folder, "why", id)
        assert.strictEqual(mistaken.code, 2)
        assert.match(mistaken.stderr, /<event>: "dlv_\w+". Expected an event id such as 1760000120000-0/)
        HeadwaterCommand.assertRefused(yield* headwater(folder, "deliveries", "show", "dlv_0"), /no delivery "dlv_0"/)
        HeadwaterCommand.assertRefused(
          yield* headwater(folder, "deliveries", "list", "--since", "soon"),
          /--since is not a time: "soon"/
        )
      }),
    HeadwaterCommand.patienceMs
  )

  it.effect(
    "attempts a delivery once more, and drops one",
    () =>
      Effect.gen(function*() {
        const { headwater, json, post, received, webhookId } = yield* HeardSource.make((count) => ({
          status: count < 2 ? 500 : 200
        }))
        const waiting = json("deliveries", "list", "--webhook", webhookId, "--state", "pending")
        for (const n of [1, 2]) yield* post(n)
        const pending = yield* HeardSource.until(waiting, (said) => Json.listOf(said).length === 2)
        const [second, first] = Json.listOf(pending).map(({ id }) => Json.textOf(id))
        const skipped = yield* headwater("deliveries", "skip", second!)
        assert.match(skipped.stdout, new RegExp(`^Delivery +${second}\\nState +dropped\\nNext attempt +none\\n$`))
        HeadwaterCommand.assertRefused(yield* headwater("deliveries", "skip", second!), /this one is dropped/)
        const retried = yield* headwater("deliveries", "retry", first!)
        assert.match(retried.stdout, new RegExp(`^Delivery +${first}\\nState +`))
        assert.deepStrictEqual((yield* received(3)).slice(2), ["{\"n\":1}"])
        assert.strictEqual((yield* headwater("deliveries", "retry", second!)).code, 0)
        assert.deepStrictEqual((yield* received(4)).slice(3), ["{\"n\":2}"])
      }),
    HeadwaterCommand.patienceMs
  )
})
