import { assert, layer } from "@effect/vitest"
import * as Id from "@headwater/domain/Id"
import * as FreePort from "@headwater/fixtures/FreePort"
import * as Json from "@headwater/fixtures/Json"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import type { TestPostgres } from "@headwater/fixtures/TestPostgres"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Accounting } from "@headwater/log/Accounting"
import { Accounts } from "@headwater/log/Accounts"
import { Effect, Fiber, Layer, Schedule } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import * as Path from "node:path"
import { inject } from "vitest"
import * as ServerProcess from "./ServerProcess.ts"

const emitter = `
export default {
  props: { http: "$.interface.http" },
  async run(event) {
    this.$emit(event.body.order)
  }
}`

// What it has counted is right only if each event changed its state exactly once.
const ledger = `
export default {
  props: { db: "$.service.db" },
  async run(order) {
    const count = (this.db.get("count") ?? 0) + 1
    this.db.set("count", count)
    this.$emit({ order, count })
  }
}`

const slowEmitter = `
export default {
  props: { http: "$.interface.http" },
  async run(event) {
    await new Promise((resolve) => setTimeout(resolve, 400))
    this.$emit(event.body.order)
  }
}`

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

const environment = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ name: string }>`SELECT current_database() AS name`
  const { password, path, username }: TestPostgres = inject("testPostgres")
  const url = new URL(`postgres://${username}@localhost/${row!.name}`)
  url.password = password
  url.searchParams.set("host", Path.dirname(path))
  return {
    DATABASE_URL: url.href,
    HEADWATER_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
    HEADWATER_EGRESS_ALLOW: "loopback"
  }
})

/** A node of the test's database. */
const node = Effect.gen(function*() {
  const server = yield* ServerProcess.make
  const port = yield* FreePort.find
  const shared = yield* environment
  const start = server.startWith({ ...shared, HEADWATER_NODE: `127.0.0.1:${port}` })
  const signal = (name: NodeJS.Signals) => Effect.sync(() => process.kill(server.pid()!, name))
  return { ...server, start, freeze: signal("SIGSTOP"), thaw: signal("SIGCONT") }
})

const twoNodes = Effect.gen(function*() {
  const first = yield* node
  const second = yield* node
  yield* first.start
  yield* second.start
  return { first, second }
})

const deploy = (on: Effect.Success<typeof node>, code: string) =>
  Effect.map(on.api("POST", "/sources", { component_code: code }), (created) => created["data"]!)

const pathOf = (source: Json.Json) =>
  new URL(Json.textOf(source["configured_props"]!["http"]!["endpoint_url"])).pathname

/** Answers the status. */
const postOrder = async (url: string, order: number, signal: AbortSignal): Promise<number> => {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ order }),
    signal: AbortSignal.any([signal, AbortSignal.timeout(5_000)])
  })
  await response.arrayBuffer()
  return response.status
}

/** What a source has emitted, in the order of its log. */
const payloadsOf = Effect.fnUntraced(function*(source: Json.Json) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ payload: string; n: bigint }>`
    SELECT payload, n FROM events WHERE emitter_id = ${Json.textOf(source["id"])} AND stream = '' ORDER BY id`
  assert.deepStrictEqual(rows.map(({ n }) => Number(n)), rows.map((_, index) => index + 1))
  return rows.map(({ payload }) => JSON.parse(payload))
})

/** Posts a number a time to one of the nodes, until it is acknowledged, while `going` says so. */
const load = (url: () => string, acknowledged: Array<number>, options: {
  readonly going: () => boolean
  readonly next: () => number
}) =>
  Effect.gen(function*() {
    while (options.going()) {
      const order = options.next()
      yield* Effect.tryPromise(async (signal) => {
        const status = await postOrder(url(), order, signal)
        if (status === 200) acknowledged.push(order)
        else assert.strictEqual(status, 503)
      }).pipe(Effect.catch(() => Effect.sleep("100 millis")))
      yield* Effect.sleep("5 millis")
    }
  })

