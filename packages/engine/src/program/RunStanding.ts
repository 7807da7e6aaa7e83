import type { DueItem } from "@headwater/log/work/DueWork"
import type { RunPath, WorkflowRun } from "@headwater/log/work/WorkflowRuns"
import type { Fork } from "@headwater/sandbox/StepAnswer"
import type { CommitParts } from "../ground/EmitterLog.ts"
import { beginning, keyOf, type Turn } from "./WorkflowProgress.ts"

/**
 * The standing of a run: its own progress and, while it is in branches that run at once, that of each path.
 *
 *     at a block ──fork──▶ paths: running ⇄ waiting ──▶ ended ──the last one──▶ at the step after the block
 *                                    └─fork─▶ forked ──joined──▶ running
 *
 * - N1. While there are paths, the progress of the run is what they have come to together, at the step of the outermost block.
 * - N2. A block is joined by the last of its paths that ends, which may end the path that the block is on, too.
 * - N3. A run that is over has no paths.
 */
export interface RunStanding {
  readonly run: WorkflowRun
  /** By their names. */
  readonly paths: ReadonlyMap<string, RunPath>
}

/** The due work that has a run, or a path of it, go on, by its key. */
export const resumption = (workflowId: string, key: string, dueAt: number): DueItem => ({
  ownerId: workflowId,
  kind: "resume",
  key,
  dueAt,
  payload: "{}"
})

const noPaths: ReadonlyMap<string, RunPath> = new Map()

/** Of a run that is in no branches that run at once. */
export const ofRun = (run: WorkflowRun): RunStanding => ({ run, paths: noPaths })

type Waited = Pick<RunPath, "dueAt" | "waitsFor"> & { readonly status: "running" | "waiting" }

/** The paths that wait, the next one first. */
const waitingOf = (paths: ReadonlyMap<string, RunPath>): ReadonlyArray<RunPath> =>
  [...paths.values()]
    .filter(({ status }) => status === "waiting")
    .toSorted((one, other) => (one.dueAt ?? 0) - (other.dueAt ?? 0))

export const isRunning = ({ paths, run }: RunStanding): boolean =>
  paths.size === 0 ? run.status === "running" : [...paths.values()].some(({ status }) => status === "running")

/** With the progress of the run that its paths come to. */
export const withPaths = ({ run }: RunStanding, paths: ReadonlyMap<string, RunPath>): RunStanding => {
  const { step } = run
  const waiting = waitingOf(paths)
  const [next] = waiting
  const together = { ...run, ...beginning, step }
  if (next === undefined || isRunning({ run, paths })) return { run: together, paths }
  const { dueAt, waitsFor } = next
  const isSuspended = waiting.some(({ waitsFor }) => waitsFor === "suspend")
  return {
    run: {
      ...together,
      status: "waiting",
      dueAt,
      waitsFor: isSuspended ? "suspend" : waitsFor,
      error: waiting.find(({ error }) => error !== null)?.error ?? null
    },
    paths
  }
}

/** A path with other progress. */
export const withPath = (standing: RunStanding, path: string, progress: Partial<RunPath>): RunStanding =>
  withPaths(standing, new Map(standing.paths).set(path, { ...standing.paths.get(path)!, ...progress }))

const progressing = (standing: RunStanding, path: string | undefined, progress: Waited): RunStanding =>
  path === undefined ? ofRun({ ...standing.run, ...progress }) : withPath(standing, path, progress)

/** After the time has come for which a run, or a path of it, waits. */
export const resumed = (standing: RunStanding, path: string | undefined): RunStanding =>
  progressing(standing, path, { status: "running", dueAt: null, waitsFor: null })

/** After a run, or a path of it, that waits was had go on: at a time, when it is its turn. */
export const awaitingTurn = (standing: RunStanding, path: string | undefined, dueAt: number): RunStanding =>
  progressing(standing, path, { status: "waiting", dueAt, waitsFor: null })

/** After a path has come to its end. */
const joined = (standing: RunStanding, path: string, steps: number, now: number): RunStanding => {
  const { joins, parent } = standing.paths.get(path)!
  const paths = new Map(standing.paths)
  paths.delete(path)
  if ([...paths.values()].some((other) => other.parent === parent)) return withPaths(standing, paths)
  if (parent === null) {
    const run = { ...standing.run, ...beginning, step: Math.min(joins, steps) }
    return ofRun(joins < steps ? run : { ...run, status: "success", endedAt: now })
  }
  const within = withPath({ ...standing, paths }, parent, { ...ofBeginning, step: joins })
  return joins < paths.get(parent)!.until ? within : joined(within, parent, steps, now)
}

const { endedAt: _endedAt, exitReason: _exitReason, ...ofBeginning } = beginning

