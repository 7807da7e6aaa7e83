/** First-party components with an HTTP interface, behind the real HTTP side of the server. */
import { assert } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import * as Http from "../../../apps/server/test/HttpAppFixture.ts"
import { codeOf } from "./ComponentCode.ts"

export const layer = Http.layer

/** A source of a component, for an account of its own. */
export const source = Effect.fnUntraced(function*(name: string, props: Record<string, unknown>) {
  const http = yield* Http.tenant()
  const source = yield* http.created("/v1/sources", { component_code: yield* codeOf(name), configured_props: props })
  const path = Http.endpointOf(source)
  return {
    id: source.id,
    http,
    /** Sends a `POST` to the endpoint and answers its status. */
    post: (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>) =>
      Effect.map(http.request("POST", path, { raw: body, headers, key: null }), ({ status }) => status),
    /** What was emitted, oldest first, once it is so much. */
    emitted: (count: number) =>
      Effect.map(
        http.summaries(`/v1/sources/${source.id}/event_summaries?expand=event`, count),
        (summaries) =>
          summaries.toReversed().map(({ event, metadata }) => ({ event: event!["raw_event"]!, metadata: metadata! }))
      )
  }
})

/** What a component's code is refused with where it is made a source of. */
export const refusal = Effect.fnUntraced(function*(name: string, props: Record<string, unknown>) {
  const http = yield* Http.tenant()
  const answer = yield* http.request("POST", "/v1/sources", {
    body: { component_code: yield* codeOf(name), configured_props: props }
  })
  assert.strictEqual(answer.status, 422, answer.text)
  assert.deepStrictEqual(Json.listOf((yield* http.request("GET", "/v1/users/me/sources")).json["data"]), [])
  return Json.textOf(answer.json["details"]!["message"])
})

/** Where an endpoint's URL leads in a test. */
export const reachable = Effect.map(
  HttpServer.HttpServer,
  ({ address }) => (url: string) => url.replace(Http.publicUrl, HttpServer.formatAddress(address))
)
