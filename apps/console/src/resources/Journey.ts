import type { Journey } from "@headwater/api/JourneyApi"
import { get, type Single } from "../api/Api.ts"

export type { Journey }

export type JourneyNode = Journey["nodes"][number]
export type JourneyEdge = Journey["edges"][number]

export const of = async (emitter: string, id: string, signal: AbortSignal): Promise<Journey> =>
  (await get<Single<Journey>>(["events", id, "journey"], { query: { emitter }, signal })).data

/** The reasons that a subscription does not deliver an event, in words. */
export const mismatches: Readonly<Record<NonNullable<JourneyEdge["reason"]>, string>> = {
  other_emitter: "it hears another emitter",
  other_stream: "it hears another stream",
  own_event: "a glob never brings a listener its own events",
  too_many_hops: "it has passed through too many emitters",
  before_start: "the subscription began later",
  filtered: "its filter keeps it out",
  filter_too_costly: "its filter takes too much work to judge it"
}

/** The reasons that an event waits for its first attempt, in words. */
export const waits: Readonly<Record<string, string>> = {
  inactive: "the webhook is paused",
  throttled: "the endpoint asked for a pause",
  circuit: "the circuit is open",
  order: "an event before it holds it",
  rate: "it waits for the rate"
}

/** The reason that an event is not delivered, with the clause of the filter that does not hold. */
export const reasonOf = ({ clause, reason }: Pick<JourneyEdge, "clause" | "reason">): string =>
  reason === null ? "" : clause === undefined ? mismatches[reason] : `${mismatches[reason]}: ${clause}`
