import { assert, layer } from "@effect/vitest"
import { goneAfterMs, Nodes } from "@headwater/log/database/Nodes"
import { Effect } from "effect"
import * as Http from "../../../test/HttpAppFixture.ts"

layer(Http.layer, { excludeTestServices: true })("nodes", (it) => {
  it.effect("are listed while they are there, with what they hold and nothing that names an account or an address", () =>
    Effect.gen(function*() {
      const nodes = yield* Nodes
      const now = Date.now()
      const held = { programs: 3, webhooks: 2, consumers: 1, accounts: 4 }
      yield* nodes.see(
        { id: "gone", worker: 1, version: "1.0.0", startedAt: now - 90_000, held },
        now - goneAfterMs - 1_000
      )
      yield* nodes.see({ id: "there", worker: 2, version: "1.0.0", startedAt: now - 80_000, held }, now)
      const { json } = yield* (yield* Http.tenant()).request("GET", "/v1/nodes")
      assert.deepStrictEqual<unknown>(json["data"], [{
        id: "there",
        worker: 2,
        version: "1.0.0",
        started_at_ms: now - 80_000,
        seen_at_ms: now,
        holds: { sources_and_workflows: 3, webhooks: 2, consumers: 1, accounts: 4 }
      }])
    }))
})
