import type { ActionRun, Trial } from "@headwater/api/CodeApi"
import * as SourcePlaces from "@headwater/sandbox/SourcePlaces"
import type { Schema } from "effect"
import { at } from "../code/ComponentFiles.ts"
import { harmless } from "./HarmlessText.ts"
import { line, ms } from "./SubjectLine.ts"

type TrialResource = Schema.Schema.Type<typeof Trial>

const json = (value: unknown): string => value === undefined ? "nothing" : JSON.stringify(value)

/** The same in the files that the code was written in. */
export const inPlace = <A extends Pick<TrialResource, "error">>(
  trial: A,
  place: SourcePlaces.SourcePlaces | undefined
): A => {
  const { error } = trial
  if (place === undefined || error === null) return trial
  const { column, file, line } = error
  const isOurs = file === SourcePlaces.moduleName && line !== undefined && column !== undefined
  const stack = SourcePlaces.ofStack(place, error.stack)
  return { ...trial, error: { ...error, stack, ...(isOurs ? place(line, column) : {}) } }
}

/** The cause of its early end, in a line. */
export const failureOf = ({ error }: Pick<TrialResource, "error">): string | undefined => {
  if (error === null) return undefined
  const { column, file, line, message, name, step } = error
  const said = `${name}: ${message}${step === null ? "" : ` (in the step ${step})`}`
  return file === undefined || line === undefined || column === undefined ? said : at({ file, line, column }, said)
}

type ActionRunResource = Schema.Schema.Type<typeof ActionRun>

const requestLines = ({ requests }: Pick<TrialResource, "requests">) =>
  requests.map(({ error, method, status, url, wall_ms }) =>
    line("request", `${method} ${url}, ${error ?? status ?? ""}, ${ms(wall_ms)}`)
  )

const sendLines = ({ sends }: Pick<TrialResource, "sends">) =>
  sends.map(({ body, method, url }) =>
    line("send", `${method} ${url}${body === undefined ? "" : `, ${body}`}, not sent`)
  )

const omittedLines = ({ omitted }: Pick<TrialResource, "omitted">) =>
  omitted === 0 ? [] : [line("and", `${omitted} more that are not shown`)]

/** The outcome of an action, for a reader. */
export const linesOfAction = (run: ActionRunResource): string =>
  harmless(
    [
      line(run.outcome, `${ms(run.wall_ms)}, ${ms(run.cpu_ms)} of processor`),
      ...run.logs.map(({ level, message }) => line(level, message)),
      ...requestLines(run),
      ...sendLines(run),
      ...Object.entries(run.exports).map(([name, value]) => line(name, json(value))),
      ...(run.error === null ? [line("result", json(run.return_value))] : []),
      ...omittedLines(run)
    ].join("\n")
  )

/** The outcome of a trial, for a reader. */
export const linesOf = (trial: TrialResource): string => {
  const { connections, requests, response } = trial
  const lines = [
    line(trial.outcome, `${trial.trigger}, ${ms(trial.wall_ms)}, ${ms(trial.cpu_ms)} of processor`),
    ...trial.steps.flatMap(({ configured_props, exports, is_rerun, name, outcome, wait_ms, wall_ms }) => [
      line(
        "step",
        [
          `${name}: ${outcome}, ${ms(wall_ms)}`,
          ...(is_rerun ? ["runs again"] : []),
          ...(wait_ms === null ? [] : [`would wait ${wait_ms} ms`]),
          ...(exports === undefined ? [] : [json(exports)])
        ].join(", ")
      ),
      ...(configured_props === null ? [] : [line("props", json(configured_props))])
    ]),
    ...(trial.exit_reason === null ? [] : [line("exit", trial.exit_reason)]),
    ...trial.logs.map(({ level, message }) => line(level, message)),
    ...trial.emits.map(({ due_at_ms, event, event_name, summary }) =>
      line(
        event_name === "" ? "event" : event_name,
        (summary === undefined ? "" : `${summary}  `) + json(event) +
          (due_at_ms === null ? "" : `, to be emitted at ${new Date(due_at_ms).toISOString()}`)
      )
    ),
    ...(trial.duplicates === 0 ? [] : [line("duplicates", `${trial.duplicates} left out`)]),
    ...trial.db.map(({ after, before, key }) => line("db", `${key}: ${json(before)} → ${json(after)}`)),
    ...requestLines(trial),
    ...connections.filter(({ error }) => error !== undefined || requests.length === 0).map(({ error, host, port }) =>
      line("connection", `${host}:${port}${error === undefined ? "" : `, ${error}`}`)
    ),
    ...sendLines(trial),
    ...(response === null
      ? []
      : [line("response", `${response.status} ${response.base64 ? "(binary)" : response.body}`)]),
    ...trial.timers.map(({ due_at_ms: [next], prop }) =>
      line("timer", `${prop}: next at ${next === undefined ? "no time" : new Date(next).toISOString()}`)
    ),
    ...trial.errors.map(({ message, name, stack }) => line("error", stack || `${name}: ${message}`)),
    ...omittedLines(trial),
    "Nothing of this was kept."
  ]
  return harmless(lines.join("\n"))
}