const until = <E, R>(what: string, seconds: number, holds: Effect.Effect<boolean, E, R>) =>
  holds.pipe(
    Effect.repeat({ until: (held) => held, schedule: Schedule.spaced("100 millis") }),
    Effect.timeout(`${seconds} seconds`),
    Effect.catchTag("TimeoutError", () => Effect.die(new Error(`not within ${seconds} s: ${what}`)))
  )

const tables = Layer.merge(Accounting.layer, Accounts.layer.pipe(Layer.provide(SecureRandom.layerWebCrypto)))

layer(tables.pipe(Layer.provideMerge(TestDatabase.layer)), {
  excludeTestServices: true,
  timeout: "60 seconds"
})("several nodes on one database", (it) => {
  it.effect(
    "lose, double and reorder nothing when one of them is frozen, thawed and killed",
    () =>
      Effect.gen(function*() {
        const { first, second } = yield* twoNodes
        const sources = yield* Effect.forEach(Array.from({ length: 6 }), () => deploy(first, emitter))
        const listener = yield* deploy(first, ledger)
        const sink = yield* WebhookSink.make()
        const webhook = (yield* second.api("POST", `/webhooks?url=${encodeURIComponent(sink.url)}`))["data"]!
        yield* second.api("POST", `/subscriptions?emitter_id=dc_*&listener_id=${Json.textOf(webhook["id"])}`)
        yield* second.api("POST", `/subscriptions?emitter_id=dc_*&listener_id=${Json.textOf(listener["id"])}`)

        let going = true
        let count = 0
        const target = { node: first }
        const acknowledged = sources.map((): Array<number> => [])
        const loads = yield* Effect.forEach(sources, (source, index) => {
          const path = pathOf(source)
          return Effect.forkChild(load(() => target.node.url + path, acknowledged[index]!, {
            going: () => going,
            next: () => ++count
          }))
        })
        const total = () => acknowledged.reduce((sum, orders) => sum + orders.length, 0)
        const goesOn = (what: string) =>
          Effect.suspend(() => {
            const before = acknowledged.map(({ length }) => length)
            return until(what, 40, Effect.sync(() => acknowledged.every(({ length }, i) => length > before[i]! + 20)))
          })

        yield* goesOn("two nodes take requests at one of them")
        yield* second.freeze
        yield* goesOn("the other takes over what the frozen one had")
        yield* second.thaw
        yield* goesOn("both go on after the thaw")
        target.node = second
        yield* goesOn("the other takes requests")
        yield* first.kill
        yield* goesOn("the one that is left takes over everything")
        going = false
        yield* Effect.forEach(loads, Fiber.join)

        const sql = yield* SqlClient.SqlClient
        const logs = () => Effect.forEach(sources, payloadsOf)
        yield* until(
          "every acknowledged request is run",
          40,
          Effect.map(logs(), (logs) => logs.every((log, i) => acknowledged[i]!.every((order) => log.includes(order))))
        )
        const emitted = yield* logs()
        for (const log of emitted) assert.strictEqual(new Set(log).size, log.length, "a request was run twice")
        const all = emitted.flat()
        assert.isAtLeast(all.length, total())
        yield* until(
          "the ledger has counted each",
          40,
          Effect.map(payloadsOf(listener), (entries) => entries.length >= all.length)
        )
        const ledgerEntries = yield* payloadsOf(listener)
        assert.deepStrictEqual(ledgerEntries.map(({ count }) => count), all.map((_, index) => index + 1))
        assert.sameMembers(ledgerEntries.map(({ order }) => order), all)
        const delivered = () => new Set(sink.received.map(({ headers }) => headers["webhook-id"]))
        // What all sources emitted, the ledger's entries among it.
        yield* until("all is delivered", 40, Effect.sync(() => delivered().size >= 2 * all.length))
        for (const [index, source] of sources.entries()) {
          const seen = new Set<string>()
          const firsts = sink.received.filter(({ headers }) => {
            const id = headers["webhook-id"]!
            if (headers["x-headwater-emitter-id"] !== Json.textOf(source["id"]) || seen.has(id)) return false
            seen.add(id)
            return true
          })
          assert.deepStrictEqual(firsts.map(({ body }) => JSON.parse(body)), emitted[index])
        }
        const accounting = yield* Accounting
        yield* until(
          "the last deliveries are accounted for",
          20,
          Effect.map(
            sql<{ waiting: bigint }>`
          SELECT coalesce(sum((h.streams ->> '')::bigint - c.n), 0)::bigint AS waiting FROM cursors c
          JOIN heads h ON h.emitter_id = c.emitter_id WHERE c.subscription_id LIKE 'sub_%'`,
            ([row]) => row!.waiting === 0n
          )
        )
        assert.deepStrictEqual(yield* accounting.imbalances, [])
      }),
    240_000
  )

  it.effect(
    "take each request once, whichever of them it comes to, and whether or not the code answers it",
    () =>
      Effect.gen(function*() {
        const { first, second } = yield* twoNodes
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
                signal: AbortSignal.timeout(10_000)
              })
              const answers = codes[index] === answering
              assert.strictEqual(response.status, answers ? 201 : 200)
              assert.strictEqual(await response.text(), answers ? String(order) : "")
            })), { concurrency: "unbounded" })
        yield* Effect.forEach(sources, (source) =>
          until(
            "all are emitted",
            20,
            Effect.map(payloadsOf(source), ({ length }) => length >= orders.length)
          ))
        for (const source of sources) assert.deepStrictEqual(yield* payloadsOf(source), orders)
      }),
    60_000
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
    }), 60_000)

  it.effect(
    "run what one that is gone for good had acknowledged and not run, though nothing else comes in",
    () =>
      Effect.gen(function*() {
        const { first } = yield* twoNodes
        // So many that some of them are surely the first node's.
        const sources = yield* Effect.forEach(Array.from({ length: 10 }), () => deploy(first, slowEmitter))
        const orders = Array.from({ length: 8 }, (_, index) => index)
        const send = (source: Json.Json) =>
          Effect.forEach(
            orders,
            Effect.fnUntraced(function*(order) {
              const status = yield* Effect.promise((signal) => postOrder(first.url + pathOf(source), order, signal))
              assert.strictEqual(status, 200)
            })
          )
        yield* Effect.forEach(sources, send, { concurrency: "unbounded", discard: true })
        yield* first.kill
        assert.isTrue((yield* Effect.forEach(sources, payloadsOf)).some(({ length }) => length < orders.length))
        yield* until(
          "everything is run",
          60,
          Effect.map(Effect.forEach(sources, payloadsOf), (ran) => ran.every(({ length }) => length === orders.length))
        )
        assert.deepStrictEqual(yield* Effect.forEach(sources, payloadsOf), sources.map(() => orders))
      }),
    { timeout: 120_000 }
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
            20,
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
        // By then both have noticed, and what was under way has ended.
        yield* Effect.sleep("2 seconds")
        const [ticked, delivered] = [yield* counts, sink.received.length]
        assert.deepStrictEqual(yield* statusesAt("/v1/users/me", "GET"), [403, 403])
        for (const source of sources) assert.deepStrictEqual(yield* statusesAt(pathOf(source), "POST"), [404, 404])
        yield* Effect.sleep("3 seconds")
        assert.deepStrictEqual([yield* counts, sink.received.length], [ticked, delivered])

        yield* accounts.resume(accountId)
        yield* until(
          "both answer again",
          5,
          Effect.map(statusesAt("/v1/users/me", "GET"), (statuses) => statuses.every((status) => status === 200))
        )
        for (const source of sources) assert.deepStrictEqual(yield* statusesAt(pathOf(source), "POST"), [200, 200])
        yield* goesOn("all sources tick again")
      }),
    { timeout: 90_000 }
  )
})
