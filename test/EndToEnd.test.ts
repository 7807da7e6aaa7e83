import { assert, it } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Effect, Ref, Schedule } from "effect"
import { Webhook } from "standardwebhooks"
import * as Gate from "./Gate.ts"
import * as ServerProcess from "./ServerProcess.ts"

const emitter = `
export default {
  name: "Orders",
  props: { http: "$.interface.http" },
  async run(event) {
    this.$emit({ order: event.body.order })
  }
}`

// What it has counted and summed is right only if each event changed its state exactly once.
const ledger = `
export default {
  name: "Ledger",
  props: { db: "$.service.db" },
  async run(event) {
    const count = (this.db.get("count") ?? 0) + 1
    const sum = (this.db.get("sum") ?? 0) + event.order
    this.db.set("count", count)
    this.db.set("sum", sum)
    this.$emit({ order: event.order, count, sum })
  }
}`

const requests = 1_000

const eventId = (received: WebhookSink.Received): bigint => {
  const [ms, seq] = String(received.headers["x-headwater-event-id"]).split("-")
  return (BigInt(ms!) << 20n) | BigInt(seq!)
}

/** The deliveries without their duplicates, each of which must repeat the id and the body of an earlier one. */
const distinct = (received: ReadonlyArray<WebhookSink.Received>): ReadonlyArray<WebhookSink.Received> => {
  const first = new Map<string, WebhookSink.Received>()
  for (const delivery of received) {
    const id = String(delivery.headers["webhook-id"])
    const known = first.get(id)
    if (known === undefined) {
      first.set(id, delivery)
      continue
    }
    assert.strictEqual(delivery.body, known.body)
    assert.strictEqual(eventId(delivery), eventId(known))
  }
  assert.strictEqual(new Set([...first.values()].map(eventId)).size, first.size, "one event came under two webhook-ids")
  return [...first.values()]
}

const assertInLogOrder = (received: ReadonlyArray<WebhookSink.Received>) => {
  const ids = received.map(eventId)
  assert.deepStrictEqual(ids, ids.toSorted((a, b) => a < b ? -1 : a > b ? 1 : 0))
}

const orderOf = (received: WebhookSink.Received): number => JSON.parse(received.body).order

it.live(
  "every acknowledged request reaches every listener in order, through a kill -9 in the middle",
  () =>
    Effect.gen(function*() {
      const server = yield* ServerProcess.make
      yield* server.start
      const { api } = server

      const deploy = Effect.fnUntraced(function*(code: string) {
        const component = yield* api("POST", "/components", { component_code: code })
        return (yield* api("POST", "/sources", { component_id: component["data"]!["id"] }))["data"]!
      })
      const source = yield* deploy(emitter)
      const listener = yield* deploy(ledger)
      const endpoint = Json.textOf(source["configured_props"]!["http"]!["endpoint_url"])

      const subscribe = (emitter: Json.Json, listener: Json.Json) =>
        api(
          "POST",
          `/subscriptions?emitter_id=${Json.textOf(emitter["id"])}&listener_id=${Json.textOf(listener["id"])}`
        )
      const sinkFor = Effect.fnUntraced(function*(emitter: Json.Json) {
        const sink = yield* WebhookSink.make()
        const webhook = (yield* api("POST", `/webhooks?url=${encodeURIComponent(sink.url)}`))["data"]!
        yield* subscribe(emitter, webhook)
        const { data } = yield* api("GET", `/webhooks/${Json.textOf(webhook["id"])}/secret`)
        return { sink, verifier: new Webhook(Json.textOf(data!["secret"])) }
      })
      const first = yield* sinkFor(source)
      const second = yield* sinkFor(source)
      const totals = yield* sinkFor(listener)
      yield* subscribe(source, listener)

      const acknowledged = new Set<number>()
      const half = yield* Ref.make(false)
      const post = (order: number) =>
        Effect.tryPromise({
          try: () =>
            fetch(endpoint, {
              method: "POST",
              headers: { "content-type": "application/json" },
              body: JSON.stringify({ order })
            }),
          catch: () => "not answered"
        }).pipe(
          Effect.filterOrFail((response) => response.ok, () => "not acknowledged"),
          Effect.tap(() => Effect.sync(() => acknowledged.add(order))),
          // A client that got no acknowledgement does not know, and tries again.
          Effect.retry({ schedule: Schedule.spaced("50 millis"), times: 400 })
        )
      const posting = Effect.forEach(
        Array.from({ length: requests }, (_, order) => order),
        (order) =>
          Effect.andThen(
            post(order),
            order >= requests / 2 ? Ref.set(half, true) : Effect.void
          ),
        { concurrency: 16, discard: true }
      )
      const disaster = Ref.get(half).pipe(
        Effect.repeat({ until: (reached) => reached, schedule: Schedule.spaced("1 millis") }),
        Effect.andThen(server.kill),
        Effect.andThen(server.start)
      )
      yield* Effect.all([posting, disaster], { concurrency: "unbounded" })
      assert.strictEqual(acknowledged.size, requests)

      const complete = (received: ReadonlyArray<WebhookSink.Received>) =>
        new Set(received.map(orderOf)).size === requests
      yield* Effect.sync(() => [first, second, totals].every(({ sink }) => complete(sink.received))).pipe(
        Effect.repeat({ until: (done) => done, schedule: Schedule.spaced("50 millis") }),
        Effect.timeoutOrElse({
          duration: "60 seconds",
          orElse: () =>
            Effect.die(
              new Error(
                "not everything arrived: " +
                  [first, second, totals].map(({ sink }) => new Set(sink.received.map(orderOf)).size).join(", ")
              )
            )
        })
      )

      for (const { sink, verifier } of [first, second, totals]) {
        for (const { body, headers } of sink.received) {
          assert.deepStrictEqual(verifier.verify(body, headers), JSON.parse(body))
        }
        assertInLogOrder(distinct(sink.received))
      }
      const orders = distinct(first.sink.received).map(orderOf)
      assert.deepStrictEqual(distinct(second.sink.received).map(orderOf), orders)

      // The ledger met each event of the log once, in its order, and neither counted one twice nor left one out.
      let sum = 0
      const expected = orders.map((order, index) => ({ order, count: index + 1, sum: sum += order }))
      assert.deepStrictEqual(distinct(totals.sink.received).map(({ body }) => JSON.parse(body)), expected)

      assert.strictEqual(yield* server.stop, 0)
    }),
  240_000
)

it.live(
  "what was acknowledged and not run is run by the next server, though nothing else comes in",
  () =>
    Effect.gen(function*() {
      const server = yield* ServerProcess.make
      yield* server.start
      const gate = yield* Gate.make
      const source = (yield* server.api("POST", "/sources", { component_code: gate.emitter }))["data"]!
      const endpoint = Json.textOf(source["configured_props"]!["http"]!["endpoint_url"])
      for (let order = 1; order <= 8; order++) {
        const body = JSON.stringify({ order })
        const headers = { "content-type": "application/json" }
        const { status } = yield* Effect.promise(() => fetch(endpoint, { method: "POST", headers, body }))
        assert.strictEqual(status, 200)
      }
      yield* server.kill
      yield* server.start
      const events = Effect.map(
        server.api("GET", `/sources/${Json.textOf(source["id"])}/event_summaries`),
        ({ page_info }) => Number(page_info!["count"])
      )
      assert.strictEqual(yield* events, 0)
      yield* gate.open
      yield* events.pipe(
        Effect.repeat({ until: (count) => count === 8, schedule: Schedule.spaced("100 millis") }),
        Effect.timeout("60 seconds")
      )
    }),
  120_000
)
