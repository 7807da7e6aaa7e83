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
  }
)
