import { Context } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import * as Problem from "./Problem.ts"

/** Largest body of a request, in bytes, unless the server is configured to take larger code. */
export const maxBodyBytes = 8 * 1024 * 1024

/**
 * Largest body of a request to an endpoint that takes neither code nor props, in bytes, unless the server is configured
 * to take larger events. Of any other body, no more than this is outside of strings, since that part takes time to
 * read.
 */
export const maxPlainBodyBytes = 512 * 1024

/** Marks an endpoint whose bodies may be large, since it takes code or configured props, or values of data stores. */
export const TakesLargeBody: Context.Reference<false | "code" | "values"> = Context.Reference(
  "@headwater/api/TakesLargeBody",
  { defaultValue: (): false | "code" | "values" => false }
)

/** Marks an endpoint whose body is the content of a file: any bytes, which its handler reads as they come. */
export const TakesFile: Context.Reference<boolean> = Context.Reference("@headwater/api/TakesFile", {
  defaultValue: () => false
})

/** Marks an endpoint beside the contract that other services have as well, whose clients give it parameters of their own. */
export const TakesAnyParameters: Context.Reference<boolean> = Context.Reference("@headwater/api/TakesAnyParameters", {
  defaultValue: () => false
})

/** The most levels to which a body's arrays and objects may be nested. */
export const maxBodyDepth = 100

/** Answers requests that do not have the form their endpoint asks for, naming each field and the reason. */
export class RequestCheck extends HttpApiMiddleware.Service<RequestCheck>()("@headwater/api/RequestCheck", {
  error: [
    Problem.InvalidRequest,
    Problem.NotFound,
    Problem.PayloadTooLarge,
    Problem.UnsupportedMediaType,
    Problem.InternalError,
    Problem.UnavailableResponse
  ]
}) {}
