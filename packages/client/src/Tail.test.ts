import { assert, describe, it } from "vitest"
import { HeadwaterError } from "./HeadwaterError.ts"
import { follow, type TailOptions } from "./Tail.ts"

const event = { id: "1-0", indexed_at_ms: 0, event: {}, metadata: { emit_id: "e", name: "", emitter_id: "dc_1" } }

const stream = () =>
  new Response(`id: 1-0\ndata: ${JSON.stringify(event)}\n\n`, { headers: { "content-type": "text/event-stream" } })

/** The first event behind these answers, and the requests for them. */
const first = async (options: TailOptions, answers: ReadonlyArray<() => Response>) => {
  const requests: Array<string> = []
  const request = async (path: string, lastEventId: string | undefined) => {
    requests.push(`${path} ${lastEventId}`)
    return answers[requests.length - 1]!()
  }
  const { value } = await follow(options, request).next()
  assert.deepStrictEqual<unknown>(value, event)
  return requests
}

describe("follow", () => {
  it("names the log, the stream and the place that it follows", async () => {
    assert.deepStrictEqual(
      [
        ...await first({ source: "orders", after: "0-7" }, [stream]),
        ...await first({ workflow: "p/1", stream: "$errors" }, [stream]),
        ...await first({ text: "é", after: "71" }, [stream])
      ],
      [
        "/v1/sources/orders/sse?event_name= 0-7",
        "/v1/workflows/p%2F1/sse?event_name=%24errors undefined",
        "/v1/events/sse?text=%C3%A9 71"
      ]
    )
  })

  it("goes on while the server is away or has no room, and ends when it refuses the tail", async () => {
    const refused = (status: number) => () =>
      Response.json({ code: "not_found", detail: "There is no source.", details: {} }, { status })
    assert.lengthOf(await first({ source: "orders" }, [refused(503), refused(502), stream]), 3)
    const [outcome] = await Promise.allSettled([first({ source: "orders" }, [refused(404)])])
    assert.isTrue(HeadwaterError.is(outcome.status === "rejected" ? outcome.reason : undefined, "not_found"))
    const page = () => new Response("<html>", { headers: { "content-type": "text/html" } })
    const [strange] = await Promise.allSettled([first({ source: "orders" }, [page])])
    assert.instanceOf(strange.status === "rejected" ? strange.reason : undefined, HeadwaterError)
  })
})
