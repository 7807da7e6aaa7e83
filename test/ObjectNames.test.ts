import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect, Schedule } from "effect"
import { once } from "node:events"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { RunningServer } from "../apps/cli/test/RunningServer.ts"
import * as ServerProcess from "./ServerProcess.ts"

/** Names that all objects have, and one that is a way to change what they have. */
const names = ["__proto__", "constructor", "toString", "valueOf", "hasOwnProperty", "__defineGetter__"]

/** One value for each name, as JSON has them. */
const each = (value: (name: string) => unknown, of = names) => Object.fromEntries(of.map((name) => [name, value(name)]))

const inCode = `const names = ${JSON.stringify(names)}
const each = (value) => Object.fromEntries(names.map((name) => [name, value(name)]))
const own = (object, of = names) => of.map((name) => Object.hasOwn(object, name) ? object[name] : null)
`

const own = (object: unknown) =>
  names.map((name) =>
    typeof object === "object" && object !== null && Object.hasOwn(object, name)
      ? (object as Record<string, unknown>)[name]
      : null
  )

const emptyCode = "export default { run() {} }"

const dataOf = (answer: Json.Json) => answer["data"]!

/** Sends a header for each name. By Node's own client, since `fetch` and Node's objects of headers leave `__proto__` out. */
const post = async (url: string, body: string | URLSearchParams | FormData) => {
  const given = new Response(body)
  const type = typeof body === "string" ? "application/json" : given.headers.get("content-type")!
  const bytes = await given.bytes()
  const headers = names.flatMap((name) => [name, `header ${name}`])
  const request = Http.request(url, {
    method: "POST",
    headers: ["host", new URL(url).host, ...headers, "content-type", type, "content-length", String(bytes.length)]
  })
  request.end(bytes)
  const [response] = await once(request, "response") as [Http.IncomingMessage]
  return { status: response.statusCode, text: await text(response) }
}

