import { assert, layer } from "@effect/vitest"
import { HeadwaterClient } from "@headwater/api/HeadwaterClient"
import { tail } from "@headwater/api/Tail"
import * as Loopback from "@headwater/fixtures/Loopback"
import { Effect, Fiber, Layer, Redacted, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { build } from "esbuild"
import * as Path from "node:path"
import * as Chromium from "../../../test/browser/Chromium.ts"
import { type EventSummary, Headwater } from "../src/Headwater.ts"
import * as EffectScenario from "./EffectScenario.ts"
import * as FetchScenario from "./FetchScenario.ts"
import * as Scenario from "./Scenario.ts"
import { apiKey, root, runScenario, Server, sinkOf, steps } from "./ScenarioServer.ts"

const denoFlags = ["run", "--no-prompt", "--allow-net", "--allow-read", "--node-modules-dir=none", "--cached-only"]

/** Serves a page that is empty, and the scenario as a module. Answers its origin. */
const scenarioPage = Effect.gen(function*() {
  const { outputFiles: [module] } = yield* Effect.promise(() =>
    build({
      entryPoints: [Path.join(import.meta.dirname, "FetchScenario.ts")],
      bundle: true,
      format: "esm",
      logLevel: "error",
      write: false
    })
  )
  return yield* Loopback.serve(({ url }, response) => {
    const [type, body] = url === "/FetchScenario.js"
      ? ["text/javascript", module!.text]
      : ["text/html", "<!doctype html><title>A page</title>"]
    response.writeHead(200, { "content-type": type }).end(body)
  })
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
      const deno = Path.join(root, "node_modules/.bin/deno")
      assert.strictEqual(yield* runScenario(deno, denoFlags, [url, apiKey, yield* sinkOf]), String(steps))
    }))

  it.effect("do the scenario: fetch, in a browser, on a page of another origin", () =>
    Effect.gen(function*() {
      const { url } = yield* Server
      const [sinkUrl, origin] = [yield* sinkOf, yield* scenarioPage]
      const browser = yield* Chromium.launch
      const done = yield* Effect.promise(async () => {
        const page = await browser.newPage()
        await page.goto(origin)
        // Endpoints and receivers of webhooks are not there for pages.
        await page.exposeFunction("post", Scenario.byFetch.post)
        await page.exposeFunction("received", Scenario.byFetch.received)
        return page.evaluate(`import("/FetchScenario.js").then(({ run }) =>
          run(${JSON.stringify({ apiKey, sinkUrl, url })}, { post, received }))`)
      })
      assert.strictEqual(done, steps)
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
