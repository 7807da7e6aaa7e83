import { Effect, type Scope } from "effect"
import { createServer } from "node:http"

/** What is served at a path: text, bytes, or an answer of another kind. */
export type Served = string | Uint8Array | {
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly body?: string
  /** Sends the headers and then nothing for so long. */
  readonly afterMillis?: number
}

/** Files of component code on loopback. */
export interface ModuleServer {
  readonly origin: string
  /** The paths asked for, with their queries, in order. */
  readonly asked: ReadonlyArray<string>
}

/** @param files by path and query; for what is not among them the answer is 404 */
export const make = (files: Record<string, Served>): Effect.Effect<ModuleServer, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<ModuleServer & { readonly close: Effect.Effect<void> }>((resume) => {
      const asked: Array<string> = []
      const server = createServer((request, response) => {
        const path = request.url ?? ""
        asked.push(path)
        const found: Served = files[path] ?? { status: 404, body: "Not here" }
        if (typeof found === "string" || found instanceof Uint8Array) return response.end(found)
        response.writeHead(found.status ?? 200, found.headers)
        if (found.afterMillis === undefined) return response.end(found.body)
        response.write(" ")
        return setTimeout(() => response.end(found.body), found.afterMillis)
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed({
          origin: `http://127.0.0.1:${port}`,
          asked,
          close: Effect.callback<void>((closed) => {
            server.closeAllConnections()
            server.close(() => closed(Effect.void))
          })
        }))
      })
    }),
    ({ close }) => close
  )
