import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Http from "./HttpAppFixture.ts"

describe("a source's endpoint", () => {
  it.live("takes any method and path, and hands on the request", () =>
    Effect.gen(function*() {
      const requests = yield* Http.TakenRequests
      requests.reply = {
        status: 201,
        headers: {
          "content-type": "text/x-mine",
          "x-own": "1",
          "content-length": "999",
          "bad header": "x",
          "x-nl": "a\nb"
        },
        body: new TextEncoder().encode("done")
      }
      const answer = yield* Http.request("PATCH", `/http/${Http.endpointKey}/a%20b/C?x=1&x=2&y=`, {
        raw: `{"a": 1}`,
        headers: { "content-type": "application/json; charset=utf-8", "X-Custom": "v", "x-headwater-hops": "3" }
      })
      assert.deepStrictEqual([answer.status, answer.text], [201, "done"])
      assert.strictEqual(answer.headers.get("content-type"), "text/x-mine")
      assert.strictEqual(answer.headers.get("x-own"), "1")
      const [taken] = requests.taken
      assert.deepInclude(taken!.event, {
        method: "PATCH",
        path: "/a%20b/C",
        query: { x: ["1", "2"], y: "" },
        bodyRaw: `{"a": 1}`,
        body: { a: 1 },
        client_ip: "127.0.0.1",
        url: `https://events.example.com/http/${Http.endpointKey}/a%20b/C?x=1&x=2&y=`
      })
      assert.strictEqual(taken!.event.headers["x-custom"], "v")
      assert.strictEqual(taken!.hops, 3)
    }).pipe(Effect.provide(Http.layer)))

  it.live("reads bodies by their content type, and a broken one as text", () =>
    Effect.gen(function*() {
      const requests = yield* Http.TakenRequests
      const bodies: ReadonlyArray<readonly [string, string, unknown]> = [
        ["application/vnd.x+json", "[1]", [1]],
        ["application/json", "{", "{"],
        ["application/json", "[".repeat(500), "[".repeat(500)],
        ["application/x-www-form-urlencoded", "a=1&b=x+y&a=2", { a: ["1", "2"], b: "x y" }],
        ["text/plain", "hello", "hello"]
      ]
      for (const [contentType, raw, expected] of bodies) {
        yield* Http.request("POST", `/http/${Http.endpointKey}`, { raw, headers: { "content-type": contentType } })
        const { event } = requests.taken.pop()!
        assert.deepStrictEqual([event.bodyRaw, event.body, event.path], [raw, expected, "/"])
      }
      const options = yield* Http.request("OPTIONS", `/http/${Http.endpointKey}/`, { key: null })
      assert.strictEqual(options.status, 200)
      const { event } = requests.taken.pop()!
      assert.notProperty(event, "body")
      assert.notProperty(event, "bodyRaw")
    }).pipe(Effect.provide(Http.layer)))

  it.live("refuses unknown endpoints and bodies over the limit", () =>
    Effect.gen(function*() {
      const requests = yield* Http.TakenRequests
      for (const path of ["/http/unknown", "/http/unknown/x", "/http/"]) {
        const answer = yield* Http.request("POST", path)
        assert.deepStrictEqual([answer.status, answer.json["code"] as unknown], [404, "not_found"])
      }
      const fits = yield* Http.request("POST", `/http/${Http.endpointKey}`, { raw: "x".repeat(Http.maxBody) })
      assert.strictEqual(fits.status, 200)
      const large = yield* Http.request("POST", `/http/${Http.endpointKey}`, { raw: "x".repeat(Http.maxBody + 1) })
      assert.deepStrictEqual([large.status, large.json["code"] as unknown], [413, "payload_too_large"])
      assert.strictEqual(requests.taken.length, 1)
    }).pipe(Effect.provide(Http.layer)))
})
