import type { EventSummary } from "@headwater/api/EventsApi"
import { get, type Page, type Single, type TimeOrder } from "../api/Api.ts"
import { emitterPath, kindOf } from "./Directory.ts"

export type { EventSummary }

/** A filter of events. All given conditions must hold. */
export interface EventFilter {
  /** The id of a source, workflow or the account; empty for all. */
  readonly emitter: string
  /** `default` for the default stream; empty for all. */
  readonly stream: string
  /** A part of the payload's JSON text. */
  readonly text: string
  /** Unix time in milliseconds. */
  readonly from: number | undefined
  readonly to: number | undefined
}

/** The key of an event. It includes the emitter, since an event's id is unique only within its emitter's log. */
export const keyOf = ({ id, metadata }: EventSummary): string => `${metadata.emitter_id}/${id}`

const partsOf = (id: string): readonly [ms: number, seq: number] => {
  const [ms, seq] = id.split("-")
  return [Number(ms), Number(seq)]
}

/** The order of lists that are newest first. */
export const compare = (a: EventSummary, b: EventSummary): number => {
  const [aMs, aSeq] = partsOf(a.id)
  const [bMs, bSeq] = partsOf(b.id)
  if (aMs !== bMs) return bMs - aMs
  if (aSeq !== bSeq) return bSeq - aSeq
  return a.metadata.emitter_id < b.metadata.emitter_id ? 1 : a.metadata.emitter_id > b.metadata.emitter_id ? -1 : 0
}

/** The time in an event's id. */
export const timeOf = (id: string): number => partsOf(id)[0]

export const pageSize = 100

/** A page of events after the cursor. */
export const list = (
  filter: EventFilter,
  sort: TimeOrder,
  after: string | undefined,
  signal: AbortSignal
): Promise<Page<EventSummary>> =>
  get(["events"], {
    query: {
      emitter: filter.emitter,
      stream: filter.stream,
      text: filter.text,
      from: filter.from,
      to: filter.to,
      sort,
      limit: pageSize,
      after
    },
    signal
  })

/** One event with its whole data. */
export const one = async (emitter: string, id: string, signal: AbortSignal): Promise<EventSummary> => {
  if (kindOf(emitter) === "account") {
    const { data } = await get<Page<EventSummary>>(["events"], { query: { emitter, id, expand: "event" }, signal })
    if (data[0] !== undefined) return data[0]
  }
  return (await get<Single<EventSummary>>([...emitterPath(emitter), "events", id], { signal })).data
}

/** The id, in its emitter's log, of the event that was delivered under an id at a time; undefined if the log has it no more. */
export const delivered = async (
  { emitter_id, id, ts_ms }: { readonly emitter_id: string; readonly id: string; readonly ts_ms: number },
  signal: AbortSignal
): Promise<string | undefined> => {
  const { data } = await list(
    { emitter: emitter_id, stream: "", text: "", from: ts_ms, to: ts_ms + 1 },
    "newest",
    undefined,
    signal
  )
  return data.find(({ metadata }) => metadata.emit_id === id)?.id
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The emitted payload: the event's `raw_event`, or the event itself if it has none, as for an error of a run. */
export const payloadOf = ({ event }: EventSummary): unknown => {
  const data: unknown = event
  return isObject(data) && "raw_event" in data ? data["raw_event"] : data
}

/** The name of a stream as people know it: the default one has an empty name. */
export const spelled = (stream: string): string => stream === "" ? "default" : stream

/** The name of the stream, as the filter takes it. */
export const streamOf = ({ metadata }: EventSummary): string => spelled(metadata.name)

/** The text of an event in a line of a list. */
export const lineOf = (event: EventSummary): string => {
  const payload = payloadOf(event)
  if (isObject(payload)) {
    const { error, level, message } = payload
    if (event.metadata.name === "$errors" && isObject(error) && typeof error["code"] === "string") {
      const { code, message, stack } = error
      if (typeof message === "string") return `${code}: ${message}`
      // The message is behind the stack, and a preview may end before it.
      return typeof stack === "string" ? stack.split("\n", 1)[0]! : code
    }
    if (event.metadata.name === "$logs" && typeof level === "string") {
      return `${level}  ${typeof message === "string" ? message : JSON.stringify(message)}`
    }
  }
  return JSON.stringify(payload) ?? ""
}

/** The value at a dotted path of a payload; undefined if there is none. */
export const valueAt = (payload: unknown, path: string): unknown => {
  let value = payload
  for (const name of path.split(".")) {
    if (Array.isArray(value)) value = value[Number(name)]
    else if (isObject(value)) value = Object.hasOwn(value, name) ? value[name] : undefined
    else return undefined
  }
  return value
}
