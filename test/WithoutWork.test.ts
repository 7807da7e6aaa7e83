import { assert, it } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Effect, Schedule } from "effect"
import { execFile } from "node:child_process"
import * as Path from "node:path"
import { promisify } from "node:util"
import * as HeadwaterCommand from "../apps/cli/test/HeadwaterCommand.ts"
import * as ServerProcess from "./ServerProcess.ts"

const code = `export default {
  props: { http: "$.interface.http", timer: { type: "$.interface.timer", default: { intervalSeconds: 1 } } },
  run(event) {
    this.$emit(event.body ?? "tick")
  }
}`

const egress = { HEADWATER_EGRESS_ALLOW: "loopback" }

it.live(
  "a copy of a database is not worked on unasked, shows what is there, and delivers nothing until it is taken over",
  () =>
    Effect.gen(function*() {
      const folder = yield* TemporaryDirectory.make("copy")
      const sink = yield* WebhookSink.make(() => ({ status: 200 }))
      const server = yield* ServerProcess.makeIn(Path.join(folder, "data"), egress)
      yield* server.start
      const { data: source } = yield* server.api("POST", "/sources", { name: "ticks", component_code: code })
      const { data: webhook } = yield* server.api("POST", "/webhooks", { url: sink.url })
      yield* server.api("POST", "/subscriptions", {
        emitter_id: Json.textOf(source!["id"]),
        listener_id: Json.textOf(webhook!["id"])
      })
      yield* Effect.sync(() => sink.received.length).pipe(
        Effect.repeat({ until: (count) => count > 0, schedule: Schedule.spaced("50 millis") }),
        Effect.timeout("60 seconds")
      )
      assert.strictEqual(yield* server.stop, 0)
      // With its owner, which is not always this user.
      yield* Effect.promise(() => promisify(execFile)("cp", ["-a", "data", "copied"], { cwd: folder }))

      // The same database goes on as ever.
      yield* server.start
      yield* server.kill
      const delivered = sink.received.length

      const copy = yield* ServerProcess.makeIn(Path.join(folder, "copied"), egress)
      yield* Effect.exit(copy.start)
      assert.strictEqual(yield* copy.ended, 1)
      assert.match(copy.output(), /This database is a copy of another one, or was moved: .*--take-over.*--without-work/)

      const startCopy = Effect.fnUntraced(function*(option: string) {
        const environment = {
          ...egress,
          HEADWATER_DATA_DIR: copy.dataDirectory,
          HEADWATER_PORT: new URL(copy.url).port,
          HEADWATER_API_KEY: ServerProcess.key,
          HEADWATER_WORKERS: "1"
        }
        const started = yield* HeadwaterCommand.start(["start", option], environment, folder)
        yield* started.printed(/Headwater listens on/)
        return started
      })
      const looking = yield* startCopy("--without-work")
      const path = `/sources/${Json.textOf(source!["id"])}`
      const { data: seen } = yield* copy.api("GET", `${path}/event_summaries?limit=100`)
      assert.isAbove(Json.listOf(seen).length, 0)
      const request = (method: string, url: string) =>
        Effect.promise(async () => {
          const headers = { authorization: `Bearer ${ServerProcess.key}`, "content-type": "application/json" }
          const answer = await fetch(url, { method, headers, ...(method === "GET" ? {} : { body: "{}" }) })
          return { status: answer.status, text: await answer.text() }
        })
      const endpoint = new URL(Json.textOf(source!["configured_props"]!["http"]!["endpoint_url"])).pathname
      for (
        const [method, url] of [["POST", `/v1${path}/trial`], ["PUT", `/v1${path}`], ["POST", endpoint], [
          "GET",
          endpoint
        ]]
      ) {
        const { status, text } = yield* request(method!, `${copy.url}${url}`)
        assert.strictEqual(status, 503, `${method} ${url}`)
        assert.include(text, "HEADWATER_WORK=off")
      }
      assert.deepStrictEqual(yield* request("GET", `${copy.url}/readyz`), {
        status: 200,
        text: `{"status":"ok","work":"off"}`
      })
      const surroundings = { HEADWATER_URL: copy.url, HEADWATER_API_KEY: ServerProcess.key }
      const doctor = yield* HeadwaterCommand.run(["doctor"], surroundings)
      assert.match(doctor.stdout, /^ok +server .* shows what is there, without work \(HEADWATER_WORK=off\)\.\n/)
      assert.strictEqual((yield* request("GET", `${copy.url}/console/`)).status, 200)
      const { data: after } = yield* copy.api("GET", `${path}/event_summaries?limit=100`)
      assert.deepStrictEqual(after, seen)
      assert.strictEqual(sink.received.length, delivered)
      yield* looking.interrupt

      const working = yield* startCopy("--take-over")
      yield* Effect.sync(() => sink.received.length).pipe(
        Effect.repeat({ until: (count) => count > delivered, schedule: Schedule.spaced("50 millis") }),
        Effect.timeout("60 seconds")
      )
      yield* working.interrupt
      // It was asked once.
      yield* copy.start
    }).pipe(Effect.scoped),
  240_000
)
