import * as EventId from "@headwater/domain/EventId"
import * as OwnMember from "@headwater/domain/OwnMember"
import * as Stream from "@headwater/domain/Stream"
import { version } from "@headwater/domain/Version"
import type { Attempt } from "@headwater/log/work/Attempts"

/** The facts that the record of an attempt tells of its request anyway. */
export type Facts = Pick<
  Attempt,
  "attempt" | "batch" | "emitId" | "emitterId" | "eventId" | "startedAt" | "stream" | "subscriptionId"
>

/** The headers that it does not tell; null for one that was left out. Lower-case names. */
export type OwnHeaders = Readonly<Record<string, string | null>>

/** Headers that come of the URL. */
export interface UrlHeaders {
  readonly host: string
  readonly authorization?: string
}

export const json = "application/json"

export const userAgent = `Headwater/${version}`

export const mask = "***"

/** True if the value of such a header is masked where it is shown. */
export const isSecret = (name: string): boolean =>
  /authorization|cookie|credential|key|pass|secret|session|token|^x-.*-(auth|signature)$/.test(name)

/** The most that is kept of the headers of one attempt, in characters of JSON. */
const mostKept = 8_192

/** Header values hold no text beyond printable ASCII (RFC 9110, section 5.5). */
const headerText = (text: string): string => /^[\x20-\x7e]*$/.test(text) ? text : encodeURIComponent(text)

/** @param url with or without its password, which is not in the result */
export const ofUrl = (url: string): UrlHeaders => {
  const { host, password, username } = new URL(url)
  return username === "" && password === "" ? { host } : { host, authorization: mask }
}

/** The headers of a request as it is sent (delivery.md, "The request"), without those that come of its URL. */
export const all = (facts: Facts, own: OwnHeaders): Record<string, string> => {
  const { attempt, batch, emitId, emitterId, eventId, startedAt, stream, subscriptionId } = facts
  const headers: Record<string, string> = {
    "content-type": json,
    "webhook-id": emitId,
    "webhook-timestamp": String(Math.floor(startedAt / 1_000)),
    "x-headwater-emitter-id": emitterId,
    "x-headwater-event-id": EventId.format(eventId),
    "x-headwater-event-name": headerText(Stream.spelled(stream)),
    "x-headwater-subscription-id": subscriptionId,
    "x-headwater-attempt": String(attempt)
  }
  if (batch !== undefined) {
    headers["x-headwater-last-event-id"] = EventId.format(batch.lastEventId)
    headers["x-headwater-event-count"] = String(batch.events)
  }
  for (const name in own) {
    const value = own[name]!
    if (value === null) delete headers[name]
    else OwnMember.set(headers, name, value)
  }
  return headers
}

/** The `accept` header of requests that set none themselves. Some firewalls refuse requests that accept nothing. */
export const anything = "*/*"

const standard = ["user-agent", "x-headwater-hops", "webhook-signature"] as const

/** True if there are no headers but those that every delivery to a webhook has. */
const isStandard = (own: OwnHeaders): boolean => {
  for (const name in own) {
    if (name === "accept" && own[name] === anything) continue
    if (name !== standard[0] && name !== standard[1] && name !== standard[2]) return false
  }
  return !own[standard[0]]!.includes(" ")
}

/** The prefix of a plain request's text if it had an `accept` header: older versions sent none. */
const acceptsAnything = `${anything} `

/**
 * Text of the headers that the record of an attempt does not tell, without secrets. There is one per attempt, so that
 * of a plain request is short: the values that differ, with blanks between, the signatures last. Any other is JSON.
 */
export const kept = ({ authorization = "-", host }: UrlHeaders, own: OwnHeaders): string => {
  if (isStandard(own)) {
    const accept = own["accept"] === undefined ? "" : acceptsAnything
    return `${accept}${own[standard[0]]} ${own[standard[1]]} ${authorization} ${host} ${own[standard[2]]}`
  }
  const shown: Record<string, string | null> = { ...(authorization === "-" ? {} : { authorization }), host }
  for (const name in own) OwnMember.set(shown, name, isSecret(name) ? mask : own[name]!)
  const text = JSON.stringify(shown)
  if (text.length <= mostKept) return text
  return JSON.stringify({ host, ...Object.fromEntries(["accept", ...standard].map((name) => [name, own[name]])) })
}

const read = (kept: string): OwnHeaders => {
  if (kept.startsWith("{")) return JSON.parse(kept)
  if (kept.startsWith(acceptsAnything)) return { accept: anything, ...read(kept.slice(acceptsAnything.length)) }
  const [agent = "", hops = "", authorization = "", host = "", ...signatures] = kept.split(" ")
  return {
    host,
    ...(authorization === "-" ? {} : { authorization }),
    [standard[0]]: agent,
    [standard[1]]: hops,
    [standard[2]]: signatures.join(" ")
  }
}

/** The headers of an attempt as they were sent, with a mask for secrets; undefined if they were not recorded. */
export const shown = (attempt: Attempt): Record<string, string> | undefined =>
  attempt.requestHeaders === null ? undefined : all(attempt, read(attempt.requestHeaders))
