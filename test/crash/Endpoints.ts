import { Effect, type Scope } from "effect"
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { Dice } from "./Dice.ts"
import type { Reception } from "./Lanes.ts"

/** How an endpoint answers: always well, or now and then not. */
export type Manner = "steady" | "flaky" | "seldom"

/** The endpoints of all webhooks, on one port of loopback. They outlive the server that calls them. */
export interface Endpoints {
  readonly url: (webhook: string, manner: Manner) => string
}

/** How many first attempts an endpoint lets fail. */
const failing: Readonly<Record<string, number>> = { flaky: 0.05, seldom: 0.01 }

/** Packed as in the log, so that number order is log order. */
const eventIdOf = (text: unknown): bigint => {
  const [ms, seq] = String(text).split("-")
  return (BigInt(ms!) << 20n) | BigInt(seq!)
}

const listOf = (headers: IncomingHttpHeaders): Reception["list"] => {
  const count = headers["x-headwater-event-count"]
  return count === undefined
    ? undefined
    : { lastEventId: eventIdOf(headers["x-headwater-last-event-id"]), count: Number(count) }
}

interface Answer {
  /** Whether the caller learns that its request has come. */
  readonly isAnswer: boolean
  readonly give: (response: ServerResponse) => void
}

const status = (code: number, headers: Record<string, string> = {}): Answer => ({
  isAnswer: true,
  give: (response) => response.writeHead(code, headers).end()
})

const delivered = status(204)

const failures: ReadonlyArray<Answer> = [
  status(500),
  status(500),
  status(404),
  status(302, { location: "/elsewhere" }),
  status(429, { "retry-after": "1" }),
  status(503, { "retry-after": "1" }),
  { isAnswer: false, give: (response) => response.destroy() },
  {
    isAnswer: true,
    give: (response) => {
      response.writeHead(200, { "content-length": "10" }).write("half")
      setTimeout(() => response.destroy(), 500)
    }
  }
]

export const make = (
  dice: Dice,
  received: (reception: Reception) => void
): Effect.Effect<Endpoints, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<Endpoints & { readonly close: Effect.Effect<void> }>((resume) => {
      const server = createServer((request, response) => {
        const chunks: Array<Buffer> = []
        // A caller that dies in the middle has not delivered anything.
        request.on("error", () => response.destroy())
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          const { headers, url = "" } = request
          const [, webhook = "", manner] = url.split("/")
          const attempt = Number(headers["x-headwater-attempt"])
          const fails = attempt === 1 && dice.chance(failing[manner ?? ""] ?? 0)
          const answer = fails ? dice.pick(failures) : delivered
          received({
            at: Date.now(),
            webhook,
            subscriptionId: String(headers["x-headwater-subscription-id"]),
            emitterId: String(headers["x-headwater-emitter-id"]),
            eventId: eventIdOf(headers["x-headwater-event-id"]),
            list: listOf(headers),
            emitId: String(headers["webhook-id"]),
            attempt,
            body: Buffer.concat(chunks).toString(),
            delivered: !fails,
            answered: answer.isAnswer
          })
          answer.give(response)
        })
      })
      server.keepAliveTimeout = 60_000
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed({
          url: (webhook, manner) => `http://127.0.0.1:${port}/${webhook}/${manner}`,
          close: Effect.callback<void>((closed) => {
            server.closeAllConnections()
            server.close(() => closed(Effect.void))
          })
        }))
      })
    }),
    ({ close }) => close
  )
