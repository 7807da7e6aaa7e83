import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import * as Http from "../../../test/HttpAppFixture.ts"

/** The tables that hold a text, or its bytes, anywhere. */
const tablesWith = (text: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const tables = yield* sql<{ readonly name: string }>`
      SELECT c.relname AS name FROM pg_class c
      WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' ORDER BY c.relname`
    const hex = Buffer.from(text).toString("hex")
    const found = yield* Effect.forEach(tables, ({ name }) =>
      Effect.map(
        sql<{ readonly any: boolean }>`
          SELECT EXISTS (
            SELECT FROM ${sql(name)} AS t WHERE strpos(t::text, ${text}) > 0 OR strpos(t::text, ${hex}) > 0
          ) AS any`,
        ([row]) => row!.any ? [name] : []
      ))
    return found.flat()
  })

/** A workflow with an endpoint, and requests to it. */
const workflow = Effect.fnUntraced(function*(http: Http.Tenant, steps: Readonly<Record<string, string>>) {
  const created = yield* http.created("/v1/workflows", {
    workflow_code: `export default { props: { http: "$.interface.http" }, steps: {${
      Object.entries(steps).map(([name, body]) =>
        `${name}: { props: { note: "string" }, async run({ steps, $ }) { ${body} } }`
      ).join(", ")
    }} }`,
    configured_props: Object.fromEntries(
      Object.keys(steps).map((name) => [`${name}.note`, "{{ steps.trigger.event.body }}"])
    )
  })
  const path = `/v1/workflows/${created.id}`
  return {
    path,
    post: (raw: string, headers: Record<string, string> = { "x-pd-nostore": "1" }, query = "") =>
      http.request("POST", `${Http.endpointOf(created)}${query}`, {
        key: null,
        raw,
        headers: { "content-type": "text/plain", ...headers }
      }),
    /** The newest of so many runs, once it is like that. */
    run: (status: string, count = 1) =>
      http.request("GET", `${path}/runs`).pipe(
        Effect.map(({ json }) => Json.listOf(json["data"])),
        Effect.map((runs) => runs.length < count ? undefined : runs[0]),
        Effect.repeat({
          until: (run) => run !== undefined && Json.textOf(run["status"]) === status,
          schedule: Schedule.spaced("10 millis")
        }),
        Effect.flatMap((run) => http.request("GET", `${path}/runs/${Json.textOf(run!["id"])}`)),
        Effect.map(({ json }) => json["data"]!),
        Effect.timeout("60 seconds")
      )
  }
})

layer(Http.layer, { excludeTestServices: true })("a request with x-pd-nostore", (it) => {
  it.effect("runs the workflow, and leaves nothing but that it did", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const { path, post, run } = yield* workflow(http, {
        first: `console.log(steps.trigger.event.body); $.export("seen", this.note); return steps.trigger.event.body`,
        second: `$.emit(steps.first.seen.length); return $.flow.exit(steps.first.$return_value)`
      })
      for (
        const [count, secret, headers, query] of [
          [1, "s3cret-of-one", undefined, ""],
          [2, "s3cret-of-two", {}, "?x-pd-nostore=1"]
        ] as const
      ) {
        assert.strictEqual((yield* post(secret, headers, query)).status, 200)
        const ended = yield* run("success", count)
        Json.assertHolds(ended, { event: null, exit_reason: "" })
        assert.deepStrictEqual<unknown>(
          Json.listOf(ended["steps"]).map(({ configured_props, logs, name, result, status }) => [
            name,
            status,
            configured_props,
            result,
            logs
          ]),
          [["first", "success", null, null, []], ["second", "success", null, null, []]]
        )
        assert.deepStrictEqual(yield* tablesWith(secret), [])
        const again = yield* http.request("POST", `${path}/runs/${Json.textOf(ended["id"])}/rerun`)
        Http.assertProblem(again, 400, "invalid_request")
      }
      const events = yield* http.summaries(`${path}/event_summaries?expand=event`, 2)
      assert.deepStrictEqual<unknown>(events.map((event) => event["event"]!["raw_event"]), [13, 13])

      yield* post("kept as ever", {})
      yield* http.summaries(`${path}/event_summaries`, 3)
      assert.include(JSON.stringify(yield* run("success", 3)), "kept as ever")
    }))

  it.effect("is kept for as long as its run needs it", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const { path, post, run } = yield* workflow(http, {
        ask: `$.flow.suspend(); return steps.trigger.event.body`,
        tell: `$.emit(1)`
      })
      const secret = "s3cret-of-waiting"
      yield* post(secret)
      const waiting = yield* run("waiting")
      assert.include(yield* tablesWith(secret), "workflow_runs")
      assert.strictEqual((yield* http.request("POST", `${path}/runs/${Json.textOf(waiting["id"])}/cancel`)).status, 200)
      Json.assertHolds(yield* run("cancelled"), { event: null })
      assert.deepStrictEqual(yield* tablesWith(secret), [])
    }))

  it.effect("is not in the error of its run", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const { path, post, run } = yield* workflow(http, {
        only: `throw new TypeError("no " + steps.trigger.event.body)`
      })
      const secret = "s3cret-of-error"
      yield* post(secret)
      const ended = yield* run("error")
      Json.assertHolds(ended["error"]!, { name: "TypeError" })
      assert.notInclude(JSON.stringify(ended), secret)
      const [error] = yield* http.summaries(`${path}/$errors/event_summaries?expand=event`, 1)
      Json.assertHolds(error!["event"]!, { original_event: {} })
      assert.deepStrictEqual(yield* tablesWith(secret), [])
    }))

  it.effect("takes its files along", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const { post, run } = yield* workflow(http, {
        only: `$.emit(1)`
      })
      const secret = "s3cret-of-file"
      yield* post(secret, { "x-pd-nostore": "1", "x-pd-upload-body": "1" })
      yield* run("success")
      assert.deepStrictEqual(yield* tablesWith(secret), [])
      assert.deepStrictEqual<unknown>((yield* http.request("GET", "/v1/files")).json["data"], [])
    }))
})
