import { assert, layer } from "@effect/vitest"
import * as EventId from "@headwater/domain/EventId"
import * as Json from "@headwater/fixtures/Json"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { EventLog } from "@headwater/log/logs/EventLog"
import { Heads } from "@headwater/log/logs/Heads"
import { Clock, Deferred, Effect, Fiber, Schedule, Stream } from "effect"
import { Sse } from "effect/encoding"
import { HttpServer } from "effect/http"
import { SqlClient } from "effect/sql"
import * as Http from "../../../test/HttpAppFixture.ts"

const emitting = Http.httpCode("for (const value of event.body.emit) this.$emit(value, event.body.meta)")

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)

const payloadsOf = (list: Json.Json | undefined) => Json.listOf(list).map(({ event }) => event!["raw_event"])

layer(Http.layer, { excludeTestServices: true })("a source's log", (it) => {
  /** A source, and what posts values for it to emit. */
  const setup = Effect.gen(function*() {
    const http = yield* Http.tenant()
    const source = yield* http.created("/v1/sources", { component_code: emitting, name: "s" })
    const emit = (values: ReadonlyArray<unknown>, meta: Record<string, unknown> = {}) =>
      http.request("POST", Http.endpointOf(source), { body: { emit: values, meta } })
    return { http, source, emit }
  })

  const eventually = <E, R>(
    request: Effect.Effect<Http.Answer, E, R>,
    holds: (json: Json.Json) => boolean
  ) =>
    request.pipe(
      Effect.map(({ json }) => json),
      Effect.repeat({ until: holds, schedule: Schedule.spaced("10 millis") }),
      Effect.timeout("60 seconds")
    )

  it.effect("is paged over to its very beginning, and says how long it is, also after a deletion", () =>
    Effect.gen(function*() {
      const { emit, http } = yield* setup
      yield* emit(numbers(0, 250))
      yield* emit(["elsewhere"], { name: "other" })
      const first = yield* eventually(
        http.request("GET", "/v1/sources/s/events?limit=100"),
        (json) => Number(json["page_info"]!["total_count"]) === 250
      )
      const walk = Effect.fnUntraced(function*(direction: "after" | "before", from: string) {
        const seen: Array<ReadonlyArray<unknown>> = []
        let cursor = from
        while (true) {
          const { json } = yield* http.request("GET", `/v1/sources/s/events?limit=100&${direction}=${cursor}`)
          if (Json.listOf(json["data"]).length === 0) return seen
          seen.push(payloadsOf(json["data"]))
          cursor = Json.textOf(json["page_info"]![direction === "after" ? "end_cursor" : "start_cursor"])
        }
      })
      const all = numbers(0, 250).toReversed()
      const down = yield* walk("after", Json.textOf(first["page_info"]!["end_cursor"]))
      assert.deepStrictEqual<unknown>([...payloadsOf(first["data"]), ...down.flat()], all)
      assert.deepStrictEqual<unknown>((yield* walk("before", "0-0")).toReversed().flat(), all)
      const [newest] = Json.listOf(first["data"])
      yield* http.request("DELETE", `/v1/sources/s/events?end_id=${Json.textOf(first["page_info"]!["end_cursor"])}`)
      const left = yield* eventually(
        http.request("GET", "/v1/sources/s/events?limit=1"),
        (json) => Number(json["page_info"]!["total_count"]) === 99
      )
      assert.deepStrictEqual(left["data"]![0], newest)
      const other = yield* http.request("GET", "/v1/sources/s/events?event_name=other")
      assert.deepStrictEqual<unknown>(payloadsOf(other.json["data"]), ["elsewhere"])
      const foreign = yield* (yield* Http.tenant()).request("GET", "/v1/sources/s/events")
      Http.assertProblem(foreign, 404, "not_found")
    }))

  it.effect("gives each event whole, whatever its stream", () =>
    Effect.gen(function*() {
      const { emit, http } = yield* setup
      const large = { text: "x".repeat(1_500) }
      yield* emit([large], { name: "other", summary: "Large" })
      const [listed] = yield* http.summaries("/v1/sources/s/event_summaries?event_name=other", 1)
      const { json, status } = yield* http.request("GET", `/v1/sources/s/events/${Json.textOf(listed!["id"])}`)
      assert.strictEqual(status, 200)
      assert.deepStrictEqual<unknown>(json["data"]!["event"], { raw_event: large })
      Json.assertHolds(json["data"]!["metadata"], { name: "other", summary: "Large" })
      Http.assertProblem(yield* http.request("GET", "/v1/sources/s/events/1700000000000-0"), 404, "not_found")
      Http.assertProblem(yield* http.request("GET", "/v1/sources/s/events/nothing"), 404, "not_found")
    }))

  it.effect("tells for an event what each subscription made of it, and what comes next", () =>
    Effect.gen(function*() {
      const { emit, http, source } = yield* setup
      const failing = yield* WebhookSink.make(() => ({ status: 500 }))
      const webhook = yield* http.request("POST", `/v1/webhooks?url=${encodeURIComponent(failing.url)}`)
      const listenerId = Json.textOf(webhook.json["data"]!["id"])
      const subscribe = Effect.fnUntraced(function*(emitter: string, listener: string, rest = "") {
        const answer = yield* http.request(
          "POST",
          `/v1/subscriptions?emitter_id=${emitter}&listener_id=${listener}${rest}`
        )
        return Json.textOf(answer.json["data"]!["id"])
      })
      yield* emit(["before"])
      yield* http.summaries("/v1/sources/s/event_summaries", 1)
      const matching = yield* subscribe("dc_*", listenerId)
      const elsewhere = yield* subscribe(source.id, listenerId, "&event_name=$errors")
      const own = yield* subscribe("*", source.id)
      yield* emit(["after"])
      const [event, before] = yield* http.summaries("/v1/sources/s/event_summaries", 2)
      const traceOf = (summary: Json.Json | undefined) =>
        http.request("GET", `/v1/sources/s/events/${Json.textOf(summary!["id"])}/trace`)
      const isTried = (json: Json.Json) =>
        Json.listOf(json["data"]!["subscriptions"]).some(({ attempts }) => Json.listOf(attempts).length > 0)
      const { data } = yield* eventually(traceOf(event), isTried)
      const of = (trace: Json.Json, id: string) =>
        Json.listOf(trace["subscriptions"]).find((one) => Json.textOf(one["subscription_id"]) === id)
      const traced = of(data!, matching)!
      Json.assertHolds(traced, { matched: true, reason: null, state: "pending" })
      assert.isAbove(Number(traced["next_attempt_at_ms"]), Number(traced["attempts"]![0]!["started_at_ms"]) + 3_000)
      Json.assertHolds(traced["attempts"]![0], { attempt: 1, outcome: "failed", status: 500, address: "127.0.0.1" })
      Json.assertHolds(of(data!, elsewhere), { matched: false, reason: "other_stream", state: null })
      Json.assertHolds(of(data!, own), { matched: false, reason: "own_event", state: null })
      const earlier = (yield* traceOf(before)).json["data"]!
      Json.assertHolds(of(earlier, matching), { matched: false, reason: "before_start", state: null })
    }))

  it.effect("is followed live, from its end or from behind any event, with nothing missing in between", () =>
    Effect.gen(function*() {
      const { emit, http } = yield* setup
      yield* emit(["old"])
      const [old] = yield* http.summaries("/v1/sources/s/event_summaries", 1)
      const { address } = yield* HttpServer.HttpServer
      const follow = (headers: Record<string, string>, count: number) =>
        Effect.scoped(Effect.gen(function*() {
          const signal = yield* Effect.abortSignal
          const response = yield* Effect.promise(() =>
            fetch(`${HttpServer.formatAddress(address)}/v1/sources/s/sse`, {
              headers: { authorization: `Bearer ${http.key}`, ...headers },
              signal
            })
          )
          assert.strictEqual(response.headers.get("content-type"), "text/event-stream")
          assert.isNotEmpty(response.headers.get("x-request-id"))
          const seen: Array<{ readonly id: string | undefined; readonly payload: unknown }> = []
          const parser = Sse.makeParser((event) => {
            if (event._tag === "Event") seen.push({ id: event.id, payload: JSON.parse(event.data).event.raw_event })
          })
          yield* Stream.fromReadableStream({ evaluate: () => response.body!, onError: (error) => error }).pipe(
            Stream.decodeText,
            // The comment that comes first says that what is emitted from now on will come.
            Stream.mapEffect((text) =>
              text.startsWith(":") && seen.length === 0
                ? emit(["new", "newer"]).pipe(Effect.as(text))
                : Effect.succeed(text)
            ),
            Stream.map((text) => parser.feed(text)),
            Stream.takeUntil(() => seen.length >= count),
            Stream.runDrain,
            Effect.timeout("60 seconds")
          )
          return seen
        }))
      const fromEnd = yield* follow({}, 2)
      assert.deepStrictEqual(fromEnd.map(({ payload }) => payload), ["new", "newer"])
      const again = yield* follow({ "last-event-id": Json.textOf(old!["id"]) }, 4)
      assert.deepStrictEqual(again.map(({ payload }) => payload), ["new", "newer", "new", "newer"])
      assert.deepStrictEqual(again.slice(0, 2), fromEnd)
      const refused = yield* http.request("GET", "/v1/sources/s/sse", { headers: { "last-event-id": "x" } })
      Http.assertProblem(refused, 400, "invalid_request")
    }))

  it.effect("is followed no longer than the key lives that asked for it", () =>
    Effect.gen(function*() {
      const { http } = yield* setup
      const { address } = yield* HttpServer.HttpServer
      const sql = yield* SqlClient.SqlClient
      const follow = Effect.fnUntraced(function*({ key }: Json.Json) {
        const response = yield* Effect.promise((signal) =>
          fetch(`${HttpServer.formatAddress(address)}/v1/sources/s/sse`, {
            headers: { authorization: `Bearer ${Json.textOf(key)}` },
            signal
          })
        )
        return yield* Effect.forkChild(Effect.promise(() => response.text()))
      })
      const [revoked, rotated, revokedElsewhere] = yield* Effect.forEach([1, 2, 3], () =>
        http.created("/v1/users/me/keys", {}))
      const tails = yield* Effect.forEach([revoked!, rotated!, revokedElsewhere!], follow)
      yield* http.request("DELETE", `/v1/users/me/keys/${revoked!.id}`)
      yield* http.request("POST", `/v1/users/me/keys/${rotated!.id}/rotate`, { body: { overlap_seconds: 1 } })
      yield* sql`UPDATE api_keys SET revoked_at = 1 WHERE id = ${revokedElsewhere!.id}`
      const seen = yield* Effect.forEach(tails, Fiber.join).pipe(Effect.timeout("60 seconds"))
      assert.deepStrictEqual(seen, [":\n\n", ":\n\n", ":\n\n"])
    }))

  it.effect("is followed with all others of the account, in the order in which events are committed", () =>
    Effect.gen(function*() {
      const { emit, http, source } = yield* setup
      const { address } = yield* HttpServer.HttpServer
      const sql = yield* SqlClient.SqlClient
      const [heads, log] = [yield* Heads, yield* EventLog]
      const late = yield* http.created("/v1/sources", { component_code: emitting, name: "late" })
      const ready = yield* Deferred.make<void>()
      const commits = yield* Deferred.make<void>()
      const position = Effect.map(
        http.request("GET", "/v1/events?limit=1"),
        ({ json }) => Json.textOf(json["page_info"]!["position"])
      )
      /** What a tail has until there is so much of it. A step is taken once it has told that it has had so much. */
      const follow = (
        query: string,
        count: number,
        ...steps: Array<readonly [had: number, step: Effect.Effect<unknown, unknown, HttpServer.HttpServer>]>
      ) =>
        Effect.scoped(Effect.gen(function*() {
          const signal = yield* Effect.abortSignal
          const response = yield* Effect.promise(() =>
            fetch(`${HttpServer.formatAddress(address)}/v1/events/sse?${query}`, {
              headers: { authorization: `Bearer ${http.key}` },
              signal
            })
          )
          assert.strictEqual(response.status, 200)
          const seen: Array<unknown> = []
          yield* Stream.fromReadableStream({ evaluate: () => response.body!, onError: (error) => error }).pipe(
            Stream.decodeText,
            Stream.splitLines,
            Stream.mapEffect((line) => {
              if (line.startsWith("data: ")) seen.push(JSON.parse(line.slice(6)).event.raw_event)
              return line.startsWith("id: ") && steps[0]?.[0] === seen.length ? steps.shift()![1] : Effect.void
            }),
            Stream.takeUntil(() => seen.length >= count),
            Stream.runDrain,
            Effect.timeout("60 seconds")
          )
          return seen
        }))
      const start = yield* position
      const id = EventId.firstAt(yield* Clock.currentTimeMillis)
      const writing = yield* sql.withTransaction(Effect.gen(function*() {
        const event = { emitterId: late.id, stream: "", id, n: 1, emitId: "late", hops: 0, meta: {} }
        yield* log.append([{ ...event, payload: "\"late\"" }])
        yield* heads.move([{ emitterId: event.emitterId, to: { lastId: id, streams: { "": 1 } }, used: undefined }])
        yield* Deferred.succeed(ready, undefined)
        yield* Deferred.await(commits)
      })).pipe(Effect.forkChild)
      yield* Deferred.await(ready)
      let between = ""
      const release = Effect.gen(function*() {
        between = yield* position
        yield* Deferred.succeed(commits, undefined)
        yield* Fiber.join(writing)
      })
      const fromEnd = yield* follow("", 3, [0, emit(["early", "next"])], [2, release])
      assert.deepStrictEqual(fromEnd, ["early", "next", "late"])
      assert.deepStrictEqual((yield* follow(`after=${start}`, 3)).toSorted(), ["early", "late", "next"])
      // What was committed while another was under way can come again.
      assert.include(yield* follow(`after=${between}&emitter=late`, 1), "late")
      assert.deepStrictEqual(yield* follow(`after=${start}&text=ext`, 1), ["next"])
      assert.deepStrictEqual(yield* follow(`after=${start}&emitter=${source.id}`, 2), ["early", "next"])
      const created = Effect.gen(function*() {
        const latest = yield* http.created("/v1/sources", { component_code: emitting, name: "latest" })
        yield* http.request("POST", Http.endpointOf(latest), { body: { emit: ["new"], meta: { name: "orders" } } })
      })
      assert.deepStrictEqual(yield* follow("stream=orders", 1, [0, created]), ["new"])
      Http.assertProblem(yield* http.request("GET", "/v1/events/sse?after=x"), 400, "invalid_request")
      Http.assertProblem(yield* http.request("GET", "/v1/events/sse?emitter=none"), 404, "not_found")
    }))

  it.effect("is followed with all others of the account by 20 at a time, and by another once one has gone", () =>
    Effect.gen(function*() {
      const { http } = yield* setup
      const { address } = yield* HttpServer.HttpServer
      const open = Effect.acquireRelease(
        Effect.promise(async () => {
          const aborting = new AbortController()
          const response = await fetch(`${HttpServer.formatAddress(address)}/v1/events/sse`, {
            headers: { authorization: `Bearer ${http.key}` },
            signal: aborting.signal
          })
          return { aborting, status: response.status }
        }),
        ({ aborting }) => Effect.sync(() => aborting.abort())
      )
      const tails = yield* Effect.forEach(numbers(0, 20), () => open)
      assert.deepStrictEqual(tails.map(({ status }) => status), numbers(0, 20).map(() => 200))
      Http.assertProblem(yield* http.request("GET", "/v1/events/sse"), 429, "rate_limited")
      tails[7]!.aborting.abort()
      yield* open.pipe(
        Effect.repeat({ until: ({ status }) => status === 200, schedule: Schedule.spaced("10 millis") }),
        Effect.timeout("60 seconds")
      )
    }))

  it.effect("is listed with those of all other emitters of the account, and found by what it says", () =>
    Effect.gen(function*() {
      const { emit, http, source } = yield* setup
      const other = yield* http.created("/v1/sources", { component_code: emitting, name: "t" })
      const theirs = yield* setup
      yield* theirs.emit(["theirs"])
      yield* emit([{ shop: "north" }, { shop: "x".repeat(1_500) }])
      yield* http.summaries("/v1/sources/s/events", 2)
      yield* http.request("POST", Http.endpointOf(other), {
        body: { emit: [{ shop: "south" }], meta: { name: "orders" } }
      })
      const all = yield* http.summaries("/v1/events", 3)
      const cut = (list: ReadonlyArray<Json.Json | undefined>) =>
        list.map((one) => [one!["metadata"]!["emitter_id"], JSON.stringify(one!["event"]).slice(0, 30)])
      assert.deepStrictEqual<unknown>(all.map(({ metadata }) => metadata!["emitter_id"]), [
        other.id,
        source.id,
        source.id
      ])
      assert.deepStrictEqual<unknown>(all.map(({ metadata }) => metadata!["truncated"]), [undefined, true, undefined])
      const get = (query: string) => Effect.map(http.request("GET", `/v1/events?${query}`), ({ json }) => json)
      const whole = yield* get("expand=event&limit=2")
      assert.deepStrictEqual<unknown>(whole["data"]![1]!["event"], { raw_event: { shop: "x".repeat(1_500) } })
      const next = yield* get(`expand=event&after=${Json.textOf(whole["page_info"]!["end_cursor"])}`)
      assert.deepStrictEqual<unknown>(payloadsOf(next["data"]), [{ shop: "north" }])
      Json.assertHolds(next["page_info"], { count: 1, has_more: false, is_cut: false })
      const [newest, , oldest] = all
      for (
        const [query, found] of [
          ["text=south", [newest]],
          ["text=theirs", []],
          ["stream=orders", [newest]],
          ["stream=default&text=north", [oldest]],
          [`emitter=s&emitter=${other.id}`, all],
          ["emitter=t", [newest]],
          [`id=${Json.textOf(oldest!["id"])}&emitter=s`, [oldest]],
          [`from=${String(newest!["indexed_at_ms"])}&emitter=t`, [newest]],
          [`to=${String(newest!["indexed_at_ms"])}&emitter=t`, []]
        ] as const
      ) {
        assert.deepStrictEqual(cut(Json.listOf((yield* get(query))["data"])), cut(found), query)
      }
      Http.assertProblem(yield* http.request("GET", `/v1/events?emitter=${theirs.source.id}`), 404, "not_found")
      for (const wrong of ["after=x", `after=${Json.textOf(newest!["id"])}`, "from=x", "text=", "id=1"]) {
        Http.assertProblem(yield* http.request("GET", `/v1/events?${wrong}`), 400, "invalid_request")
      }
    }))
})
