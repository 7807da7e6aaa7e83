import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Context, Effect, Fiber, Layer, Schedule } from "effect"
import { Webhook } from "standardwebhooks"
import * as HeadwaterCommand from "../apps/cli/test/HeadwaterCommand.ts"
import * as Gate from "./Gate.ts"
import * as OperatorAccount from "./OperatorAccount.ts"
import * as ServerProcess from "./ServerProcess.ts"

/** One real server, as users start it, which the tests kill at will. */
class Server extends Context.Service<Server, ServerProcess.ServerProcess>()("headwater/test/Promises/Server") {
  static readonly layer = Layer.effect(Server, Effect.tap(ServerProcess.make, ({ start }) => start))
}

interface Deployed {
  readonly id: string
  readonly endpoint: string
}

const deploy = Effect.fnUntraced(function*(code: string) {
  const { data } = yield* (yield* Server).api("POST", "/sources", { component_code: code })
  const endpoint = data!["configured_props"]?.["http"]?.["endpoint_url"]
  return { id: Json.textOf(data!["id"]), endpoint: endpoint === undefined ? "" : Json.textOf(endpoint) }
})

/** Emits the body of each request. */
const relay = `export default {
  props: { http: "$.interface.http" },
  run(event) { this.$emit(event.body) }
}`

/** Sends a request until it is acknowledged: a client that got no answer does not know, and tries again. */
const post = ({ endpoint }: Deployed, body: unknown) =>
  Effect.tryPromise({
    try: () =>
      fetch(endpoint, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body)
      }),
    catch: () => "not answered"
  }).pipe(
    Effect.filterOrFail((response) => response.ok, () => "not acknowledged"),
    Effect.retry({ schedule: Schedule.spaced("50 millis"), times: 600 })
  )

const subscribe = Effect.fnUntraced(function*(emitterId: string, listenerId: string) {
  yield* (yield* Server).api("POST", `/subscriptions?emitter_id=${emitterId}&listener_id=${listenerId}`)
})

/** A webhook that hears an emitter. */
const hears = Effect.fnUntraced(
  function*(emitterId: string, answer?: Parameters<typeof WebhookSink.make>[0], settings: object = {}) {
    const { api } = yield* Server
    const sink = yield* WebhookSink.make(answer)
    const { data } = yield* api("POST", "/webhooks", { url: sink.url, ...settings })
    const id = Json.textOf(data!["id"])
    yield* subscribe(emitterId, id)
    return { id, sink }
  }
)

const until = (holds: () => boolean) =>
  Effect.sync(holds).pipe(
    Effect.repeat({ until: (done) => done, schedule: Schedule.spaced("20 millis") }),
    Effect.timeout("50 seconds")
  )

/** The events of an emitter's default stream once there are so many, the oldest first. */
const events = Effect.fnUntraced(function*(emitterId: string, count: number) {
  const { api } = yield* Server
  const read = Effect.map(
    api(
      "GET",
      `/${emitterId.startsWith("p_") ? "workflows" : "sources"}/${emitterId}/event_summaries?expand=event&limit=100`
    ),
    ({ data }) => Json.listOf(data).map(({ event }) => event!["raw_event"] as unknown).toReversed()
  )
  return yield* read.pipe(
    Effect.repeat({ until: (found) => found.length >= count, schedule: Schedule.spaced("50 millis") }),
    Effect.timeout("50 seconds")
  )
})

/** Kills the server without a word, and starts it again. */
const disaster = Effect.andThen(
  Effect.flatMap(Server, ({ kill }) => kill),
  Effect.flatMap(Server, ({ start }) => start)
)

const bodies = ({ received }: WebhookSink.WebhookSink): ReadonlyArray<unknown> =>
  received.map(({ body }) => JSON.parse(body))

const eventIdOf = ({ headers }: WebhookSink.Received) => headers["x-headwater-event-id"]!

/** Requests that are acknowledged and not run, for as long as a gate is closed. */
const waiting = Effect.gen(function*() {
  const gate = yield* Gate.make
  const source = yield* deploy(gate.emitter)
  yield* Effect.forEach([1, 2, 3, 4], (order) => post(source, { order }))
  return { gate, source }
})

/** A page of a consumer that is not committed. */
const uncommitted = Effect.gen(function*() {
  const { api } = yield* Server
  const source = yield* deploy(relay)
  const { data } = yield* api("POST", "/consumers", { emitter_id: source.id, start: "beginning" })
  const path = `/consumers/${Json.textOf(data!["id"])}`
  for (const n of [1, 2, 3]) yield* post(source, { n })
  yield* events(source.id, 3)
  const read = (query: string) => api("GET", `${path}/events?wait=10&${query}`)
  return { source, path, read, first: yield* read("max=2") }
})

