/** Compares what the steps of a workflow exported there with what they export here, over the same event. */
import { Clock, Effect, type Schema } from "effect"
import { ApiAccess } from "../access/ApiAccess.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as TrialText from "../text/TrialText.ts"
import type { Standing } from "./Finishing.ts"
import * as JsonDifference from "./JsonDifference.ts"
import type { StoredRun } from "./StoredRuns.ts"

type Json = Schema.Json

export interface Comparison {
  /** Of the event there, if the file has it. */
  readonly event_id: string | null
  /** The names of the steps that were compared. */
  readonly steps: ReadonlyArray<string>
  /** The error of the run here, if it had one. */
  readonly error: string | null
  readonly differences: ReadonlyArray<JsonDifference.Difference>
}

/** A step that returns nothing exports none there, and null here. */
const withoutNothing = (exports: Json | undefined): Json =>
  typeof exports === "object" && exports !== null && !Array.isArray(exports)
    ? Object.fromEntries(Object.entries(exports).filter(([, value]) => value !== null && value !== undefined))
    : exports ?? {}

/** The differences between the exports of steps, by the steps' names. */
export const differencesOf = (
  there: Readonly<Record<string, Json>>,
  here: Readonly<Record<string, Json>>,
  now: number
): ReadonlyArray<JsonDifference.Difference> =>
  [...new Set([...Object.keys(there), ...Object.keys(here)])].flatMap((step) => {
    const [one, other] = [there, here].map((all) => Object.hasOwn(all, step) ? withoutNothing(all[step]) : undefined)
    // A step that exports nothing may be left out there.
    if (one === undefined && JSON.stringify(other) === "{}") return []
    return [...JsonDifference.differences(JsonDifference.member("", step), one, other, now)]
  })

/** Runs a workflow over a stored event, as a trial: nothing of it is kept. */
export const compare = Effect.fnUntraced(function*(
  { record, resource }: Standing,
  { event, exports, id }: StoredRun,
  requests: "send" | "refuse"
) {
  const { call } = yield* ApiAccess
  if (resource === undefined) return yield* new CommandRefused({ message: `${record.name} is not deployed` })
  const { data: trial } = yield* call(({ code }) =>
    code.tryWorkflow({
      params: { id: resource.id },
      headers: {},
      query: {},
      payload: { trigger: "event", event, requests }
    })
  )
  // A step that asked to be run again is there several times.
  const here = Object.fromEntries(trial.steps.map(({ exports = {}, name }) => [name, exports]))
  return {
    event_id: id,
    steps: Object.keys(exports),
    error: TrialText.failureOf(trial) ?? null,
    differences: differencesOf(exports, here, yield* Clock.currentTimeMillis)
  } satisfies Comparison as Comparison
})

const count = (number: number, one: string, many = `${one}s`) => `${number} ${number === 1 ? one : many}`

const shown = (value: Json | undefined): string => {
  const text = value === undefined ? "nothing" : JSON.stringify(value)
  return text.length > 200 ? `${text.slice(0, 200).toWellFormed()}…` : text
}

export const linesOf = (compared: ReadonlyArray<Comparison>): ReadonlyArray<string> =>
  compared.flatMap(({ differences, error, event_id, steps }, index) => {
    const real = differences.filter(({ incidental }) => incidental === null).length
    const others = differences.length - real
    return [
      `Event ${event_id ?? index + 1}: ${count(steps.length, "step")} there, ${count(real, "difference")}` +
      (others === 0 ? "" : `, and ${count(others, "time or id", "times or ids")} of the run`),
      ...(error === null ? [] : [`  error here: ${error}`]),
      ...differences.flatMap(({ here, incidental, path, there }) => [
        `  ${path}${incidental === null ? "" : ` (${incidental})`}`,
        `    there  ${shown(there)}`,
        `    here   ${shown(here)}`
      ])
    ]
  })
