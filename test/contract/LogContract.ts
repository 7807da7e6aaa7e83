import { assert } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect, Fiber, Stream } from "effect"
import { assertInvalid, assertProblem, type Client, ContractServer, emitting, type It } from "./ContractServer.ts"

const idOf = (json: Json.Json): string => Json.textOf(json["id"])

const post = (source: Json.Json, body: unknown) =>
  Effect.promise(() =>
    fetch(Json.textOf(source["configured_props"]!["http"]!["endpoint_url"]), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body)
    })
  )

const emitted = Effect.fnUntraced(function*(client: Client, count: number) {
  const source = yield* client.ok("POST", "/sources", { component_code: emitting })
  const path = `/sources/${idOf(source)}`
  yield* post(source, { count })
  yield* client.listed(`${path}/event_summaries?limit=100`, Math.min(count, 100))
  return { source, path }
})

/** The data of a stream's first frames that have any. */
const framesOf = (lines: Stream.Stream<string>, count: number) =>
  lines.pipe(
    Stream.filter((line) => line.startsWith("data: ")),
    Stream.map((line) => Json.parse(line.slice("data: ".length))),
    Stream.take(count),
    Stream.runCollect,
    Effect.timeout("60 seconds")
  )

/** decisions.md, "Events": the whole log, live tails and traces, which are extensions. */
export const rows = (it: It): void => {
  it.effect("extension: GET /sources/{id}/events pages over the whole log, and one event is read by its id", () =>
    Effect.gen(function*() {
      const { ann, bob } = yield* ContractServer
      const { path, source } = yield* emitted(ann, 105)
      const first = yield* ann.send("GET", `${path}/events?limit=100`)
      Json.assertHolds(first.json["page_info"], { total_count: 105, count: 100 })
      const cursor = Json.textOf(first.json["page_info"]!["end_cursor"])
      const last = yield* ann.listed(`${path}/events/?limit=100&after=${cursor}`, 5)
      assert.deepStrictEqual<unknown>(
        last.map(({ event }) => event),
        [4, 3, 2, 1, 0].map((n) => ({ raw_event: { n } }))
      )
      const oldest = last.at(-1)!
      assert.deepStrictEqual(yield* ann.ok("GET", `${path}/events/${idOf(oldest)}`), oldest)
      assertProblem(yield* ann.send("GET", `${path}/events/1500000000000-0`), 404, "not_found")
      const trace = yield* ann.ok("GET", `${path}/events/${idOf(oldest)}/trace`)
      Json.assertHolds(trace, { event_id: idOf(oldest), emitter_id: idOf(source), subscriptions: [] })
      for (const place of ["events", `events/${idOf(oldest)}`, `events/${idOf(oldest)}/trace`, "sse"]) {
        assertProblem(yield* bob.send("GET", `${path}/${place}`), 404, "not_found")
      }
      for (const place of [`${path}/events?`, `/events?emitter=${idOf(source)}&`]) {
        const { json } = yield* ann.send("GET", `${place}sort=oldest&limit=2`)
        assert.deepStrictEqual(Json.listOf(json["data"]), last.toReversed().slice(0, 2))
        const cursors = json["page_info"]!
        assert.deepStrictEqual(
          yield* ann.listed(`${place}sort=oldest&limit=1&after=${Json.textOf(cursors["start_cursor"])}`, 1),
          [last[3]]
        )
        assert.deepStrictEqual(
          yield* ann.listed(`${place}sort=oldest&before=${Json.textOf(cursors["end_cursor"])}`, 1),
          [last[4]]
        )
      }
      assertInvalid(yield* ann.send("GET", `${path}/events?limit=0&after=x`), "limit", "after")
      assertInvalid(yield* ann.send("GET", `${path}/events?expand=all`), "expand")
    }))

  it.effect("extension: GET /sources/{id}/sse follows the log and goes on behind Last-Event-ID", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      const { path, source } = yield* emitted(ann, 2)
      const past = yield* framesOf(ann.follow(`${path}/sse?after=0-0`), 2)
      assert.deepStrictEqual<unknown>(past.map(({ event }) => event), [0, 1].map((n) => ({ raw_event: { n } })))
      assert.deepStrictEqual(past.toReversed(), yield* ann.listed(`${path}/events?expand=event`, 2))
      const following = yield* Effect.forkChild(
        framesOf(ann.follow(`${path}/sse`, { "last-event-id": idOf(past[0]!) }), 2)
      )
      yield* post(source, { emit: "new" })
      const [known, fresh] = yield* Fiber.join(following)
      assert.deepStrictEqual(known, past[1])
      assert.deepStrictEqual<unknown>(fresh?.["event"], { raw_event: "new" })
      assertInvalid(yield* ann.send("GET", `${path}/sse?after=x`), "after")
      const malformed = yield* ann.send("GET", `${path}/sse`, { headers: { "last-event-id": "x" } })
      assert.strictEqual(malformed.status, 400)
    }))

  it.effect("extension: GET /events/sse follows the account and goes on behind a position", () =>
    Effect.gen(function*() {
      const { ann, bob } = yield* ContractServer
      const { json } = yield* ann.send("GET", "/events?limit=1")
      const position = Json.textOf(json["page_info"]!["position"])
      const { source } = yield* emitted(ann, 2)
      const query = `emitter=${idOf(source)}&stream=default`
      const past = yield* framesOf(ann.follow(`/events/sse?${query}&after=${position}`), 2)
      assert.deepStrictEqual(past.toReversed(), yield* ann.listed(`/events?${query}&expand=event`, 2))
      const again = yield* framesOf(ann.follow("/events/sse?text=%22n%22%3A1", { "last-event-id": position }), 1)
      assert.deepStrictEqual(again, past.slice(1))
      assertInvalid(yield* ann.send("GET", "/events/sse?after=x"), "after")
      assertProblem(yield* bob.send("GET", `/events/sse?${query}`), 404, "not_found")
    }))

  it.effect("extension: the log of a workflow that is not there answers 404", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      const path = "/workflows/p_0Uz7N0zoHs9PzYd3NwKc"
      for (const place of ["events", "events/1500000000000-0", "events/1500000000000-0/trace", "sse"]) {
        assertProblem(yield* ann.send("GET", `${path}/${place}`), 404, "not_found")
      }
      assertInvalid(yield* ann.send("GET", `${path}/sse?after=x`), "after")
    }))

  it.effect("extension: the account's events, the way of one of them, figures and the graph are the account's own", () =>
    Effect.gen(function*() {
      const { ann, bob } = yield* ContractServer
      const { path, source } = yield* emitted(ann, 2)
      const [event] = yield* ann.listed(`${path}/events`, 2)
      const [listed] = yield* ann.listed(`/events?emitter=${idOf(source)}`, 2)
      assert.deepStrictEqual(listed, event)
      const journey = yield* ann.ok("GET", `/events/${idOf(event!)}/journey?emitter=${idOf(source)}`)
      assert.deepStrictEqual<unknown>(
        Json.listOf(journey["nodes"]).map(({ type }) => type),
        ["event", "request", "run"]
      )
      yield* ann.ok("GET", `/figures?emitter=${idOf(source)}`)
      const books = yield* ann.ok("GET", `/run_books/${idOf(source)}`)
      Json.assertHolds(books, { program_id: idOf(source), received: 1, done: 1, failed: 0, waiting: 0, at_work: 0 })
      yield* ann.ok("GET", "/graph")
      for (
        const foreign of [
          `/events?emitter=${idOf(source)}`,
          `/events/${idOf(event!)}/journey?emitter=${idOf(source)}`,
          `/figures?emitter=${idOf(source)}`,
          `/run_books/${idOf(source)}`,
          "/graph?expand=sub_0"
        ]
      ) {
        assertProblem(yield* bob.send("GET", foreign), 404, "not_found")
      }
    }))
}
