import { assert, describe, it } from "vitest"
import { follow, type TailedEvent } from "./TailReader.ts"

const eventOf = (id: string) => ({
  id,
  indexed_at_ms: 0,
  event: { raw_event: { name: "Zoë" } },
  metadata: { emit_id: id, name: "", emitter_id: "dc_1" }
})

const frame = (id: string) => `id: ${id}\ndata: ${JSON.stringify(eventOf(id))}\n\n`

/** A connection that brings this, and then breaks, ends, or goes on in silence. */
const connection = (text: string, after: "break" | "end" | "silence", pieceBytes = 1_000) => (signal: AbortSignal) => {
  const bytes = new TextEncoder().encode(text)
  let place = 0
  return new ReadableStream<Uint8Array>({
    start: (controller) => {
      signal.addEventListener("abort", () => controller.error(signal.reason))
    },
    pull: (controller) => {
      if (place < bytes.length) return controller.enqueue(bytes.subarray(place, place += pieceBytes))
      if (after === "end") controller.close()
      if (after === "break") controller.error(new TypeError("terminated"))
    }
  })
}

class Refusal extends Error {
  readonly pauseMs: number | undefined

  constructor(pauseMs: number | undefined) {
    super("refused")
    this.pauseMs = pauseMs
  }
}

const refused = (pauseMs?: number) => (): never => {
  throw new Refusal(pauseMs)
}

const pauseAfter = (error: unknown) => error instanceof Refusal ? error.pauseMs : 0

interface Given {
  readonly after?: string
  readonly signal?: AbortSignal
  readonly silenceMs?: number
  /** So many events are followed. */
  readonly count: number
}

/** Follows connections one after the other, and tells from where each was opened, and what was told of them. */
const followed = async (
  connections: ReadonlyArray<(signal: AbortSignal) => ReadableStream<Uint8Array>>,
  { after, count, signal, silenceMs = 60_000 }: Given
) => {
  const opened: Array<string | undefined> = []
  const open = async (lastEventId: string | undefined, signal: AbortSignal) => {
    opened.push(lastEventId)
    const next = connections[opened.length - 1]
    if (next === undefined) throw new TypeError("fetch failed")
    return next(signal)
  }
  const events: Array<TailedEvent> = []
  const told: Array<string> = []
  for await (const item of follow<TailedEvent>(open, { after, pauseAfter, signal, silenceMs })) {
    told.push(item.type)
    if (item.type === "event" && events.push(item.event) === count) break
  }
  return { events, ids: events.map(({ id }) => id), opened, told }
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
    assert.deepStrictEqual(opened, ["0-7", "2-0", "2-0", "3-0"])
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

  it("goes on after what passes, tells of it, and ends when it is refused", async () => {
    const { ids, opened, told } = await followed([
      refused(0),
      refused(1),
      connection(frame("1-0"), "end"),
      connection("", "end"),
      connection(frame("2-0"), "end")
    ], { count: 2 })
    assert.deepStrictEqual(ids, ["1-0", "2-0"])
    assert.deepStrictEqual(opened, [undefined, undefined, undefined, "1-0", "1-0"])
    assert.deepStrictEqual(told, ["lost", "lost", "connected", "event", "lost", "lost", "connected", "event"])
    const [outcome] = await Promise.allSettled([followed([refused()], { count: 1 })])
    assert.instanceOf(outcome.status === "rejected" ? outcome.reason : undefined, Refusal)
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
    ], { count: 4 })
    assert.deepStrictEqual(ids, ["9-0", "8-0", "9-1", "7-0"])
    assert.deepStrictEqual(opened, [undefined, "71"])
  })
})
