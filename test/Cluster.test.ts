import { assert, layer } from "@effect/vitest"
import * as Id from "@headwater/domain/Id"
import * as Json from "@headwater/fixtures/Json"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Accounts } from "@headwater/log/access/Accounts"
import { Accounting } from "@headwater/log/work/Accounting"
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import * as ClusterLoad from "./ClusterLoad.ts"
import { deploy, environment, node, pathOf, payloadsOf, until } from "./ClusterNodes.ts"
import * as Gate from "./Gate.ts"
import * as ServerProcess from "./ServerProcess.ts"

const answering = `
export default {
  props: { http: { type: "$.interface.http", customResponse: true } },
  run(event) {
    this.http.respond({ status: 201, body: String(event.body.order) })
    this.$emit(event.body.order)
  }
}`

const ticking = `
export default {
  props: { http: "$.interface.http", timer: { type: "$.interface.timer", default: { intervalSeconds: 1 } } },
  run() { this.$emit("tick") }
}`

const twoNodes = Effect.gen(function*() {
  const first = yield* node
  const second = yield* node
  yield* first.start
  yield* second.start
  return { first, second }
})

const tables = Layer.merge(Accounting.layer, Accounts.layer.pipe(Layer.provide(SecureRandom.layerWebCrypto)))

layer(tables.pipe(Layer.provideMerge(TestDatabase.layer)), {
  excludeTestServices: true,
  timeout: "120 seconds"
})("several nodes on one database", (it) => {
  it.effect(
    "lose, double and reorder nothing when one of them is frozen, thawed and killed",
    () =>
      Effect.gen(function*() {
        const { first, second } = yield* twoNodes
        const sources = yield* Effect.forEach(Array.from({ length: 6 }), () => deploy(first, ClusterLoad.emitter))
        const listener = yield* deploy(first, ClusterLoad.ledger)
        const sink = yield* WebhookSink.make()
        const webhook = (yield* second.api("POST", `/webhooks?url=${encodeURIComponent(sink.url)}`))["data"]!
        yield* second.api("POST", `/subscriptions?emitter_id=dc_*&listener_id=${Json.textOf(webhook["id"])}`)
        yield* second.api("POST", `/subscriptions?emitter_id=dc_*&listener_id=${Json.textOf(listener["id"])}`)

        const target = { node: first }
        const { acknowledged, end, goesOn } = yield* ClusterLoad.begin(sources, () => target.node.url)
        yield* goesOn("two nodes take requests at one of them")
        yield* second.freeze
        yield* goesOn("the other takes over what the frozen one had")
        yield* second.thaw
        yield* goesOn("both go on after the thaw")
        target.node = second
        yield* goesOn("the other takes requests")
        yield* first.kill
        yield* goesOn("the one that is left takes over everything")
        yield* end
        yield* ClusterLoad.check({ sources, acknowledged, listener, sink })
      }),
    240_000
  )

  it.effect(
    "take each request once, whichever of them it comes to, and whether or not the code answers it",
    () =>
      Effect.gen(function*() {
        const { first, second } = yield* twoNodes
        const { emitter } = ClusterLoad
        const codes = [emitter, emitter, emitter, emitter, answering, answering, answering, answering]
        const sources = yield* Effect.forEach(codes, (code) => deploy(first, code))
        const orders = Array.from({ length: 25 }, (_, order) => order)
        // Each one is a while on its way: most of them find a link between the nodes open.
        yield* Effect.forEach(sources, (source, index) =>
          Effect.forEach(orders, (order) =>
            Effect.promise(async () => {
              const response = await fetch((order % 2 === 0 ? first : second).url + pathOf(source), {
                method: "POST",
                headers: { "content-type": "application/json" },
                body: JSON.stringify({ order }),
                signal: AbortSignal.timeout(60_000)
              })
              const answers = codes[index] === answering
              assert.strictEqual(response.status, answers ? 201 : 200)
              assert.strictEqual(await response.text(), answers ? String(order) : "")
            })), { concurrency: "unbounded" })
        yield* Effect.forEach(sources, (source) =>
          until(
            "all are emitted",
            60,
            Effect.map(payloadsOf(source), ({ length }) => length >= orders.length)
          ))
        for (const source of sources) assert.deepStrictEqual(yield* payloadsOf(source), orders)
      }),
    240_000
  )

  it.effect("are told apart from a server that wants the database for itself", () =>
    Effect.gen(function*() {
      const shared = yield* environment
      const alone = yield* ServerProcess.make
      yield* alone.startWith(shared)
      const joining = yield* node
      const refused = yield* Effect.flip(joining.start)
      assert.match(refused.message, /HEADWATER_NODE/)
      const other = yield* ServerProcess.make
      assert.match((yield* Effect.flip(other.startWith(shared))).message, /HEADWATER_NODE/)
      assert.strictEqual(yield* alone.stop, 0)
      yield* joining.start
    }), 120_000)

  it.effect(
    "run what one that is gone for good had acknowledged and not run, though nothing else comes in",
    () =>
      Effect.gen(function*() {
        const { first } = yield* twoNodes
        // So many that some of them are surely the first node's.
        const gate = yield* Gate.make
        const sources = yield* Effect.forEach(Array.from({ length: 10 }), () => deploy(first, gate.emitter))
        const orders = Array.from({ length: 8 }, (_, index) => index)
        const send = (source: Json.Json) =>
          Effect.forEach(
            orders,
            Effect.fnUntraced(function*(order) {
              const status = yield* Effect.promise((signal) =>
                ClusterLoad.postOrder(first.url + pathOf(source), order, { signal, patienceMs: 60_000 })
              )
              assert.strictEqual(status, 200)
            })
          )
        yield* Effect.forEach(sources, send, { concurrency: "unbounded", discard: true })
        yield* first.kill
        assert.deepStrictEqual((yield* Effect.forEach(sources, payloadsOf)).flat(), [])
        yield* gate.open
        yield* until(
          "everything is run",
          60,
          Effect.map(Effect.forEach(sources, payloadsOf), (ran) => ran.every(({ length }) => length === orders.length))
        )
        assert.deepStrictEqual(yield* Effect.forEach(sources, payloadsOf), sources.map(() => orders))
      }),
    240_000
  )

  it.effect(
    "stop an account on all of them when it is suspended, and go on with it when it is resumed",
    () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const accounts = yield* Accounts
        const { first, second } = yield* twoNodes
        const accountId = Id.AccountId.make(Json.textOf((yield* first.api("GET", "/users/me"))["data"]!["id"]))
        const sink = yield* WebhookSink.make()
        // So many that each node has some of them.
        const sources = yield* Effect.forEach(Array.from({ length: 12 }), () => deploy(first, ticking))
        const url = encodeURIComponent(sink.url)
        yield* Effect.forEach(Array.from({ length: 6 }), () =>
          Effect.flatMap(first.api("POST", `/webhooks?url=${url}`), (webhook) =>
            first.api("POST", `/subscriptions?emitter_id=dc_*&listener_id=${Json.textOf(webhook["data"]!["id"])}`)))
        const counts = Effect.forEach(sources, (source) =>
          Effect.map(
            sql<{ count: bigint }>`
              SELECT count(*) AS count FROM events WHERE emitter_id = ${Json.textOf(source["id"])} AND stream = ''`,
            ([row]) =>
              Number(row!.count)
          ))
        const goesOn = Effect.fnUntraced(function*(what: string) {
          const before = yield* counts
          const delivered = sink.received.length
          yield* until(
            what,
            60,
            Effect.map(counts, (now) =>
              now.every((count, i) => count > before[i]!) && sink.received.length > delivered)
          )
        })
        const statusesAt = (path: string, method: string) =>
          Effect.forEach([first, second], ({ url }) =>
            Effect.promise((signal) =>
              fetch(url + path, {
                method,
                headers: { authorization: `Bearer ${ServerProcess.key}`, "content-type": "application/json" },
                signal,
                ...(method === "POST" ? { body: "{}" } : {})
              }).then(({ status }) => status)
            ))
        yield* goesOn("all sources tick, and their events are delivered")

        yield* accounts.suspend(accountId)
        yield* until(
          "both have noticed",
          60,
          Effect.map(statusesAt("/v1/users/me", "GET"), (statuses) => statuses.every((status) => status === 403))
        )
        const done = Effect.map(counts, (ticked) => [...ticked, sink.received.length].join())
        yield* until(
          "what was under way has ended",
          60,
          Effect.gen(function*() {
            const before = yield* done
            yield* Effect.sleep("1 second")
            return (yield* done) === before
          })
        )
        const before = yield* done
        for (const source of sources) assert.deepStrictEqual(yield* statusesAt(pathOf(source), "POST"), [404, 404])
        yield* Effect.sleep("3 seconds")
        assert.strictEqual(yield* done, before)

        yield* accounts.resume(accountId)
        yield* until(
          "both answer again",
          60,
          Effect.map(statusesAt("/v1/users/me", "GET"), (statuses) => statuses.every((status) => status === 200))
        )
        for (const source of sources) assert.deepStrictEqual(yield* statusesAt(pathOf(source), "POST"), [200, 200])
        yield* goesOn("all sources tick again")
      }),
    240_000
  )
})
