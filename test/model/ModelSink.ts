import { Effect, type Scope } from "effect"
import { createHash } from "node:crypto"
import { createServer } from "node:http"

/** One attempt as an endpoint saw it. */
export interface Received {
  readonly webhook: string
  readonly subscriptionId: string
  readonly emitterId: string
  readonly eventId: bigint
  /** Of a list: its last event, and how many they are. */
  readonly list: { readonly lastEventId: bigint; readonly count: number } | undefined
  readonly emitId: string
  readonly attempt: number
  readonly body: string
}

export type Manner = "steady" | "flaky" | "moody"

/** What an endpoint answers; `throttled` puts the whole webhook off, `gone` for good. */
export type Answer = "delivered" | "failed" | "throttled" | "gone"

/** The endpoints of a run. They answer by what they are sent alone, so that the model knows what they answered. */
export interface ModelSink {
  readonly url: (name: string, manner: Manner) => string
  readonly received: ReadonlyArray<Received>
}

/** Seconds that a throttled webhook is told to wait. */
export const throttleSeconds = 40

/** What an attempt to deliver an event is answered. */
export const answerTo = (manner: Manner, emitId: string, attempt: number): Answer => {
  const dice = createHash("sha256").update(emitId).digest()
  switch (manner) {
    case "steady":
      return "delivered"
    case "flaky":
      // A quarter fails once, some of it two or three times.
      return dice[0]! < 64 && attempt <= 1 + dice[1]! % 3 ? "failed" : "delivered"
    case "moody":
      return attempt > 1 || dice[0]! >= 48 ? "delivered" : dice[1]! < 64 ? "gone" : "throttled"
  }
}

const statuses: Record<Answer, number> = { delivered: 200, failed: 500, throttled: 429, gone: 410 }

const eventIdOf = (text: string): bigint => {
  const [ms, seq] = text.split("-")
  return (BigInt(ms!) << 20n) | BigInt(seq!)
}

export const make: Effect.Effect<ModelSink, never, Scope.Scope> = Effect.acquireRelease(
  Effect.callback<ModelSink & { readonly close: Effect.Effect<void> }>((resume) => {
    const received: Array<Received> = []
    const server = createServer((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        const { headers, url = "" } = request
        const [, webhook = "", manner] = url.split("/")
        const emitId = String(headers["webhook-id"])
        const attempt = Number(headers["x-headwater-attempt"])
        received.push({
          webhook,
          subscriptionId: String(headers["x-headwater-subscription-id"]),
          emitterId: String(headers["x-headwater-emitter-id"]),
          eventId: eventIdOf(String(headers["x-headwater-event-id"])),
          list: headers["x-headwater-event-count"] === undefined ? undefined : {
            lastEventId: eventIdOf(String(headers["x-headwater-last-event-id"])),
            count: Number(headers["x-headwater-event-count"])
          },
          emitId,
          attempt,
          body: Buffer.concat(chunks).toString()
        })
        const answer = answerTo(manner === "flaky" || manner === "moody" ? manner : "steady", emitId, attempt)
        response.writeHead(statuses[answer], answer === "throttled" ? { "retry-after": String(throttleSeconds) } : {})
        response.end()
      })
    })
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      resume(Effect.succeed({
        url: (name, manner) => `http://127.0.0.1:${port}/${name}/${manner}`,
        received,
        close: Effect.callback<void>((closed) => {
          server.closeAllConnections()
          server.close(() => closed(Effect.void))
        })
      }))
    })
  }),
  ({ close }) => close
)
