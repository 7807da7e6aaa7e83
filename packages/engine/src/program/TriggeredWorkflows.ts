import * as EmitId from "@headwater/domain/EmitId"
import { maxHops } from "@headwater/domain/Event"
import type { AccountId, ProgramId } from "@headwater/domain/Id"
import * as Storable from "@headwater/domain/Storable"
import * as Stream from "@headwater/domain/Stream"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { Programs } from "@headwater/log/resources/Programs"
import type { DueItem } from "@headwater/log/work/DueWork"
import type { RunFault } from "@headwater/log/work/WorkflowRuns"
import type { RunResult } from "@headwater/sandbox/Run"
import * as StepAnswer from "@headwater/sandbox/StepAnswer"
import { Effect, Option } from "effect"
import * as DueItems from "../ground/DueItems.ts"
import { EngineLimits } from "../ground/EngineLimits.ts"

type Triggers = NonNullable<StepAnswer.StepAnswer["flow"]["triggers"]>

/** Workflows by the ids or slugs that steps know them by. */
export type KnownWorkflows = ReadonlyMap<string, ProgramId>

export const noWorkflows: KnownWorkflows = new Map()

/** Finds the workflows of an account that steps have run. */
export const makeFind = Effect.gen(function*() {
  const { triggersOfStep } = yield* EngineLimits
  const programs = yield* Programs

  return Effect.fnUntraced(function*(accountId: AccountId, results: ReadonlyArray<RunResult>) {
    const names = results.flatMap(({ answerJson }) => {
      // Most have none, and it takes long to read what is large.
      if (answerJson?.includes(`"triggers"`) !== true) return []
      const triggers = Option.getOrUndefined(StepAnswer.decode(answerJson))?.flow.triggers ?? []
      return triggers.length > triggersOfStep ? [] : triggers.map(({ workflow }) => workflow)
    })
    // The database refuses to look for what it can't store, each time.
    const sought = [...new Set(names)].filter(Storable.isText)
    return sought.length === 0
      ? noWorkflows
      : (yield* untilAnswered(programs.idsByName(accountId, "workflow", sought))) satisfies KnownWorkflows
  })
})

/** The reason that a step can't have all these workflows run, of which there may be at most so many. */
export const faultOf = (
  triggers: Triggers,
  known: KnownWorkflows,
  hops: number,
  most: number
): RunFault | undefined => {
  if (triggers.length > most) {
    const message = `a step may call $.flow.trigger ${most} times; this one has called it ${triggers.length} times`
    return { name: "LimitExceeded", message }
  }
  const unknown = triggers.find(({ workflow }) => !known.has(workflow))
  if (unknown !== undefined) {
    const message = `the account has no workflow ${JSON.stringify(unknown.workflow.slice(0, 100))}`
    return { name: "WorkflowNotFound", message }
  }
  return triggers.length > 0 && hops >= maxHops
    ? { name: "HopLimit", message: `a run that came through ${hops - 1} emitters can't run workflows, to end loops` }
    : undefined
}

/**
 * The requests to run workflows, due at once, which go into the logs of these as invocations do.
 *
 * @param hops the number of emitters that the events have passed through
 */
export const itemsOf = (
  triggers: Triggers,
  known: KnownWorkflows,
  hops: number,
  isShadow: boolean,
  now: number
): ReadonlyArray<DueItem> =>
  triggers.map(({ event, workflow }, index) => {
    const item = DueItems.emit(known.get(workflow)!, {
      stream: Stream.requests,
      emitId: EmitId.make(),
      hops,
      meta: { kind: "invocation", ...(isShadow ? { shadow: true } : {}) },
      payload: JSON.stringify(event)
    }, now)
    // Items that are due at the same time go by their keys.
    return { ...item, key: `${String(index).padStart(6, "0")} ${item.key}` }
  })
