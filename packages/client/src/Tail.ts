import type { EventSummary } from "./generated/types.gen.ts"
import { HeadwaterError } from "./HeadwaterError.ts"
import { pause } from "./Pause.ts"
import { backoff, isPassing, retryAfter } from "./Retries.ts"

/** Whose log is followed: that of a source or of a workflow, by id or name slug. */
export type TailOptions =
  & (
    | { readonly source: string; readonly workflow?: never }
    | { readonly workflow: string; readonly source?: never }
  )
  & {
    /** The event stream. Default: the default one. */
    readonly stream?: string
    /** Begin after this event; `0-0` for the beginning of the log. Default: its end. */
    readonly after?: string
    readonly signal?: AbortSignal
  }

export const mediaType = "text/event-stream"

/** Before every event. */
export const beginning = "0-0"

/** The server sends something every 15 seconds. */
const defaultSilenceMs = 45_000

const maxDelayMs = 10_000

const pathOf = ({ source, stream = "", workflow }: TailOptions): string => {
  const emitter = workflow === undefined
    ? `sources/${encodeURIComponent(source)}`
    : `workflows/${encodeURIComponent(workflow)}`
  return `/v1/${emitter}/sse?${new URLSearchParams({ event_name: stream })}`
}

/** The data of server-sent events. */
async function* dataOf(body: ReadableStream<Uint8Array>, heard: () => void): AsyncGenerator<string, void, undefined> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ""
  let data: Array<string> = []
  try {
    for (;;) {
      const { done, value } = await reader.read()
      // What has no empty line behind it is not whole.
      if (done) return
      heard()
      text += decoder.decode(value, { stream: true })
      const lines = text.split(/\r\n|\n|\r(?!$)/)
      text = lines.pop() ?? ""
      for (const line of lines) {
        if (line.startsWith("data:")) data.push(line.slice(line[5] === " " ? 6 : 5))
        else if (line === "" && data.length > 0) {
          yield data.join("\n")
          data = []
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
 * @param open a connection to a path, from behind an event
 */
export async function* follow(
  { after = beginning, signal, ...options }: TailOptions,
  open: (path: string, lastEventId: string, signal: AbortSignal) => Promise<Response>,
  silenceMs = defaultSilenceMs
): AsyncGenerator<EventSummary, void, undefined> {
  const path = pathOf(options)
  let lastEventId = after
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
        for await (const data of dataOf(response.body, heard)) {
          const event: EventSummary = JSON.parse(data)
          lastEventId = event.id
          yield event
        }
      }
    } catch (error) {
      signal?.throwIfAborted()
      // Whatever else it is, the connection was lost.
      if (error instanceof HeadwaterError || error instanceof SyntaxError) throw error
    } finally {
      clearTimeout(timer)
      connection.abort()
    }
    await pause(Math.max(backoff(failures, maxDelayMs), asked ?? 0), signal)
  }
}
