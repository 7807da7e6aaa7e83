import { assert, it } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect, Schedule } from "effect"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as HeadwaterCommand from "../apps/cli/test/HeadwaterCommand.ts"
import * as ServerProcess from "./ServerProcess.ts"

const code = `export default {
  props: { http: "$.interface.http" },
  run(event) {
    if (event.path === "/fail") throw new Error("no orders")
    this.$emit({ client: event.client_ip })
  }
}`

const endedWith = (server: ServerProcess.ServerProcess, environment: Readonly<Record<string, string>>) =>
  server.startWith(environment).pipe(Effect.flip, Effect.map(({ message }) => message))

it.live(
  "a server tells of itself in uniform JSON lines that hold no key, and headwater config shows what it runs with",
  () =>
    Effect.gen(function*() {
      const dataDirectory = Path.join(yield* TemporaryDirectory.make("operation"), "data")
      const headwater = (...args: ReadonlyArray<string>) =>
        HeadwaterCommand.run(args, { HEADWATER_DATA_DIR: dataDirectory })
      const server = yield* ServerProcess.makeIn(dataDirectory)
      const lines = () => server.output().split("\n").filter((line) => line !== "").map(Json.parse)
      const lineOf = (message: string | RegExp, field: string, value: unknown) =>
        Effect.sync(() =>
          lines().find((line) => Json.textOf(line["message"]).match(message) !== null && line[field] === value)
        ).pipe(
          Effect.repeat({ until: (found) => found !== undefined, schedule: Schedule.spaced("50 millis") }),
          Effect.timeout("60 seconds"),
          Effect.catch(() => Effect.die(new Error(`${message} with ${field} ${value} is not in:\n${server.output()}`)))
        )

      const before = yield* headwater("config")
      assert.match(before.stdout, /^# No server runs on .*\nHEADWATER_PORT=8787$/m)
      yield* server.startWith({
        HEADWATER_API_KEY: "",
        HEADWATER_LOG_RATE: "2",
        HEADWATER_PROT: "80",
        HEADWATER_RETENTION_DAYS: "7",
        HEADWATER_TRUSTED_PROXIES: "127.0.0.0/8"
      })
      yield* lineOf(/^HEADWATER_PROT is not a setting of Headwater/, "level", "WARN")
      yield* lineOf(`Headwater listens on ${server.url}`, "database", "embedded")
      yield* lineOf(/^The first account is made; .*`headwater key create admin` prints one/, "username", "admin")

      const running = yield* headwater("config")
      const port = new URL(server.url).port
      assert.match(
        running.stdout,
        new RegExp(`^# The settings of the running server, process ${server.pid()}\\.\nHEADWATER_PORT=${port}$`, "m")
      )
      assert.match(running.stdout, /^HEADWATER_RETENTION_DAYS=7$/m)

      const made = HeadwaterCommand.jsonOf(yield* headwater("key", "create", "admin", "--json"))
      const call = (method: string, path: string, body?: unknown) =>
        Effect.promise(async () => {
          const response = await fetch(`${server.url}/v1${path}`, {
            method,
            headers: { authorization: `Bearer ${Json.textOf(made["key"])}`, "content-type": "application/json" },
            ...(body === undefined ? {} : { body: JSON.stringify(body) })
          })
          return Json.parse(await response.text())["data"]!
        })
      const source = yield* call("POST", "/sources", { component_code: code })
      const webhook = yield* call("POST", "/webhooks?url=http://127.0.0.1:1/")
      yield* call(
        "POST",
        `/subscriptions?emitter_id=${Json.textOf(source["id"])}&listener_id=${Json.textOf(webhook["id"])}`
      )
      const endpoint = Json.textOf(source["configured_props"]!["http"]!["endpoint_url"])
      yield* Effect.promise(() => fetch(endpoint, { headers: { "x-forwarded-for": "192.0.2.66, 198.51.100.7" } }))
      yield* Effect.promise(() => fetch(`${endpoint}/fail`))
      yield* lineOf("run", "level", "INFO")
      Json.assertHolds(yield* lineOf("run", "level", "WARN"), { source_id: source["id"], error: "Error: no orders" })
      Json.assertHolds(yield* lineOf("delivery", "level", "WARN"), { webhook_id: webhook["id"], outcome: "failed" })
      const events = yield* call("GET", `/sources/${Json.textOf(source["id"])}/event_summaries?expand=event`)
      assert.deepStrictEqual<unknown>(events[0]!["event"]!["raw_event"], { client: "198.51.100.7" })

      // At once: each may have a line of its own where they take long.
      yield* Effect.promise(() => Promise.all(Array.from({ length: 20 }, () => fetch(endpoint))))
      const successes = () =>
        lines().filter((line) => Json.textOf(line["message"]) === "run" && Json.textOf(line["level"]) === "INFO")
      const stoodFor = () => successes().reduce((sum, line) => sum + Number(line["stands_for"] ?? 1), 0)
      yield* Effect.repeat(Effect.sync(stoodFor), {
        until: (runs) => runs === 21,
        schedule: Schedule.spaced("50 millis")
      })
      assert.isBelow(successes().length, 21)

      assert.strictEqual(yield* server.stop, 0)
      yield* lineOf("Headwater has stopped", "level", "INFO")
      for (const line of lines()) {
        assert.includeMembers(Object.keys(line), ["timestamp", "level", "message"])
        assert.notProperty(line, "fiberId")
      }
      assert.notMatch(server.output(), /hw_\w{16}/)
    }),
  HeadwaterCommand.patienceMs
)

it.live(
  "a server that can't listen, or whose data directory can't be, ends with the reason and leaves nothing behind",
  () =>
    Effect.gen(function*() {
      const folder = yield* TemporaryDirectory.make("operation")
      const server = yield* ServerProcess.makeIn(Path.join(folder, "data"))
      yield* server.start
      const second = yield* ServerProcess.makeIn(Path.join(folder, "second"))
      const { port } = new URL(server.url)
      const taken = yield* endedWith(second, { HEADWATER_API_KEY: "", HEADWATER_PORT: port })
      assert.match(taken, new RegExp(`HEADWATER_PORT: 127\\.0\\.0\\.1:${port} is in use by another program`))
      assert.notMatch(taken, /hw_\w/)
      assert.deepStrictEqual(yield* Effect.promise(() => Fs.readdir(folder)), ["data"])
      const unmade = yield* endedWith(second, { HEADWATER_DATA_DIR: "/proc/headwater" })
      assert.match(unmade, /Cannot create the data directory \/proc\/headwater: /)
      const wrong = yield* endedWith(second, {
        HEADWATER_PORT: "x",
        HEADWATER_LOG_LEVEL: "loud",
        HEADWATER_LOG: "pretty"
      })
      assert.match(wrong, /^headwater: HEADWATER_PORT: .*\nheadwater: HEADWATER_LOG_LEVEL: .*$/m)
    }),
  HeadwaterCommand.patienceMs
)
