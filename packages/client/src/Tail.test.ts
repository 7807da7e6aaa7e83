import { assert, describe, it } from "vitest"
import type { EventSummary } from "./generated/types.gen.ts"
import { HeadwaterError } from "./HeadwaterError.ts"
import { follow, type TailOptions } from "./Tail.ts"

const eventOf = (id: string) => ({
  id,
  indexed_at_ms: 0,
  event: { raw_event: { name: "Zoë" } },
  metadata: { emit_id: id, name: "", emitter_id: "dc_1" }
})

const frame = (id: string) => `id: ${id}\ndata: ${JSON.stringify(eventOf(id))}\n\n`

const headers = { "content-type": "text/event-stream" }

/** A connection that brings this, and then breaks, ends, or goes on in silence. */
const connection = (text: string, after: "break" | "end" | "silence", pieceBytes = 1_000) => (signal: AbortSignal) => {
  const bytes = new TextEncoder().encode(text)
  let place = 0
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      signal.addEventListener("abort", () => controller.error(signal.reason))
    },
    pull: (controller) => {
      if (place < bytes.length) return controller.enqueue(bytes.subarray(place, place += pieceBytes))
      if (after === "end") controller.close()
      if (after === "break") controller.error(new TypeError("terminated"))
    }
  })
  return new Response(body, { headers })
}

/** Follows connections one after the other, up to so many events, and tells from where each was opened. */
const followed = async (
  connections: ReadonlyArray<(signal: AbortSignal) => Response>,
  { count, silenceMs = 60_000, ...options }: Partial<TailOptions> & {
    readonly count: number
    readonly silenceMs?: number
  }
) => {
  const opened: Array<string> = []
  const open = async (path: string, lastEventId: string | undefined, signal: AbortSignal) => {
    opened.push(`${path} ${lastEventId}`)
    const next = connections[opened.length - 1]
    if (next === undefined) throw new TypeError("fetch failed")
    return next(signal)
  }
  const events: Array<EventSummary> = []
  const given = { source: "orders", ...options }
  for await (const event of follow(given as TailOptions, open, silenceMs)) if (events.push(event) === count) break
  return { events, ids: events.map(({ id }) => id), opened }
}

describe("follow", () => {
  it("goes on behind the last event, whether the connection broke, ended or fell silent", async () => {
    const { ids, opened } = await followed([
      connection(`: hello\n\n${frame("1-0")}${frame("2-0")}${frame("3-0").slice(0, -1)}`, "break"),
      connection(`: hello\n\n${frame("3-0").slice(0, -1)}`, "end"),
      connection(`: hello\n\n${frame("3-0")}`, "silence"),
      connection(frame("4-0"), "silence")
    ], { count: 4, after: "0-7", silenceMs: 200 })
    assert.deepStrictEqual(ids, ["1-0", "2-0", "3-0", "4-0"])
    const path = "/v1/sources/orders/sse?event_name="
    assert.deepStrictEqual(opened, ["0-7", "2-0", "2-0", "3-0"].map((id) => `${path} ${id}`))
  })

  it("reads events in whatever pieces, lines and ends of lines they come", async () => {
    const lines = JSON.stringify(eventOf("4-0"), null, 1).split("\n").map((line) => `data: ${line}\n`)
    const frames = [frame("1-0"), frame("2-0").replaceAll("\n", "\r"), frame("3-0"), `id: 4-0\n${lines.join("")}\n`]
    const text = `: hello\n\n${frames.join("")}`
    for (const all of [text, text.replaceAll(/(?<!\r)\n/g, "\r\n")]) {
      for (const size of [1, 2, 3, 7, 10_000]) {
        const { events } = await followed([connection(all, "silence", size)], { count: 4 })
        assert.deepStrictEqual(events, ["1-0", "2-0", "3-0", "4-0"].map(eventOf), String(size))
      }
    }
  })

  it("goes on while the server is away or has no room, and ends when it refuses the tail", async () => {
    const refused = (status: number) => () =>
      Response.json({ code: "not_found", detail: "There is no source.", details: {} }, { status })
    const { ids } = await followed([refused(503), refused(502), connection(frame("1-0"), "end")], { count: 1 })
    assert.deepStrictEqual(ids, ["1-0"])
    const [outcome] = await Promise.allSettled([followed([refused(404)], { count: 1 })])
    assert.isTrue(HeadwaterError.is(outcome.status === "rejected" ? outcome.reason : undefined, "not_found"))
    const page = () => new Response("<html>", { headers: { "content-type": "text/html" } })
    const [strange] = await Promise.allSettled([followed([page], { count: 1 })])
    assert.instanceOf(strange.status === "rejected" ? strange.reason : undefined, HeadwaterError)
  })

  it("ends by its signal, with the reason, also between two connections", async () => {
    for (const connections of [[connection(": hello\n\n", "silence")], []]) {
      const controller = new AbortController()
      setTimeout(() => controller.abort(new Error("enough")), 50)
      const [outcome] = await Promise.allSettled([
        followed(connections, { count: 1, signal: controller.signal, silenceMs: 60_000 })
      ])
      assert.strictEqual(outcome.status === "rejected" ? outcome.reason.message : undefined, "enough")
    }
  })

  it("goes on at the last position where it follows the account, and repeats nothing that comes again", async () => {
    const { ids, opened } = await followed([
      connection(
        `id: 70\n\n${frame("9-0").slice(8)}${frame("8-0").slice(8)}id: 71\n\n${frame("9-1").slice(8)}`,
        "break"
      ),
      connection(`id: 71\n\n${frame("8-0").slice(8)}${frame("9-1").slice(8)}${frame("7-0").slice(8)}`, "end")
    ], { count: 4, source: undefined, text: "é" })
    assert.deepStrictEqual(ids, ["9-0", "8-0", "9-1", "7-0"])
    assert.deepStrictEqual(opened, ["/v1/events/sse?text=%C3%A9 undefined", "/v1/events/sse?text=%C3%A9 71"])
  })

  it("names the log and the stream that it follows", async () => {
    const { opened } = await followed([connection(frame("1-0"), "end")], {
      count: 1,
      source: undefined,
      workflow: "p/1",
      stream: "$errors"
    })
    assert.deepStrictEqual(opened, ["/v1/workflows/p%2F1/sse?event_name=%24errors undefined"])
  })
})
