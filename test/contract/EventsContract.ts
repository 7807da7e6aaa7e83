import { assert } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect, Schedule } from "effect"
import { assertInvalid, assertProblem, type Client, ContractServer, emitting, type It } from "./ContractServer.ts"

const idOf = (json: Json.Json): string => Json.textOf(json["id"])

const post = (source: Json.Json, body: unknown) =>
  Effect.promise(() =>
    fetch(Json.textOf(source["configured_props"]!["http"]!["endpoint_url"]), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body)
    }).then(({ status }) => assert.strictEqual(status, 200))
  )

/** A source, and what its events say once it has emitted so many of `{n}`, newest first. */
const emitted = Effect.fnUntraced(function*(client: Client, count: number) {
  const source = yield* client.ok("POST", "/sources", { component_code: emitting })
  const path = `/sources/${idOf(source)}`
  yield* post(source, { count })
  const summaries = yield* client.listed(`${path}/event_summaries?limit=100`, Math.min(count, 100))
  return { source, path, ids: summaries.map(idOf) }
})

/** rest-api.md, "Event summary", "Source events" and "Workflow events". */
export const rows = (it: It): void => {
  it.effect("GET /sources/{id}/event_summaries answers with the last N events, newest first, 10 without a limit", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      const { ids, path, source } = yield* emitted(ann, 12)
      assert.lengthOf(ids, 12)
      const { json } = yield* ann.send("GET", `${path}/event_summaries`)
      assert.deepStrictEqual<unknown>(json["page_info"], {
        total_count: 12,
        count: 10,
        start_cursor: ids[0],
        end_cursor: ids[9]
      })
      const data = Json.listOf(json["data"])
      assert.deepStrictEqual(data.map(idOf), ids.slice(0, 10))
      for (const [place, summary] of data.entries()) {
        assert.hasAllKeys(summary, ["id", "indexed_at_ms", "event", "metadata"])
        assert.match(idOf(summary), /^\d{13}-\d+$/)
        assert.strictEqual(Number(summary["indexed_at_ms"]), Number(idOf(summary).split("-")[0]))
        assert.deepStrictEqual<unknown>(summary["event"], { raw_event: { n: 11 - place } })
        const { emit_id, ...metadata } = summary["metadata"]!
        assert.isNotEmpty(Json.textOf(emit_id))
        assert.deepStrictEqual<unknown>(metadata, { name: "", emitter_id: idOf(source) })
      }
      const last = yield* ann.send("GET", `${path}/event_summaries/?limit=3`)
      assert.deepStrictEqual(Json.listOf(last.json["data"]).map(idOf), ids.slice(0, 3))
      const older = yield* ann.send("GET", `${path}/event_summaries?limit=4&after=${ids[2]}`)
      assert.deepStrictEqual(Json.listOf(older.json["data"]).map(idOf), ids.slice(3, 7))
      const newer = yield* ann.send("GET", `${path}/event_summaries?limit=2&before=${ids[6]}`)
      assert.deepStrictEqual(Json.listOf(newer.json["data"]).map(idOf), ids.slice(4, 6))
      const bySlug = yield* ann.send("GET", `/sources/${Json.textOf(source["name_slug"])}/event_summaries`)
      assert.deepStrictEqual(bySlug.json, json)
    }))

  it.effect("event summaries reach no further back than the last 100 events", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      const { ids, path } = yield* emitted(ann, 103)
      assert.lengthOf(ids, 100)
      const page = yield* ann.send("GET", `${path}/event_summaries?limit=100&after=${ids[97]}`)
      assert.deepStrictEqual(Json.listOf(page.json["data"]).map(idOf), ids.slice(98))
      Json.assertHolds(page.json["page_info"], { total_count: 100, count: 2 })
    }))

  it.effect("event data over 1 KB is cut, and whole with expand=event", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      const source = yield* ann.ok("POST", "/sources", { component_code: emitting })
      const path = `/sources/${idOf(source)}/event_summaries`
      const small = { text: "x".repeat(900) }
      const large = { text: "x".repeat(2_000) }
      yield* post(source, { emit: small })
      yield* post(source, { emit: large })
      const [cut, whole] = yield* ann.listed(path, 2)
      assert.isBelow(Buffer.byteLength(JSON.stringify(cut!["event"])), 1_024)
      Json.assertHolds(cut!["metadata"], { truncated: true })
      assert.deepStrictEqual<unknown>(whole!["event"], { raw_event: small })
      const [expanded] = yield* ann.listed(`${path}?expand=event&limit=1`, 1)
      assert.deepStrictEqual<unknown>(expanded!["event"], { raw_event: large })
      assert.notProperty(expanded!["metadata"], "truncated")
    }))

  it.effect("parameters of event lists that are out of their range or form are named", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      const source = yield* ann.ok("POST", "/sources", { component_code: emitting })
      const paths = ["", "$errors/", "$logs/"].map((stream) => `/sources/${idOf(source)}/${stream}event_summaries`)
      for (const path of paths) {
        for (const limit of ["0", "101", "-1", "1.5", "ten", ""]) {
          assertInvalid(yield* ann.send("GET", `${path}?limit=${limit}`), "limit")
        }
        assertInvalid(yield* ann.send("GET", `${path}?expand=all`), "expand")
        assertInvalid(yield* ann.send("GET", `${path}?after=x&before=1-x`), "after", "before")
        assert.strictEqual((yield* ann.send("GET", `${path}?limit=1`)).status, 200)
        assert.strictEqual((yield* ann.send("GET", `${path}?limit=100`)).status, 200)
      }
      const empty = yield* ann.send("GET", paths[0]!)
      assert.deepStrictEqual<unknown>(empty.json, {
        page_info: { total_count: 0, count: 0, start_cursor: "", end_cursor: "" },
        data: []
      })
    }))

  it.effect("errors of a source hold the event, its context and the error", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      const source = yield* ann.ok("POST", "/sources", { component_code: emitting })
      yield* post(source, { thrown: "too far", log: "a line" })
      const path = `/sources/${idOf(source)}`
      const [summary] = yield* ann.listed(`${path}/$errors/event_summaries?expand=event`, 1)
      const event = summary!["event"]!
      assert.hasAllKeys(event, ["original_event", "original_context", "error"])
      Json.assertHolds(event["original_event"]!["body"], { thrown: "too far", log: "a line" })
      const context = event["original_context"]!
      const texts = ["id", "ts", "workflow_id", "deployment_id", "source_type", "owner_id", "platform_version"]
      assert.hasAllKeys(context, [...texts, "verified"])
      for (const text of texts) assert.isNotEmpty(Json.textOf(context[text]))
      assert.isBoolean(context["verified"])
      const { error } = event
      assert.hasAllKeys(error, ["code", "cellId", "ts", "stack", "message"])
      for (const text of ["cellId", "stack"]) assert.isNotEmpty(Json.textOf(error![text]))
      Json.assertHolds(error, { code: "RangeError", message: "too far" })
      for (const ts of [context["ts"], error!["ts"]]) {
        assert.strictEqual(new Date(Json.textOf(ts)).toISOString(), Json.textOf(ts))
      }
      Json.assertHolds(summary!["metadata"], { name: "$errors", emitter_id: idOf(source) })
      const [line] = yield* ann.listed(`${path}/$logs/event_summaries`, 1)
      Json.assertHolds(line!["event"]!["raw_event"], { level: "info", message: "a line" })
    }))

  it.effect("DELETE /sources/{id}/events answers 202 and removes what its two ids enclose", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      const ranges: ReadonlyArray<
        readonly [query: (ids: ReadonlyArray<string>) => string, left: ReadonlyArray<number>]
      > = [
        [() => "", []],
        // Newest first: 5 events are at the places 0 to 4.
        [(ids) => `?start_id=${ids[2]}`, [3, 4]],
        [(ids) => `?end_id=${ids[2]}`, [0, 1]],
        [(ids) => `?start_id=${ids[3]}&end_id=${ids[1]}`, [0, 4]],
        [(ids) => `?start_id=${ids[2]}&end_id=${ids[2]}`, [0, 1, 3, 4]]
      ]
      for (const [query, places] of ranges) {
        const { ids, path } = yield* emitted(ann, 5)
        const left = places.map((place) => ids[place]!)
        const accepted = yield* ann.send("DELETE", `${path}/events${query(ids)}`)
        assert.deepStrictEqual([accepted.status, accepted.text], [202, ""])
        const rest = yield* ann.send("GET", `${path}/event_summaries`).pipe(
          Effect.map(({ json }) => Json.listOf(json["data"]).map(idOf)),
          Effect.repeat({ until: (found) => found.length === left.length, schedule: Schedule.spaced("20 millis") }),
          Effect.timeout("60 seconds"),
          Effect.orDie
        )
        assert.deepStrictEqual(rest, left)
      }
    }))

  it.effect("DELETE /sources/{id}/events refuses what is no event id, and touches the default stream only", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      const { path, source } = yield* emitted(ann, 1)
      yield* post(source, { emit: "kept", meta: { name: "other" } })
      const other = `${path}/event_summaries?event_name=other`
      yield* ann.listed(other, 1)
      assertInvalid(yield* ann.send("DELETE", `${path}/events?start_id=x&end_id=1-`), "start_id", "end_id")
      assert.lengthOf(yield* ann.listed(`${path}/event_summaries`, 0), 1)
      assert.strictEqual((yield* ann.send("DELETE", `${path}/events/`)).status, 202)
      const count = (list: string) => Effect.map(ann.listed(list, 0), (found) => found.length)
      yield* count(`${path}/event_summaries`).pipe(
        Effect.repeat({ until: (found) => found === 0, schedule: Schedule.spaced("20 millis") }),
        Effect.timeout("60 seconds")
      )
      assert.strictEqual(yield* count(other), 1)
      assert.strictEqual((yield* ann.send("DELETE", `${path}/events?event_name=other`)).status, 202)
      yield* count(other).pipe(
        Effect.repeat({ until: (found) => found === 0, schedule: Schedule.spaced("20 millis") }),
        Effect.timeout("60 seconds")
      )
    }))

  it.effect("the event lists of a workflow that is not there answer 404", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      for (const stream of ["", "$errors/", "%24errors/", "$logs/"]) {
        for (const id of ["p_0Uz7N0zoHs9PzYd3NwKc", "nothing"]) {
          const path = `/workflows/${id}/${stream}event_summaries`
          assertProblem(yield* ann.send("GET", path), 404, "not_found")
          assertProblem(yield* ann.send("GET", `${path}/?expand=event&limit=5`), 404, "not_found")
          assertInvalid(yield* ann.send("GET", `${path}?limit=0`), "limit")
        }
      }
    }))
}
