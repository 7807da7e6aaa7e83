import { assert, it } from "@effect/vitest"
import * as EventId from "@headwater/domain/EventId"
import * as Stream from "@headwater/domain/Stream"
import { summaryOf as cutSummary, wholeSummary } from "./EventSummaries.ts"

const summaryOf = (payload: string) =>
  wholeSummary({
    emitterId: "dc_test",
    stream: Stream.errors,
    n: 1,
    id: EventId.make(0, 1),
    emitId: "e",
    hops: 1,
    meta: {},
    payload
  })

it("an error is listed as it is, other events on $errors as raw events, and none that is large is read for that", () => {
  const error = JSON.stringify({ original_event: 1, original_context: {}, error: {} })
  assert.include(summaryOf(error), `"event":${error},`)
  assert.include(summaryOf("{}"), "\"event\":{\"raw_event\":{}},")
  // Neither could be read.
  const [large, other] = ["{\"original_event\":", "{\"error\":"].map((beginning) => beginning + "[".repeat(5_000_000))
  assert.include(summaryOf(large!), `"event":${large},`)
  assert.include(summaryOf(other!), `"event":{"raw_event":${other}},`)
})

it("a preview of an error has the error, however much room its event would take", () => {
  const error = { code: "Error", message: "no lines" }
  const payload = JSON.stringify({ original_event: { body: "x".repeat(1_100) }, original_context: {}, error })
  const listed = JSON.parse(cutSummary({
    emitterId: "dc_test",
    stream: Stream.errors,
    n: 1,
    id: EventId.make(0, 1),
    emitId: "e",
    hops: 1,
    meta: {},
    bytes: payload.length,
    payload
  }))
  assert.deepStrictEqual(listed.event.error, error)
  assert.isTrue(listed.metadata.truncated)
})
