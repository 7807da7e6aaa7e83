import * as Loopback from "@headwater/fixtures/Loopback"
import { Effect, type Scope } from "effect"
import { createServer } from "node:http"

/** A server on loopback that stands for somebody's API. */
export interface Upstream {
  readonly port: number
  /** What it was asked, as `GET /orders?branch=7`, in order. */
  readonly calls: ReadonlyArray<string>
  /** The JSON bodies of those that had one. */
  readonly sent: ReadonlyArray<unknown>
}

/** @param answers JSON by what is asked; anything else is answered with 404 */
export const make = (answers: Readonly<Record<string, unknown>>): Effect.Effect<Upstream, never, Scope.Scope> =>
  Effect.gen(function*() {
    const calls: Array<string> = []
    const sent: Array<unknown> = []
    const server = createServer((request, response) => {
      const call = `${request.method} ${request.url}`
      calls.push(call)
      const found = answers[call]
      response.writeHead(found === undefined ? 404 : 200, { "content-type": "application/json" })
      let body = ""
      request.setEncoding("utf8").on("data", (part) => body += part).on("end", () => {
        if (request.headers["content-type"]?.startsWith("application/json") === true) sent.push(JSON.parse(body))
        response.end(JSON.stringify(found ?? {}))
      })
    })
    const port = yield* Loopback.listen(server)
    return { port, calls, sent }
  })
