import type { EventSummary } from "@headwater/api/EventsApi"
import { get, type Page } from "../api/Api.ts"
import { type CodePlace, placeIn } from "../code/CodePlace.ts"
import { emitterPath } from "./Directory.ts"
import * as Events from "./Events.ts"
import * as Workflows from "./Workflows.ts"

/** The time and the outcome of the last run of a source or workflow that left a trace. */
export interface LastRun {
  readonly atMs: number
  readonly isFailed: boolean
}

/** The errors of a run are the last that it adds to the log, so the newest event says whether the last run failed. */
export const lastRunOfSource = async (id: string, signal: AbortSignal): Promise<LastRun | undefined> => {
  const { data: [newest] } = await get<Page<EventSummary>>(["events"], { query: { emitter: id, limit: 1 }, signal })
  return newest === undefined
    ? undefined
    : { atMs: Events.timeOf(newest.id), isFailed: newest.metadata.name === "$errors" }
}

export const lastRunOfWorkflow = async (id: string, signal: AbortSignal): Promise<LastRun | undefined> => {
  const { data: [newest] } = await Workflows.runs(id, "", undefined, signal, 1)
  return newest === undefined ? undefined : { atMs: newest.started_at_ms, isFailed: newest.status === "error" }
}

/** An error that a run threw. */
export interface ThrownError {
  readonly id: string
  readonly atMs: number
  readonly name: string
  readonly message: string
  readonly stack: string
  readonly place: CodePlace | undefined
  /** The trigger of the run: `HTTP`, `TIMER`, `EVENT`, `INVOCATION` or `HOOK`; empty if the code emitted it itself. */
  readonly sourceType: string
  /** The version of the code that threw it; for a source, the id of its component. */
  readonly deploymentId: string
}

/** A line that a run wrote to its console. */
export interface ConsoleLine {
  readonly id: string
  readonly atMs: number
  readonly level: string
  readonly message: string
}

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields => typeof value === "object" && value !== null ? value as Fields : {}

const textOf = (value: unknown): string => typeof value === "string" ? value : ""

const thrownOf = ({ event, id }: EventSummary): ThrownError => {
  const { error, original_context, raw_event } = fieldsOf(event)
  const { code, message, stack } = fieldsOf(error)
  const context = fieldsOf(original_context)
  return {
    id,
    atMs: Events.timeOf(id),
    name: error === undefined ? "Emitted to $errors" : textOf(code),
    message: error === undefined ? JSON.stringify(raw_event) ?? "" : textOf(message),
    stack: textOf(stack),
    place: placeIn(textOf(stack)),
    sourceType: textOf(context["source_type"]),
    deploymentId: textOf(context["deployment_id"])
  }
}

/** The error in an event of the stream `$errors`. */
export const errorOf = async (emitter: string, id: string, signal: AbortSignal): Promise<ThrownError> =>
  thrownOf(await Events.one(emitter, id, signal))

const lineOf = ({ event, id }: EventSummary): ConsoleLine => {
  const { raw_event } = fieldsOf(event)
  const { level, message } = fieldsOf(raw_event)
  return {
    id,
    atMs: Events.timeOf(id),
    level: textOf(level),
    message: typeof message === "string" ? message : JSON.stringify(message ?? raw_event) ?? ""
  }
}

const summaries = async (
  id: string,
  stream: ReadonlyArray<string>,
  query: { readonly limit: number; readonly expand?: "event"; readonly include?: string },
  signal: AbortSignal
): Promise<ReadonlyArray<EventSummary>> =>
  (await get<Page<EventSummary>>([...emitterPath(id), ...stream, "event_summaries"], { query, signal })).data

/** The latest errors, console lines and events of a source or workflow, the newest first. */
export interface Traces {
  readonly errors: ReadonlyArray<ThrownError>
  readonly lines: ReadonlyArray<ConsoleLine>
  readonly events: ReadonlyArray<EventSummary>
}

export const tracesOf = async (id: string, signal: AbortSignal): Promise<Traces> => {
  const [errors, lines, events] = await Promise.all([
    summaries(id, ["$errors"], {
      limit: 10,
      expand: "event",
      include: "id,event.error,event.original_context,event.raw_event"
    }, signal),
    summaries(id, ["$logs"], { limit: 30 }, signal),
    summaries(id, [], { limit: 10 }, signal)
  ])
  return { errors: errors.map(thrownOf), lines: lines.map(lineOf), events }
}
