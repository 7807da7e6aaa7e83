import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as Loopback from "@headwater/fixtures/Loopback"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect, Schedule } from "effect"
import type { IncomingHttpHeaders } from "node:http"
import { gzipSync } from "node:zlib"
import * as Files from "../../test/Files.ts"
import { RunningServer } from "../../test/RunningServer.ts"

const project = (name: string) => ({
  "shop-p_F1/workflow.yaml": `schema: workflow/2022.04
name: ${name}
triggers:
- id: hi_F1
steps:
- namespace: answer
  uses: ./answer/entry.js
`,
  "shop-p_F1/answer/entry.js": `export default defineComponent({
  async run({ steps, $ }) {
    const { event } = steps.trigger
    const bytes = event.bodyBase64 ?? Buffer.from(event.bodyRaw ?? "").toString("base64")
    const { method, path, query, headers } = event
    await $.respond({ status: 201, headers: { "x-here": "yes" }, body: JSON.stringify({ method, path, query, headers, bytes }) })
  }
})
`
})

interface Request {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

const everyByte = Uint8Array.from({ length: 256 }, (_, byte) => byte)

/** The old URL, which answers with bytes, and fails as often as it is told to. */
const oldSide = Effect.gen(function*() {
  const requests: Array<Request> = []
  const state = { failures: 0 }
  const origin = yield* Loopback.serve((request, response) => {
    const parts: Array<Buffer> = []
    request.on("data", (part: Buffer) => parts.push(part))
    request.on("end", () => {
      const { headers, method = "", url = "" } = request
      requests.push({ method, url, headers, body: Buffer.concat(parts) })
      if (state.failures > 0) {
        state.failures--
        response.writeHead(503).end()
        return
      }
      response.writeHead(207, {
        "content-type": "application/octet-stream",
        "content-encoding": "gzip",
        "x-old": "yes",
        "x-of-hop": "no",
        connection: "close, x-of-hop"
      }).end(gzipSync(everyByte))
    })
  })
  return { origin, requests, state }
})

const send = (url: string, options: RequestInit = {}) =>
  Effect.promise(async () => {
    const response = await fetch(url, { redirect: "manual", ...options })
    return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) }
  })

const moved = Effect.fnUntraced(function*(name: string) {
  const { headwater } = yield* RunningServer
  const place = yield* TemporaryDirectory.make("moving")
  const run = (...args: ReadonlyArray<string>) => headwater(place, "import", ...args)
  const first = yield* run("pipedream", yield* Files.make(project(name)), "--yes")
  assert.strictEqual(first.code, 0, first.stderr)
  return { place, run }
})

