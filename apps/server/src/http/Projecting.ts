import * as Projection from "@headwater/api/Projection"
import { Effect, Layer, Predicate, type Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"

const text = (value: unknown): string | undefined => typeof value === "string" ? value : undefined

const selectionFrom = (source: unknown): Projection.Selection => ({
  include: Predicate.hasProperty(source, "include") ? text(source.include) : undefined,
  exclude: Predicate.hasProperty(source, "exclude") ? text(source.exclude) : undefined
})

const answerOf = (response: HttpServerResponse.HttpServerResponse): Schema.Json | undefined =>
  response.status === 200 && response.body._tag === "Uint8Array"
    ? JSON.parse(new TextDecoder().decode(response.body.body)) as Schema.Json
    : undefined

/**
 * Cuts answers down to `include` and `exclude`. These come from the query where the endpoint takes parameters there,
 * and from the JSON body, which its schema has read by then.
 */
export const layer = Layer.succeed(
  Projection.Projection,
  Effect.fnUntraced(function*(handle, { endpoint }) {
    const response = yield* handle
    const fromQuery = endpoint.query === undefined
      ? selectionFrom(undefined)
      : selectionFrom(yield* HttpServerRequest.ParsedSearchParams)
    const request = yield* HttpServerRequest.HttpServerRequest
    const body = endpoint.payload.size === 0 ? "" : yield* Effect.orDie(request.text)
    const fromBody = selectionFrom(body === "" ? undefined : JSON.parse(body))
    const selection = {
      include: fromBody.include ?? fromQuery.include,
      exclude: fromBody.exclude ?? fromQuery.exclude
    }
    if (selection.include === undefined && selection.exclude === undefined) return response
    const answer = answerOf(response)
    if (answer === undefined) return response
    return HttpServerResponse.setBody(
      response,
      HttpServerResponse.jsonUnsafe(Projection.project(answer, selection)).body
    )
  })
)
