import * as RequestHeaders from "@headwater/domain/RequestHeaders"
import { type Option, Schema } from "effect"
import { validateHeaderName, validateHeaderValue } from "node:http"

const isWebUrl = Schema.makeFilter((text: string) => {
  if (!URL.canParse(text)) return false
  const { hostname, protocol } = new URL(text)
  return hostname !== "" && (protocol === "http:" || protocol === "https:")
}, { expected: "an http or https URL" })

const isSendable = Schema.makeFilter((headers: Readonly<Record<string, string>>) => {
  try {
    for (const [name, value] of Object.entries(headers)) {
      validateHeaderName(name)
      validateHeaderValue(name, value)
    }
    return true
  } catch {
    return false
  }
}, { expected: "names and values of HTTP headers" })

/** A request of a workflow's own, as `$.send.http` leaves it on the stream `$sends`. */
export const OutgoingRequest = Schema.Struct({
  method: Schema.Literals(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]),
  url: Schema.String.check(isWebUrl),
  /** Lower-case names. */
  headers: Schema.Record(Schema.String, Schema.String).check(isSendable),
  body: Schema.optionalKey(Schema.String)
})
export type OutgoingRequest = typeof OutgoingRequest.Type

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(OutgoingRequest))

/** @param payload JSON text of the event */
export const parse = (payload: string): Option.Option<OutgoingRequest> => decode(payload)

/** The headers that are the sender's own to say. */
export const headersOf = ({ headers }: OutgoingRequest): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !RequestHeaders.isReserved(name)))
