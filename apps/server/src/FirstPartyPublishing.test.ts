import { assert, layer } from "@effect/vitest"
import { firstParty } from "@headwater/components/FirstParty"
import * as Json from "@headwater/fixtures/Json"
import { Nodes } from "@headwater/log/database/Nodes"
import { Components } from "@headwater/log/resources/Components"
import { Clock, Context, Effect, Layer } from "effect"
import * as Http from "../test/HttpAppFixture.ts"
import { ComponentSaving } from "./ComponentSaving.ts"
import { FirstPartyPublishing } from "./FirstPartyPublishing.ts"
import { HttpSettings } from "./http/conventions/HttpSettings.ts"

// What the server brings along is not held against the limits of its users.
const settings = Layer.succeed(HttpSettings, {
  maxBody: 1,
  maxCode: 1,
  maxProp: 1,
  maxStoredValue: 1,
  maxHeapMebibytes: 1,
  rateLimit: 0,
  byteRateLimit: 0
})

const server = Layer.fresh(FirstPartyPublishing.layer).pipe(
  Layer.provideMerge(ComponentSaving.layer.pipe(Layer.fresh, Layer.provide(settings))),
  Layer.provideMerge(Http.layer)
)

const published = Effect.fnUntraced(function*(http: Http.Tenant, key: string) {
  const answer = yield* http.request("GET", `/v1/components/registry/${encodeURIComponent(key)}`)
  assert.strictEqual(answer.status, 200, answer.text)
  return answer.json["data"]!
})

