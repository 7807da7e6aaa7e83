import * as Recurring from "@headwater/domain/Recurring"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { WorkflowRuns } from "@headwater/log/work/WorkflowRuns"
import { Effect, Layer } from "effect"
import { ActorCalls } from "../ground/ActorCalls.ts"
import * as Wake from "../ground/Wake.ts"

/** The longest that a run stands still if its workflow's owner was lost, beside the time that it takes to have another one. */
const scanInterval = "5 seconds"

/**
 * Wakes workflows that have runs at a step. No cursor owes such a run and nothing of it is due: where its owner was lost,
 * with its node or on the way to another, it would stand still until its workflow is woken for something else. Each node
 * looks after the workflows that live on it.
 */
export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const actors = yield* ActorCalls
  const runs = yield* WorkflowRuns

  const scan = Effect.gen(function*() {
    for (const workflowId of yield* untilAnswered(runs.workflowsUnderWay)) {
      if (actors.isHere(workflowId)) actors.wake(workflowId, Wake.nothing)
    }
  })

  yield* Recurring.every("scan for runs under way", scanInterval, scan)
}))
