import { assert, layer } from "@effect/vitest"
import { HeadwaterClient } from "@headwater/api/HeadwaterClient"
import { tail } from "@headwater/api/Tail"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Context, Effect, Fiber, Layer, Redacted, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { execFile } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as ServerProcess from "../../../test/ServerProcess.ts"
import { type EventSummary, Headwater } from "../src/Headwater.ts"
import * as EffectScenario from "./EffectScenario.ts"
import * as FetchScenario from "./FetchScenario.ts"

const { key: apiKey } = ServerProcess

const steps: number = JSON.parse(Fs.readFileSync(Path.join(import.meta.dirname, "scenario.json"), "utf8")).length

class Server extends Context.Service<Server, ServerProcess.ServerProcess>()("headwater/test/ClientsServer") {
  static readonly layer = Layer.effect(Server, Effect.tap(ServerProcess.make, ({ start }) => start))
}

/** Where deliveries come to, of which the fifth is refused. Its answers tell what has come. */
const sinkOf = Effect.gen(function*() {
  const sink: WebhookSink.WebhookSink = yield* WebhookSink.make((count) => ({
    status: count === 4 ? 500 : 200,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(sink.received.filter(({ method }) => method === "POST"))
  }))
  return sink.url
})

/** Runs a program of Deno's, and answers with what it prints. */
const deno = (file: string, args: ReadonlyArray<string>) =>
  Effect.callback<string>((resume) => {
    const root = Path.resolve(import.meta.dirname, "../../..")
    const flags = ["run", "--no-prompt", "--allow-net", "--allow-read", "--node-modules-dir=none", "--cached-only"]
    const env = { PATH: process.env["PATH"], DENO_NO_UPDATE_CHECK: "1" }
    execFile(
      Path.join(root, "node_modules/.bin/deno"),
      [...flags, Path.join(import.meta.dirname, file), ...args],
      { cwd: import.meta.dirname, env },
      (error, stdout, stderr) =>
        resume(error === null ? Effect.succeed(stdout.trim()) : Effect.die(new Error(stderr, { cause: error })))
    )
  })

const effectClient = (url: string) =>
  HeadwaterClient.layer({ url, apiKey: Redacted.make(apiKey) }).pipe(Layer.provide(FetchHttpClient.layer))

const counted =
  `export default { name: "Counted", props: { http: "$.interface.http" }, run({ body }) { this.$emit(body) } }`

const firstOf = async (events: AsyncIterable<EventSummary>, count: number) => {
  const found: Array<EventSummary> = []
  for await (const event of events) if (found.push(event) === count) break
  return found
}

layer(Server.layer, { excludeTestServices: true, timeout: "60 seconds" })("the clients", (it) => {
  it.effect("do the scenario: fetch, under Node", () =>
    Effect.gen(function*() {
      const { url } = yield* Server
      const sinkUrl = yield* sinkOf
      assert.strictEqual(yield* Effect.promise(() => FetchScenario.run({ apiKey, sinkUrl, url })), steps)
    }))

  it.effect("do the scenario: fetch, under Deno", () =>
    Effect.gen(function*() {
      const { url } = yield* Server
      assert.strictEqual(yield* deno("FetchScenario.ts", [url, apiKey, yield* sinkOf]), String(steps))
    }))

  it.effect("do the scenario: Effect", () =>
    Effect.gen(function*() {
      const { url } = yield* Server
      const sinkUrl = yield* sinkOf
      assert.strictEqual(yield* Effect.promise(() => EffectScenario.run({ apiKey, sinkUrl, url })), steps)
    }))

  it.effect(
    "follow a log over a restart and a crash of the server: each event once, in order",
    () =>
      Effect.gen(function*() {
        const server = yield* Server
        const headwater = new Headwater({ url: server.url, apiKey })
        const { data: { configured_props, id: source } } = yield* Effect.promise(() =>
          headwater.sources.create({ body: { component_code: counted } })
        )
        const { endpoint_url: endpoint } = configured_props["http"] as { readonly endpoint_url: string }
        const post = (from: number) =>
          Effect.promise(async () => {
            const headers = { "content-type": "application/json" }
            for (let count = from; count < from + 20; count++) {
              await fetch(endpoint, { method: "POST", headers, body: JSON.stringify({ count }) })
            }
          })
        const events = yield* Effect.promise(() => headwater.tail({ source }))
        const followed = firstOf(events, 40)
        const streamed = yield* tail({ source }).pipe(
          Effect.map((events) => Stream.runCollect(Stream.take(events, 40))),
          Effect.flatMap(Effect.forkScoped),
          Effect.provide(effectClient(server.url))
        )
        // Nothing has come yet, so there is no last event to go on behind.
        yield* server.stop
        yield* server.start
        yield* post(0)
        yield* server.kill
        yield* server.start
        yield* post(20)
        const expected = Array.from({ length: 40 }, (_, count) => ({ raw_event: { count } }))
        assert.deepStrictEqual<unknown>((yield* Effect.promise(() => followed)).map(({ event }) => event), expected)
        assert.deepStrictEqual<unknown>((yield* Fiber.join(streamed)).map(({ event }) => event), expected)
      }),
    150_000
  )
})
