import { assert, layer } from "@effect/vitest"
import { AccountErasure } from "@headwater/engine/AccountErasure"
import * as Json from "@headwater/fixtures/Json"
import { Accounts } from "@headwater/log/access/Accounts"
import { Consumers } from "@headwater/log/resources/Consumers"
import { Accounting } from "@headwater/log/work/Accounting"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import * as Http from "../../../test/HttpAppFixture.ts"

const emitting = Http.httpCode("for (const one of event.body) this.$emit(one)")

const post = (http: Http.Tenant, source: Json.Json, body: ReadonlyArray<unknown>) =>
  http.request("POST", Http.endpointOf(source), { body })

const eventsOf = ({ json }: Http.Answer): ReadonlyArray<unknown> =>
  Json.listOf(json["data"]).map(({ event }) => event?.["raw_event"])

/** Reads until so many events have been seen, and commits each page; the lease goes on. */
const readAll = Effect.fnUntraced(function*(http: Http.Tenant, path: string, count: number) {
  const seen: Array<unknown> = []
  let lease = ""
  while (seen.length < count) {
    const page = yield* http.request("GET", `${path}/events?max=3&wait=10${lease === "" ? "" : `&lease=${lease}`}`)
    assert.strictEqual(page.status, 200, page.text)
    assert.isNotEmpty(eventsOf(page), "events came in time")
    seen.push(...eventsOf(page))
    lease = Json.textOf(page.json["lease"]!["id"])
    const committed = yield* http.request("POST", `${path}/commit`, {
      body: { lease, positions: page.json["positions"] }
    })
    assert.strictEqual(committed.status, 200, committed.text)
    Json.assertHolds(committed.json["data"]!["lease"], { id: lease })
  }
  return { seen, lease }
})

