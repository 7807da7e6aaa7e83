import type { EventSummary } from "./Events.ts"
import * as Events from "./Events.ts"

/** A request as far as it is still known: each attempt at a delivery makes the same one. */
export interface Sent {
  readonly method: string
  readonly url: string | undefined
  /** The body; for a batch, that of its first event. Undefined if the event is no longer kept. */
  readonly body: string | undefined
}

interface OwnRequest {
  readonly method: string
  readonly url: string
  readonly body?: string
}

/** The request that a workflow sends by `$.send.http`. The event holds it. */
export const byWorkflow = (event: EventSummary | undefined): Sent => {
  if (event === undefined) return { method: "", url: undefined, body: undefined }
  const { body = "", method, url } = Events.payloadOf(event) as OwnRequest
  return { method, url, body }
}

/** The request to a webhook. Its body is the event's payload. */
export const toWebhook = (url: string | undefined, event: EventSummary | undefined): Sent => ({
  method: "POST",
  url,
  body: event === undefined ? undefined : JSON.stringify(Events.payloadOf(event))
})

/** The body of a request with these headers. A batch has a list of payloads, of which the page knows the first. */
export const bodyOf = (
  { body }: Sent,
  headers: Readonly<Record<string, string>>
): { readonly text: string } | { readonly missing: string } => {
  const events = headers["x-headwater-event-count"]
  if (body === undefined) return { missing: "The event is no longer stored, so its payload is not available." }
  if (events === undefined) return { text: body }
  return events === "1" ? { text: `[${body}]` } : { missing: `A list of the payloads of ${events} events.` }
}