/** A source that has emitted an id, which it emits once. */
const unique = Effect.gen(function*() {
  const source = yield* deploy(`export default {
    dedupe: "unique",
    props: { http: "$.interface.http" },
    run({ body }) { this.$emit(body, { id: body.id }) }
  }`)
  for (const n of [1, 2]) yield* post(source, { id: "a", n })
  yield* events(source.id, 1)
  return source
})

/** Runs that wait for their URLs to be called. */
const suspended = Effect.gen(function*() {
  const { api } = yield* Server
  const { data } = yield* api("POST", "/workflows", {
    concurrency: 10,
    workflow_code: `export default { steps: {
      ask: { run({ $ }) { $.emit($.flow.suspend().resume_url) } },
      tell: { run({ steps, $ }) { $.emit({ order: steps.trigger.event, said: steps.ask.$resume_data.body }) } }
    } }`
  })
  const id = Json.textOf(data!["id"])
  const orders = [0, 1, 2, 3, 4, 5]
  for (const order of orders) yield* api("POST", `/workflows/${id}/invocations`, { event: order })
  const urls = (yield* events(id, orders.length)).map(String)
  const call = (url: string) =>
    Effect.tryPromise(async () => (await fetch(url, { method: "POST", body: "yes" })).status).pipe(
      Effect.filterOrFail((status) => status === 200 || status === 404),
      Effect.retry({ schedule: Schedule.spaced("50 millis"), times: 600 })
    )
  return { id, orders, callAll: Effect.forEach(urls, call, { concurrency: "unbounded" }) }
})

/** A run that stands between two steps. */
const halfway = Effect.gen(function*() {
  const { api } = yield* Server
  const sink = yield* WebhookSink.make()
  const { data } = yield* api("POST", "/workflows", {
    workflow_code: `export default {
      steps: {
        begin: { run({ steps, $ }) {
          $.emit({ begun: steps.trigger.event.order })
          $.flow.delay(3_000)
          return 7
        } },
        end: { async run({ steps, $ }) {
          await fetch("${sink.url}")
          $.emit({ ended: steps.begin.$return_value })
        } }
      }
    }`
  })
  const id = Json.textOf(data!["id"])
  yield* api("POST", `/workflows/${id}/invocations`, { event: { order: 3 } })
  yield* events(id, 1)
  assert.lengthOf(sink.received, 0)
  return { id, sink }
})

const killed = Effect.gen(function*() {
  const found = {
    waiting: yield* waiting,
    uncommitted: yield* uncommitted,
    unique: yield* unique,
    suspended: yield* suspended,
    halfway: yield* halfway
  }
  const calls = yield* Effect.forkChild(found.suspended.callAll)
  yield* disaster
  yield* Fiber.join(calls)
  return found
})

/** What a server stood at when it was killed, once it has started again: to kill it for each would take a minute. */
class Killed extends Context.Service<Killed, Effect.Success<typeof killed>>()("headwater/test/Promises/Killed") {
  static readonly layer = Layer.effect(Killed, killed)
}

const numerically = new Intl.Collator("en", { numeric: true }).compare

