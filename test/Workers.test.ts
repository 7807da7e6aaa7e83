import { assert, it } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Effect, Fiber, Schedule } from "effect"
import * as Http from "node:http"
import * as HeadwaterCommand from "../apps/cli/test/HeadwaterCommand.ts"
import * as Gate from "./Gate.ts"
import * as ServerProcess from "./ServerProcess.ts"
import * as WorkerProcesses from "./WorkerProcesses.ts"

const emitter = `export default {
  props: { http: "$.interface.http" },
  run(event) { this.$emit(event.body.order) }
}`

const until = <E, R>(what: string, holds: Effect.Effect<boolean, E, R>) =>
  holds.pipe(
    Effect.repeat({ until: (held) => held, schedule: Schedule.spaced("50 millis") }),
    Effect.timeout("60 seconds"),
    Effect.catchTag("TimeoutError", () => Effect.die(new Error(`not within 60 s: ${what}`)))
  )

const start = Effect.fnUntraced(function*(
  server: ServerProcess.ServerProcess,
  environment: Readonly<Record<string, string>> = {}
) {
  yield* server.startWith({ HEADWATER_WORKERS: "2", ...environment })
  yield* until("all workers serve", Effect.sync(() => server.output().includes("Headwater listens on")))
})

/** Each request on a connection of its own, which the system gives to any of the workers. Answers the status, 0 for none. */
const request = (url: string, options: Http.RequestOptions = {}, body = ""): Promise<number> =>
  new Promise((resolve) => {
    const sent = Http.request(url, { agent: false, timeout: 30_000, ...options }, (response) => {
      response.resume()
      response.once("end", () => resolve(response.statusCode ?? 0))
    })
    sent.once("error", () => resolve(0))
    sent.once("timeout", () => sent.destroy())
    sent.end(body)
  })

const post = (url: string, order: number, options: Http.RequestOptions = {}) =>
  request(
    url,
    { method: "POST", headers: { "content-type": "application/json" }, ...options },
    JSON.stringify({ order })
  )

const authorized = { authorization: `Bearer ${ServerProcess.key}` }

const endpointOf = (source: Json.Json) => Json.textOf(source["configured_props"]!["http"]!["endpoint_url"])

const metric = (url: string, name: string) =>
  Effect.promise(async () => {
    const text = await (await fetch(`${url}/metrics`)).text()
    const line = text.split("\n").find((line) => line.startsWith(`${name} `))
    return Number(line?.split(" ").at(-1))
  })

