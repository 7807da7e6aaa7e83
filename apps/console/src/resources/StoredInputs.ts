import type { EventSummary } from "@headwater/api/EventsApi"
import { get, type Page } from "../api/Api.ts"
import { emitterPath } from "./Directory.ts"
import * as Events from "./Events.ts"
import type { Subject, Trigger } from "./Trials.ts"
import * as Workflows from "./Workflows.ts"

/** The input of a run, which the server still keeps. */
export interface StoredInput {
  /** The id of the run, or of its error. */
  readonly id: string
  readonly atMs: number
  /** The outcome of the run. */
  readonly outcome: string
  readonly trigger: Trigger
  /** Undefined if it was not to be kept. */
  readonly read: () => Promise<unknown>
}

/** The most inputs that are offered. */
const limit = 20

const triggerOf = (sourceType: unknown): Trigger =>
  sourceType === "HTTP" ? "http" : sourceType === "TIMER" ? "timer" : "event"

const ofRuns = async (id: string, signal: AbortSignal): Promise<ReadonlyArray<StoredInput>> =>
  (await Workflows.runs(id, "", undefined, signal, limit)).data.map((run) => ({
    id: run.id,
    atMs: run.started_at_ms,
    outcome: run.status,
    trigger: triggerOf(run.trigger.source_type),
    read: async () => (await Workflows.run(id, run.id, new AbortController().signal)).event ?? undefined
  }))

/** Of a source's runs the server keeps the inputs of those that failed, beside their errors. */
const ofErrors = async (id: string, signal: AbortSignal): Promise<ReadonlyArray<StoredInput>> => {
  const { data } = await get<Page<EventSummary>>([...emitterPath(id), "$errors", "event_summaries"], {
    query: { limit, expand: "event", include: "id,event.error,event.original_context,event.original_event" },
    signal
  })
  return data.flatMap(({ event, id: error }) => {
    const { error: thrown, original_context, original_event } = event as {
      readonly error?: { readonly message?: string }
      readonly original_context?: { readonly source_type?: string }
      readonly original_event?: unknown
    }
    return original_event === undefined ? [] : [{
      id: error,
      atMs: Events.timeOf(error),
      outcome: thrown?.message ?? "error",
      trigger: triggerOf(original_context?.source_type),
      read: () => Promise.resolve(original_event)
    }]
  })
}

/** The inputs of the last runs, the newest first. */
export const list = ({ id, kind }: Subject, signal: AbortSignal): Promise<ReadonlyArray<StoredInput>> =>
  kind === "workflow" ? ofRuns(id, signal) : ofErrors(id, signal)
