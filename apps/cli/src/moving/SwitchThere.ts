/** Switches off what the hosted service still runs, by its REST API. */
import { Effect, type Redacted } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { CommandRefused } from "../CommandRefused.ts"

export interface Service {
  /** The base URL of its API, without a slash at its end. */
  readonly from: string
  readonly key: Redacted.Redacted
  /** The workspace that it is in, if it is not the user's own. */
  readonly org: string | undefined
}

/** A workflow (`p_…`) or a source (`dc_…`) there. */
export const pathOf = (id: string): string => `/${id.startsWith("p_") ? "workflows" : "sources"}/${id}`

/** The same as somebody does it by hand. */
export const byHand = (from: string, id: string): string =>
  `curl -X PUT -H "Authorization: Bearer $PD_API_KEY" -H "Content-Type: application/json" -d '{"active": false}' ${from}${
    pathOf(id)
  }`

export const off = Effect.fnUntraced(function*({ from, key, org }: Service, id: string) {
  const client = yield* HttpClient.HttpClient
  const refused = (why: string) =>
    new CommandRefused({
      message:
        `${id} could not be switched off there (${why}). Switch it off by hand, and run this again with --off-there`
    })
  const request = HttpClientRequest.put(`${from}${pathOf(id)}`).pipe(
    HttpClientRequest.bearerToken(key),
    HttpClientRequest.bodyJsonUnsafe({ active: false, ...(org === undefined ? {} : { org_id: org }) })
  )
  const { status } = yield* client.execute(request).pipe(
    Effect.timeout("1 minute"),
    Effect.mapError((error) => refused(error._tag === "TimeoutError" ? "no answer in a minute" : error.message))
  )
  if (status < 200 || status > 299) return yield* refused(`it answers ${status}`)
})
