import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import * as Http from "../../../test/HttpAppFixture.ts"

/** Tells its hooks on its default stream. */
const telling = `export default {
  name: "Telling", props: { http: "$.interface.http", fail: { type: "boolean", optional: true } },
  hooks: {
    deploy() { this.$emit("deploy") },
    activate() { if (this.fail) throw new Error("refused"); this.$emit("activate") },
    deactivate() { this.$emit("deactivate") }
  },
  run(event) { this.$emit(event.path) }
}`

layer(Http.layer, { excludeTestServices: true })("sources", (it) => {
  it.effect("show their props as the reference does, and answer to id and slug", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const stranger = yield* Http.tenant()
      const component_code = Http.code("feed", {
        timer: "$.interface.timer",
        http: "$.interface.http",
        url: "string",
        token: { type: "string", secret: true }
      })
      const { id: component_id } = yield* http.created("/v1/components", { component_code })
      const source = yield* http.created("/v1/sources/", {
        component_id,
        component_url: "https://example.com",
        configured_props: { timer: { intervalSeconds: 60 }, url: "http://x", token: "hidden" }
      })
      assert.hasAllKeys(source, [
        "id",
        "user_id",
        "component_id",
        "configured_props",
        "active",
        "created_at",
        "updated_at",
        "name",
        "name_slug"
      ])
      Json.assertHolds(source, {
        user_id: http.accountId,
        component_id,
        active: true,
        name: "my-feed",
        name_slug: "my-feed"
      })
      const shown = source["configured_props"]!
      assert.hasAllKeys(shown, ["timer", "http", "url"])
      assert.deepStrictEqual<unknown>(shown["timer"], { cron: null, interval_seconds: 60 })
      assert.match(Json.textOf(shown["http"]!["endpoint_url"]), /^https:\/\/events\.example\.com\/http\/[0-9A-Za-z]+$/)
      const { user_id: _, ...later } = source
      for (const name of [source.id, "my-feed"]) {
        assert.deepStrictEqual<unknown>((yield* http.request("GET", `/v1/sources/${name}`)).json["data"], later)
        for (const method of ["GET", "DELETE"]) {
          Http.assertProblem(yield* stranger.request(method, `/v1/sources/${name}`), 404, "not_found")
        }
        Http.assertProblem(yield* stranger.request("PUT", `/v1/sources/${name}`, { body: {} }), 404, "not_found")
      }
    }))

  it.effect("keep the props a change does not name, and take back what they show", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const component_code = Http.code("feed", { timer: "$.interface.timer", http: "$.interface.http", url: "string" })
      const source = yield* http.created("/v1/sources", {
        component_code,
        configured_props: { timer: { cron: "0 9 * * 1-5", timezone: "Europe/Berlin" }, url: "http://x" }
      })
      const shown = source["configured_props"]!
      assert.deepStrictEqual<unknown>(shown["timer"], {
        cron: "0 9 * * 1-5",
        interval_seconds: null,
        timezone: "Europe/Berlin"
      })
      const same = yield* http.request("PUT", `/v1/sources/${source.id}`, { body: { configured_props: shown } })
      assert.deepStrictEqual(same.json["data"]?.["configured_props"], shown, same.text)
      const changed = yield* http.request("PUT", `/v1/sources/${source.id}`, {
        body: { configured_props: { timer: { interval_seconds: 5, cron: null } } }
      })
      assert.deepStrictEqual<unknown>(changed.json["data"]!["configured_props"], {
        ...shown,
        timer: { cron: null, interval_seconds: 5 }
      })
      const wrong: ReadonlyArray<unknown> = [
        60,
        {},
        { intervalSeconds: 0 },
        { intervalSeconds: 1.5 },
        { intervalSeconds: 5, cron: "* * * * *" },
        { cron: "nope" },
        { cron: "0 0 30 2 *" },
        { cron: "* * * * *", timezone: "Mars/Olympus" }
      ]
      for (const timer of wrong) {
        const answer = yield* http.request("PUT", `/v1/sources/${source.id}`, { body: { configured_props: { timer } } })
        Http.assertProblem(answer, 400, "invalid_request")
        assert.deepStrictEqual(Http.issuePaths(answer), ["configured_props.timer"], JSON.stringify(timer))
      }
    }))

  it.effect("of a prop that does not fit are refused with its path, and leave no component", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const answer = yield* http.request("POST", "/v1/sources", {
        body: { component_code: Http.code("feed", { url: "string" }), configured_props: { url: 1, x: 2 } }
      })
      Http.assertProblem(answer, 400, "invalid_request")
      assert.deepStrictEqual<unknown>(answer.json["details"], [
        { path: "configured_props.x", message: "the component has no such prop" },
        { path: "configured_props.url", message: "expected a string" }
      ])
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`SELECT id FROM components WHERE account_id = ${http.accountId}`, [])
    }))

  it.effect("that were elsewhere begin with their store, and emit nothing that was emitted there", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const emitting = (dedupe: string) =>
        `export default {
        name: "${dedupe}", dedupe: "${dedupe}", props: { http: "$.interface.http", db: "$.service.db" },
        run(event) { for (const id of event.body) this.$emit({ id, since: this.db.get("since") }, { id }) }
      }`
      for (
        const [dedupe, polled, left] of [
          ["unique", ["a", 7, "c", 3], ["c", 3]],
          ["greatest", [5, 7, 8, 9], [8, 9]],
          ["last", ["a", 7, "c", 3], ["c", 3]]
        ] as const
      ) {
        const source = yield* http.created("/v1/sources", {
          component_code: emitting(dedupe),
          initial_state: { db: { since: { at: 12 } }, emitted_ids: ["a", 7] }
        })
        yield* http.request("POST", Http.endpointOf(source), { body: polled })
        const summaries = yield* http.summaries(`/v1/sources/${dedupe}/event_summaries`, left.length)
        assert.deepStrictEqual<unknown>(
          summaries.map((summary) => summary["event"]!["raw_event"]).toReversed(),
          left.map((id) => ({ id, since: { at: 12 } })),
          dedupe
        )
      }
    }))

  it.effect("show from when on they emit, and are refused with a state that their component can't have", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const component_code = Http.code("feed", { timer: "$.interface.timer" })
      const configured_props = { timer: { intervalSeconds: 60 } }
      const create = (initial_state: unknown) =>
        http.request("POST", "/v1/sources", { body: { component_code, configured_props, initial_state } })
      const refused = yield* create({ db: { a: 1 }, emitted_ids: ["x"], polled_at_ms: 8e15 })
      Http.assertProblem(refused, 400, "invalid_request")
      assert.deepStrictEqual<unknown>(refused.json["details"], [
        { path: "initial_state.db", message: "the component has no prop of type $.service.db" },
        { path: "initial_state.emitted_ids", message: "the component has no dedupe strategy" },
        { path: "initial_state.polled_at_ms", message: "expected a time that has passed" }
      ])
      for (const state of [{ emitted_ids: Array(50_001).fill(1) }, { emitted_ids: [null] }, { emit_from_ms: "now" }]) {
        Http.assertProblem(yield* create(state), 400, "invalid_request")
      }
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`SELECT id FROM programs WHERE account_id = ${http.accountId}`, [])
      const made = yield* create({ emit_from_ms: 1_760_000_000_000 })
      Json.assertHolds(made.json["data"], { emit_from_ms: 1_760_000_000_000 })
    }))

  it.effect("are listed newest first, page by page, in both directions", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const stranger = yield* Http.tenant()
      const { id: component_id } = yield* http.created("/v1/components", { component_code: Http.code("feed") })
      const ids: Array<string> = []
      for (let i = 0; i < 12; i++) {
        ids.unshift((yield* http.created("/v1/sources", { component_id })).id)
        yield* Effect.sleep("2 millis")
      }
      const list = Effect.fnUntraced(function*(query: string) {
        const { json } = yield* http.request("GET", `/v1/users/me/sources/${query}`)
        const data = Json.listOf(json["data"])
        return { info: json["page_info"]!, ids: data.map(({ id }) => Json.textOf(id)) }
      })
      const first = yield* list("")
      assert.deepStrictEqual(first.ids, ids.slice(0, 10))
      assert.deepStrictEqual<unknown>(first.info, {
        total_count: 12,
        count: 10,
        start_cursor: Buffer.from(ids[0]!).toString("base64url"),
        end_cursor: Buffer.from(ids[9]!).toString("base64url")
      })
      yield* http.request("DELETE", `/v1/sources/${ids[9]}`)
      const second = yield* list(`?after=${Json.textOf(first.info["end_cursor"])}`)
      assert.deepStrictEqual(second.ids, ids.slice(10))
      const back = yield* list(`?limit=4&before=${Json.textOf(second.info["start_cursor"])}`)
      assert.deepStrictEqual(back.ids, ids.slice(5, 9))
      const between = yield* list(
        `?limit=1&after=${Json.textOf(first.info["start_cursor"])}&before=${Json.textOf(first.info["end_cursor"])}`
      )
      assert.deepStrictEqual(between.ids, [ids[1]])
      const beyond = yield* list(`?after=${Json.textOf(second.info["end_cursor"])}`)
      assert.deepStrictEqual<unknown>(beyond.info, { total_count: 11, count: 0, start_cursor: "", end_cursor: "" })
      const other = yield* stranger.request("GET", "/v1/users/me/sources")
      assert.strictEqual<unknown>(other.json["page_info"]!["total_count"], 0)
    }))

  it.effect("take the next free slug, and a new one with a new name, also when many do so at once", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const { id: component_id } = yield* http.created("/v1/components", { component_code: Http.code("feed") })
      const slugOf = (name: string | undefined) =>
        Effect.map(
          http.created("/v1/sources", { component_id, ...(name === undefined ? {} : { name }) }),
          (source) => [Json.textOf(source["name"]), Json.textOf(source["name_slug"])]
        )
      assert.deepStrictEqual(yield* slugOf("Über Große  Feeds!"), ["Über Große  Feeds!", "ber-gro-e-feeds"])
      assert.deepStrictEqual(yield* slugOf("ber gro e feeds"), ["ber gro e feeds", "ber-gro-e-feeds-2"])
      assert.deepStrictEqual(yield* slugOf("漢字"), ["漢字", "source"])
      const together = yield* Effect.all(Array.from({ length: 100 }, () => slugOf(undefined)), { concurrency: 20 })
      assert.sameMembers(
        together.map(([, slug]) => slug),
        Array.from({ length: 100 }, (_, index) => index === 0 ? "my-feed" : `my-feed-${index + 1}`)
      )
      const renamed = yield* http.request("PUT", "/v1/sources/my-feed", { body: { name: "Orders" } })
      Json.assertHolds(renamed.json["data"], { name: "Orders", name_slug: "orders" })
      Http.assertProblem(yield* http.request("GET", "/v1/sources/my-feed"), 404, "not_found")
      const same = yield* http.request("PUT", "/v1/sources/orders", { body: { name: "Orders" } })
      Json.assertHolds(same.json["data"], { name_slug: "orders" })
    }))

  it.effect("answer 404 at their endpoint while inactive, and go on from their place", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const source = yield* http.created("/v1/sources", { component_code: telling })
      const endpoint = Http.endpointOf(source)
      const told = Effect.fnUntraced(function*(atLeast: number) {
        const summaries = yield* http.summaries(`/v1/sources/telling/event_summaries`, atLeast)
        return summaries.map((summary) => Json.textOf(summary["event"]!["raw_event"])).toReversed()
      })
      assert.strictEqual((yield* http.request("POST", `${endpoint}/1`)).status, 200)
      assert.deepStrictEqual(yield* told(3), ["deploy", "activate", "/1"])
      const off = yield* http.request("PUT", "/v1/sources/telling", { body: { active: false } })
      Json.assertHolds(off.json["data"], { active: false, id: source.id })
      Http.assertProblem(yield* http.request("POST", `${endpoint}/2`), 404, "not_found")
      assert.strictEqual<unknown>((yield* http.request("GET", "/v1/sources/telling")).json["data"]!["active"], false)
      const on = yield* http.request("PUT", `/v1/sources/${source.id}/`, { body: {} })
      Json.assertHolds(on.json["data"], { active: true })
      assert.strictEqual(Http.endpointOf(on.json["data"]!), endpoint)
      assert.strictEqual((yield* http.request("POST", `${endpoint}/3`)).status, 200)
      assert.deepStrictEqual(yield* told(6), ["deploy", "activate", "/1", "deactivate", "activate", "/3"])
    }))

  it.effect("are made inactive without their activate hook, which runs once they become active", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const source = yield* http.created("/v1/sources", { component_code: telling, active: false })
      Json.assertHolds(source, { active: false })
      Http.assertProblem(yield* http.request("POST", `${Http.endpointOf(source)}/1`), 404, "not_found")
      yield* http.request("PUT", `/v1/sources/${source.id}`, { body: {} })
      yield* http.request("POST", `${Http.endpointOf(source)}/2`)
      const told = yield* http.summaries(`/v1/sources/${source.id}/event_summaries`, 3)
      assert.deepStrictEqual<unknown>(
        told.map((summary) => summary["event"]!["raw_event"]).toReversed(),
        ["deploy", "activate", "/2"]
      )
    }))

  it.effect("whose activate fails on a change are left inactive with what the change made of them", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const source = yield* http.created("/v1/sources", { component_code: Http.httpCode("this.$emit(1)") })
      const answer = yield* http.request("PUT", `/v1/sources/${source.id}`, {
        body: { component_code: telling, configured_props: { fail: true } }
      })
      Http.assertProblem(answer, 422, "hook_failed")
      Json.assertHolds(answer.json["details"], { hook: "activate", message: "refused" })
      const left = yield* http.request("GET", `/v1/sources/${source.id}`)
      assert.strictEqual<unknown>(left.json["data"]!["active"], false)
      assert.strictEqual<unknown>(left.json["data"]!["configured_props"]!["fail"], true)
      Http.assertProblem(yield* http.request("POST", Http.endpointOf(source)), 404, "not_found")
      const mended = yield* http.request("PUT", `/v1/sources/${source.id}`, {
        body: { configured_props: { fail: false } }
      })
      Json.assertHolds(mended.json["data"], { active: true })
      assert.strictEqual((yield* http.request("POST", Http.endpointOf(source))).status, 200)
    }))

  it.effect("go with all they have, endpoint included, and but once", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const source = yield* http.created("/v1/sources", { component_code: telling })
      yield* http.created("/v1/subscriptions", { emitter_id: source.id, listener_id: source.id })
      const gone = yield* Effect.forEach([1, 2, 3], () => http.request("DELETE", `/v1/sources/${source.id}`), {
        concurrency: "unbounded"
      })
      assert.include(gone.map(({ status }) => status), 204)
      for (const { status, text } of gone) assert.include([204, 404], status, text)
      assert.strictEqual(gone.find(({ status }) => status === 204)?.text, "")
      for (const path of [`/v1/sources/${source.id}`, `/v1/sources/${source.id}/event_summaries`]) {
        Http.assertProblem(yield* http.request("GET", path), 404, "not_found")
      }
      Http.assertProblem(yield* http.request("POST", Http.endpointOf(source)), 404, "not_found")
      assert.deepStrictEqual<unknown>((yield* http.request("GET", "/v1/users/me/subscriptions")).json, { data: [] })
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`SELECT id FROM events WHERE emitter_id = ${source.id}`, [])
      assert.deepStrictEqual(yield* sql`SELECT epoch FROM heads WHERE emitter_id = ${source.id}`, [])
    }))

  it.effect("of one name wait for each other with one connection, and leave the others to others", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const http = yield* Http.tenant()
      const { id: component_id } = yield* http.created("/v1/components", { component_code: Http.code("named", {}) })
      const create = http.request("POST", "/v1/sources", { body: { component_id, name: "busy" } })
      const waitingInDatabase = sql`
        SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = database
        WHERE datname = current_database() AND locktype = 'advisory' AND NOT granted`
      const creating = yield* sql.withTransaction(Effect.gen(function*() {
        yield* sql`SELECT pg_advisory_xact_lock(hashtextextended(${`${http.accountId} busy`}, 0))`
        const creating = yield* Effect.forkChild(Effect.replicateEffect(create, 20, { concurrency: "unbounded" }))
        yield* Effect.repeat(waitingInDatabase, { until: (rows) => rows.length > 0 })
        yield* Effect.sleep("100 millis")
        assert.lengthOf(yield* waitingInDatabase, 1)
        return creating
      }))
      assert.deepStrictEqual(
        (yield* Fiber.join(creating)).map(({ status }) => status),
        Array.from({ length: 20 }, () => 200)
      )
    }))

  it.effect("are not made of actions, which can be saved all the same", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const action = `export default { key: "act", type: "action", run({ steps, $ }) { return steps } }`
      const source = yield* http.created("/v1/sources", { component_code: Http.code("feed") })
      const saved = yield* http.created("/v1/components", { component_code: action })
      for (
        const [method, path, body] of [
          ["POST", "/v1/sources", { component_code: action }],
          ["POST", "/v1/sources", { component_id: saved.id }],
          ["PUT", `/v1/sources/${source.id}`, { component_code: action }]
        ] as const
      ) {
        const refused = yield* http.request(method, path, { body })
        Http.assertProblem(refused, 422, "component_invalid")
        assert.match(Json.textOf(refused.json["detail"]!), /^its type is "action": .* workflow/)
      }
      assert.lengthOf(Json.listOf((yield* http.request("GET", "/v1/users/me/components")).json["data"]), 2)
    }))
})

