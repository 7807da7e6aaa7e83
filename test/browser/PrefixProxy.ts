import * as Loopback from "@headwater/fixtures/Loopback"
import { Effect, type Scope } from "effect"
import { request as send } from "node:http"

/** A proxy as operators put in front of the server: it serves the server's paths below a prefix of its own. */
export interface PrefixProxy {
  /** What the server is to take for its own URL. */
  readonly url: string
}

/** @param target the server's own address */
export const make = (target: string, prefix: string): Effect.Effect<PrefixProxy, never, Scope.Scope> =>
  Effect.gen(function*() {
    const { hostname, port } = new URL(target)
    const origin = yield* Loopback.serve((request, response) => {
      const path = request.url ?? "/"
      if (!path.startsWith(`${prefix}/`)) {
        response.writeHead(404).end("not below the prefix")
        return
      }
      const headers = {
        ...request.headers,
        "x-forwarded-host": request.headers.host ?? "",
        host: `${hostname}:${port}`
      }
      const passed = send(
        { hostname, port, method: request.method, path: path.slice(prefix.length), headers },
        (answer) => {
          response.writeHead(answer.statusCode ?? 502, answer.headers)
          answer.pipe(response)
          answer.once("error", () => response.destroy())
        }
      )
      passed.once("error", () => response.headersSent ? response.destroy() : response.writeHead(502).end())
      response.once("close", () => passed.destroy())
      request.pipe(passed)
    })
    return { url: `${origin}${prefix}` }
  })