layer(RunningServer.layer, { excludeTestServices: true, timeout: "120 seconds" })("headwater import forward", (it) => {
  it.effect(
    "makes an endpoint that relays to the old URL and back, byte for byte, and later to the workflow",
    () =>
      Effect.gen(function*() {
        const { headwater, server } = yield* RunningServer
        const old = yield* oldSide
        const { place, run } = yield* moved("Shop")
        assert.match((yield* run("forward", "shop")).stderr, /give either --to/)
        assert.match((yield* run("forward", "shop", "--to", "shop")).stderr, /--to: expected an http or https URL/)
        const made = yield* run("forward", "shop", "--to", `${old.origin}/in?token=t`, "--json")
        assert.strictEqual(made.code, 0, made.stderr)
        const { id, url } = JSON.parse(made.stdout)

        const answer = yield* send(`${url}/a%20b/c?x=1&x=2&y=%2F`, {
          method: "PUT",
          headers: { "content-type": "application/x-own", "x-own": "mine", "content-encoding": "gzip" },
          body: gzipSync(everyByte)
        })
        assert.deepInclude(answer, { status: 207, body: Buffer.from(everyByte) })
        assert.strictEqual(answer.headers.get("x-old"), "yes")
        assert.isNull(answer.headers.get("x-of-hop"))
        const [request] = old.requests
        assert.deepInclude(request, {
          method: "PUT",
          url: "/in/a%20b/c?token=t&x=1&x=2&y=%2F",
          body: Buffer.from(everyByte)
        })
        assert.deepInclude(request!.headers, {
          "content-type": "application/x-own",
          "x-own": "mine",
          "content-length": "256",
          host: new URL(old.origin).host,
          "x-headwater-forwarded": "1"
        })
        assert.notProperty(request!.headers, "content-encoding")

        const looped = yield* send(url, { method: "POST", headers: { "x-headwater-forwarded": "1" }, body: "again" })
        assert.strictEqual(looped.status, 508)
        assert.strictEqual(old.requests.length, 1)

        const { data: runs } = yield* server.api("GET", `/workflows/${id}/runs?status=success`).pipe(
          Effect.repeat({
            until: ({ data }) => Json.listOf(data).length === 2,
            schedule: Schedule.spaced("50 millis")
          }),
          Effect.timeout("60 seconds")
        )
        assert.lengthOf(Json.listOf(runs), 2, "each request is kept with its run")
        assert.match((yield* run("status")).stdout, new RegExp(`Shop +${old.origin}/in\\?token=t +http`))

        yield* run("finish", "shop")
        const here = yield* run("forward", "shop", "--to", "here", "--json")
        assert.strictEqual(JSON.parse(here.stdout).url, url, "callers keep their URL")
        const answered = yield* send(`${url}/p?q=1`, { method: "POST", body: everyByte })
        assert.strictEqual(answered.status, 201)
        assert.strictEqual(answered.headers.get("x-here"), "yes")
        Json.assertHolds(JSON.parse(answered.body.toString()), {
          method: "POST",
          path: "/p",
          query: { q: "1" },
          bytes: Buffer.from(everyByte).toString("base64")
        })
        assert.strictEqual(old.requests.length, 1)
        assert.match((yield* headwater(place, "apply", "moved", "--yes")).stdout, /Nothing to do/)
        assert.match((yield* run("pipedream", yield* Files.make(project("Shop")), "--yes")).stdout, /Nothing to do/)
      }),
    240_000
  )

  it.effect(
    "answers at once where that is asked for, and tries again what was not taken",
    () =>
      Effect.gen(function*() {
        const old = yield* oldSide
        old.state.failures = 1
        const { run } = yield* moved("Accepting")
        const made = yield* run("forward", "shop", "--to", old.origin, "--no-answer", "--json")
        assert.strictEqual(made.code, 0, made.stderr)
        const answer = yield* send(JSON.parse(made.stdout).url, { method: "POST", body: "kept" })
        assert.deepInclude(answer, { status: 200, body: Buffer.alloc(0) })
        yield* Effect.sync(() => old.requests.length).pipe(
          Effect.repeat({ until: (count) => count === 2, schedule: Schedule.spaced("50 millis") }),
          Effect.timeout("60 seconds")
        )
        assert.deepStrictEqual(old.requests.map(({ body, url }) => [url, body.toString()]), [["/", "kept"], [
          "/",
          "kept"
        ]])
      }),
    240_000
  )

  it.effect("tells callers that the old URL does not answer", () =>
    Effect.gen(function*() {
      const { run } = yield* moved("Away")
      const { server } = yield* RunningServer
      yield* server.api("POST", "/workflows", {
        name: "Away (forwarded)",
        workflow_code: "export default { run() {} }"
      })
      const refused = yield* run("forward", "shop", "--to", "http://127.0.0.1:1/")
      assert.match(refused.stderr, /a workflow Away \(forwarded\) that this has not made/)
      yield* server.api("PUT", "/workflows/away-forwarded", { name: "Mine" })
      const made = yield* run("forward", "shop", "--to", "http://127.0.0.1:1/", "--json")
      assert.strictEqual((yield* send(JSON.parse(made.stdout).url)).status, 502)
    }), 240_000)

  it.effect(
    "prints a step that relays from the old URL to the workflow here, and nothing in a circle",
    () =>
      Effect.gen(function*() {
        const { server } = yield* RunningServer
        const { run } = yield* moved("Pasted")
        yield* run("finish", "shop")
        const printed = yield* run("forward", "shop", "--from", "--json")
        assert.strictEqual(printed.code, 0, printed.stderr)
        const { code } = JSON.parse(printed.stdout)
        // The step as the other side runs it: behind an HTTP trigger whose answer is the code's.
        const { data: there } = yield* server.api("POST", "/workflows", {
          workflow_code: `const defineComponent = (step) => ({
  props: { http: { type: "$.interface.http", customResponse: true } },
  steps: { relay: step }
})
${code}`
        })
        const url = Json.textOf(there!["configured_props"]!["http"]!["endpoint_url"])
        const answered = yield* send(`${url}/p?q=1`, { method: "PATCH", headers: { "x-own": "mine" }, body: everyByte })
        assert.strictEqual(answered.status, 201, answered.body.toString())
        const seen = JSON.parse(answered.body.toString())
        Json.assertHolds(seen, {
          method: "PATCH",
          path: "/p",
          query: { q: "1" },
          bytes: Buffer.from(everyByte).toString("base64")
        })
        Json.assertHolds(seen.headers, { "x-own": "mine", "x-headwater-forwarded": "1" })
        const looped = yield* send(url, { method: "POST", headers: { "x-headwater-forwarded": "1" }, body: "again" })
        assert.strictEqual(looped.status, 400, "the step ends its run, which answers nothing")
      }),
    240_000
  )
})
