import { type Fate, fateOf } from "./Fate.ts"
import type { Model, ModelSource } from "./Model.ts"
import { broken, same } from "./ModelBroken.ts"
import type { Observation } from "./Observation.ts"

/** A run of a workflow whose first step is done. */
export interface WorkflowRun {
  readonly fate: Fate
  /** How many steps of the workflow there had been, its first one included, which gave that to the second. */
  readonly count: number
  /** When it goes on; undefined until that was seen. */
  dueAt: number | undefined
  status: "waiting" | "success" | "error"
}

export const delaySeconds = 100
export const retrySeconds = 30

/** How long a run waits between what its first step does and the end of its second one, in milliseconds. */
const waitOf: Record<Fate, number> = {
  goes: 0,
  waits: 1_000 * delaySeconds,
  stumbles: 1_000 * retrySeconds,
  falls: 1_000 * retrySeconds
}

/** A run did its first step over what it was begun with. */
export const begun = (workflow: ModelSource, id: string, event: string, count: number): void => {
  const known = workflow.workflowRuns.get(id)
  if (known !== undefined) return broken("a run did its first step again", { id, known })
  workflow.workflowRuns.set(id, { fate: fateOf(event), count, dueAt: undefined, status: "waiting" })
}

const end = (model: Model, id: string, run: WorkflowRun, status: "success" | "error"): void => {
  if ((run.dueAt ?? model.earliest + waitOf[run.fate]) > model.latest) {
    broken("a run went on before its time", { id, run, latest: model.latest })
  }
  run.status = status
}

/** What the second step of a run says. */
export interface GoneOn {
  readonly run: string
  /** What the first step gave it; the version is that of the props. */
  readonly given: { readonly count: number; readonly version: number }
  readonly version: number
}

/** A run did its second step. */
export const wentOn = (model: Model, workflow: ModelSource, { given, run: id, version }: GoneOn): void => {
  const run = workflow.workflowRuns.get(id)
  if (run?.status !== "waiting" || run.fate === "falls") {
    return broken("a run did a step that it was not to do", { id, run })
  }
  same("a step was not given what the one before it gave", given.count, run.count, { id })
  same("a run went on with props that it did not begin with", version, given.version, { id })
  end(model, id, run, "success")
}

const checkWaiting = (model: Model, id: string, run: WorkflowRun, seen: Observation): void => {
  const wait = waitOf[run.fate]
  const due = seen.due.find(({ key, kind }) => kind === "resume" && key === id)
  const dueAt = Number(due?.due_at ?? NaN)
  const isExpected = run.dueAt === undefined
    ? wait > 0 && dueAt >= model.earliest + wait && dueAt <= model.latest + wait
    : dueAt === run.dueAt
  if (!isExpected) broken("a run does not go on when it should", { id, run, dueAt, earliest: model.earliest })
  run.dueAt = dueAt
}

/** That each run stands where it should: what is to wait waits, for as long as it should, and everything else has ended. */
export const checkWorkflowRuns = (model: Model, seen: Observation): void => {
  const statuses = new Map(seen.workflowRuns.map(({ id, status }) => [id, status]))
  const workflows = [...model.sources.values()].filter(({ kind }) => kind === "workflow")
  for (const workflow of workflows) {
    for (const [id, run] of workflow.workflowRuns) {
      if (run.status !== "waiting") continue
      if (statuses.get(id) === "waiting") {
        checkWaiting(model, id, run, seen)
      } else if (run.fate === "falls") {
        end(model, id, run, "error")
        workflow.errors += 1
      }
    }
  }
  const there = new Set(seen.workflowRuns.map(({ id, status, workflow_id }) => `${workflow_id} ${id} ${status}`))
  const expected = new Set(
    workflows.flatMap(({ id: workflowId, workflowRuns }) =>
      [...workflowRuns].map(([id, { status }]) => `${workflowId} ${id} ${status}`)
    )
  )
  same(
    "the runs are not those that there should be",
    [...there].filter((run) => !expected.has(run)),
    [...expected].filter((run) => !there.has(run))
  )
}
