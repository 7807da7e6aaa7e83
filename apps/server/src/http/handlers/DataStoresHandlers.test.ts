import { assert, layer } from "@effect/vitest"
import { EngineLimits } from "@headwater/engine/EngineLimits"
import { Effect, Layer } from "effect"
import * as Http from "../../../test/HttpAppFixture.ts"

const limits = { ...EngineLimits.defaultValue(), dataStoresOfAccount: { bytes: 0, entries: 0 } }

layer(Http.layer.pipe(Layer.provide(Layer.succeed(EngineLimits, limits))), { excludeTestServices: true })(
  "a data store without room",
  (it) => {
    it.effect("takes no entries, and says when to try again", () =>
      Effect.gen(function*() {
        const { request } = yield* Http.tenant()
        yield* request("POST", "/v1/data_stores", { body: { name: "full" } })
        const path = "/v1/data_stores/full"
        for (
          const [method, at, body] of [
            ["PUT", "entry", { key: "a", value: 1 }],
            ["POST", "entries", { entries: [{ key: "a", value: 1 }] }]
          ] as const
        ) {
          const answer = yield* request(method, `${path}/${at}`, { body })
          Http.assertProblem(answer, 429, "quota_exceeded")
          assert.include(String(answer.json["detail"]), "HEADWATER_DATA_STORE_ENTRIES")
          assert.strictEqual(answer.headers.get("retry-after"), "5")
        }
        assert.strictEqual((yield* request("DELETE", `${path}/entries`)).status, 204)
      }))

    it.effect("takes none from an action that is run by itself", () =>
      Effect.gen(function*() {
        const { request } = yield* Http.tenant()
        yield* request("POST", "/v1/data_stores", { body: { name: "full" } })
        const component_code = `export default {
          type: "action",
          props: { store: { type: "data_store" } },
          async run() { await this.store.set("a", 1) }
        }`
        const { json } = yield* request("POST", "/v1/actions/run", {
          body: { component_code, configured_props: { store: "full" } }
        })
        assert.strictEqual<unknown>(json["data"]!["error"]!["name"], "DataStoresFull", JSON.stringify(json))
        const { json: entries } = yield* request("GET", "/v1/data_stores/full/entries")
        assert.isEmpty(entries["data"])
      }))
  }
)
