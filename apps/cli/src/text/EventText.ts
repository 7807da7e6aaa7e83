import type { EventSummary } from "@headwater/api/EventsApi"
import * as StreamName from "@headwater/domain/Stream"
import { Predicate } from "effect"
import type { NamesById } from "../resource/Naming.ts"
import { harmless } from "./HarmlessText.ts"
import * as Output from "./Output.ts"

const memberOf = (json: unknown, name: string): unknown =>
  Predicate.isObject(json) ? Reflect.get(json, name) : undefined

/** An event in a line: its summary, the printed text, the error, or its data. */
const saidBy = ({ event, metadata }: EventSummary): string => {
  const raw = memberOf(event, "raw_event")
  const error = memberOf(event, "error")
  if (metadata.name === StreamName.logs && Predicate.isString(memberOf(raw, "message"))) {
    return `${String(memberOf(raw, "level"))}: ${String(memberOf(raw, "message"))}`
  }
  if (metadata.name === StreamName.errors && error !== undefined) {
    return `${String(memberOf(error, "code"))}: ${String(memberOf(error, "message"))}`
  }
  const data = JSON.stringify(raw ?? event)
  return metadata.summary === undefined ? data : `${metadata.summary}  ${data}`
}

const mostCharacters = 200

const oneLine = (text: string): string => {
  const line = text.replace(/\s*\n\s*/g, " ")
  return line.length > mostCharacters ? `${line.slice(0, mostCharacters - 1)}…` : line
}

/** The head over `cellsOf`. */
export const heads = ["TIME (UTC)", "ID", "EMITTER", "STREAM", "EVENT"]

/** An event in a row for a person. */
export const cellsOf = (event: EventSummary, names: NamesById = new Map()): ReadonlyArray<string> =>
  [
    Output.timeOfMs(event.indexed_at_ms),
    event.id,
    names.get(event.metadata.emitter_id) ?? event.metadata.emitter_id,
    StreamName.spelled(event.metadata.name),
    oneLine(saidBy(event))
  ].map(harmless)

/** An event in a line for a person. */
export const lineOfAny = (event: EventSummary): string => cellsOf(event).join("  ")

/** An event of a known emitter in a line for a person. */
export const lineOf = (event: EventSummary): string => {
  const [time, id, , stream, said] = cellsOf(event)
  return [time, id, stream, said].join("  ")
}
