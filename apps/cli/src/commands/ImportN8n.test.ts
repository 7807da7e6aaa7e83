import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect, Schedule } from "effect"
import * as Fs from "node:fs/promises"
import * as Http from "node:http"
import * as Path from "node:path"
import * as Files from "../../test/Files.ts"
import { RunningServer } from "../../test/RunningServer.ts"

const json = (value: unknown) => JSON.stringify(value, undefined, 2)

const node = (name: string, type: string, parameters: object = {}, more: object = {}) => ({
  id: name,
  name,
  type: type.includes(".") ? type : `n8n-nodes-base.${type}`,
  typeVersion: 1,
  position: [0, 0],
  parameters,
  ...more
})

/** Connections, given as `[from, to, output, input]`. */
const connections = (...all: ReadonlyArray<readonly [string, string, number?, number?]>) => {
  const made: Record<string, { main: Array<Array<object>> }> = {}
  for (const [from, to, output = 0, index = 0] of all) {
    const { main } = made[from] ??= { main: [] }
    while (main.length <= output) main.push([])
    main[output]!.push({ node: to, type: "main", index })
  }
  return made
}

const condition = (leftValue: unknown, type: string, operation: string, rightValue: unknown) => ({
  options: { caseSensitive: true },
  conditions: [{ leftValue, rightValue, operator: { type, operation } }],
  combinator: "and"
})

const orders = {
  id: "w1",
  name: "N8n orders",
  active: true,
  settings: { timezone: "Europe/Berlin" },
  nodes: [
    node("Webhook", "webhook", { path: "orders", httpMethod: "POST", responseMode: "responseNode" }),
    node("Sticky", "stickyNote", { content: "Takes orders\n*/ apart" }, { position: [-10, -10] }),
    node("Split out", "code", {
      jsCode: "const items = $input.first().json.body.lines\nreturn items.map((total) => ({ json: { total } }))"
    }, { typeVersion: 2 }),
    node("Is large?", "if", { conditions: condition("={{ $json.total }}", "number", "gt", 10) }, { typeVersion: 2 }),
    node("Edit Fields", "set", {
      assignments: {
        assignments: [
          {
            name: "order.name",
            value: "=Order {{ $('Webhook').first().json.body.name }}: {{ $json.total }}",
            type: "string"
          },
          { name: "count", value: "={{ $items('Split out').length }}", type: "number" }
        ]
      }
    }, { typeVersion: 3.4 }),
    node("Small", "function", { functionCode: "return items.map(({ json }) => ({ json: { small: json.total } }))" }),
    node("Answer", "respondToWebhook", {
      respondWith: "json",
      responseBody: "={{ JSON.stringify({ got: $json.order.name }) }}",
      options: { responseCode: 201 }
    })
  ],
  connections: connections(
    ["Webhook", "Split out"],
    ["Split out", "Is large?"],
    ["Is large?", "Edit Fields"],
    ["Is large?", "Small", 1],
    ["Edit Fields", "Answer"]
  )
}

const ways = {
  id: "w2",
  name: "N8n ways",
  active: true,
  nodes: [
    node("Hook", "webhook", { path: "ways", responseMode: "lastNode" }),
    node("Way", "switch", {
      rules: {
        values: [
          { conditions: condition("={{ $json.body.kind }}", "string", "equals", "a") },
          { conditions: condition("={{ $json.body.kind }}", "string", "startsWith", "b") }
        ]
      },
      options: { fallbackOutput: "extra" }
    }, { typeVersion: 3 }),
    node("One", "set", { values: { string: [{ name: "way", value: "one" }] }, options: {} }),
    node("Two", "functionItem", { functionCode: "item.way = 'two'\nreturn item" }),
    node("Off", "noOp", {}, { disabled: true }),
    node("Each", "code", {
      mode: "runOnceForEachItem",
      jsCode: "return { json: { way: $node['Hook'].json.body.kind + $itemIndex } }"
    }, { typeVersion: 2 })
  ],
  connections: connections(
    ["Hook", "Way"],
    ["Way", "One"],
    ["Way", "Two", 1],
    ["Way", "Off", 2],
    ["Off", "Each"]
  )
}

