import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Endpoint from "../test/Endpoint.ts"

layer(Endpoint.layer, { excludeTestServices: true })("HTTP requests", (it) => {
  it.effect("are emitted one by one, but one that is sent again by its id, once", () =>
    Effect.gen(function*() {
      const source = yield* Endpoint.source("http-requests", { idHeader: "Idempotency-Key", bodyOnly: true })
      const sent = [["a", "1"], ["b", "1"], ["c", ""], ["d", ""], ["e", "2"], ["f", "2"]] as const
      for (const [body, id] of sent) {
        assert.strictEqual(yield* source.post(body, { "idempotency-key": id }), 200)
      }
      const emitted = yield* source.emitted(4)
      assert.deepStrictEqual<unknown>(emitted.map(({ event }) => event), ["a", "c", "d", "e"])
    }))
})
