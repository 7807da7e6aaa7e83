import type { EventSummary } from "@headwater/api/EventsApi"
import * as StreamName from "@headwater/domain/Stream"
import * as SourcePlaces from "@headwater/sandbox/SourcePlaces"
import { Clock, Console, Effect, Predicate } from "effect"
import type { EndedRun } from "../tail/RunTail.ts"

/** Gives the source places of a deployment's code, by its id; without an id, those of the newest deployment. */
export type PlacesOf = (deploymentId: string | undefined) => SourcePlaces.SourcePlaces | undefined

/** Text that others send must not steer the terminal. */
const printable = (text: string): string => text.replace(/[^\P{Cc}\n\t]/gu, "")

const pad = "\n                     "

/** A line with the time of day and what it is about; further lines stand below the first. */
const line = (ms: number, about: string, text: string): string =>
  `${new Date(ms).toTimeString().slice(0, 8)}  ${about.padEnd(9)}  ${printable(text).trimEnd().replaceAll("\n", pad)}`

const memberOf = (json: unknown, name: string): unknown =>
  Predicate.isObject(json) ? Reflect.get(json, name) : undefined

const textOf = (json: unknown, name: string): string | undefined => {
  const value = memberOf(json, name)
  return Predicate.isString(value) ? value : undefined
}

/** Says what the command itself does. */
export const say = (about: string, text: string): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (ms) => Console.log(line(ms, about, text)))

/** Shows an event of a source or workflow: what it emitted, printed, or threw, in the user's own lines. */
export const event = (shown: EventSummary, placesOf: PlacesOf): Effect.Effect<void> => {
  const { event, indexed_at_ms: ms, metadata } = shown
  const raw: unknown = memberOf(event, "raw_event")
  const own = (text: string, deploymentId?: string) => {
    const places = placesOf(deploymentId)
    return places === undefined ? text : SourcePlaces.ofStack(places, text)
  }
  const message = textOf(raw, "message")
  if (metadata.name === StreamName.logs && message !== undefined) {
    return Console.log(line(ms, textOf(raw, "level") ?? "log", own(message)))
  }
  const error: unknown = memberOf(event, "error")
  if (metadata.name === StreamName.errors && error !== undefined) {
    const deploymentId = textOf(memberOf(event, "original_context"), "deployment_id")
    const stack = textOf(error, "stack") ?? ""
    const told = `${textOf(error, "code")}: ${textOf(error, "message")}`
    return Console.log(line(ms, "error", stack === "" ? told : own(stack, deploymentId)))
  }
  const about = metadata.name === StreamName.defaultStream ? "event" : metadata.name
  const summary = metadata.summary === undefined ? "" : `${metadata.summary}  `
  return Console.log(line(ms, about, summary + JSON.stringify(raw ?? event)))
}

/** Shows how a run of a workflow ended. */
export const run = ({ failedStep, run }: EndedRun): Effect.Effect<void> => {
  const { ended_at_ms, error, exit_reason, id, status } = run
  const where = failedStep === undefined ? "" : ` at ${failedStep}`
  const reason = error?.message ?? exit_reason ?? ""
  const why = reason === "" ? "" : `: ${reason}`
  return Console.log(line(ended_at_ms ?? 0, "run", `${id}  ${status}${where}${why}`))
}