const joined = {
  id: "w3",
  name: "N8n joined",
  active: true,
  nodes: [
    node("Hook", "webhook", { path: "joined", responseMode: "onReceived" }),
    node("Nightly", "cron", { triggerTimes: { item: [{ mode: "everyDay", hour: 9, minute: 30 }] } }),
    node("Left", "set", { keepOnlySet: true, values: { number: [{ name: "a", value: "={{ $json.body.n + 1 }}" }] } }),
    node("Right", "set", { keepOnlySet: true, values: { boolean: [{ name: "b", value: true }] } }),
    node("Both", "merge", { mode: "combine", combinationMode: "mergeByPosition" }, { typeVersion: 2 }),
    node("Night", "code", { jsCode: "return [{ json: { at: typeof $json.timestamp } }]" }, { typeVersion: 2 }),
    node("End", "code", { jsCode: "return $input.all()" }, { typeVersion: 2 })
  ],
  connections: connections(
    ["Hook", "Left"],
    ["Hook", "Right"],
    ["Left", "Both"],
    ["Right", "Both", 0, 1],
    ["Both", "End"],
    ["Nightly", "Night"],
    ["Night", "End"]
  )
}

const asks = {
  id: "w4",
  name: "N8n asks",
  active: true,
  nodes: [
    node("Hook", "webhook", { path: "asks" }),
    node("Pause", "wait", { amount: 0, unit: "seconds" }),
    node("Ask", "httpRequest", {
      url: "=http://{{ $json.body.host }}/",
      authentication: "genericCredentialType",
      genericAuthType: "httpHeaderAuth",
      sendQuery: true,
      queryParameters: { parameters: [{ name: "q", value: "={{ $env.N8N_SHOP }}" }] }
    }, {
      typeVersion: 4.2,
      credentials: { httpHeaderAuth: { id: "7", name: "Shop key" } },
      onError: "continueRegularOutput"
    }),
    node("After", "code", { jsCode: "return [{ json: { told: $json.error?.length > 0, got: $json.got } }]" }, {
      typeVersion: 2
    }),
    node("Snake", "code", {
      language: "python",
      pythonCode: `text = """of
  several lines"""
made = []
for item in _input.all():
    made.append({"json": {"got": item.json.got, "lines": text}})
return made`
    }, { typeVersion: 2 }),
    node("Snakes", "code", {
      language: "pythonNative",
      mode: "runOnceForEachItem",
      pythonCode: "return {\"again\": _item[\"json\"][\"got\"]}"
    }, { typeVersion: 2 })
  ],
  connections: connections(
    ["Hook", "Pause"],
    ["Pause", "Ask"],
    ["Ask", "After"],
    ["After", "Snake"],
    ["Snake", "Snakes"]
  )
}

const unknown = {
  id: "w5",
  name: "N8n unknown",
  active: true,
  nodes: [
    node("Hook", "webhook", { path: "unknown" }),
    node("Send", "slack", {}),
    node("Loop", "splitInBatches", {}),
    node("Body", "noOp", {}),
    node("Alone", "noOp", {}),
    node("Snake", "code", { language: "python", pythonCode: "return _node['Hook']" })
  ],
  connections: connections(["Hook", "Send"], ["Send", "Loop"], ["Loop", "Body"], ["Body", "Loop"], ["Send", "Snake"])
}

/** A server on loopback that tells what it was asked. */
const answering = Effect.acquireRelease(
  Effect.callback<Http.Server>((resume) => {
    const server = Http.createServer(({ headers, method, url }, response) => {
      response.setHeader("content-type", "application/json")
      response.end(JSON.stringify({ got: `${method} ${url} ${headers["x-key"]}` }))
    })
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
  }),
  (server) => Effect.sync(() => void server.close())
).pipe(Effect.map((server) => {
  const address = server.address()
  return `127.0.0.1:${typeof address === "object" ? address?.port : address}`
}))

