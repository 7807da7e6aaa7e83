import { AccountConnections, type Arrival, callbackPath } from "@headwater/engine/AccountConnections"
import { EngineConfig } from "@headwater/engine/EngineConfig"
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { answerFailures } from "../conventions/FailureProblem.ts"
import { problemResponse } from "../conventions/ProblemResponse.ts"

/** Nobody else gets to know the address, which has a code in it. */
const headers = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff"
}

const marks: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;" }
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (mark) => marks[mark]!)

const page = (title: string, text: string, status: number) =>
  HttpServerResponse.text(
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escaped(title)}</title>` +
      `<h1>${escaped(title)}</h1><p>${text}</p></html>`,
    { contentType: "text/html; charset=utf-8", headers, status }
  )

const longestError = 300

const answerOf = (arrival: Arrival, publicUrl: string): HttpServerResponse.HttpServerResponse => {
  if (arrival._tag === "Unknown") {
    return page(
      "Nothing to connect",
      "No connection of an account waits for this: it has taken more than 10 minutes, or you have been here before. Begin again.",
      400
    )
  }
  const { appAccountId, returnTo } = arrival
  const [name, value] = arrival._tag === "Allowed"
    ? ["confirmation", arrival.confirmation]
    : ["error", arrival.error.slice(0, longestError)]
  if (returnTo !== null) {
    const url = new URL(returnTo === "console" ? `${publicUrl}/console/accounts/${appAccountId}` : returnTo)
    if (returnTo !== "console") url.searchParams.set("account", appAccountId)
    url.searchParams.set(name!, value!)
    return HttpServerResponse.redirect(url, { status: 303, headers })
  }
  return arrival._tag === "Allowed"
    ? page("Almost connected", `Enter this where you began: <code>${escaped(arrival.confirmation)}</code>`, 200)
    : page("Not connected", `The provider says: ${escaped(value!)}`, 200)
}

/**
 * `/oauth/callback`: the place to which a provider sends a user back. The code stays here; the user's browser gets a
 * confirmation, with which who began the connection completes it.
 */
export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const connections = yield* AccountConnections
  const { publicUrl } = yield* EngineConfig
  yield* router.add(
    "GET",
    callbackPath,
    Effect.gen(function*() {
      const { url } = yield* HttpServerRequest.HttpServerRequest
      const query = new URL(url, publicUrl).searchParams
      const arrival = yield* connections.arrive({
        state: query.get("state") ?? "",
        code: query.get("code") ?? undefined,
        error: query.get("error_description") ?? query.get("error") ?? undefined
      })
      return answerOf(arrival, publicUrl)
    }).pipe(answerFailures, Effect.catch((problem) => problemResponse(problem)))
  )
}))
