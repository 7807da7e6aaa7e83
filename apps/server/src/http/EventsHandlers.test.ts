import { assert, describe, it } from "@effect/vitest"
import * as EventId from "@headwater/domain/EventId"
import { EventLog } from "@headwater/log/EventLog"
import { Effect } from "effect"
import * as Http from "./HttpAppFixture.ts"

describe("event summaries", () => {
  const append = Effect.fnUntraced(function*(emitterId: string, stream: string, payloads: ReadonlyArray<unknown>) {
    const log = yield* EventLog
    yield* log.append(payloads.map((payload, i) => ({
      emitterId,
      stream,
      n: i + 1,
      id: EventId.make(1_700_000_000_000 + i, i % 2),
      emitId: `emit-${i}`,
      hops: 0,
      meta: i === 0 ? { id: "own", summary: "First", ts: 5 } : {},
      payload: JSON.stringify(payload)
    })))
  })

  it.live("are the last events of a stream, newest first, with a preview of large ones", () =>
    Effect.gen(function*() {
      const { otherKey } = yield* Http.Tenants
      const { id } = yield* Http.created("/v1/sources", { component_code: Http.code("feed"), name: "s" })
      const large = { text: "ä".repeat(2_000), rest: [1, 2, 3] }
      yield* append(id, "", [{ n: 0 }, null, large])
      yield* append(id, "$errors", [{ original_event: {}, original_context: {}, error: { code: "Error" } }])
      const { json } = yield* Http.request("GET", `/v1/sources/${id}/event_summaries`)
      const data = json["data"] as unknown as ReadonlyArray<Http.JsonAnswer>
      assert.deepStrictEqual(data[2] as unknown, {
        id: "1700000000000-0",
        indexed_at_ms: 1_700_000_000_000,
        event: { raw_event: { n: 0 } },
        metadata: { emit_id: "emit-0", name: "", emitter_id: id, id: "own", summary: "First", ts: 5 }
      })
      assert.deepStrictEqual(data[1]!["event"] as unknown, { raw_event: null })
      assert.deepInclude(data[0]!["metadata"], { truncated: true } as never)
      assert.isBelow(Buffer.byteLength(JSON.stringify(data[0]!["event"])), 1_024)
      assert.isTrue(Http.textOf(data[0]!["event"]!["raw_event"]!["text"]).startsWith("ää"))
      const full = yield* Http.request("GET", `/v1/sources/s/event_summaries?limit=1&expand=event`)
      assert.deepStrictEqual(full.json["data"]![0]!["event"] as unknown, { raw_event: large })
      assert.notProperty(full.json["data"]![0]!["metadata"], "truncated")
      const errors = yield* Http.request("GET", `/v1/sources/s/$errors/event_summaries`)
      assert.deepStrictEqual(errors.json["data"]![0]!["event"]!["error"] as unknown, { code: "Error" })
      const named = yield* Http.request("GET", `/v1/sources/s/event_summaries?event_name=$errors`)
      assert.deepStrictEqual(named.json, errors.json)
      const logs = yield* Http.request("GET", `/v1/sources/s/$logs/event_summaries`)
      assert.strictEqual(logs.json["page_info"]!["total_count"] as unknown, 0)
      const foreign = yield* Http.request("GET", `/v1/sources/${id}/event_summaries`, { key: otherKey })
      assert.strictEqual(foreign.status, 404)
    }).pipe(Effect.provide(Http.layer)))

  it.live("reach no further back than 100 events, by pages too", () =>
    Effect.gen(function*() {
      const { id } = yield* Http.created("/v1/sources", { component_code: Http.code("feed") })
      yield* append(id, "", Array.from({ length: 130 }, (_, n) => ({ n })))
      const seen: Array<number> = []
      let after = ""
      for (;;) {
        const { json } = yield* Http.request("GET", `/v1/sources/${id}/event_summaries?limit=30${after}`)
        const data = json["data"] as unknown as ReadonlyArray<{ event: { raw_event: { n: number } } }>
        assert.strictEqual(json["page_info"]!["total_count"] as unknown, 100)
        if (data.length === 0) break
        seen.push(...data.map(({ event }) => event.raw_event.n))
        after = `&after=${Http.textOf(json["page_info"]!["end_cursor"])}`
      }
      assert.deepStrictEqual(seen, Array.from({ length: 100 }, (_, i) => 129 - i))
    }).pipe(Effect.provide(Http.layer)))
})
