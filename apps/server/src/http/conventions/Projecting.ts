import { CurrentAccount } from "@headwater/api/Authorization"
import * as Projection from "@headwater/api/Projection"
import { TakesFile } from "@headwater/api/RequestCheck"
import { Context, Effect, Layer, Option, Predicate } from "effect"
import { HttpBody, HttpServerRequest, HttpServerResponse } from "effect/http"
import { answerFailures } from "./FailureProblem.ts"
import { JsonThread } from "./JsonThread.ts"
import { problemResponse } from "./ProblemResponse.ts"

const text = (value: unknown): string | undefined => typeof value === "string" ? value : undefined

const selectionFrom = (source: unknown): Projection.Selection => ({
  include: Predicate.hasProperty(source, "include") ? text(source.include) : undefined,
  exclude: Predicate.hasProperty(source, "exclude") ? text(source.exclude) : undefined
})

/** True if a JSON text may name either parameter: parsing it for nothing would take as long as its schema did. */
const mayNameFields = (json: string): boolean => /"(?:in|ex)clude"|\\u/.test(json)

/**
 * Cuts answers down to `include` and `exclude`. These come from the query where the endpoint takes parameters there,
 * and from the JSON body, which its schema has read by then.
 */
export const layer = Layer.effect(
  Projection.Projection,
  Effect.map(JsonThread, (thread) =>
    Effect.fnUntraced(function*(handle, { endpoint }) {
      const response = yield* handle
      const fromQuery = endpoint.query === undefined
        ? selectionFrom(undefined)
        : selectionFrom(yield* HttpServerRequest.ParsedSearchParams)
      const request = yield* HttpServerRequest.HttpServerRequest
      const hasFields = endpoint.payload.size > 0 && !Context.get(endpoint.annotations, TakesFile)
      const body = !hasFields ? "" : yield* Effect.orDie(request.text)
      const fromBody = selectionFrom(mayNameFields(body) ? JSON.parse(body) : undefined)
      const selection = {
        include: fromBody.include ?? fromQuery.include,
        exclude: fromBody.exclude ?? fromQuery.exclude
      }
      if (selection.include === undefined && selection.exclude === undefined) return response
      const { body: answer, status } = response
      if ((status !== 200 && status !== 201) || answer._tag !== "Uint8Array") return response
      const account = Option.getOrElse(yield* Effect.serviceOption(CurrentAccount), () => "")
      // A copy, since it is handed over.
      return yield* thread.project(account, { of: "answer", bytes: new Uint8Array(answer.body), selection }).pipe(
        Effect.map((projected) =>
          HttpServerResponse.setBody(response, HttpBody.uint8Array(projected, answer.contentType))
        ),
        answerFailures,
        Effect.catch(problemResponse)
      )
    }))
)
