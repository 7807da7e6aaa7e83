import * as Projection from "@headwater/api/Projection"
import * as EmitId from "@headwater/domain/EmitId"
import * as ExactJson from "@headwater/domain/ExactJson"
import * as RequestEventBody from "@headwater/domain/RequestEventBody"
import type { HttpRequestEvent } from "@headwater/engine/Ingest"
import type { Schema } from "effect"
import * as EndpointBody from "../endpoint/EndpointBody.ts"
import * as ContentCoding from "./ContentCoding.ts"

/** A request to an endpoint whose body is to be read. */
export interface EventTask {
  readonly _tag: "Event"
  readonly request: HttpRequestEvent
  readonly contentType: string
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The codings of the bytes, and the most bytes without them. */
  readonly coded?: { readonly codings: ReadonlyArray<ContentCoding.Coding>; readonly mostBytes: number }
  /** True if the fields that `RequestEventBody.expand` could add later are in it already. */
  readonly expanded: boolean
}

/** An answer of the API, or one item of its data, as JSON, that is to be cut down to some of its fields. */
export interface ProjectionTask {
  readonly _tag: "Projection"
  readonly of: "answer" | "item"
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly selection: Projection.Selection
}

/** Work on JSON that takes as long as the JSON is large (`JsonThread`). */
export type JsonTask = EventTask | ProjectionTask

/** The JSON text of a request's event, with the files of its form. */
export interface EventText {
  readonly json: string
  /** Begins the texts in the JSON in whose places the URLs of the files are to stand, before the number of each. */
  readonly mark: string
  readonly files: ReadonlyArray<EndpointBody.FormFile>
}

/** The JSON of an event with the URLs of its files; null for one that has none. */
export const withUrls = ({ json, mark }: EventText, urls: ReadonlyArray<string | null>): string =>
  json.replaceAll(new RegExp(`"${mark}/(\\d+)"`, "g"), (_, nth: string) => JSON.stringify(urls[Number(nth)] ?? null))

/** The event of a request with its body, which is in no coding. */
export const eventText = ({ bytes, contentType, expanded, request }: Omit<EventTask, "_tag">): EventText => {
  const files: Array<EndpointBody.FormFile> = []
  if (bytes.length === 0) return { json: JSON.stringify(request), mark: "", files }
  let mark = ""
  const { client_ip, url, ...rest } = request
  const { bodyBase64, bodyRaw } = RequestEventBody.textOf(contentType, bytes)
  const standIn = (file: EndpointBody.FormFile) => {
    // Nobody knew it before the body was there.
    mark ||= EmitId.make()
    return `${mark}/${files.push(file) - 1}`
  }
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const body = EndpointBody.fieldsOf(contentType, whole, bodyRaw, standIn) ??
    (expanded ? RequestEventBody.ofText(contentType, bodyRaw) : undefined)
  const text = expanded || bodyBase64 === undefined ? bodyRaw : undefined
  return { json: JSON.stringify({ ...rest, bodyRaw: text, bodyBase64, body, client_ip, url }), mark, files }
}

const decodedEvent = ({ coded, ...task }: EventTask): EventText | ContentCoding.Refused => {
  if (coded === undefined) return eventText(task)
  const bytes = ContentCoding.decode(coded.codings, task.bytes, coded.mostBytes)
  return "refused" in bytes ? bytes : eventText({ ...task, bytes })
}

/** The JSON of a task's answer or item, cut down. */
export const projectedJson = ({ bytes, of, selection }: Omit<ProjectionTask, "_tag">): Uint8Array<ArrayBuffer> => {
  const json = ExactJson.parse(new TextDecoder().decode(bytes)) as Schema.Json
  const projected = of === "answer" ? Projection.project(json, selection) : Projection.projectItem(json, selection)
  return new TextEncoder().encode(JSON.stringify(projected))
}

/** The JSON that a task comes to, in bytes, and what else an event has. */
export interface Outcome extends Omit<EventText, "json"> {
  readonly json: Uint8Array<ArrayBuffer>
}

/** Does a task, unless the body of a request can't be read. */
export const perform = (task: JsonTask): Outcome | ContentCoding.Refused => {
  if (task._tag === "Projection") return { json: projectedJson(task), mark: "", files: [] }
  const event = decodedEvent(task)
  return "refused" in event ? event : { ...event, json: new TextEncoder().encode(event.json) }
}
