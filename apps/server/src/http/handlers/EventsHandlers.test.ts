import { assert, layer } from "@effect/vitest"
import * as EventId from "@headwater/domain/EventId"
import { version } from "@headwater/domain/Version"
import * as Json from "@headwater/fixtures/Json"
import { EventLog } from "@headwater/log/logs/EventLog"
import { Effect, Schedule } from "effect"
import * as Http from "../../../test/HttpAppFixture.ts"

/** Emits what is in the request's body, and does what else it says. */
const source = Http.httpCode(`
    const { emit, meta, log, thrown } = event.body
    if (log !== undefined) console.warn("saw %s", log, { of: 2 })
    if (emit !== undefined) this.$emit(emit, meta)
    if (thrown !== undefined) throw new RangeError(thrown)`)

layer(Http.layer, { excludeTestServices: true })("event summaries", (it) => {
  it.effect("are the last events of a stream, newest first, with a preview of large ones", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const created = yield* http.created("/v1/sources", { component_code: source, name: "s" })
      const post = (body: unknown) => http.request("POST", Http.endpointOf(created), { body })
      const large = { text: "ä".repeat(450), rest: [1, 2, 3], more: "x".repeat(200) }
      yield* post({ emit: { n: 0 }, meta: { id: "own", summary: "First", ts: 5 } })
      yield* post({ emit: null })
      yield* post({ emit: large })
      yield* post({ emit: "elsewhere", meta: { name: "other" } })
      yield* http.summaries("/v1/sources/s/event_summaries?event_name=other", 1)
      const { json } = yield* http.request("GET", `/v1/sources/${created.id}/event_summaries`)
      const data = Json.listOf(json["data"])
      assert.lengthOf(data, 3)
      const { emit_id, ...metadata } = data[2]!["metadata"]!
      const ms = Number(Json.textOf(data[2]!["id"]).split("-")[0])
      assert.match(Json.textOf(data[2]!["id"]), /^\d{13}-\d+$/)
      assert.strictEqual<unknown>(data[2]!["indexed_at_ms"], ms)
      assert.deepStrictEqual<unknown>(data[2]!["event"], { raw_event: { n: 0 } })
      assert.isNotEmpty(emit_id)
      assert.deepStrictEqual<unknown>(metadata, {
        name: "",
        emitter_id: created.id,
        id: "own",
        summary: "First",
        ts: 5
      })
      assert.deepStrictEqual<unknown>(data[1]!["event"], { raw_event: null })
      Json.assertHolds(data[0]!["metadata"], { truncated: true })
      assert.isBelow(Buffer.byteLength(JSON.stringify(data[0]!["event"])), 1_024)
      assert.isTrue(Json.textOf(data[0]!["event"]!["raw_event"]!["text"]).startsWith("ää"))
      const full = yield* http.request("GET", `/v1/sources/s/event_summaries?limit=1&expand=event`)
      assert.deepStrictEqual<unknown>(full.json["data"]![0]!["event"], { raw_event: large })
      assert.notProperty(full.json["data"]![0]!["metadata"], "truncated")
      for (const name of ["", "default"]) {
        const named = yield* http.request("GET", `/v1/sources/s/event_summaries?event_name=${name}`)
        assert.deepStrictEqual(named.json, json)
      }
      const foreign = yield* (yield* Http.tenant()).request("GET", `/v1/sources/${created.id}/event_summaries`)
      Http.assertProblem(foreign, 404, "not_found")
    }))

  it.effect("of errors hold the event, its context and the error, and those of logs each line", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const created = yield* http.created("/v1/sources", { component_code: source, name: "s" })
      yield* http.request("POST", Http.endpointOf(created), {
        body: { thrown: "too far", log: "it" },
        headers: { "x-headwater-hops": "2" }
      })
      const [summary] = yield* http.summaries("/v1/sources/s/$errors/event_summaries?expand=event", 1)
      assert.hasAllKeys(summary, ["id", "indexed_at_ms", "event", "metadata"])
      const event = summary!["event"]!
      assert.hasAllKeys(event, ["original_event", "original_context", "error"])
      Json.assertHolds(event["original_event"], { method: "POST", body: { thrown: "too far", log: "it" } })
      const { id, ts, ...context } = event["original_context"]!
      assert.isNotEmpty(id)
      assert.strictEqual(new Date(Json.textOf(ts)).toISOString(), Json.textOf(ts))
      assert.deepStrictEqual<unknown>(context, {
        workflow_id: created.id,
        deployment_id: created["component_id"],
        source_type: "HTTP",
        verified: false,
        owner_id: http.accountId,
        platform_version: version
      })
      const { stack, ts: at, ...error } = event["error"]!
      assert.strictEqual(new Date(Json.textOf(at)).toISOString(), Json.textOf(at))
      assert.match(Json.textOf(stack), /^RangeError: too far\n {4}at .*component\.mjs:9:\d+/)
      assert.deepStrictEqual<unknown>(error, { code: "RangeError", cellId: created.id, message: "too far" })
      Json.assertHolds(summary!["metadata"], { name: "$errors", emitter_id: created.id })
      const paths = [
        "/v1/sources/s/$errors/event_summaries/?expand=event",
        "/v1/sources/s/%24errors/event_summaries?expand=event",
        "/v1/sources/s/event_summaries?event_name=$errors&expand=event"
      ]
      for (const path of paths) {
        assert.deepStrictEqual<unknown>((yield* http.request("GET", path)).json["data"], [summary])
      }
      const [line] = yield* http.summaries("/v1/sources/s/$logs/event_summaries", 1)
      const { ts: loggedAt, ...logged } = line!["event"]!["raw_event"]!
      assert.isNumber(loggedAt)
      assert.deepStrictEqual<unknown>(logged, { level: "warn", message: "saw it { of: 2 }" })
      Json.assertHolds(line!["metadata"], { name: "$logs" })
    }))

  it.effect("of what code itself emits to $errors hold it as any other event", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const created = yield* http.created("/v1/sources", { component_code: source, name: "s" })
      yield* http.request("POST", Http.endpointOf(created), { body: { emit: [1], meta: { name: "$errors" } } })
      const [summary] = yield* http.summaries("/v1/sources/s/$errors/event_summaries", 1)
      assert.deepStrictEqual<unknown>(summary!["event"], { raw_event: [1] })
    }))

  it.effect("reach no further back than 100 events, by pages in either direction too", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const log = yield* EventLog
      const { id } = yield* http.created("/v1/sources", { component_code: Http.code("feed") })
      const idOf = (n: number) => EventId.make(1_700_000_000_000 + n, n % 2)
      yield* log.append(Array.from({ length: 130 }, (_, n) => ({
        emitterId: id,
        stream: "",
        n: n + 1,
        id: idOf(n),
        emitId: `emit-${n}`,
        hops: 0,
        meta: {},
        payload: JSON.stringify({ n })
      })))
      const page = Effect.fnUntraced(function*(query: string) {
        const { json } = yield* http.request("GET", `/v1/sources/${id}/event_summaries?${query}`)
        const data = Json.listOf(json["data"])
        assert.strictEqual<unknown>(json["page_info"]!["total_count"], 100)
        assert.strictEqual<unknown>(json["page_info"]!["count"], data.length)
        return { ns: data.map(({ event }) => Number(event!["raw_event"]!["n"])), info: json["page_info"]! }
      })
      const walk = Effect.fnUntraced(function*(direction: "after" | "before", cursor: "end_cursor" | "start_cursor") {
        const seen: Array<ReadonlyArray<number>> = []
        let query = direction === "after" ? "" : `before=${EventId.format(idOf(0))}`
        for (;;) {
          const { info, ns } = yield* page(`limit=30&${query}`)
          if (ns.length === 0) return seen
          seen.push(ns)
          query = `${direction}=${Json.textOf(info[cursor])}`
        }
      })
      const last100 = Array.from({ length: 100 }, (_, i) => 129 - i)
      assert.deepStrictEqual((yield* walk("after", "end_cursor")).flat(), last100)
      assert.deepStrictEqual((yield* walk("before", "start_cursor")).toReversed().flat(), last100)
      const between = yield* page(`limit=2&after=${EventId.format(idOf(50))}&before=${EventId.format(idOf(40))}`)
      assert.deepStrictEqual(between.ns, [49, 48])
      assert.deepStrictEqual((yield* page(`after=${EventId.format(idOf(29))}`)).ns, [])
      assert.lengthOf((yield* page("limit=100")).ns, 100)
    }))

  it.effect("are deleted by range, from an event on, up to one, or all of a stream, and that is answered at once", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const created = yield* http.created("/v1/sources", {
        component_code: Http.httpCode("for (let n = 0; n < 10; n++) this.$emit(n); console.log('kept')"),
        name: "s"
      })
      yield* http.request("POST", Http.endpointOf(created))
      const ids = (yield* http.summaries("/v1/sources/s/event_summaries", 10)).toReversed().map(({ id }) =>
        Json.textOf(id)
      )
      const list = http.request("GET", "/v1/sources/s/event_summaries").pipe(
        Effect.map(({ json }) => Json.listOf(json["data"]).map(({ event }) => Number(event!["raw_event"])))
      )
      const remove = Effect.fnUntraced(function*(query: string, left: ReadonlyArray<number>) {
        const answer = yield* http.request("DELETE", `/v1/sources/${created.id}/events?${query}`)
        assert.strictEqual(answer.status, 202, answer.text)
        assert.strictEqual(answer.text, "")
        const found = yield* list.pipe(
          Effect.repeat({ until: (found) => found.length <= left.length, schedule: Schedule.spaced("10 millis") }),
          Effect.timeout("60 seconds")
        )
        assert.deepStrictEqual(found, left)
      })
      yield* remove(`start_id=${ids[4]}&end_id=${ids[4]}`, [9, 8, 7, 6, 5, 3, 2, 1, 0])
      yield* remove(`start_id=${ids[2]}&end_id=${ids[5]}`, [9, 8, 7, 6, 1, 0])
      yield* remove(`start_id=${ids[8]}`, [7, 6, 1, 0])
      yield* remove(`end_id=${ids[1]}&event_name=default`, [7, 6])
      yield* remove("", [])
      assert.lengthOf(yield* http.summaries("/v1/sources/s/$logs/event_summaries", 1), 1)
    }))

  it.effect("are not deleted by what is no range of theirs", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const { id } = yield* http.created("/v1/sources", { component_code: Http.code("feed") })
      const refused = [
        ["start_id=1-x", "start_id"],
        ["end_id=", "end_id"],
        ["start_id=1700000000001-0&end_id=1700000000000-5", "start_id"],
        ["event_name=$requests", "event_name"]
      ] as const
      for (const [query, path] of refused) {
        const answer = yield* http.request("DELETE", `/v1/sources/${id}/events?${query}`)
        Http.assertProblem(answer, 400, "invalid_request")
        assert.deepStrictEqual(Http.issuePaths(answer), [path])
      }
      Http.assertProblem(yield* http.request("DELETE", "/v1/sources/dc_none/events"), 404, "not_found")
      const foreign = yield* (yield* Http.tenant()).request("DELETE", `/v1/sources/${id}/events`)
      Http.assertProblem(foreign, 404, "not_found")
    }))
})
