import { Effect, type Scope } from "effect"
import { createServer } from "node:http"

export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A webhook's endpoint on loopback that keeps what it is sent. */
export interface WebhookSink {
  readonly url: string
  readonly received: ReadonlyArray<Received>
}

export interface Answer {
  readonly status: number
  readonly headers?: Record<string, string>
  readonly body?: string
}

/** @param answer what to answer, by how many requests came before this one; undefined to never answer it */
export const make = (
  answer: (count: number) => Answer | undefined = () => ({ status: 200 })
): Effect.Effect<WebhookSink, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<WebhookSink & { readonly close: Effect.Effect<void> }>((resume) => {
      const received: Array<Received> = []
      const server = createServer((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          const headers = Object.fromEntries(
            Object.entries(request.headers).map(([name, value]) => [name, String(value)])
          )
          received.push({
            method: request.method ?? "",
            path: request.url ?? "",
            headers,
            body: Buffer.concat(chunks).toString()
          })
          const reply = answer(received.length - 1)
          if (reply !== undefined) response.writeHead(reply.status, reply.headers).end(reply.body)
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed({
          url: `http://127.0.0.1:${port}/hook`,
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
