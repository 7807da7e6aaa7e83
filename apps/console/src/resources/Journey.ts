import type { Journey } from "@headwater/api/JourneyApi"
import { get, type Single } from "../api/Api.ts"

export type { Journey }

export type JourneyNode = Journey["nodes"][number]
export type JourneyEdge = Journey["edges"][number]

export const of = async (emitter: string, id: string, signal: AbortSignal): Promise<Journey> =>
  (await get<Single<Journey>>(["events", id, "journey"], { query: { emitter }, signal })).data

/** The console's word for the state of a run, which lists of runs have too. */
export const runWordOf = (state: Extract<JourneyNode, { readonly type: "run" }>["state"]): string =>
  state === "ended" ? "success" : state === "failed" ? "error" : state

/** The reasons that a subscription does not deliver an event, in words. */
export const mismatches: Readonly<Record<NonNullable<JourneyEdge["reason"]>, string>> = {
  other_emitter: "it listens to another emitter",
  other_stream: "it listens to another stream",
  own_event: "a pattern never delivers a listener its own events",
  too_many_hops: "it has passed through too many emitters",
  before_start: "the subscription was made later",
  filtered: "its filter excludes it",
  filter_too_costly: "its filter is too costly to evaluate"
}

/** The reasons that an event waits for its first attempt, in words. */
export const waits: Readonly<Record<string, string>> = {
  inactive: "the webhook is paused",
  throttled: "the endpoint asked for a pause",
  circuit: "the circuit is open",
  order: "an earlier event holds it up",
  rate: "the webhook's rate limit holds it up"
}

/** The reason that an event is not delivered, with the clause of the filter that does not hold. */
export const reasonOf = ({ clause, reason }: Pick<JourneyEdge, "clause" | "reason">): string =>
  reason === null ? "" : clause === undefined ? mismatches[reason] : `${mismatches[reason]}: ${clause}`