layer(RunningServer.layer, { excludeTestServices: true, timeout: "120 seconds" })("headwater import n8n", (it) => {
  const ended = Effect.fnUntraced(function*(slug: string, count = 1) {
    const { server } = yield* RunningServer
    const runs = yield* server.api("GET", `/workflows/${slug}/runs`).pipe(
      Effect.map(({ data }) => Json.listOf(data)),
      Effect.repeat({
        until: (runs) => runs.length >= count && ["success", "error"].includes(Json.textOf(runs[0]!["status"])),
        schedule: Schedule.spaced("50 millis")
      }),
      Effect.timeout("60 seconds")
    )
    const { data } = yield* server.api("GET", `/workflows/${slug}/runs/${Json.textOf(runs[0]!["id"])}`)
    return data!
  })
  const resultsOf = (run: Json.Json) =>
    Object.fromEntries(
      Json.listOf(run["steps"]).map(({ name, result }) => [Json.textOf(name), result?.["$return_value"]])
    )
  const send = Effect.fnUntraced(function*(workflow: string, body: unknown) {
    const { server } = yield* RunningServer
    const { data } = yield* server.api("GET", `/workflows/${workflow}`)
    const url = Json.textOf(data!["configured_props"]!["http"]!["endpoint_url"])
    return yield* Effect.promise(async () => {
      const headers = { "content-type": "application/json" }
      const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })
      return [answer.status, await answer.json()]
    })
  })

  it.effect("brings workflows that run as there", () =>
    Effect.gen(function*() {
      const { headwater, server } = yield* RunningServer
      const folder = yield* Files.make({
        "orders.json": json(orders),
        "more/list.json": json([ways, joined, asks, unknown]),
        "credentials.json": json([{ id: "7", name: "Shop key", data: "x" }])
      })
      const place = yield* TemporaryDirectory.make("moving")
      const run = (...args: ReadonlyArray<string>) => headwater(place, "import", ...args)
      const dry = yield* run("n8n", folder, "--dry-run")
      assert.strictEqual(dry.code, 0, dry.stderr)
      assert.deepStrictEqual(yield* Effect.promise(() => Fs.readdir(place)), [])
      const first = yield* run("n8n", folder, "--yes", "--json")
      assert.strictEqual(first.code, 0, first.stderr)
      const { report } = JSON.parse(first.stdout)
      assert.deepInclude(report.counts, { workflows: 5, deployed: 5 }, json(report))
      const module = yield* Effect.promise(() =>
        Fs.readFile(Path.join(place, "moved/workflows/n8n-orders/workflow.mjs"), "utf8")
      )
      assert.include(module, "// Takes orders\n    // */ apart")
      const told = (id: string) =>
        report.workflows.find((each: { id: string }) => each.id === id).findings
          .map(({ kind, message }: { kind: string; message: string }) => `${kind} ${message}`).join("\n")
      assert.match(told("n8n:w5"), /missing Send: nodes of the type slack are not known/)
      assert.match(told("n8n:w5"), /missing Loop: it is part of a loop/)
      assert.match(told("n8n:w5"), /missing Snake: _node is not here/)
      assert.match(told("n8n:w5"), /different Alone is left out/)
      assert.match(told("n8n:w2"), /different Off was switched off there/)

      for (const name of ["n8n-orders", "n8n-ways", "n8n-joined"]) {
        const done = yield* run("finish", name)
        assert.match(done.stdout, new RegExp(`^${name}: active`), done.stderr + done.stdout)
      }
      assert.deepStrictEqual(yield* send("n8n-orders", { name: "A", lines: [5, 20, 30] }), [201, {
        got: "Order A: 20"
      }])
      const made = yield* ended("n8n-orders")
      assert.strictEqual(Json.textOf(made["status"]), "success", json(made))
      const results = resultsOf(made)
      assert.deepStrictEqual<unknown>(results["Edit Fields"], [
        { json: { order: { name: "Order A: 20" }, count: 3 } },
        { json: { order: { name: "Order A: 30" }, count: 3 } }
      ])
      assert.deepStrictEqual<unknown>(results["Small"], [{ json: { small: 5 } }])

      const [status, answer] = yield* send("n8n-ways", { kind: "a" })
      assert.strictEqual(status, 200)
      assert.strictEqual((answer as { way: string }).way, "one")
      assert.strictEqual(((yield* send("n8n-ways", { kind: "bb" }))[1] as { way: string }).way, "two")
      assert.deepStrictEqual((yield* send("n8n-ways", { kind: "c" }))[1], { way: "c0" })

      assert.deepStrictEqual(yield* send("n8n-joined", { n: 1 }), [200, { message: "Workflow was started" }])
      const join = resultsOf(yield* ended("n8n-joined"))
      assert.deepStrictEqual<unknown>(join["End"], [{ json: { a: 2, b: true } }])
      assert.deepStrictEqual<unknown>(join["Night"], [])

      const account = yield* server.api("POST", "/accounts", {
        app: "http_header_auth",
        name: "Shop key",
        credentials: { name: "x-key", value: "k" }
      })
      const finished = yield* run(
        "finish",
        "n8n-asks",
        "--set",
        `Shop key=${Json.textOf(account["data"]!["id"])}`,
        "--set",
        "env.N8N_SHOP=north"
      )
      assert.match(finished.stdout, /^n8n-asks: active/, finished.stderr + finished.stdout)
      yield* send("n8n-asks", { host: "127.0.0.1:1" })
      const asked = resultsOf(yield* ended("n8n-asks"))
      assert.deepStrictEqual<unknown>(asked["After"], [{ json: { told: true } }], json(asked))
      yield* send("n8n-asks", { host: yield* answering })
      const got = resultsOf(yield* ended("n8n-asks", 2))
      assert.deepStrictEqual<unknown>(got["Ask"], [{ json: { got: "GET /?q=north k" } }], json(got))
      assert.deepStrictEqual<unknown>(got["Snake"], [{
        json: { got: "GET /?q=north k", lines: "of\n  several lines" }
      }])
      assert.deepStrictEqual<unknown>(got["Snakes"], [{ json: { again: "GET /?q=north k" } }])

      const left = yield* run("finish", "n8n-unknown", "--activate")
      assert.match(left.stdout, /^n8n-unknown: active/, left.stderr + left.stdout)
      yield* send("n8n-unknown", {})
      const failed = yield* ended("n8n-unknown")
      assert.match(json(failed), /Send did not come over: nodes of the type slack are not known/)
    }), 120_000)

  it.effect("refuses what is broken or hostile, and makes nothing of it", () =>
    Effect.gen(function*() {
      const { headwater } = yield* RunningServer
      const place = yield* TemporaryDirectory.make("moving")
      const hook = node("Hook", "webhook")
      const folder = yield* Files.make({
        "broken.json": "{ \"nodes\": [",
        "deep.json": `{"nodes":${"[".repeat(300)}${"]".repeat(300)}}`,
        "twice.json": json({ name: "Twice", nodes: [hook, hook], connections: {} }),
        "odd.json": json({ name: "Odd", nodes: [hook, 7], connections: {} }),
        "large.json": json({ nodes: Array.from({ length: 2_001 }, (_, n) => node(`N${n}`, "noOp")) }),
        "hostile.json": `{"name": "../../Hostile", "nodes": [${
          json(hook)
        }, {"name": "__proto__", "type": "n8n-nodes-base.set",
          "typeVersion": 3.4, "parameters": {"__proto__": {"polluted": 1}, "assignments": {"assignments":
          [{"name": "__proto__.polluted", "value": "={{ 1 }) ; globalThis.x = (1 }}"}]}}},
          {"name": "../../x", "type": "n8n-nodes-base.code", "parameters": {"jsCode": "} } export const evil = () => { {"}}],
          "connections": {"Hook": {"main": [[{"node": "__proto__", "index": 0}, {"node": "gone", "index": -1}]]},
          "__proto__": {"main": [[{"node": "../../x", "index": 0}]]}, "constructor": {"main": [[]]}}}`
      })
      const made = yield* headwater(place, "import", "n8n", folder, "--yes", "--json")
      assert.strictEqual(made.code, 0, made.stderr)
      const { report } = JSON.parse(made.stdout)
      const told = report.workflows.flatMap(({ findings }: { findings: ReadonlyArray<Record<string, unknown>> }) =>
        findings.map(({ file, message }) => `${String(file)}: ${String(message)}`)
      ).join("\n")
      assert.match(told, /broken\.json: is not JSON/)
      assert.match(told, /deep\.json: has more than 200 brackets/)
      assert.match(told, /twice\.json: has two nodes that are called "Hook"/)
      assert.match(told, /odd\.json: is not a node/)
      assert.match(told, /large\.json: has more than 2000 nodes/)
      assert.match(told, /hostile\.json: .*x: its code is not understood/)
      assert.match(told, /hostile\.json: a connection of "Hook" leads to no node/)
      assert.match(told, /hostile\.json: connections lead from "constructor", which is no node/)
      assert.match(told, /hostile\.json: __proto__: the expression .* is not understood/)
      assert.deepInclude(report.counts, { workflows: 6, deployed: 1 }, json(report))
      assert.deepStrictEqual(yield* Effect.promise(() => Fs.readdir(place)), ["moved"])
      const list = yield* headwater(
        place,
        "import",
        "n8n",
        Path.join(folder, "broken.json"),
        "--into",
        "other",
        "--yes"
      )
      assert.match(list.stdout, /is not JSON/)
      const gone = yield* headwater(place, "import", "n8n", Path.join(folder, "gone.json"), "--yes")
      assert.strictEqual(gone.code, 1)
    }), 60_000)
})
