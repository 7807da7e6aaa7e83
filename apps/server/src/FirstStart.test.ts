import { assert, layer } from "@effect/vitest"
import { WebhookId } from "@headwater/domain/Id"
import { Seal } from "@headwater/domain/Seal"
import { SealCheck } from "@headwater/log/access/SealCheck"
import { Webhooks } from "@headwater/log/resources/Webhooks"
import { ConfigProvider, Effect, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Http from "../test/HttpAppFixture.ts"
import { FirstStart } from "./FirstStart.ts"
import { ServerConfig } from "./ServerConfig.ts"

const config = ServerConfig.layer.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({}))))

const start = Effect.scoped(Layer.build(Layer.fresh(FirstStart.layer).pipe(Layer.provide(config))))

const underAnotherSecret = Layer.fresh(SealCheck.layer).pipe(
  Layer.provide(Seal.layer(Redacted.make(new Uint8Array(32).fill(8))))
)

layer(Http.layer, { excludeTestServices: true })("a start", (it) => {
  it.effect("seals what an older server left unsealed, once it is known to have the right secret", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const http = yield* Http.tenant()
      const source = yield* http.created("/v1/sources", {
        component_code: Http.code("feed", { token: { type: "string" } }),
        configured_props: { token: "k-7Yb2" }
      })
      yield* start
      yield* sql`UPDATE programs SET sealed_props = NULL, props = '{"token":"k-7Yb2"}'`
      const webhook = yield* http.created("/v1/webhooks", { url: "http://127.0.0.1:9/" })
      yield* sql`UPDATE webhooks SET url = 'http://ann:k-7Yb2@127.0.0.1:9/' WHERE id = ${webhook.id}`
      const stored = sql`SELECT props, sealed_props IS NOT NULL AS sealed FROM programs`

      const refused = yield* Effect.flip(Effect.provide(start, underAnotherSecret))
      assert.strictEqual(refused._tag, "SecretKeyMismatch")
      assert.deepStrictEqual(yield* stored, [{ props: `{"token":"k-7Yb2"}`, sealed: false }])

      yield* start
      assert.deepStrictEqual(yield* stored, [{ props: null, sealed: true }])
      assert.deepStrictEqual(yield* sql`SELECT url, url_password IS NOT NULL AS sealed FROM webhooks`, [
        { url: "http://ann:***@127.0.0.1:9/", sealed: true }
      ])
      const target = yield* (yield* Webhooks).target(WebhookId.make(webhook.id))
      assert.strictEqual(Redacted.value(Option.getOrThrow(target)), "http://ann:k-7Yb2@127.0.0.1:9/")
      const shown = yield* http.request("GET", `/v1/sources/${source.id}`)
      assert.strictEqual<unknown>(shown.json["data"]?.["configured_props"]?.["token"], "k-7Yb2", shown.text)
    }))
})
