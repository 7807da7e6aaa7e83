import type { EventSummary } from "./generated/types.gen.ts"
import { HeadwaterError } from "./HeadwaterError.ts"
import { isPassing, retryAfter } from "./Retries.ts"
import * as TailReader from "./TailReader.ts"

/** The log to follow: that of a source or of a workflow, by id or name slug, or, with neither, those of the account. */
export type TailOptions =
  & (
    | { readonly source: string; readonly workflow?: never; readonly text?: never }
    | { readonly workflow: string; readonly source?: never; readonly text?: never }
    | {
      readonly source?: never
      readonly workflow?: never
      /** Only events whose payload, as JSON text, contains this. */
      readonly text?: string
    }
  )
  & {
    /** The event stream. Default: default, and of the account all. */
    readonly stream?: string
    /** Begin after this event; `0-0` for the beginning of the log. Of the account: after this position. Default: now. */
    readonly after?: string
    readonly signal?: AbortSignal
  }

export const mediaType = "text/event-stream"

const pathOf = ({ source, stream, text, workflow }: TailOptions): string => {
  if (source === undefined && workflow === undefined) {
    const query = { ...(stream === undefined ? {} : { stream }), ...(text === undefined ? {} : { text }) }
    return `/v1/events/sse?${new URLSearchParams(query)}`
  }
  const emitter = workflow === undefined
    ? `sources/${encodeURIComponent(source!)}`
    : `workflows/${encodeURIComponent(workflow)}`
  return `/v1/${emitter}/sse?${new URLSearchParams({ event_name: stream ?? "" })}`
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const isStream = ({ headers, ok }: Response): boolean =>
  ok && (headers.get("content-type")?.startsWith(mediaType) ?? false)

/**
 * The events behind `after`, over as many connections as it takes.
 *
 * @param request sends a request for a path, from behind an event or a position, or from now
 */
export async function* follow(
  { after, signal, ...options }: TailOptions,
  request: (path: string, lastEventId: string | undefined, signal: AbortSignal) => Promise<Response>
): AsyncGenerator<EventSummary, void, undefined> {
  const path = pathOf(options)
  let asked: number | undefined
  const open: TailReader.OpenTail = async (lastEventId, signal) => {
    const response = await request(path, lastEventId, signal)
    if (isStream(response)) return response.body!
    asked = retryAfter(response)
    throw HeadwaterError.of(response, parsed(await response.text()))
  }
  const pauseAfter = (error: unknown) => {
    if (!(error instanceof HeadwaterError)) return 0
    return isPassing(error.status) || error.status >= 500 ? asked ?? 0 : undefined
  }
  for await (const item of TailReader.follow<EventSummary>(open, { after, pauseAfter, signal })) {
    if (item.type === "event") yield item.event
  }
}
