import { type Fate, fateOf } from "./Fate.ts"
import { type Model, type ModelSource, sends } from "./Model.ts"
import { broken, same } from "./ModelBroken.ts"
import { type KeeperRun, keeperWait } from "./ModelKeeper.ts"
import type { Observation } from "./Observation.ts"

/** A run of a workflow whose first step is done. */
export interface WorkflowRun {
  readonly fate: Fate
  /** Of a `keeper`. */
  readonly keeper?: KeeperRun
  /** How many steps of the workflow there had been, its first one included, which gave that to the second. */
  readonly count: number
  /** How often its second step was done. */
  runs: number
  /** When it goes on; undefined until that was seen. */
  dueAt: number | undefined
  status: "waiting" | "success" | "error" | "cancelled"
  /** True once somebody had it go on before its time. */
  isResumed: boolean
  /** True once somebody has ended it, which stands whatever it did before. */
  isCancelled?: boolean
}

export const delaySeconds = 100
export const retrySeconds = 30
export const returnSeconds = 50
export const suspensionSeconds = 70

/** How long a run waits before the next time that its second step is done, or given up, in milliseconds. */
const waitOf = ({ fate, keeper, runs }: WorkflowRun): number => {
  switch (fate) {
    case "kept":
      return keeper === undefined ? 0 : keeperWait(keeper)
    case "goes":
      return 0
    case "waits":
      return 1_000 * delaySeconds
    case "returns":
      return runs === 0 ? 0 : 1_000 * returnSeconds
    case "lapses":
      return 1_000 * suspensionSeconds
    case "stumbles":
    case "falls":
      return 1_000 * retrySeconds
  }
}

/** A run did its first step over what it was begun with. */
export const begun = (workflow: ModelSource, id: string, event: string, count: number): void => {
  const known = workflow.workflowRuns.get(id)
  if (known !== undefined) return broken("a run did its first step again", { id, known })
  workflow.workflowRuns.set(id, {
    fate: fateOf(event),
    count,
    runs: 0,
    dueAt: undefined,
    status: "waiting",
    isResumed: false
  })
}

/** Somebody has a run go on now, whatever it waits for. */
export const resumed = (run: WorkflowRun): void => {
  run.dueAt = 0
  run.isResumed = true
}

/** A run's wait is over. */
export const goOn = (model: Model, id: string, run: WorkflowRun): void => {
  if ((run.dueAt ?? model.earliest + waitOf(run)) > model.latest) {
    broken("a run went on before its time", { id, run, latest: model.latest })
  }
  run.dueAt = undefined
}

/** What the second step of a run says. */
export interface GoneOn {
  readonly run: string
  /** What the first step gave it; the version is that of the props. */
  readonly given: { readonly count: number; readonly version: number }
  readonly version: number
  /** How often it was begun, this time included, and what it has left for itself. */
  readonly runs: number
  readonly context: unknown
}

/** A run did its second step. */
export const wentOn = (
  model: Model,
  workflow: ModelSource,
  { context, given, run: id, runs, version }: GoneOn
): void => {
  const run = workflow.workflowRuns.get(id)
  if (run?.status !== "waiting" || run.fate === "falls" || run.fate === "lapses" && !run.isResumed) {
    return broken("a run did a step that it was not to do", { id, run })
  }
  same("a step was not given what the one before it gave", given.count, run.count, { id })
  same("a run went on with props that it did not begin with", version, given.version, { id })
  goOn(model, id, run)
  run.runs += 1
  if (run.fate !== "returns") {
    run.status = "success"
    return
  }
  same("a step that is run once more does not know what it left", [runs, context], [
    run.runs,
    run.runs === 1 ? null : { runs: 1 }
  ], { id })
  if (run.runs === 2) run.status = "success"
}

const checkWaiting = (model: Model, id: string, run: WorkflowRun, seen: Observation): void => {
  const wait = waitOf(run)
  const due = seen.due.find(({ key, kind }) => kind === "resume" && key.split("/")[0] === id)
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
  const workflows = [...model.sources.values()].filter(({ kind }) => kind === "workflow" || kind === "keeper")
  for (const workflow of workflows) {
    for (const [id, run] of workflow.workflowRuns) {
      if (run.status !== "waiting") continue
      if (run.isCancelled === true && statuses.get(id) === "cancelled") {
        run.status = "cancelled"
      } else if (statuses.get(id) === "waiting") {
        checkWaiting(model, id, run, seen)
      } else if (run.fate === "falls") {
        goOn(model, id, run)
        run.status = "error"
        workflow.errors += 1
      } else if (run.fate === "lapses" && !run.isResumed) {
        goOn(model, id, run)
        run.status = "cancelled"
      }
    }
  }
  for (const workflow of workflows) {
    same(
      "what a workflow sends is not what its runs send",
      model.events(workflow, sends).map(({ payload }) => JSON.parse(payload).body).toSorted(),
      [...workflow.workflowRuns].filter(([, { fate }]) => fate === "goes")
        .map(([run, { count }]) => JSON.stringify({ run, count })).toSorted(),
      { workflow: workflow.id }
    )
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
