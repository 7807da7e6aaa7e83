import * as Projection from "@headwater/api/Projection"
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

/** The JSON text of a request's event with its body, which is in no coding. */
export const eventJson = ({ bytes, contentType, expanded, request }: Omit<EventTask, "_tag">): string => {
  if (bytes.length === 0) return JSON.stringify(request)
  const { client_ip, url, ...rest } = request
  const { bodyBase64, bodyRaw } = RequestEventBody.textOf(contentType, bytes)
  const body = EndpointBody.fieldsOf(contentType, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), bodyRaw) ??
    (expanded ? RequestEventBody.ofText(contentType, bodyRaw) : undefined)
  const text = expanded || bodyBase64 === undefined ? bodyRaw : undefined
  return JSON.stringify({ ...rest, bodyRaw: text, bodyBase64, body, client_ip, url })
}

const decodedEvent = ({ coded, ...task }: EventTask): string | ContentCoding.Refused => {
  if (coded === undefined) return eventJson(task)
  const bytes = ContentCoding.decode(coded.codings, task.bytes, coded.mostBytes)
  return "refused" in bytes ? bytes : eventJson({ ...task, bytes })
}

/** The JSON of a task's answer or item, cut down. */
export const projectedJson = ({ bytes, of, selection }: Omit<ProjectionTask, "_tag">): Uint8Array<ArrayBuffer> => {
  const json = ExactJson.parse(new TextDecoder().decode(bytes)) as Schema.Json
  const projected = of === "answer" ? Projection.project(json, selection) : Projection.projectItem(json, selection)
  return new TextEncoder().encode(JSON.stringify(projected))
}

/** Does a task, answering JSON, or why the body of a request can't be read. */
export const perform = (task: JsonTask): Uint8Array<ArrayBuffer> | ContentCoding.Refused => {
  if (task._tag === "Projection") return projectedJson(task)
  const json = decodedEvent(task)
  return typeof json === "string" ? new TextEncoder().encode(json) : json
}
