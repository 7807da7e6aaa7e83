import * as Loopback from "@headwater/fixtures/Loopback"
import * as TestCertificate from "@headwater/fixtures/TestCertificate"
import { Effect, type Scope } from "effect"
import type { IncomingMessage } from "node:http"
import { createServer } from "node:https"
import { json } from "node:stream/consumers"

/** As much of GitLab's API as its components use, by TLS with the test's own certificate. */
export interface GitLab {
  /** With its port. */
  readonly host: string
  /** What hooks were added with, by their ids. */
  readonly hooks: ReadonlyMap<number, Record<string, unknown>>
  readonly addProject: (id: number, path: string) => void
}

export const make: Effect.Effect<GitLab, never, Scope.Scope> = Effect.gen(function*() {
  const hooks = new Map<number, Record<string, unknown>>()
  const projects = new Map([[7, "ann/orders"]])

  const answer = async (request: IncomingMessage): Promise<readonly [status: number, body?: unknown]> => {
    if (request.headers.authorization !== "Bearer token") return [401]
    const { pathname, searchParams } = new URL(request.url ?? "", "https://gitlab.example")
    const [, hookId] = /^\/api\/v4\/projects\/7\/hooks(?:\/(\d+))?$/.exec(pathname) ?? []
    if (request.method === "POST" && pathname === "/api/v4/projects/7/hooks") {
      const id = hooks.size + 1
      hooks.set(id, await json(request) as Record<string, unknown>)
      return [201, { id }]
    }
    if (request.method === "DELETE" && hookId !== undefined) return [hooks.delete(Number(hookId)) ? 204 : 404]
    if (request.method === "GET" && pathname === "/api/v4/projects") {
      const after = Number(searchParams.get("id_after") ?? 0)
      const newest = [...projects].filter(([id]) => id > after).sort(([a], [b]) => b - a)
      const page = newest.slice(0, Number(searchParams.get("per_page") ?? 20))
      return [
        200,
        page.map(([id, path]) => ({
          id,
          name: path,
          path_with_namespace: path,
          created_at: "2026-01-02T03:04:05Z"
        }))
      ]
    }
    return [404]
  }

  const { certificate: cert, privateKey: key } = TestCertificate
  const server = createServer({ cert, key }, (request, response) => {
    void answer(request).then(([status, body]) =>
      response.writeHead(status, { "content-type": "application/json" }).end(
        body === undefined ? undefined : JSON.stringify(body)
      )
    )
  })
  const port = yield* Loopback.listen(server)
  return { host: `localhost:${port}`, hooks, addProject: (id, path) => void projects.set(id, path) }
})
