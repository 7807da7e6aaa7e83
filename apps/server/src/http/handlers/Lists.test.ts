import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Figures } from "@headwater/log/commit/Figures"
import { Effect } from "effect"
import * as Http from "../../../test/HttpAppFixture.ts"

const hourMs = 3_600_000

const ids = (answer: Http.Answer) => Json.listOf(answer.json["data"]).map(({ id }) => Json.textOf(id))

layer(Http.layer, { excludeTestServices: true })("a list", (it) => {
  it.effect("of webhooks says how each stands by its rate, and is narrowed to a state", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const made = (name: string) => http.created("/v1/webhooks", { url: "http://127.0.0.1:9/", name })
      const [good, bad, quiet, paused] = [
        yield* made("good"),
        yield* made("bad"),
        yield* made("quiet"),
        yield* made("p")
      ]
      yield* http.request("POST", `/v1/webhooks/${paused.id}/pause`)
      const figures = yield* Figures
      for (let n = 0; n < 40; n++) figures.noteAttempt(http.accountId, good.id, false, n < 38 ? 100 : 1_000)
      // The latest attempt says nothing by itself.
      figures.noteAttempt(http.accountId, good.id, true, 1_000)
      for (let n = 0; n < 4; n++) figures.noteAttempt(http.accountId, bad.id, true, 10)
      figures.noteAttempt(http.accountId, bad.id, false, 10)
      figures.noteAttempt(http.accountId, paused.id, true, 10)
      const before = Date.now()
      yield* figures.write
      const stateOf = (id: string) =>
        Effect.map(http.request("GET", `/v1/webhooks/${id}`), ({ json }) => json["data"]!["state"])
      const states = yield* Effect.forEach([good, bad, quiet, paused], ({ id }) => stateOf(id))
      assert.deepStrictEqual<unknown>(states, ["active", "failing", "active", "paused"])
      const listed = yield* http.request("GET", "/v1/users/me/webhooks?expand=health&state=active")
      assert.deepStrictEqual(ids(listed), [quiet.id, good.id])
      const { health, state } = Json.listOf(listed.json["data"])[1]!
      assert.strictEqual<unknown>(state, "active")
      const span = { attempts: 41, failed_attempts: 1, success_rate: 0.9756, p50_ms: 86.2, p95_ms: 795 }
      Json.assertHolds(health, { last_1h: span, last_24h: span, last_7d: span })
      assert.closeTo(Number(health!["last_delivered_at_ms"]), before, 2 * 60_000)
      for (
        const [query, expected] of [["state=failing", [bad]], ["state=paused", [paused]], ["active=false", [
          paused
        ]]] as const
      ) {
        assert.deepStrictEqual(
          ids(yield* http.request("GET", `/v1/users/me/webhooks?${query}`)),
          expected.map(({ id }) => id)
        )
      }
      const plain = yield* http.request("GET", "/v1/users/me/webhooks")
      for (const item of Json.listOf(plain.json["data"])) assert.doesNotHaveAnyKeys(item, ["health", "state"])
      const now = (yield* http.request("GET", "/v1/figures")).json["data"]!["now"]!
      Json.assertHolds(now["webhooks"], { total: 4, active: 3, failing: 1 })
      const graph = yield* http.request("GET", "/v1/graph")
      const failing = Json.listOf(graph.json["data"]!["nodes"]).filter((node) => String(node["state"]) === "failing")
      assert.deepStrictEqual<unknown>(failing.map(({ id }) => id), [bad.id])
    }))

  it.effect("judges one to which little was sent by a longer span", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const { id } = yield* http.created("/v1/webhooks", { url: "http://127.0.0.1:9/" })
      const figures = yield* Figures
      const now = Date.now()
      const failing = (at: number) => Effect.map(figures.failing(http.accountId, [id], at), (found) => found.has(id))
      for (let n = 0; n < 4; n++) figures.noteAttempt(http.accountId, id, true, 10)
      yield* figures.write
      // Four failures: too few for an hour or a day, but all that there was in a week.
      assert.isTrue(yield* failing(now))
      assert.isTrue(yield* failing(now + 30 * hourMs))
      assert.isFalse(yield* failing(now + 8 * 24 * hourMs))
      for (let n = 0; n < 5; n++) figures.noteAttempt(http.accountId, id, false, 10)
      yield* figures.write
      assert.isFalse(yield* failing(now))
    }))

  it.effect("is searched, narrowed and sorted by name, page by page", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const names = ["beta", "Alpha", "gamma", "alpha", null]
      const webhooks: Array<Json.Json & { readonly id: string }> = []
      for (const name of names) {
        webhooks.push(
          yield* http.created("/v1/webhooks", { url: "http://127.0.0.1:9/", ...(name === null ? {} : { name }) })
        )
      }
      const at = (...places: ReadonlyArray<number>) => places.map((place) => webhooks[place]!.id)
      const sorted = at(4, 1, 3, 0, 2)
      const list = "/v1/users/me/webhooks?sort=name"
      assert.deepStrictEqual(ids(yield* http.request("GET", list)), sorted)
      const walked: Array<string> = []
      let after = ""
      let last: Http.Answer | undefined
      for (let pages = 0; pages < 3; pages++) {
        last = yield* http.request("GET", `${list}&limit=2${after}`)
        walked.push(...ids(last))
        after = `&after=${Json.textOf(last.json["page_info"]!["end_cursor"])}`
      }
      assert.deepStrictEqual(walked, sorted)
      const start = Json.textOf(last!.json["page_info"]!["start_cursor"])
      assert.deepStrictEqual(ids(yield* http.request("GET", `${list}&limit=2&before=${start}`)), sorted.slice(2, 4))
      // A cursor stays valid after its item is gone.
      yield* http.request("DELETE", `/v1/webhooks/${sorted[4]}`)
      assert.deepStrictEqual(ids(yield* http.request("GET", `${list}&limit=1&before=${start}`)), sorted.slice(3, 4))
      const byCreation = yield* http.request("GET", "/v1/users/me/webhooks?limit=1")
      const foreign = Json.textOf(byCreation.json["page_info"]!["end_cursor"])
      const refused = yield* http.request("GET", `${list}&after=${foreign}`)
      assert.deepStrictEqual([refused.status, Http.issuePaths(refused)], [400, ["after"]])
      assert.deepStrictEqual(ids(yield* http.request("GET", "/v1/users/me/webhooks?q=ALPH")), at(3, 1))
      assert.deepStrictEqual(ids(yield* http.request("GET", `/v1/users/me/webhooks?q=${sorted[0]}`)), at(4))

      const kinds = [["sources", { component_code: Http.code("named") }], [
        "workflows",
        { workflow_code: Http.workflowCode }
      ]] as const
      for (const [kind, code] of kinds) {
        const one = yield* http.created(`/v1/${kind}`, { ...code, name: "Zebra" })
        const other = yield* http.created(`/v1/${kind}`, { ...code, name: "ape" })
        const found = (query: string) => Effect.map(http.request("GET", `/v1/users/me/${kind}?${query}`), ids)
        assert.deepStrictEqual(yield* found("sort=name"), [other.id, one.id])
        assert.deepStrictEqual(yield* found("q=zEb"), [one.id])
        yield* http.request("PUT", `/v1/${kind}/${one.id}`, { body: { active: false } })
        assert.deepStrictEqual(yield* found("active=true"), [other.id])
        assert.deepStrictEqual(yield* found("state=paused"), [one.id])
        const figures = yield* Figures
        figures.noteRun(http.accountId, other.id, true, 1)
        yield* figures.write
        assert.deepStrictEqual([yield* found("state=failing"), yield* found("state=active")], [[other.id], []])
      }
    }))
})
