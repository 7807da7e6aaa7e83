import type { EventSummary } from "./generated/types.gen.ts"
import { HeadwaterError } from "./HeadwaterError.ts"
import { pause } from "./Pause.ts"
import { backoff, isPassing, retryAfter } from "./Retries.ts"

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
    /** The event stream. Default: the default one, and of the account all. */
    readonly stream?: string
    /** Begin after this event; `0-0` for the beginning of the log. Of the account: after this position. Default: now. */
    readonly after?: string
    readonly signal?: AbortSignal
  }

export const mediaType = "text/event-stream"

/** The server sends something every 15 seconds. */
const defaultSilenceMs = 45_000

const maxDelayMs = 10_000

/** Events committed at about the time of a position can come again behind it. So many are remembered as known. */
const mostKnown = 10_000

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

/** The events of an account that came last: they have an id only of their emitter's log. */
class KnownEvents {
  private readonly keys = new Set<string>()

  /** Answers whether an event is new. */
  add({ id, metadata }: EventSummary): boolean {
    const key = `${metadata.emitter_id} ${id}`
    if (this.keys.has(key)) return false
    this.keys.add(key)
    if (this.keys.size > mostKnown) this.keys.delete(this.keys.values().next().value!)
    return true
  }
}

interface Frame {
  readonly id: string | undefined
  readonly data: string | undefined
}

/** Server-sent events. One without data says where to go on. */
async function* framesOf(body: ReadableStream<Uint8Array>, heard: () => void): AsyncGenerator<Frame, void, undefined> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ""
  let data: Array<string> = []
  let id: string | undefined
  try {
    for (;;) {
      const { done, value } = await reader.read()
      // A frame without an empty line behind it is not whole.
      if (done) return
      heard()
      text += decoder.decode(value, { stream: true })
      const lines = text.split(/\r\n|\n|\r(?!$)/)
      text = lines.pop() ?? ""
      for (const line of lines) {
        if (line.startsWith("data:")) data.push(line.slice(line[5] === " " ? 6 : 5))
        else if (line.startsWith("id:")) id = line.slice(3).trim()
        else if (line === "" && (data.length > 0 || id !== undefined)) {
          yield { id, data: data.length === 0 ? undefined : data.join("\n") }
          data = []
          id = undefined
        }
      }
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
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
 * @param open a connection to a path, from behind an event or a position, or from now
 */
export async function* follow(
  { after, signal, ...options }: TailOptions,
  open: (path: string, lastEventId: string | undefined, signal: AbortSignal) => Promise<Response>,
  silenceMs = defaultSilenceMs
): AsyncGenerator<EventSummary, void, undefined> {
  const path = pathOf(options)
  let lastEventId = after
  const known = new KnownEvents()
  for (let failures = 0;; failures++) {
    signal?.throwIfAborted()
    const connection = new AbortController()
    const silent = () => connection.abort(new Error("The tail is silent."))
    let timer = setTimeout(silent, silenceMs)
    const heard = () => {
      failures = 0
      clearTimeout(timer)
      timer = setTimeout(silent, silenceMs)
    }
    let asked: number | undefined
    try {
      const both = signal === undefined ? connection.signal : AbortSignal.any([signal, connection.signal])
      const response = await open(path, lastEventId, both)
      if (!isStream(response)) {
        const error = HeadwaterError.of(response, parsed(await response.text()))
        if (!isPassing(response.status) && response.status < 500) throw error
        asked = retryAfter(response)
      } else if (response.body !== null) {
        for await (const { data, id } of framesOf(response.body, heard)) {
          lastEventId = id ?? lastEventId
          if (data === undefined) continue
          const event: EventSummary = JSON.parse(data)
          if (known.add(event)) yield event
        }
      }
    } catch (error) {
      signal?.throwIfAborted()
      // Any other error means that the connection was lost.
      if (error instanceof HeadwaterError || error instanceof SyntaxError) throw error
    } finally {
      clearTimeout(timer)
      connection.abort()
    }
    await pause(Math.max(backoff(failures, maxDelayMs), asked ?? 0), signal)
  }
}
