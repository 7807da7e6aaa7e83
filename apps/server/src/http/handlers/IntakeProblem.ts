import * as Problem from "@headwater/api/Problem"
import type { Program } from "@headwater/domain/Program"
import type { QuotaExceeded } from "@headwater/engine/Ingest"
import type { InvocationRefused } from "@headwater/engine/Invocations"
import { Clock, Effect } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"

const backlogRetrySeconds = 5

/** The problem of a source or workflow that has as much waiting as it may. */
export const backlogFull = Problem.backlogFull(
  "Too many requests wait for a run. Try again later.",
  backlogRetrySeconds
)

/** The problem of an account that may have nothing more run. */
export const quotaExceeded = Effect.fnUntraced(function*({ limit, quota, until }: QuotaExceeded) {
  const now = yield* Clock.currentTimeMillis
  return Problem.quotaExceeded(
    `The account's ${quota} quota of ${limit} is used up.`,
    Math.max(1, Math.ceil((until - now) / 1_000))
  )
})

/** An endpoint of the contract declares the header of one problem a status. */
export const retryLater = <P extends Problem.BacklogFull | Problem.QuotaExceeded>(problem: P) =>
  Effect.andThen(
    HttpEffect.appendPreResponseHandler((_, response) =>
      Effect.succeed(
        HttpServerResponse.setHeader(response, "retry-after", String(problem.details.retry_after_seconds))
      )
    ),
    Effect.fail(problem)
  )

const paused = ({ name }: Program) =>
  new Problem.WorkflowPaused(Problem.because(`The workflow ${JSON.stringify(name)} is paused.`))

/** Has a run of a workflow begin, with the problem of one that may not. */
export const answerRefusals = <A>(workflow: Program, start: Effect.Effect<A, InvocationRefused>) =>
  workflow.active
    ? start.pipe(Effect.catchTags({
      BacklogFull: () => retryLater(backlogFull),
      // Paused or gone since it was looked up.
      EndpointNotFound: () => Effect.fail(paused(workflow)),
      QuotaExceeded: (error) => Effect.flatMap(quotaExceeded(error), retryLater)
    }))
    : Effect.fail(paused(workflow))
