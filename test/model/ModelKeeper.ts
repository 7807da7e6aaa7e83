import type { Model, ModelSource } from "./Model.ts"
import { broken, same } from "./ModelBroken.ts"
import { keepIn, type Kept } from "./ModelStore.ts"
import { goOn, retrySeconds, suspensionSeconds, type WorkflowRun } from "./ModelWorkflow.ts"

/** A run of a `keeper`: what it was begun with, and how many steps of its path it has done. */
export interface KeeperRun {
  readonly n: number
  at: number
  /** True while the right one of its two branches that run at once is done, and the left one is not. */
  isRightDone: boolean
}

/** The steps of a run with code, over its blocks, in their order, of which `left` and `right` run at once. */
export const pathOf = (n: number): ReadonlyArray<string> => [
  "first",
  n % 2 === 1 ? "odd" : "even",
  n % 3 === 0 ? "zero" : n % 3 === 1 ? "one" : "other",
  "left",
  "right",
  ...(n % 2 === 0 ? ["two"] : []),
  ...(n % 5 === 0 ? ["five"] : []),
  "last"
]

/** How long a run waits before its next step, in milliseconds: it is suspended, or the step has failed once. */
export const keeperWait = ({ at, n }: Pick<KeeperRun, "at" | "n">): number => {
  if (at === 1 && n % 7 === 3) return 1_000 * suspensionSeconds
  return pathOf(n)[at] === "left" && n % 4 === 2 ? 1_000 * retrySeconds : 0
}

/** What a step says: its number, what it did to the data store, and how often it was begun. */
export interface KeeperSaid {
  readonly run: string
  readonly n: number
  readonly step: string
  readonly kept: Kept
}

/** A run of a `keeper` did a step: the next one of its path, on the data store as the step before it left it. */
export const kept = (model: Model, keeper: ModelSource, { kept, n, run: id, step }: KeeperSaid): void => {
  if (step === "first") {
    if (keeper.workflowRuns.has(id)) return broken("a run did its first step again", { id })
    const begun: WorkflowRun = {
      fate: "kept",
      keeper: { n, at: 0, isRightDone: false },
      count: n,
      runs: 0,
      dueAt: undefined,
      status: "waiting",
      isResumed: false
    }
    keeper.workflowRuns.set(id, begun)
  }
  const run = keeper.workflowRuns.get(id)
  if (run?.keeper === undefined || run.status !== "waiting") {
    return broken("a run did a step after its last", { id, step })
  }
  const path = pathOf(run.keeper.n)
  const { keeper: { at, isRightDone } } = run
  const isEarly = step === "right" && path[at] === "left" && !isRightDone
  if (!isEarly) {
    same("a run did another step than its branches have next", step, path[at], { id, n })
    if (keeperWait(run.keeper) > 0) goOn(model, id, run)
  }
  same(
    "a step did not find the data store as it was left",
    kept,
    keepIn(keeper.stored, keeper.id, n + path.indexOf(step), id),
    {
      id,
      step
    }
  )
  if (isEarly) {
    run.keeper.isRightDone = true
    return
  }
  run.keeper.at += isRightDone ? 2 : 1
  run.keeper.isRightDone = false
  if (run.keeper.at === path.length) run.status = "success"
}
