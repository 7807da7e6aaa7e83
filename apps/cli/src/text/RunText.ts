import type { RunDetails } from "@headwater/api/WorkflowRunsApi"
import { harmless } from "./HarmlessText.ts"
import { timeOfMs } from "./Output.ts"
import { line, ms } from "./SubjectLine.ts"

type Step = RunDetails["steps"][number]

const errorText = ({ message, name, stack }: NonNullable<Step["error"]>): string => stack ?? `${name}: ${message}`

const linesOfStep = (step: Step): ReadonlyArray<string> => [
  line(
    "step",
    `${step.name}${step.path === null ? "" : ` (path ${step.path})`}: ${step.status}, ${
      timeOfMs(step.started_at_ms)
    }, ${ms(step.wall_ms)}`
  ),
  ...Object.entries(step.configured_props ?? {}).map(([name, value]) =>
    line("prop", `${name}: ${JSON.stringify(value)}`)
  ),
  ...step.logs.map((logged) => {
    const { level, message } = logged as { readonly level?: string; readonly message?: string }
    return line(level ?? "log", message ?? JSON.stringify(logged))
  }),
  ...step.events.map(({ event_name, id }) => line("event", event_name === "" ? id : `${id} of ${event_name}`)),
  ...(step.result === null ? [] : [line("result", JSON.stringify(step.result))]),
  ...(step.error === null ? [] : [line("error", errorText(step.error))])
]

/** A run with its steps, for a reader. */
export const linesOf = (run: RunDetails): string =>
  harmless(
    [
      line(run.status, `${run.trigger.source_type}, ${timeOfMs(run.started_at_ms)}`),
      ...(run.trigger.rerun_of === null
        ? []
        : [line("repeats", run.trigger.rerun_of + (run.trigger.instead_of === null ? "" : ", with a changed event"))]),
      ...(run.waits_for === null ? [] : [line("waits", `for ${run.waits_for}, until ${timeOfMs(run.due_at_ms)}`)]),
      ...run.paths.map(({ block, branch, due_at_ms, path, status, waits_for }) =>
        line(
          "path",
          `${path}, branch ${branch} of ${block}: ${
            waits_for === null ? status : `waits for ${waits_for}, until ${timeOfMs(due_at_ms)}`
          }`
        )
      ),
      line("input", JSON.stringify(run.event)),
      ...run.steps.flatMap(linesOfStep),
      ...(run.exit_reason === null ? [] : [line("exit", run.exit_reason)])
    ].join("\n")
  )
