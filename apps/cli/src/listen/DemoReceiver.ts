/** An endpoint on this machine that takes what a webhook is sent, for as long as somebody waits for it. */
import * as SigningKey from "@headwater/domain/SigningKey"
import * as StandardWebhook from "@headwater/engine/StandardWebhook"
import { explain } from "@headwater/server/ErrorExplanation"
import { Effect, Queue, type Redacted } from "effect"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { CommandRefused } from "../CommandRefused.ts"

export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** True if a request was signed with a secret. */
export const isSigned = ({ body, headers }: Received, secret: Redacted.Redacted): boolean => {
  const expected = StandardWebhook.signature(
    [SigningKey.signer(secret)],
    String(headers["webhook-id"]),
    Number(headers["webhook-timestamp"]),
    body
  )
  return String(headers["webhook-signature"]).split(" ").includes(expected)
}

/** Listens until the scope ends. */
export const make = Effect.fnUntraced(function*(port: number) {
  const received = yield* Queue.unbounded<Received>()
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text
    })
    request.on("end", () => {
      response.writeHead(204).end()
      Queue.offerUnsafe(received, { headers: request.headers, body })
    })
  })
  yield* Effect.acquireRelease(
    Effect.callback<void, CommandRefused>((resume) => {
      server.once(
        "error",
        (error) =>
          resume(Effect.fail(new CommandRefused({ message: `Nothing can listen on port ${port}: ${explain(error)}` })))
      )
      server.listen(port, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, received }
})
