import { assert, describe, it } from "@effect/vitest"
import { read, type ServerSentEvent } from "./ServerSentEvents.ts"

const text =
  ": welcome\n\nid: 1-0\ndata: {\"a\":\"ü\"}\n\nid: 2-0\r\ndata:first\r\ndata: second\r\n\r\n: beat\n\nid: 7\n\n: beat\n\nid: 3-0\ndata: cut"

const streamOf = (size: number): ReadableStream<Uint8Array> => {
  const bytes = new TextEncoder().encode(text)
  return new ReadableStream({
    start(controller) {
      for (let from = 0; from < bytes.length; from += size) controller.enqueue(bytes.slice(from, from + size))
      controller.close()
    }
  })
}

describe("ServerSentEvents", () => {
  it("reads the same events however they are cut into chunks, and none that has not ended", async () => {
    for (const size of [1, 2, 3, 7, 1_000]) {
      const events: Array<ServerSentEvent> = []
      for await (const event of read(streamOf(size))) events.push(event)
      assert.deepStrictEqual(events, [
        { id: "1-0", data: "{\"a\":\"ü\"}" },
        { id: "2-0", data: "first\nsecond" },
        { id: "7", data: undefined }
      ], `in chunks of ${size} bytes`)
    }
  })
})
