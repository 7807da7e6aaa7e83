import * as ExactJson from "@headwater/domain/ExactJson"
import { isDeeper, maxComponentDepth } from "@headwater/domain/JsonDepth"
import type { Trial, TrialChange } from "@headwater/engine/TrialRuns"
import type { RunResponse } from "@headwater/sandbox/Run"
import { isUtf8 } from "node:buffer"
import type { Place } from "../../CodeFault.ts"

/** JSON texts go into the answer as they are: they are most of it. */
const object = (members: Readonly<Record<string, string | undefined>>): string =>
  `{${
    Object.entries(members).flatMap(([name, json]) => json === undefined ? [] : [`${JSON.stringify(name)}:${json}`])
      .join()
  }}`

const list = <A>(items: ReadonlyArray<A>, json: (item: A) => string): string => `[${items.map(json).join()}]`

const text = (value: unknown): string | undefined => value === undefined ? undefined : JSON.stringify(value)

/** A stored value as JSON. It comes from a sandbox, so it may be any text. */
const stored = (value: string | null): string | undefined => {
  if (value === null) return undefined
  try {
    if (!isDeeper(value, maxComponentDepth)) {
      JSON.parse(value)
      return value
    }
  } catch {
    // It is shown as text.
  }
  return JSON.stringify(value)
}

const changeOf = ({ after, before, key }: TrialChange): string =>
  object({ key: text(key), before: stored(before), after: stored(after) })

const responseOf = ({ body, headers, status }: RunResponse): object => {
  const bytes = typeof body === "string" ? Buffer.from(body) : Buffer.from(body)
  const base64 = !isUtf8(bytes)
  return { status, headers, body: bytes.toString(base64 ? "base64" : "utf8"), base64 }
}

const errorOf = ({ error }: Trial, place: Place): string | undefined => {
  if (error === null) return "null"
  const at = error.line === undefined || error.column === undefined ? {} : place(error.line, error.column)
  return text({ name: error.name, message: error.message, stack: error.stack, step: error.step, ...at })
}

/** The common fields of an action's answer and a trial's. */
const doneBy = (trial: Trial, place: Place) => ({
  outcome: text(trial.outcome),
  error: errorOf(trial, place),
  sends: text(trial.sends),
  logs: list(trial.logs, ({ level, message, step, ts }) => JSON.stringify({ step, ts_ms: ts, level, message })),
  requests: list(
    trial.requests,
    ({ error, method, status, ts, url, wallMs }) =>
      JSON.stringify({ method, url, status, error, ts_ms: ts, wall_ms: wallMs })
  ),
  wall_ms: text(trial.wallMs),
  cpu_ms: text(trial.cpuMs),
  omitted: text(trial.omitted)
})

/**
 * The JSON of what came of an action that was run by itself, as a trial's only step.
 *
 * @param place where the code was written
 */
export const ofAction = (trial: Trial, place: Place): string => {
  const { $return_value = null, ...exported } = ExactJson.parse(trial.steps[0]?.exportsJson ?? "{}") as Readonly<
    Record<string, unknown>
  >
  return object({ ...doneBy(trial, place), return_value: text($return_value), exports: text(exported) })
}

/**
 * The JSON of what came of a trial.
 *
 * @param place where the code was written
 */
export const make = (trial: Trial, place: Place): string => {
  return object({
    ...doneBy(trial, place),
    trigger: text(trial.trigger),
    event: trial.inputJson ?? "null",
    emits: list(trial.emits, ({ dueAt, meta, payload, step, stream }) =>
      object({
        step: text(step),
        event_name: text(stream),
        event: payload,
        id: text(meta.id),
        summary: text(meta.summary),
        ts: text(meta.ts),
        due_at_ms: text(dueAt)
      })),
    duplicates: text(trial.duplicates),
    db: list(trial.changes, changeOf),
    errors: text(trial.errors),
    response: text(trial.response === null ? null : responseOf(trial.response)),
    connections: text(trial.connections),
    steps: list(
      trial.steps,
      ({ configuredPropsJson, cpuMs, exportsJson, isRerun, name, outcome, waitMs, wallMs }) =>
        object({
          name: text(name),
          outcome: text(outcome),
          wall_ms: text(wallMs),
          cpu_ms: text(cpuMs),
          configured_props: configuredPropsJson ?? "null",
          exports: exportsJson ?? undefined,
          wait_ms: text(waitMs),
          is_rerun: text(isRerun)
        })
    ),
    exit_reason: text(trial.exitReason),
    timers: list(trial.timers, ({ dueAt, prop }) => JSON.stringify({ prop, due_at_ms: dueAt }))
  })
}
