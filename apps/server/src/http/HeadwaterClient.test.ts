import { assert, describe, it } from "@effect/vitest"
import { HeadwaterClient } from "@headwater/api/HeadwaterClient"
import { Effect, Layer, Redacted } from "effect"
import { FetchHttpClient, HttpServer } from "effect/http"
import * as Http from "../../test/HttpAppFixture.ts"

describe("HeadwaterClient", () => {
  it.live("is typed by the contract, in answers and in problems", () =>
    Effect.gen(function*() {
      const { key } = yield* Http.tenant()
      const server = yield* HttpServer.HttpServer
      yield* Effect.gen(function*() {
        const client = yield* HeadwaterClient
        const { data: webhook } = yield* client.webhooks.create({
          query: { url: "http://127.0.0.1:9/", name: "n" },
          headers: {},
          payload: null
        })
        const { data, page_info } = yield* client.webhooks.list({ query: { limit: 5 } })
        assert.deepStrictEqual(data.map(({ id }) => id), [webhook.id])
        assert.strictEqual(page_info.total_count, 1)
        const after = yield* client.webhooks.list({ query: { after: webhook.id } })
        assert.deepStrictEqual(after.data, [])
        yield* client.webhooks.delete({ params: { id: webhook.id }, query: {} })
        const missing = yield* Effect.flip(client.webhooks.get({ params: { id: webhook.id }, query: {} }))
        assert.strictEqual(missing._tag, "NotFoundProblem")
        const stranger = yield* HeadwaterClient.pipe(
          Effect.provide(
            HeadwaterClient.layer({ url: HttpServer.formatAddress(server.address), apiKey: Redacted.make("hw_no") }),
            { local: true }
          )
        )
        assert.strictEqual((yield* Effect.flip(stranger.users.me({ query: {} })))._tag, "UnauthorizedProblem")
      }).pipe(
        Effect.provide(
          HeadwaterClient.layer({ url: HttpServer.formatAddress(server.address), apiKey: Redacted.make(key) }).pipe(
            Layer.provideMerge(FetchHttpClient.layer)
          )
        )
      )
    }).pipe(Effect.provide(Http.layer)))
})
