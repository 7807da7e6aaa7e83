import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect, Schedule, Stream } from "effect"
import { HttpServer } from "effect/http"
import { connect } from "node:net"
import * as Http from "../../../test/HttpAppFixture.ts"

const megabyte = 1_000_000

/** Emits so many events of so many bytes a run. */
const source = Http.httpCode(`
  for (let i = 0; i < event.body.events; i++) this.$emit({ text: "x".repeat(event.body.bytes), list: [1, 2] })`)

layer(Http.layer, { excludeTestServices: true })("large answers", (it) => {
  const setup = Effect.fnUntraced(function*(runs: number, events: number, bytes: number) {
    const http = yield* Http.tenant()
    const created = yield* http.created("/v1/sources", { component_code: source, name: "s" })
    for (let run = 0; run < runs; run++) {
      yield* http.request("POST", Http.endpointOf(created), { body: { events, bytes } })
    }
    yield* http.summaries("/v1/sources/s/events?limit=100", runs * events)
    return http
  })

  const heldBytes = Effect.fnUntraced(function*() {
    const { address } = yield* HttpServer.HttpServer
    const url = `${HttpServer.formatAddress(address)}/metrics`
    const text = yield* Effect.promise(() => fetch(url).then((answer) => answer.text()))
    return Number(/^headwater_answers_held_bytes (\d+)$/m.exec(text)?.[1])
  })

  /** A request whose client reads no more of the answer than the status, which this gives. */
  const unread = Effect.fnUntraced(function*(http: Http.Tenant, path: string) {
    const { address } = yield* HttpServer.HttpServer
    const { port } = new URL(HttpServer.formatAddress(address))
    const client = yield* Effect.acquireRelease(
      Effect.sync(() => connect(Number(port), "127.0.0.1")),
      (client) => Effect.sync(() => client.destroy())
    )
    client.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${http.key}\r\n\r\n`)
    return yield* Effect.callback<string>((resume) => {
      client.once("data", (chunk) => {
        client.pause()
        resume(Effect.succeed(String(chunk.subarray(9, 12))))
      })
    })
  })

  it.effect("are pages of few events, and all of them together are the whole list", () =>
    Effect.gen(function*() {
      const http = yield* setup(4, 6, 0.9 * megabyte)
      const walk = Effect.gen(function*() {
        const ids: Array<string> = []
        let cursor = ""
        for (;;) {
          const { json, text } = yield* http.request("GET", `/v1/sources/s/events?limit=100&expand=event${cursor}`)
          assert.isBelow(text.length, 2 * megabyte)
          const data = Json.listOf(json["data"])
          assert.strictEqual<unknown>(json["page_info"]!["count"], data.length)
          if (data.length === 0) return ids
          for (const { event, id } of data) {
            assert.lengthOf(Json.textOf(event!["raw_event"]!["text"]), 0.9 * megabyte)
            ids.push(Json.textOf(id))
          }
          cursor = `&after=${Json.textOf(json["page_info"]!["end_cursor"])}`
        }
      })
      const all = yield* walk
      assert.lengthOf(new Set(all), 24)
      const cut = yield* http.request("GET", "/v1/sources/s/events?limit=100&include=id,metadata.truncated")
      assert.deepStrictEqual<unknown>(
        cut.json["data"],
        all.map((id) => ({ id, metadata: { truncated: true } }))
      )
      const projected = yield* http.request(
        "GET",
        "/v1/sources/s/events?limit=1&expand=event&include=event.raw_event.list"
      )
      assert.deepStrictEqual<unknown>(projected.json["data"], [{ event: { raw_event: { list: [1, 2] } } }])
    }))

  it.effect("under way are refused beyond an account's share, whoever reads them or not, and other accounts have theirs", () =>
    Effect.gen(function*() {
      const http = yield* setup(1, 1, 5.5 * megabyte)
      const other = yield* setup(1, 1, 2 * megabyte)
      const path = "/v1/sources/s/events?limit=100&expand=event"
      yield* Effect.scoped(Effect.gen(function*() {
        const statuses = yield* Effect.forEach(Array.from({ length: 12 }), () => unread(http, path), {
          concurrency: "unbounded"
        })
        assert.includeMembers(statuses, ["200", "429"])
        assert.sameMembers([...new Set(statuses)], ["200", "429"])
        assert.isAtMost(yield* heldBytes(), 24 * megabyte)
        const refused = yield* http.request("GET", path)
        Http.assertProblem(refused, 429, "rate_limited")
        assert.isAbove(Number(refused.headers.get("retry-after")), 0)
        assert.strictEqual((yield* http.request("GET", "/v1/sources/s/events")).status, 200)
        assert.strictEqual((yield* other.request("GET", path)).status, 200)
      }))
      yield* heldBytes().pipe(
        Effect.repeat({ until: (bytes) => bytes === 0, schedule: Schedule.spaced("10 millis") }),
        Effect.timeout("60 seconds")
      )
      assert.strictEqual((yield* http.request("GET", path)).status, 200)
    }))

  it.effect("of workflow runs hold one part at a time, and are whole", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const numbers = [1, 2, 3]
      const steps = numbers.map((n) => `s${n}: { run() { return "${n}".repeat(${1.9 * megabyte}) } }`)
      const workflow = yield* http.created("/v1/workflows", {
        workflow_code: `export default { steps: { ${steps.join()} } }`,
        name: "w"
      })
      const invoked = yield* http.request("POST", `/v1/workflows/${workflow.id}/invocations`, {
        body: { event: { order: 1 } }
      })
      const path = `/v1/workflows/w/runs/${Json.textOf(invoked.json["data"]!["id"])}`
      yield* http.request("GET", `${path}?include=status`).pipe(
        Effect.repeat({
          until: ({ json }) => String(json["data"]?.["status"]) === "success",
          schedule: Schedule.spaced("10 millis")
        }),
        Effect.timeout("60 seconds")
      )
      const { json } = yield* http.request("GET", path)
      assert.deepStrictEqual<unknown>(json["data"]!["event"], { order: 1 })
      assert.deepStrictEqual(
        Json.listOf(json["data"]!["steps"]).map(({ result }) => Json.textOf(result!["$return_value"]).length),
        numbers.map(() => 1.9 * megabyte)
      )
      const named = yield* http.request("GET", `${path}?include=steps.name,event`)
      assert.deepStrictEqual<unknown>(named.json["data"], {
        event: { order: 1 },
        steps: numbers.map((n) => ({ name: `s${n}` }))
      })
      yield* Effect.scoped(Effect.gen(function*() {
        yield* unread(http, path)
        assert.isBelow(yield* heldBytes(), 3 * megabyte)
      }))
    }))

  it.effect("of tails hold one event at a time, and have all of them", () =>
    Effect.gen(function*() {
      const http = yield* setup(2, 3, 1.9 * megabyte)
      const path = "/v1/sources/s/sse?after=0-0"
      yield* Effect.scoped(Effect.gen(function*() {
        assert.strictEqual(yield* unread(http, path), "200")
        const held = yield* heldBytes().pipe(
          Effect.repeat({ until: (bytes) => bytes > 0, schedule: Schedule.spaced("10 millis") }),
          Effect.timeout("60 seconds")
        )
        assert.isBelow(held, 2 * megabyte)
      }))
      const { address } = yield* HttpServer.HttpServer
      const signal = yield* Effect.abortSignal
      const response = yield* Effect.promise(() =>
        fetch(HttpServer.formatAddress(address) + path, {
          headers: { authorization: `Bearer ${http.key}` },
          signal
        })
      )
      let bytes = 0
      yield* Stream.fromReadableStream({ evaluate: () => response.body!, onError: (error) => error }).pipe(
        Stream.tap(({ length }) =>
          Effect.sync(() => {
            bytes += length
          })
        ),
        Stream.takeUntil(() => bytes > 6 * 1.9 * megabyte),
        Stream.runDrain,
        Effect.timeout("60 seconds")
      )
    }))
})