layer(server, { excludeTestServices: true })("the registry", (it) => {
  it.effect("has the server's own components, and takes a version only where the code is another", () =>
    Effect.gen(function*() {
      yield* (yield* FirstPartyPublishing).done
      const http = yield* Http.tenant()
      for (const { code, key } of yield* firstParty) {
        const component = yield* published(http, key)
        assert.hasAllKeys(component, [
          "id",
          "code",
          "code_hash",
          "key",
          "name",
          "version",
          "description",
          "configurable_props",
          "created_at",
          "updated_at"
        ])
        assert.strictEqual<unknown>(component["code"], code)
        const saving = yield* ComponentSaving
        yield* saving.publish(key, code)
        assert.strictEqual((yield* published(http, key))["id"], component["id"])
        yield* Effect.sleep("2 millis")
        yield* saving.publish(key, `${code}// Newer`)
        const newer = yield* published(http, key)
        assert.strictEqual<unknown>(newer["code"], `${code}// Newer`)
        const old = yield* http.request("GET", `/v1/components/${Json.textOf(component["id"])}`)
        assert.deepStrictEqual<unknown>(old.json["data"], component)
      }
    }))

  it.effect("keeps what a node of a newer version has brought, for as long as that one is there", () =>
    Effect.gen(function*() {
      yield* (yield* FirstPartyPublishing).done
      const http = yield* Http.tenant()
      const nodes = yield* Nodes
      const [first] = yield* firstParty
      const { code, key } = first!
      const newer = `${code}// Of a newer version`
      yield* (yield* ComponentSaving).publish(key, newer)
      const now = yield* Clock.currentTimeMillis
      const node = { worker: null, startedAt: now, held: { programs: 0, webhooks: 0, consumers: 0, accounts: 0 } }
      const restart = Effect.scoped(Effect.flatMap(
        Layer.build(Layer.fresh(FirstPartyPublishing.layer)),
        (context) => Context.get(context, FirstPartyPublishing).done
      ))
      yield* nodes.see({ ...node, id: "newer", version: "0.10.0" }, now)
      yield* restart
      assert.strictEqual<unknown>((yield* published(http, key))["code"], newer)
      yield* nodes.remove("newer")
      yield* Effect.sleep("2 millis")
      yield* restart
      assert.strictEqual<unknown>((yield* published(http, key))["code"], code)
    }))

  it.effect("takes no code that is not usable, or has another key", () =>
    Effect.gen(function*() {
      const saving = yield* ComponentSaving
      for (const code of ["export default {", Http.code("other")]) {
        assert.strictEqual((yield* Effect.flip(saving.publish("feed", code)))._tag, "ComponentInvalidProblem")
      }
    }))

  it.effect("is addressed by any text that a key may be, and apart from the account's own components", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const saving = yield* ComponentSaving
      const keys = ["a/b?c=%20#d", "sc_x", "registry", "schlüssel 漢", "漢".repeat(500)]
      for (const key of keys) {
        const { id } = yield* saving.publish(key, Http.code(key))
        assert.strictEqual<unknown>((yield* published(http, key))["id"], id)
        const name = encodeURIComponent(key)
        Http.assertProblem(yield* http.request("GET", `/v1/components/${name}`), 404, "not_found")
        const own = yield* http.created("/v1/components", { component_code: Http.code(key) })
        const shown = yield* http.request("GET", `/v1/components/${name}/`)
        assert.strictEqual<unknown>(shown.json["data"]?.["id"], own.id, shown.text)
        assert.strictEqual<unknown>((yield* published(http, key))["id"], id)
      }
      const unknown = yield* http.request("GET", "/v1/components/registry/nothing")
      Http.assertProblem(unknown, 404, "not_found")
      assert.strictEqual((yield* http.request("GET", "/v1/components/registry/x/y")).status, 404)
    }))

  it.effect("gives every account sources, by key or id, which run and change as those of own code do", () =>
    Effect.gen(function*() {
      yield* (yield* FirstPartyPublishing).done
      const key = "headwater-http-requests"
      for (const named of ["by key", "by id"]) {
        const http = yield* Http.tenant()
        const component = yield* published(http, key)
        const source = yield* http.created(
          "/v1/sources",
          named === "by key" ? { key } : { component_id: component["id"] }
        )
        assert.strictEqual<unknown>(source["component_id"], component["id"])
        const send = http.request("POST", `${Http.endpointOf(source)}/orders`, { body: { order: 17 } })
        assert.strictEqual((yield* send).status, 200)
        const [whole] = yield* http.summaries("/v1/sources/http-requests/event_summaries?expand=event", 1)
        Json.assertHolds(whole!["event"]!["raw_event"], { method: "POST", path: "/orders", body: { order: 17 } })
        Json.assertHolds(whole!["metadata"], { summary: "POST /orders" })
        const changed = yield* http.request("PUT", `/v1/sources/${source.id}`, {
          body: { configured_props: { bodyOnly: true } }
        })
        assert.strictEqual(changed.status, 200, changed.text)
        assert.strictEqual((yield* send).status, 200)
        const [body] = yield* http.summaries("/v1/sources/http-requests/event_summaries", 2)
        assert.deepStrictEqual<unknown>(body!["event"]!["raw_event"], { order: 17 })
      }
    }))

  it.effect("has a schedule that ticks", () =>
    Effect.gen(function*() {
      yield* (yield* FirstPartyPublishing).done
      const http = yield* Http.tenant()
      const source = yield* http.created("/v1/sources", { component_code: Http.code("feed") })
      const changed = yield* http.request("PUT", `/v1/sources/${source.id}`, {
        body: { key: "headwater-schedule", configured_props: { timer: { intervalSeconds: 1 } } }
      })
      assert.strictEqual(changed.status, 200, changed.text)
      const [tick] = yield* http.summaries(`/v1/sources/${source.id}/event_summaries`, 1)
      Json.assertHolds(tick!["event"]!["raw_event"], { interval_seconds: 1 })
      assert.match(Json.textOf(tick!["metadata"]!["summary"]), /^\d{4}-\d\d-\d\dT[\d:]+\.000Z$/)
    }))

  it.effect("answers 404 for a key that nothing was published under, where sources are made", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      yield* http.created("/v1/components", { component_code: Http.code("mine") })
      for (const key of ["nothing", "mine", ""]) {
        Http.assertProblem(yield* http.request("POST", "/v1/sources", { body: { key } }), 404, "not_found")
      }
      const source = yield* http.created("/v1/sources", { component_code: Http.code("feed") })
      const answer = yield* http.request("PUT", `/v1/sources/${source.id}`, { body: { key: "mine" } })
      Http.assertProblem(answer, 404, "not_found")
    }))

  it.effect("can give up a component whose sources go on", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const code = Http.httpCode("this.$emit(event.path)", `key: "withdrawn", name: "Withdrawn",`)
      const { id } = yield* (yield* ComponentSaving).publish("withdrawn", code)
      const source = yield* http.created("/v1/sources", { key: "withdrawn" })
      yield* (yield* Components).withdraw("withdrawn")
      for (const path of [`/v1/components/${id}`, "/v1/components/registry/withdrawn"]) {
        Http.assertProblem(yield* http.request("GET", path), 404, "not_found")
      }
      for (const body of [{ component_id: id }, { key: "withdrawn" }]) {
        Http.assertProblem(yield* http.request("POST", "/v1/sources", { body }), 404, "not_found")
      }
      const changed = yield* http.request("PUT", `/v1/sources/${source.id}`, { body: { name: "Kept" } })
      Json.assertHolds(changed.json["data"], { component_id: id, active: true })
      assert.strictEqual((yield* http.request("POST", `${Http.endpointOf(source)}/on`)).status, 200)
      const [summary] = yield* http.summaries("/v1/sources/kept/event_summaries", 1)
      assert.strictEqual<unknown>(summary!["event"]!["raw_event"], "/on")
      assert.strictEqual((yield* http.request("GET", "/v1/users/me/sources")).status, 200)
      assert.strictEqual((yield* http.request("DELETE", `/v1/sources/${source.id}`)).status, 204)
    }))
})
