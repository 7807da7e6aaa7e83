import type { RunResource } from "@headwater/api/WorkflowRunsApi"
import { Effect, Schedule } from "effect"
import { ApiAccess } from "../access/ApiAccess.ts"
import * as PassingFailure from "../access/PassingFailure.ts"

/** A run that has ended. */
export interface EndedRun {
  readonly run: RunResource
  /** The step that failed, where one did. */
  readonly failedStep: string | undefined
}

/** The known runs of a workflow. */
export interface Place {
  /** Those that had ended. */
  readonly ended: ReadonlySet<string>
  /** Those that had not. */
  readonly open: ReadonlySet<string>
  /** Runs that ended before are of no interest; Unix milliseconds by the server's clock. */
  readonly since: number
}

/** Runs that are listed at once. */
const limit = 100

/** Runs that are looked at by themselves each time. */
const mostOlder = 10

/** The beginning of a new workflow's runs. */
export const beginning: Place = { ended: new Set(), open: new Set(), since: 0 }

const hasEnded = ({ ended_at_ms }: RunResource): boolean => ended_at_ms !== null

/** The place behind a workflow's present runs: of those that have not ended, the newest are known. */
export const end = Effect.fnUntraced(function*(workflowId: string) {
  const { call } = yield* ApiAccess
  const { data } = yield* call(({ workflowRuns }) =>
    workflowRuns.list({ params: { id: workflowId }, query: { limit } })
  )
  return {
    ended: new Set(data.filter(hasEnded).map(({ id }) => id)),
    open: new Set(data.filter((run) => !hasEnded(run)).map(({ id }) => id)),
    since: Math.max(0, ...data.map(({ ended_at_ms }) => ended_at_ms ?? 0))
  } satisfies Place as Place
})

/** Shows every run of a workflow that ends from there on, once. */
export const follow = Effect.fnUntraced(function*(
  workflowId: string,
  place: Place,
  show: (ended: EndedRun) => Effect.Effect<void>
) {
  const { call } = yield* ApiAccess
  const ended = new Set(place.ended)
  const open = new Set(place.open)

  const get = (runId: string) =>
    Effect.map(
      call(({ workflowRuns }) => workflowRuns.get({ params: { id: workflowId, run_id: runId }, query: {} })),
      ({ data }) => data
    )

  const isKnown = ({ id }: RunResource) => ended.has(id) || open.has(id)

  /** The newest runs, back to those that were known. */
  const newest = Effect.gen(function*() {
    const found: Array<RunResource> = []
    for (;;) {
      const last = found.at(-1)
      const query = { limit, ...(last === undefined ? {} : { after: last.id }) }
      const { data } = yield* call(({ workflowRuns }) => workflowRuns.list({ params: { id: workflowId }, query }))
      found.push(...data)
      // A page of large runs has fewer than the limit.
      if (data.length === 0 || data.some(isKnown)) return found
    }
  })

  /** Open runs that are not among the newest any more: so many at a time, each in its turn. */
  const older = Effect.fnUntraced(function*(listed: ReadonlyArray<RunResource>) {
    const ids = new Set(listed.map(({ id }) => id))
    const found: Array<RunResource> = []
    for (const id of [...open].filter((id) => !ids.has(id)).slice(0, mostOlder)) {
      // It may be kept no longer.
      const run = yield* get(id).pipe(Effect.catchTag("NotFoundProblem", () => Effect.undefined))
      open.delete(id)
      if (run !== undefined) found.push(run)
    }
    return found
  })

  const look = Effect.gen(function*() {
    const listed = yield* newest
    const runs = [...listed, ...yield* older(listed)].filter(({ id }) => !ended.has(id))
    for (const run of runs) (hasEnded(run) ? ended : open).add(run.id)
    const news = runs
      .flatMap((run) => run.ended_at_ms === null || run.ended_at_ms < place.since ? [] : [{ run, at: run.ended_at_ms }])
      .toSorted((a, b) => a.at - b.at)
    for (const { run } of news) {
      const steps = run.status === "error" ? (yield* PassingFailure.retry(get(run.id))).steps : []
      open.delete(run.id)
      yield* show({ run, failedStep: steps.findLast(({ status }) => status === "error")?.name })
    }
  })

  return yield* Effect.repeat(PassingFailure.retry(look), Schedule.spaced("1 second"))
})