/** It goes down when it is let. */
const waiting = (url: string) =>
  `export default {
  name: "Waiting", props: { http: "$.interface.http", to: { type: "string", optional: true } },
  hooks: {
    async deactivate() {
      while ((await fetch("${url}")).status !== 200) await new Promise((resolve) => setTimeout(resolve, 20))
    }
  },
  run(event) { this.$emit(event.path) }
}`

layer(Http.layerWith({ changePatience: "300 millis" }), { excludeTestServices: true })(
  "a source whose hooks take long",
  (it) => {
    it.effect("is changed and removed in the end, though whoever asked for it is answered before", () =>
      Effect.gen(function*() {
        const http = yield* Http.tenant()
        let mayEnd = false
        const hooks = yield* WebhookSink.make(() => ({ status: mayEnd ? 200 : 503 }))
        const { id } = yield* http.created("/v1/sources", { component_code: waiting(hooks.url) })
        const path = `/v1/sources/${id}`
        const change = { body: { component_code: `${waiting(hooks.url)} // changed`, configured_props: { to: "it" } } }
        const late = yield* http.request("PUT", path, change)
        Http.assertProblem(late, 503, "unavailable")
        assert.isNotNull(late.headers.get("retry-after"))
        mayEnd = true
        const changed = yield* http.request("GET", path).pipe(
          Effect.repeat({ until: ({ json }) => json["data"]!["configured_props"]!["to"] !== undefined }),
          Effect.timeout("60 seconds")
        )
        const { component_id } = changed.json["data"]!
        assert.match(
          Json.textOf((yield* http.request("GET", `/v1/components/${component_id}`)).json["data"]!["code"]),
          /changed$/
        )

        mayEnd = false
        Http.assertProblem(yield* http.request("DELETE", path), 503, "unavailable")
        Http.assertProblem(yield* http.request("GET", path), 404, "not_found")
        mayEnd = true
        const sql = yield* SqlClient.SqlClient
        yield* sql`SELECT FROM programs WHERE id = ${id}`.pipe(
          Effect.repeat({ until: (rows) => rows.length === 0 }),
          Effect.timeout("60 seconds")
        )
      }))
  }
)
