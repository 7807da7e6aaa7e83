import { mediaTypeOf } from "@headwater/domain/RequestEventBody"
import type { HttpServerRequest } from "effect/http"

type Request = Pick<HttpServerRequest.HttpServerRequest, "headers">

/** True if nobody can tell the length of the body before its end. */
export const isOfUnknownLength = (request: Request): boolean => request.headers["transfer-encoding"] !== undefined

/** Tells by the headers whether a request comes with a body. */
export const isPresent = (request: Request): boolean =>
  isOfUnknownLength(request) || (request.headers["content-length"] ?? "0") !== "0"

export const isJson = (request: Request): boolean =>
  mediaTypeOf(request.headers["content-type"] ?? "") === "application/json"

/** True if a request says beforehand that its body is larger than this; nothing of it needs to be read then. */
export const isDeclaredLargerThan = (request: Request, bytes: number): boolean =>
  Number(request.headers["content-length"] ?? 0) > bytes

/** The most bytes that a request's body can have, by its headers and by the limit for all. */
export const mostBytes = (request: Request, maxBody: number): number => {
  if (!isPresent(request)) return 0
  const declared = Number(request.headers["content-length"])
  return Number.isFinite(declared) ? Math.min(declared, maxBody) : maxBody
}