/** After a turn of the run as a whole, which ends all of its paths. */
export const ended = ({ run }: RunStanding, turn: Partial<Turn>): RunStanding => ofRun({ ...run, ...turn })

/**
 * After the turn that a run, or a path of it, takes after a step.
 *
 * @param steps the number of the run's steps
 */
export const afterTurn = (
  standing: RunStanding,
  path: string | undefined,
  { endedAt, exitReason, ...turn }: Turn,
  steps: number
): RunStanding => {
  const isPathOver = endedAt !== null && turn.status === "success" && exitReason === null
  if (path === undefined || endedAt !== null && !isPathOver) return ended(standing, { ...turn, endedAt, exitReason })
  return isPathOver
    ? joined(standing, path, steps, endedAt)
    : withPath(standing, path, { ...turn, status: turn.status === "waiting" ? "waiting" : "running" })
}

/** True if steps come behind the end of a path. */
export const goesOnBehind = (standing: RunStanding, path: string | undefined, steps: number): boolean => {
  const found = standing.paths.get(path ?? "")
  if (found === undefined) return false
  const { joins, parent } = found
  const end = parent === null ? steps : standing.paths.get(parent)!.until
  return joins < end || parent !== null && goesOnBehind(standing, parent, steps)
}

/** The step of a block: its number among the steps of the run that were run, its name and its place. */
export interface Block {
  readonly n: number
  readonly name: string
  readonly place: number
}

/** After the step of a block whose branches run at once. */
export const afterFork = (
  standing: RunStanding,
  path: string | undefined,
  block: Block,
  { branches, joins }: Fork
): RunStanding => {
  const paths = new Map(standing.paths)
  const { runId, ...parent } = path === undefined
    ? { runId: standing.run.id, path: null }
    : standing.paths.get(path)!
  if (path !== undefined) paths.set(path, { ...paths.get(path)!, ...ofBeginning, status: "forked", step: block.place })
  for (const [index, { from, name, until }] of branches.entries()) {
    const each = `${block.n}-${index}`
    paths.set(each, {
      runId,
      path: each,
      parent: parent.path,
      block: block.name,
      branch: name,
      until,
      joins,
      ...ofBeginning,
      step: from
    })
  }
  const run = path === undefined ? { ...standing.run, step: block.place } : standing.run
  return withPaths({ run, paths }, paths)
}

/**
 * A fork as its step tells it, if it is one: of branches that lie after the step, one after the other, before an end. Others
 * might have no end.
 */
export const checkedFork = (fork: Fork | undefined, step: number, end: number): Fork | undefined => {
  if (fork === undefined) return undefined
  let free = step + 1
  for (const { from, until } of fork.branches) {
    if (from < free || until <= from) return undefined
    free = until
  }
  return free <= end && fork.joins >= free && fork.branches.length > 0 ? fork : undefined
}

/** The names of the paths that are running where they were not; of the run itself, undefined. */
export const begun = (before: RunStanding, after: RunStanding): ReadonlyArray<string | undefined> => {
  if (after.paths.size === 0) return before.paths.size > 0 && after.run.status === "running" ? [undefined] : []
  const isBegun = ({ path, status }: RunPath) => status === "running" && before.paths.get(path)?.status !== "running"
  return [...after.paths.values()].filter(isBegun).map(({ path }) => path)
}

/** The difference between two standings of a run, as it is written. */
export const differenceOf = (before: RunStanding, after: RunStanding) => {
  const { id, workflowId } = after.run
  const waits = ({ paths, run }: RunStanding): ReadonlyMap<string, number> =>
    new Map(
      [...paths.size === 0 ? [{ path: undefined, dueAt: run.dueAt }] : paths.values()]
        .flatMap(({ dueAt, path }) => dueAt === null ? [] : [[keyOf(id, path), dueAt]])
    )
  const itemsOf = (some: ReadonlyMap<string, number>, others: (key: string, dueAt: number) => boolean) =>
    [...some].filter(([key, dueAt]) => others(key, dueAt)).map(([key, dueAt]) => resumption(workflowId, key, dueAt))
  const waited = waits(before)
  const waiting = waits(after)
  const parts: Required<Pick<CommitParts, "runChanges" | "dueDone" | "duePut">> = {
    runChanges: [after.run],
    dueDone: itemsOf(waited, (key) => !waiting.has(key)),
    duePut: itemsOf(waiting, (key, dueAt) => waited.get(key) !== dueAt)
  }
  return {
    parts,
    paths: {
      put: [...after.paths.values()].filter((path) => before.paths.get(path.path) !== path),
      removed: [...before.paths.keys()].filter((path) => !after.paths.has(path))
    }
  }
}
