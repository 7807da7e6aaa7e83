import { mediaTypeOf } from "@headwater/domain/RequestEventBody"
import type { HttpServerRequest } from "effect/http"

type Request = HttpServerRequest.HttpServerRequest

/** Whether nobody can tell how long the body is before its end. */
export const isOfUnknownLength = (request: Request): boolean => request.headers["transfer-encoding"] !== undefined

/** Whether a request comes with a body, by its headers. */
export const isPresent = (request: Request): boolean =>
  isOfUnknownLength(request) || (request.headers["content-length"] ?? "0") !== "0"

export const isJson = (request: Request): boolean =>
  mediaTypeOf(request.headers["content-type"] ?? "") === "application/json"

/** Whether a request says beforehand that its body is larger than this; nothing of it needs to be read then. */
export const isDeclaredLargerThan = (request: Request, bytes: number): boolean =>
  Number(request.headers["content-length"] ?? 0) > bytes

/** How many bytes a request's body has at most, by its headers and what is taken at all. */
export const mostBytes = (request: Request, maxBody: number): number => {
  if (!isPresent(request)) return 0
  const declared = Number(request.headers["content-length"])
  return Number.isFinite(declared) ? Math.min(declared, maxBody) : maxBody
}