layer(RunningServer.layer, { excludeTestServices: true })("names of Object's own members", (it) => {
  /** Of one stream, oldest first, once there are so many. */
  const eventsOf = Effect.fnUntraced(function*(id: string, count: number, stream = "default") {
    const { server } = yield* RunningServer
    const kind = id.startsWith("p_") ? "workflows" : "sources"
    const events = yield* server.api("GET", `/${kind}/${id}/events?limit=100&expand=event&event_name=${stream}`).pipe(
      Effect.map((answer) => Json.listOf(answer["data"])),
      Effect.repeat({ until: (found) => found.length >= count, schedule: Schedule.spaced("20 millis") }),
      Effect.timeout("60 seconds")
    )
    return events.toReversed().map((event) => event["event"]!["raw_event"] as unknown)
  })

  it.effect("are names of props, methods, keys of the store, query parameters, headers and fields like any other", () =>
    Effect.gen(function*() {
      const { server } = yield* RunningServer
      const source = dataOf(
        yield* server.api("POST", "/sources", {
          component_code: `${inCode}
            export default {
              props: {
                http: { type: "$.interface.http", customResponse: true },
                db: "$.service.db",
                ...each(() => ({ type: "string", optional: true }))
              },
              run({ body, headers, query }) {
                const stored = names.map((name) => this.db.get(name) ?? null)
                for (const name of names) this.db.set(name, (this.db.get(name) ?? 0) + 1)
                this.$emit({ stored, props: own(this), body: own(body), query: own(query), headers: own(headers, names.map((name) => name.toLowerCase())) })
                this.http.respond({ status: 200, body: each((name) => name) })
              }
            }`,
          configured_props: each((name) => `prop ${name}`)
        })
      )
      assert.deepStrictEqual(own(source["configured_props"]), names.map((name) => `prop ${name}`))
      const endpoint = Json.textOf(source["configured_props"]!["http"]!["endpoint_url"])
      const pairs = names.map((name): [string, string] => [name, `field ${name}`])
      const form = new FormData()
      for (const [name, value] of pairs) form.append(name, value)
      const bodies = [JSON.stringify(each((name) => `field ${name}`)), new URLSearchParams(pairs), form]
      for (const body of bodies) {
        const query = new URLSearchParams(names.map((name): [string, string] => [name, `query ${name}`]))
        const answer = yield* Effect.promise(() => post(`${endpoint}?${query}`, body))
        assert.strictEqual(answer.status, 200)
        assert.deepStrictEqual(own(JSON.parse(answer.text)), names)
      }
      const events = yield* eventsOf(Json.textOf(source["id"]), bodies.length)
      assert.deepStrictEqual<unknown>(
        events,
        bodies.map((_, run) => ({
          stored: names.map(() => run === 0 ? null : run),
          props: names.map((name) => `prop ${name}`),
          body: names.map((name) => `field ${name}`),
          query: names.map((name) => `query ${name}`),
          headers: names.map((name) => `header ${name}`)
        }))
      )
    }))

  it.effect("are names of methods and streams, and of credentials", () =>
    Effect.gen(function*() {
      const { server } = yield* RunningServer
      const account = dataOf(
        yield* server.api("POST", "/accounts", {
          app: "shop",
          name: "Shop",
          credentials: each((name) => `secret ${name}`)
        })
      )
      const source = dataOf(
        yield* server.api("POST", "/sources", {
          component_code: `${inCode}
            export default {
              props: { shop: { type: "app", app: "shop", methods: each((name) => () => name) }, http: "$.interface.http" },
              methods: each((name) => () => name),
              run() {
                const called = (object) => names.map((name) => Object.hasOwn(object, name) ? object[name]() : null)
                for (const name of names) this.$emit(name, { name })
                this.$emit({ methods: called(this), app: called(this.shop), credentials: own(this.shop.$auth) })
              }
            }`,
          configured_props: { shop: { authProvisionId: Json.textOf(account["id"]) } }
        })
      )
      yield* Effect.promise(() =>
        fetch(Json.textOf(source["configured_props"]!["http"]!["endpoint_url"]), { method: "POST" })
      )
      const id = Json.textOf(source["id"])
      assert.deepStrictEqual<unknown>(yield* eventsOf(id, 1), [
        { methods: names, app: names, credentials: names.map((name) => `secret ${name}`) }
      ])
      for (const name of names) assert.deepStrictEqual<unknown>(yield* eventsOf(id, 1, name), [name])
    }))

  it.effect("are names of timers and of apps without an account, also where a component has no such prop", () =>
    Effect.gen(function*() {
      const { server } = yield* RunningServer
      const source = dataOf(
        yield* server.api("POST", "/sources", {
          component_code: `${inCode}
            export default {
              props: each(() => ({ type: "$.interface.timer", default: { intervalSeconds: 1 } })),
              run() { this.$emit("tick") }
            }`
        })
      )
      const id = Json.textOf(source["id"])
      assert.deepStrictEqual<unknown>(
        own(source["configured_props"]),
        names.map(() => ({ cron: null, interval_seconds: 1 }))
      )
      yield* eventsOf(id, 2 * names.length)
      const changed = yield* server.api("PUT", `/sources/${id}`, {
        component_code: `${inCode}
          export default {
            props: {
              timer: { type: "$.interface.timer", default: { intervalSeconds: 1 } },
              ...each(() => ({ type: "app", app: "shop", optional: true }))
            },
            run() { this.$emit(names.map((name) => Object.hasOwn(this, name) ? this[name].$auth : null)) }
          }`
      })
      assert.strictEqual(Json.textOf(dataOf(changed)["id"]), id)
      const last = yield* eventsOf(id, 0).pipe(
        Effect.map((events) => events.at(-1)),
        Effect.repeat({ until: (event) => event !== "tick", schedule: Schedule.spaced("50 millis") })
      )
      assert.deepStrictEqual<unknown>(last, names.map(() => ({})))
      assert.deepStrictEqual<unknown>(yield* eventsOf(id, 0, "$errors"), [])
    }))

  it.effect("are names of endpoints and stores, and of headers that a workflow sends", () =>
    Effect.gen(function*() {
      const { server } = yield* RunningServer
      const received: Array<ReadonlyArray<string>> = []
      const sink = yield* Effect.acquireRelease(
        Effect.promise(async () => {
          const sink = Http.createServer((request, response) => {
            received.push(request.rawHeaders)
            response.end()
          }).listen(0, "127.0.0.1")
          await once(sink, "listening")
          return sink
        }),
        (sink) => Effect.promise(async () => sink.close())
      )
      const { port } = sink.address() as AddressInfo
      for (const [index, name] of names.entries()) {
        const other = names[(index + 1) % names.length]!
        const source = dataOf(
          yield* server.api("POST", "/sources", {
            component_code: `export default {
              props: { ["${name}"]: "$.interface.http", ["${other}"]: "$.service.db" },
              run({ body }) {
                const store = this["${other}"]
                this.$emit([body, typeof this["${name}"].respond, store.get("a") ?? null])
                store.set("a", body)
              }
            }`
          })
        )
        const endpoint = Json.textOf(Reflect.get(source["configured_props"]!, name)["endpoint_url"])
        for (const body of ["1", "2"]) yield* Effect.promise(() => post(endpoint, body))
        assert.deepStrictEqual<unknown>(yield* eventsOf(Json.textOf(source["id"]), 2), [
          [1, "function", null],
          [2, "function", 1]
        ])
      }
      const workflow = dataOf(
        yield* server.api("POST", "/workflows", {
          workflow_code: `${inCode}
            export default {
              async run({ $ }) {
                await $.send.http({ url: "http://127.0.0.1:${port}/", headers: each((name) => "sent " + name) })
              }
            }`
        })
      )
      yield* server.api("POST", `/workflows/${Json.textOf(workflow["id"])}/invocations`, { event: {} })
      yield* Effect.repeat(Effect.sync(() => received.length), {
        until: (count) => count > 0,
        schedule: Schedule.spaced("20 millis")
      })
      assert.deepStrictEqual(
        names.map((name) => received[0]![received[0]!.indexOf(name.toLowerCase()) + 1]),
        names.map((name) => `sent ${name}`)
      )
    }))

  it.effect("are names of steps, of what they export, and of their props", () =>
    Effect.gen(function*() {
      const { server } = yield* RunningServer
      const workflow = dataOf(
        yield* server.api("POST", "/workflows", {
          workflow_code: `${inCode}
            export default {
              steps: {
                ...each((step) => ({
                  props: each((name) => ({ type: "string", default: step + " " + name })),
                  run({ steps, $ }) {
                    for (const name of names) $.export(name, step + " exports " + name)
                    return { props: own(this), before: Object.keys(steps) }
                  }
                })),
                last: {
                  run({ steps, $ }) {
                    $.emit({
                      exported: names.map((step) => own(steps[step])),
                      returned: names.map((step) => steps[step].$return_value),
                      fields: own(steps.trigger.event)
                    })
                  }
                }
              }
            }`
        })
      )
      const id = Json.textOf(workflow["id"])
      yield* server.api("POST", `/workflows/${id}/invocations`, { event: each((name) => name) })
      const [event] = yield* eventsOf(id, 1)
      assert.deepStrictEqual<unknown>(event, {
        exported: names.map((step) => names.map((name) => `${step} exports ${name}`)),
        returned: names.map((step, at) => ({
          props: names.map((name) => `${step} ${name}`),
          before: ["trigger", ...names.slice(0, at)]
        })),
        fields: names
      })
      const run = Json.listOf((yield* server.api("GET", `/workflows/${id}/runs`))["data"])[0]!
      const shown = dataOf(yield* server.api("GET", `/workflows/${id}/runs/${Json.textOf(run["id"])}`))
      assert.deepStrictEqual<unknown>(Json.listOf(shown["steps"]).map((step) => step["name"]), [...names, "last"])
    }))

  it.effect("are unknown parameters and fields like any other", () =>
    Effect.gen(function*() {
      const { server } = yield* RunningServer
      const answerTo = (path: string, body?: string) =>
        Effect.promise(async () => {
          const response = await fetch(`${server.url}/v1${path}`, {
            headers: { authorization: `Bearer ${ServerProcess.key}`, "content-type": "application/json" },
            ...(body === undefined ? {} : { method: "POST", body })
          })
          const { detail, details, status } = await response.json() as Json.Json
          return JSON.stringify([response.status, detail, details, status])
        })
      const plain = "unknown"
      const asked = (name: string) =>
        Effect.all([
          answerTo(`/users/me/sources?${name}=1`),
          answerTo("/webhooks", JSON.stringify({ url: "http://127.0.0.1:9/", ...each(() => 1, [name]) })),
          answerTo("/webhooks", JSON.stringify({ url: "http://127.0.0.1:9/", headers: each(() => 1, [name]) })),
          answerTo("/sources", JSON.stringify({ component_code: emptyCode, configured_props: each(() => 1, [name]) })),
          answerTo(
            "/sources",
            JSON.stringify({ component_code: `export default { batch: { [${JSON.stringify(name)}]: 1 }, run() {} }` })
          )
        ])
      const expected = yield* asked(plain)
      for (const name of names) {
        assert.deepStrictEqual(
          (yield* asked(name)).map((answer) => answer.replaceAll(name, plain)),
          expected,
          name
        )
      }
    }))
})
