/** Stands in for a hosted service, of which a project moves away. */
import * as Loopback from "@headwater/fixtures/Loopback"
import { Effect } from "effect"

export const key = "pd_5tandIn0000000000"

/** An answer in place of what a path has, for as many requests. */
export interface Trouble {
  readonly path: RegExp
  readonly status: number
  readonly times?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface HostedService {
  /** The base URL of its API. */
  readonly url: string
  /** The paths that were asked of it, in the order of the requests. */
  readonly asked: ReadonlyArray<string>
  readonly trouble: (...troubles: ReadonlyArray<Trouble>) => void
}

/** Serves these values by their paths with queries, of which a list is a page, for one key. */
export const make = Effect.fnUntraced(function*(answers: Readonly<Record<string, unknown>>) {
  const asked: Array<string> = []
  let troubles: Array<Trouble & { left: number }> = []
  const origin = yield* Loopback.serve((request, response) => {
    const path = String(request.url).replace(/^\/v1/, "")
    asked.push(path)
    const trouble = troubles.find((each) => each.left > 0 && each.path.test(path))
    if (trouble !== undefined) {
      trouble.left--
      response.writeHead(trouble.status, trouble.headers).end(trouble.body ?? "")
    } else if (request.headers.authorization !== `Bearer ${key}`) {
      response.writeHead(401).end("{}")
    } else if (Object.hasOwn(answers, path)) {
      const answer = answers[path]
      response.writeHead(200, { "content-type": "application/json" })
      response.end(typeof answer === "string" ? answer : JSON.stringify(answer))
    } else {
      response.writeHead(404).end("{}")
    }
  })
  return {
    url: `${origin}/v1`,
    asked,
    trouble: (...added) => {
      troubles = added.map((each) => ({ ...each, left: each.times ?? Number.POSITIVE_INFINITY }))
    }
  } satisfies HostedService as HostedService
})