it.live(
  "the workers of a server answer on one port; one that dies is started again, and no event is lost",
  () =>
    Effect.gen(function*() {
      const directory = yield* TemporaryDirectory.make("workers")
      const server = yield* ServerProcess.makeIn(directory)
      yield* start(server)
      const supervisor = server.pid()!
      const workers = WorkerProcesses.of(supervisor)
      const before = yield* workers
      assert.deepStrictEqual(before.map(({ number }) => number), [1, 2])

      const sources = yield* Effect.forEach(Array.from({ length: 8 }), () =>
        Effect.map(server.api("POST", "/sources", { component_code: emitter }), (created) => created["data"]!))
      // Half of them live on another worker than the one that is asked.
      for (const source of sources) {
        const name = `renamed-${Json.textOf(source["id"])}`
        const put = { method: "PUT", headers: { ...authorized, "content-type": "application/json" } }
        const url = `${server.url}/v1/sources/${Json.textOf(source["id"])}`
        assert.strictEqual(
          yield* Effect.promise(() =>
            request(url, put, JSON.stringify({ name }))
          ),
          200
        )
      }
      const sink = yield* WebhookSink.make()
      const webhook = (yield* server.api("POST", `/webhooks?url=${encodeURIComponent(sink.url)}`))["data"]!
      yield* server.api("POST", `/subscriptions?emitter_id=dc_*&listener_id=${Json.textOf(webhook["id"])}`)

      const acknowledged: Array<number> = []
      const load = { going: true }
      let count = 0
      const loading = yield* Effect.forkChild(Effect.forEach(sources, (source) =>
        Effect.gen(function*() {
          while (load.going) {
            const order = ++count
            const status = yield* Effect.promise(() => post(endpointOf(source), order, { timeout: 5_000 }))
            if (status === 200) acknowledged.push(order)
            yield* Effect.sleep("5 millis")
          }
        }), { concurrency: "unbounded" }))
      const goesOn = (what: string) =>
        Effect.suspend(() => {
          const from = acknowledged.length
          return until(what, Effect.sync(() => acknowledged.length > from + 100))
        })
      const runsOf = (worker: number) =>
        server.output().split("\n").some((line) =>
          line.includes(`"message":"run"`) && line.includes(`"worker":${worker}`)
        )

      yield* goesOn("requests are taken")
      yield* until("both run what is theirs", Effect.sync(() => runsOf(1) && runsOf(2)))
      const taken = acknowledged.length
      const appended = metric(server.url, "headwater_events_appended_total")
      yield* until("requests and what they emit are counted", Effect.map(appended, (count) => count >= 2 * taken))
      const counted = yield* appended

      for (const { number, pid } of before) {
        process.kill(pid, "SIGKILL")
        yield* goesOn(`the others take requests while worker ${number} is away`)
        yield* until(
          `worker ${number} is started again`,
          Effect.map(workers, (now) => now.some((one) => one.number === number && one.pid !== pid))
        )
        yield* until(
          `worker ${number} has its share of the actors`,
          Effect.promise(async () => {
            const text = await (await fetch(`${server.url}/metrics`)).text()
            return Number(new RegExp(`^effect_cluster_shards\\{worker="${number}"\\} (\\d+)$`, "m").exec(text)?.[1]) > 0
          })
        )
        const lines = server.output().split("\n").filter((line) =>
          line.includes(`Worker ${number} (process id ${pid})`)
        )
        assert.strictEqual(lines.length, 1, lines.join("\n"))
        assert.match(lines[0]!, /"level":"WARN".*ended unexpectedly \(signal SIGKILL\)\. Starting it again\./)
      }
      assert.strictEqual(server.pid(), supervisor)
      assert.isAtLeast(yield* appended, counted)

      load.going = false
      yield* Fiber.join(loading)
      const delivered = () => new Set(sink.received.map(({ body }) => JSON.parse(body)))
      yield* until(
        "every acknowledged event is delivered",
        Effect.sync(() => {
          const orders = delivered()
          return acknowledged.every((order) => orders.has(order))
        })
      )

      const headwater = (...args: ReadonlyArray<string>) =>
        HeadwaterCommand.run(args, { HEADWATER_DATA_DIR: directory })
      const config = yield* headwater("config")
      assert.match(config.stdout, new RegExp(`process ${supervisor}\\.\n(.*\n)*HEADWATER_WORKERS=2$`, "m"))
      const check = yield* headwater("check")
      assert.strictEqual(check.code, 0, check.stderr)

      for (const line of server.output().split("\n").filter((line) => line !== "")) {
        assert.doesNotThrow(() => Json.parse(line))
      }
    }),
  240_000
)

it.live(
  "a server's workers share one rate limit, end what they have begun when it is told to stop, and end when it dies",
  () =>
    Effect.gen(function*() {
      const server = yield* ServerProcess.makeIn(yield* TemporaryDirectory.make("workers"))
      yield* start(server, { HEADWATER_RATE_LIMIT: "10", HEADWATER_BYTE_RATE_LIMIT: "100000" })

      const me = () => request(`${server.url}/v1/users/me`, { headers: authorized })
      const from = Date.now()
      const answers = yield* Effect.promise(() => Promise.all(Array.from({ length: 60 }, me)))
      const passed = answers.filter((status) => status === 200).length
      assert.isAtLeast(passed, 10)
      assert.isAtMost(passed, 10 + Math.ceil((Date.now() - from) / 100))

      yield* Effect.sleep("2 seconds")
      const gate = yield* Gate.make
      const source = (yield* server.api("POST", "/sources", { component_code: gate.emitter }))["data"]!
      assert.strictEqual(yield* Effect.promise(() => post(endpointOf(source), 1)), 200)
      yield* gate.reached
      const stopping = yield* WorkerProcesses.of(server.pid()!)
      const stopped = yield* Effect.forkChild(server.stop)
      yield* Effect.sleep("1 second")
      assert.isDefined(server.pid(), "it goes on while a run does")
      yield* gate.open
      assert.strictEqual(yield* Fiber.join(stopped), 0)
      assert.isTrue(stopping.every(({ pid }) => !WorkerProcesses.isAlive(pid)))
      assert.match(server.output(), /"message":"run".*"outcome":"success"/)

      yield* start(server)
      const events = yield* server.api("GET", `/sources/${Json.textOf(source["id"])}/event_summaries`)
      assert.lengthOf(Json.listOf(events["data"]), 1)
      const orphans = yield* WorkerProcesses.of(server.pid()!)
      assert.lengthOf(orphans, 2)
      // One that stands still can't end by itself.
      process.kill(orphans[0]!.pid, "SIGSTOP")
      yield* server.kill
      // At once: the port is still taken for a moment.
      yield* start(server)
      yield* until(
        "the workers have ended",
        Effect.sync(() => orphans.every(({ pid }) => !WorkerProcesses.isAlive(pid)))
      )
    }),
  240_000
)
