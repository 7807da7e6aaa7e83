import * as Projection from "@headwater/api/Projection"
import { ofText } from "@headwater/domain/RequestEventBody"
import type { HttpRequestEvent } from "@headwater/engine/program/HttpExchange"
import type { Schema } from "effect"
import * as EndpointBody from "./EndpointBody.ts"

/** A request to an endpoint whose body is to be read. */
export interface EventTask {
  readonly _tag: "Event"
  readonly request: HttpRequestEvent
  readonly contentType: string
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Whether the body is put in parsed, too, where `RequestEventBody.expand` could do so later. */
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

/** The JSON text of a request's event with its body. */
export const eventJson = ({ bytes, contentType, expanded, request }: Omit<EventTask, "_tag">): string => {
  const text = new TextDecoder().decode(bytes)
  if (text === "") return JSON.stringify(request)
  const { client_ip, url, ...rest } = request
  const body = EndpointBody.fieldsOf(contentType, bytes, text) ?? (expanded ? ofText(contentType, text) : undefined)
  return JSON.stringify({ ...rest, bodyRaw: text, body, client_ip, url })
}

const projected = ({ bytes, of, selection }: ProjectionTask): Schema.Json => {
  const json = JSON.parse(new TextDecoder().decode(bytes)) as Schema.Json
  return of === "answer" ? Projection.project(json, selection) : Projection.projectItem(json, selection)
}

/** Does a task, answering JSON. */
export const perform = (task: JsonTask): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(task._tag === "Event" ? eventJson(task) : JSON.stringify(projected(task)))