layer(Server.layer, { excludeTestServices: true, timeout: "120 seconds" })("a server", (it) => {
  it.effect("loses, doubles and reorders nothing that it acknowledged, through a kill -9 in the middle", () =>
    Effect.gen(function*() {
      const { api } = yield* Server
      const source = yield* deploy(relay)
      // What it has counted and summed is right only if each event changed its state exactly once.
      const ledger = yield* deploy(`export default {
        props: { db: "$.service.db" },
        run({ order }) {
          const count = (this.db.get("count") ?? 0) + 1
          const sum = (this.db.get("sum") ?? 0) + order
          this.db.set("count", count)
          this.db.set("sum", sum)
          this.$emit({ order, count, sum })
        }
      }`)
      const first = yield* hears(source.id)
      const totals = yield* hears(ledger.id)
      yield* subscribe(source.id, ledger.id)
      const orders = Array.from({ length: 120 }, (_, order) => order)
      let acknowledged = 0
      yield* Effect.all([
        Effect.forEach(
          orders,
          (order) => Effect.tap(post(source, { order }), () => Effect.sync(() => acknowledged++)),
          {
            concurrency: 16
          }
        ),
        Effect.andThen(until(() => acknowledged >= 60), disaster)
      ], { concurrency: 2 })
      /** The deliveries without those that repeat an earlier one, in the same words. */
      const distinct = ({ received }: WebhookSink.WebhookSink) => {
        const byId = new Map<string, WebhookSink.Received>()
        for (const delivery of received) {
          const id = delivery.headers["webhook-id"]!
          assert.strictEqual(delivery.body, byId.get(id)?.body ?? delivery.body)
          if (!byId.has(id)) byId.set(id, delivery)
        }
        return [...byId.values()]
      }
      const isComplete = ({ sink }: { readonly sink: WebhookSink.WebhookSink }) =>
        new Set(sink.received.map(({ body }) => JSON.parse(body).order)).size === orders.length
      yield* until(() => isComplete(first) && isComplete(totals))
      for (const { id, sink } of [first, totals]) {
        const { data } = yield* api("GET", `/webhooks/${id}/secret`)
        const verifier = new Webhook(Json.textOf(data!["secret"]))
        for (const { body, headers } of sink.received) verifier.verify(body, headers)
        const ids = distinct(sink).map(eventIdOf)
        assert.deepStrictEqual(ids, ids.toSorted(numerically))
      }
      let sum = 0
      assert.deepStrictEqual(
        distinct(totals.sink).map(({ body }) => JSON.parse(body)),
        distinct(first.sink).map(({ body }, index) => {
          const { order } = JSON.parse(body)
          return { order, count: index + 1, sum: sum += order }
        })
      )
    }))

  it.layer(Killed.layer, { timeout: "120 seconds" })("that was killed", (it) => {
    it.effect("runs what another acknowledged and did not run, though nothing else comes in", () =>
      Effect.gen(function*() {
        const { gate, source } = (yield* Killed).waiting
        assert.deepStrictEqual(yield* events(source.id, 0), [])
        yield* gate.open
        assert.deepStrictEqual(yield* events(source.id, 4), [1, 2, 3, 4])
      }))

    it.effect("goes on with a workflow's run at the step where another stood, and does no step again", () =>
      Effect.gen(function*() {
        const { id, sink } = (yield* Killed).halfway
        assert.deepStrictEqual<unknown>(yield* events(id, 2), [{ begun: 3 }, { ended: 7 }])
        assert.lengthOf(sink.received, 1)
      }))

    it.effect("has a suspended run go on once, however often its URL is called, through a kill -9", () =>
      Effect.gen(function*() {
        const { callAll, id, orders } = (yield* Killed).suspended
        const all = (yield* events(id, 2 * orders.length)).slice(orders.length)
        assert.sameDeepMembers<unknown>([...all], orders.map((order) => ({ order, said: "yes" })))
        assert.deepStrictEqual(yield* callAll, orders.map(() => 404))
      }))

    it.effect("gives a consumer the same events until they are committed, and no others before", () =>
      Effect.gen(function*() {
        const { api } = yield* Server
        const { first, path, read, source } = (yield* Killed).uncommitted
        const eventsOf = (page: Json.Json) =>
          Json.listOf(page["data"]).map(({ event }) => event!["raw_event"] as unknown)
        assert.deepStrictEqual<unknown>(eventsOf(first), [{ n: 1 }, { n: 2 }])
        const lease = Json.textOf(first["lease"]!["id"])
        const again = yield* read(`max=2&lease=${lease}`)
        assert.deepStrictEqual(eventsOf(again), eventsOf(first))
        const last = Json.listOf(again["data"]).at(-1)!
        yield* api("POST", `${path}/commit`, { lease, positions: { [source.id]: last["id"] } })
        assert.deepStrictEqual<unknown>(eventsOf(yield* read(`max=2&lease=${lease}`)), [{ n: 3 }])
      }))

    it.effect("emits an id once where a source asks for it, also after a kill", () =>
      Effect.gen(function*() {
        const source = (yield* Killed).unique
        yield* post(source, { id: "a", n: 3 })
        yield* post(source, { id: "b", n: 4 })
        assert.deepStrictEqual<unknown>(yield* events(source.id, 2), [{ id: "a", n: 1 }, { id: "b", n: 4 }])
      }))
  })

  it.effect("sends an event again that failed, in the same words under the same id, and then no more", () =>
    Effect.gen(function*() {
      const source = yield* deploy(relay)
      const { sink } = yield* hears(source.id, (count) => ({ status: count === 0 ? 500 : 200 }), {
        retry_schedule: [1]
      })
      yield* post(source, { n: 1 })
      yield* until(() => sink.received.length === 2)
      yield* post(source, { n: 2 })
      yield* until(() => sink.received.length === 3)
      assert.deepStrictEqual(bodies(sink), [{ n: 1 }, { n: 1 }, { n: 2 }])
      const [first, again, next] = sink.received.map(({ headers }) => headers["webhook-id"])
      assert.strictEqual(again, first)
      assert.notStrictEqual(next, first)
    }))

  it.effect("holds what is behind a failure for a webhook that wants a strict order", () =>
    Effect.gen(function*() {
      const source = yield* deploy(relay)
      const settings = { ordering: "strict", retry_schedule: [1] }
      const { sink } = yield* hears(source.id, (count) => ({ status: count === 0 ? 500 : 200 }), settings)
      for (const n of [1, 2, 3]) yield* post(source, { n })
      yield* until(() => sink.received.length === 4)
      assert.deepStrictEqual(bodies(sink), [{ n: 1 }, { n: 1 }, { n: 2 }, { n: 3 }])
    }))

  it.effect("sends events as lists, each list once", () =>
    Effect.gen(function*() {
      const { api } = yield* Server
      const source = yield* deploy(relay)
      const sink = yield* WebhookSink.make()
      const { data } = yield* api("POST", "/webhooks", { url: sink.url })
      yield* api("POST", "/subscriptions", {
        emitter_id: source.id,
        listener_id: data!["id"],
        batch: { max_events: 3, max_wait_ms: 60_000 }
      })
      for (const n of [1, 2, 3, 4, 5, 6]) yield* post(source, n)
      yield* until(() => sink.received.length === 2)
      assert.deepStrictEqual(bodies(sink), [[1, 2, 3], [4, 5, 6]])
    }))

  it.effect("replays a log from any event on", () =>
    Effect.gen(function*() {
      const { api } = yield* Server
      const source = yield* deploy(relay)
      const { id, sink } = yield* hears(source.id)
      for (const n of [1, 2, 3]) yield* post(source, { n })
      yield* until(() => sink.received.length === 3)
      yield* api("POST", `/webhooks/${id}/replay`, { emitter_id: source.id, from: eventIdOf(sink.received[1]!) })
      yield* until(() => sink.received.length === 5)
      assert.deepStrictEqual(bodies(sink), [{ n: 1 }, { n: 2 }, { n: 3 }, { n: 2 }, { n: 3 }])
    }))

  it.effect("delivers nothing that was deleted while it waited", () =>
    Effect.gen(function*() {
      const { api } = yield* Server
      const source = yield* deploy(relay)
      const { id, sink } = yield* hears(source.id)
      yield* api("POST", `/webhooks/${id}/pause`)
      for (const n of [1, 2]) yield* post(source, { n })
      yield* events(source.id, 2)
      yield* api("DELETE", `/sources/${source.id}/events`)
      yield* post(source, { n: 3 })
      yield* api("POST", `/webhooks/${id}/resume`)
      yield* until(() => sink.received.length > 0)
      assert.deepStrictEqual(bodies(sink), [{ n: 3 }])
    }))

  it.effect("ends a loop of sources after 16 hops", () =>
    Effect.gen(function*() {
      const source = yield* deploy(`export default {
        props: { http: "$.interface.http" },
        run(event) { this.$emit({ n: (event.body ?? event).n + 1 }) }
      }`)
      yield* subscribe(source.id, source.id)
      yield* post(source, { n: 0 })
      const counted = yield* events(source.id, 16)
      assert.deepStrictEqual<unknown>(counted.at(-1), { n: 16 })
      yield* post(source, { n: 100 })
      assert.deepStrictEqual<unknown>((yield* events(source.id, 32)).at(-1), { n: 116 })
    }))

  it.effect("keeps what is endless, slow or dead from holding up anything else", () =>
    Effect.gen(function*() {
      const spinning = yield* deploy(
        `export default { props: { http: "$.interface.http" }, run() { for (;;); } }`
      )
      const source = yield* deploy(relay)
      const silent = yield* hears(source.id, () => undefined)
      const { sink } = yield* hears(source.id)
      yield* post(spinning, {})
      for (const n of [1, 2, 3]) yield* post(source, { n })
      yield* until(() => sink.received.length === 3 && silent.sink.received.length > 0)
      assert.deepStrictEqual(bodies(sink), [{ n: 1 }, { n: 2 }, { n: 3 }])
    }))

  it.effect("refuses what is too large before it is read, with an error that says so", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* deploy(relay)
      const { status } = yield* Effect.promise(() => fetch(endpoint, { method: "POST", body: "x".repeat(1_000_000) }))
      assert.strictEqual(status, 413)
    }))

  it.effect("shows an account nothing of another's", () =>
    Effect.gen(function*() {
      const { apiAs, dataDirectory } = yield* Server
      const { id } = yield* deploy(relay)
      const other = yield* OperatorAccount.create(dataDirectory, { username: "other", plan: "free" })
      for (const [method, path] of [["GET", ""], ["GET", "/event_summaries"], ["DELETE", ""]] as const) {
        const { message } = yield* Effect.flip(apiAs(other.key)(method, `/sources/${id}${path}`))
        assert.include(message, " 404 ")
      }
      const { data } = yield* apiAs(other.key)("GET", "/users/me/sources")
      assert.deepStrictEqual(Json.listOf(data), [])
    }))

  it.effect("accounts for every event in the end, and says so to headwater check", () =>
    Effect.gen(function*() {
      const { dataDirectory } = yield* Server
      const { code, stdout } = yield* HeadwaterCommand.run(["check"], { HEADWATER_DATA_DIR: dataDirectory })
      assert.strictEqual(code, 0, stdout)
    }))
})