layer(Http.layer, { excludeTestServices: true })("consumers", (it) => {
  it.effect("read what their emitters append as soon as it is durable, each event once and in order", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const source = yield* http.created("/v1/sources", { component_code: emitting })
      yield* post(http, source, [0])
      const consumer = yield* http.created("/v1/consumers", { emitter_id: source.id, name: "mine", start: "beginning" })
      const glob = yield* http.created("/v1/consumers", {
        emitter_id: "dc_*",
        start: "beginning",
        filter: { $not: { skip: true } }
      })
      const path = `/v1/consumers/${consumer.id}`
      const reading = yield* Effect.forkChild(readAll(http, path, 21))
      const globbing = yield* Effect.forkChild(readAll(http, `/v1/consumers/${glob.id}`, 21))
      for (let n = 1; n <= 20; n += 4) yield* post(http, source, [n, n + 1, n + 2, n + 3])
      const expected = Array.from({ length: 21 }, (_, n) => n)
      assert.deepStrictEqual((yield* Fiber.join(reading)).seen, expected)
      const { lease, seen } = yield* Fiber.join(globbing)
      assert.deepStrictEqual(seen, expected)

      yield* post(http, source, [{ skip: true }])
      const other = yield* http.created("/v1/sources", { component_code: emitting })
      yield* post(http, other, [{ late: 1 }])
      const page = yield* http.request("GET", `/v1/consumers/${glob.id}/events?wait=10&lease=${lease}`)
      assert.deepStrictEqual(eventsOf(page), [{ late: 1 }])
      const held = yield* http.request("GET", `/v1/consumers/${glob.id}/events`)
      Http.assertProblem(held, 409, "lease_held")
      assert.strictEqual(
        (yield* http.request("GET", `/v1/consumers/${glob.id}`)).json["data"]!["lease"] === null,
        false
      )
      const positions = yield* http.request("GET", `/v1/consumers/${glob.id}/positions`)
      const [first, second] = Json.listOf(positions.json["data"])
      Json.assertHolds(first, { emitter_id: source.id, waiting: 0, delivered: 21, filtered: 1, dropped: 0 })
      Json.assertHolds(second, { emitter_id: other.id, waiting: 1, delivered: 0 })
      assert.deepStrictEqual(yield* (yield* Accounting).imbalances, [])
    }))

  it.effect("answer large pages whole, and leave out the fields that are not asked for", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const source = yield* http.created("/v1/sources", {
        component_code: Http.httpCode("for (const [text, times] of event.body) this.$emit(text.repeat(times))")
      })
      const consumer = yield* http.created("/v1/consumers", { emitter_id: source.id })
      const large = ["ä".repeat(30_000), "b".repeat(60_000), "c"]
      yield* post(http, source, large.map((text) => [text[0], text.length]))
      const path = `/v1/consumers/${consumer.id}/events?wait=10`
      const page = yield* http.request("GET", `${path}&max_bytes=100000`)
      assert.isTrue(JSON.stringify(eventsOf(page)) === JSON.stringify(large.slice(0, 2)), page.text.slice(0, 100))
      const lease = Json.textOf(page.json["lease"]!["id"])
      const cut = yield* http.request("GET", `${path}&lease=${lease}&include=event`)
      assert.deepStrictEqual(Json.listOf(cut.json["data"]).map((one) => Object.keys(one as object)), [
        ["event"],
        ["event"],
        ["event"]
      ])
    }))

  it.effect("are no more than 1,000 of an account, of which 200 answers wait at a time", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const sql = yield* SqlClient.SqlClient
      const source = yield* http.created("/v1/sources", { component_code: emitting })
      const consumer = yield* http.created("/v1/consumers", { emitter_id: source.id })
      yield* Effect.scoped(Effect.gen(function*() {
        const path = `/v1/consumers/${consumer.id}/events?wait=60`
        const ended = yield* Effect.forEach(
          Array.from({ length: 201 }),
          () => Effect.forkScoped(http.request("GET", path))
        )
        const refused = yield* Effect.raceAllFirst(ended.map(Fiber.join))
        Http.assertProblem(refused, 429, "rate_limited")
        Http.assertProblem(yield* http.request("GET", `/v1/sources/${source.id}/sse`), 429, "rate_limited")
        assert.strictEqual((yield* http.request("GET", `/v1/consumers/${consumer.id}/events`)).status, 200)
      }))
      yield* sql`
        INSERT INTO consumers (id, account_id, subscription_id, lease_seconds, created_at)
        SELECT 'cns_' || lpad(n::text, 20, '0'), account_id, 'sub_' || n, lease_seconds, created_at
        FROM consumers, generate_series(1, 999) AS n WHERE id = ${consumer.id}`
      const create = http.request("POST", "/v1/consumers", { body: { emitter_id: source.id } })
      const refused = yield* create
      Http.assertProblem(refused, 400, "invalid_request")
      assert.include(refused.text, "1000 consumers")
      assert.strictEqual((yield* http.request("DELETE", `/v1/consumers/${consumer.id}`)).status, 204)
      assert.strictEqual((yield* create).status, 200)
    }))

  it.effect("keep nobody waiting whose key or session has ended, or whose account is suspended or deleted", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const accounts = yield* Accounts
      const consumerOf = Effect.fnUntraced(function*(http: Http.Tenant) {
        const source = yield* http.created("/v1/sources", { component_code: emitting })
        return yield* http.created("/v1/consumers", { emitter_id: source.id })
      })
      const wait = (http: Http.Tenant, { id }: Json.Json, options: Http.RequestOptions = {}) =>
        Effect.forkChild(http.request("GET", `/v1/consumers/${Json.textOf(id)}/events?wait=60`, options), {
          startImmediately: true
        })
      const http = yield* Http.tenant()
      const consumer = yield* consumerOf(http)
      const keys = yield* Effect.forEach([1, 2, 3, 4], () => http.created("/v1/users/me/keys", {}))
      const [revoked, rotated, revokedElsewhere, expired] = keys
      const signedIn = yield* http.request("POST", "/v1/session", { key: null, body: { api_key: http.key } })
      const cookie = (signedIn.headers.get("set-cookie") ?? "").split(";", 1)[0]!
      const waiting = [
        ...yield* Effect.forEach(keys, ({ key }) => wait(http, consumer, { key: Json.textOf(key) })),
        yield* wait(http, consumer, { key: null, headers: { cookie } })
      ]
      const still = yield* wait(http, consumer)
      yield* http.request("DELETE", `/v1/users/me/keys/${revoked!.id}`)
      yield* http.request("POST", `/v1/users/me/keys/${rotated!.id}/rotate`, { body: { overlap_seconds: 0 } })
      yield* sql`UPDATE api_keys SET revoked_at = 1 WHERE id = ${revokedElsewhere!.id}`
      yield* sql`UPDATE api_keys SET expires_at = 1 WHERE id = ${expired!.id}`
      yield* http.request("DELETE", "/v1/session", {
        key: null,
        headers: { cookie, "x-headwater-console": "1" }
      })
      for (const answer of yield* Effect.forEach(waiting, Fiber.join)) Http.assertProblem(answer, 401, "unauthorized")
      assert.isUndefined(still.pollUnsafe())
      yield* accounts.suspend(http.accountId)
      Http.assertProblem(yield* Fiber.join(still), 403, "account_suspended")

      const other = yield* Http.tenant()
      const last = yield* wait(other, yield* consumerOf(other))
      yield* (yield* AccountErasure).erase(other.accountId)
      Http.assertProblem(yield* Fiber.join(last), 403, "account_suspended")
    }))

  it.effect(
    "are refused with what is wrong, and gone with their emitter, when deleted and with their account",
    () =>
      Effect.gen(function*() {
        const http = yield* Http.tenant()
        const sql = yield* SqlClient.SqlClient
        const source = yield* http.created("/v1/sources", { component_code: emitting })
        const create = (body: unknown) => http.request("POST", "/v1/consumers", { body })
        const paths = (answer: Http.Answer) => {
          Http.assertProblem(answer, 400, "invalid_request")
          return Http.issuePaths(answer)
        }
        assert.deepStrictEqual(paths(yield* create({})), ["emitter_id"])
        assert.deepStrictEqual(paths(yield* create({ emitter_id: source.id, start: "soon" })), ["start"])
        assert.deepStrictEqual(paths(yield* create({ emitter_id: source.id, filter: { a: { $what: 1 } } })), [
          "filter.a.$what"
        ])
        Http.assertProblem(yield* create({ emitter_id: "dc_nobody" }), 404, "not_found")

        const consumer = yield* http.created("/v1/consumers", { emitter_id: source.id })
        const path = `/v1/consumers/${consumer.id}`
        const lost = yield* http.request("POST", `${path}/commit`, { body: { lease: "other" } })
        Http.assertProblem(lost, 409, "lease_lost")
        assert.deepStrictEqual(paths(yield* http.request("POST", `${path}/seek`, { body: {} })), ["to"])
        yield* post(http, source, [1])
        const page = yield* http.request("GET", `${path}/events?wait=10`)
        const lease = Json.textOf(page.json["lease"]!["id"])
        const commit = (positions: unknown) => http.request("POST", `${path}/commit`, { body: { lease, positions } })
        assert.deepStrictEqual(paths(yield* commit({ [source.id]: "9999999999999-0" })), [`positions.${source.id}`])
        assert.deepStrictEqual(paths(yield* commit({ dc_other: "1-0" })), ["positions.dc_other"])
        assert.notInclude(JSON.stringify((yield* http.request("GET", "/v1/users/me/subscriptions")).json), consumer.id)
        const own = yield* http.request("DELETE", "/v1/subscriptions", {
          body: { emitter_id: source.id, listener_id: consumer.id }
        })
        Http.assertProblem(own, 404, "not_found")

        const deleted = yield* http.created("/v1/consumers", { emitter_id: source.id })
        const waiting = yield* Effect.forkChild(http.request("GET", `/v1/consumers/${deleted.id}/events?wait=30`))
        yield* Effect.sleep("50 millis")
        assert.strictEqual((yield* http.request("DELETE", `/v1/consumers/${deleted.id}`)).status, 204)
        Http.assertProblem(yield* Fiber.join(waiting), 404, "not_found")

        yield* http.created("/v1/consumers", { emitter_id: "*" })
        assert.strictEqual((yield* http.request("DELETE", `/v1/sources/${source.id}`)).status, 204)
        Http.assertProblem(yield* http.request("GET", `${path}/events`), 404, "not_found")
        const left = yield* http.request("GET", "/v1/consumers")
        assert.deepStrictEqual(Json.listOf(left.json["data"]).map(({ emitter_id }) => Json.textOf(emitter_id)), ["*"])

        yield* (yield* AccountErasure).erase(http.accountId)
        assert.deepStrictEqual(yield* (yield* Consumers).idsOfAccount(http.accountId), [])
        const rows = yield* sql`
        SELECT owner_id FROM fences WHERE account_id = ${http.accountId}
        UNION ALL SELECT id FROM subscriptions WHERE account_id = ${http.accountId}`
        assert.deepStrictEqual(rows, [])
      })
  )
})
