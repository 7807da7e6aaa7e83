/** Changes workflows over that were moved and run here in shadow. */
import * as ListItems from "@headwater/api/ListItems"
import type { SourceResource } from "@headwater/api/SourcesApi"
import type { WorkflowResource } from "@headwater/api/WorkflowsApi"
import { heldName, isHeld, requestOf } from "@headwater/sandbox/HeldRequest"
import { Effect, Stream } from "effect"
import { ApiAccess } from "../access/ApiAccess.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as EndpointUrl from "../resource/EndpointUrl.ts"
import type { Standing } from "./Finishing.ts"

/** The streams on which steps leave what is to be sent. */
const sendStreams: ReadonlyMap<string, string> = new Map([["$sends", "$.send"], ["$s3", "$.send.s3"]])

/** The most deliveries and runs of a workflow that are looked through. */
const most = 10_000

/** A sending that is held: a delivery, or a run that ended at a request of its own. */
export interface Held {
  readonly id: string
  /** Unix milliseconds. */
  readonly at: number
  /** The way by which it would go out. */
  readonly way: string
}

/** A source here that the workflow listens to. */
export type Source = Pick<SourceResource, "active" | "id" | "name" | "shadow">

export interface Switch {
  readonly workflow: WorkflowResource
  /** The id of the workflow there, and of the sources that were its triggers. */
  readonly there: ReadonlyArray<string>
  readonly sources: ReadonlyArray<Source>
  /** The URL that senders are to use; null if it has none. */
  readonly endpoint: string | null
  readonly deliveries: ReadonlyArray<Held>
  readonly runs: ReadonlyArray<Held>
  /** The runs in shadow that have not ended: what they come to is held, too. */
  readonly underWay: number
}

const taken = <A, E, R>(items: Stream.Stream<A, E, R>) => Stream.runCollect(Stream.take(items, most))

/** The sources that a workflow listens to. */
const sourcesOf = Effect.fnUntraced(function*({ id }: WorkflowResource) {
  const { call } = yield* ApiAccess
  const { data } = yield* call(({ subscriptions }) => subscriptions.list({ query: {} }))
  const emitters = new Set(
    data.flatMap(({ emitter_id, listener_id }) =>
      listener_id === id && emitter_id.startsWith("dc_") ? [emitter_id] : []
    )
  )
  return yield* Effect.forEach(
    emitters,
    (id) => Effect.map(call(({ sources }) => sources.get({ params: { id }, query: {} })), ({ data }): Source => data)
  )
})

const deliveriesOf = Effect.fnUntraced(function*(emitter_id: string) {
  const { call } = yield* ApiAccess
  const query = { emitter_id, state: "dropped", error_class: "held", limit: 100 } as const
  const held = yield* call(({ deliveries }) =>
    taken(ListItems.items((place) => deliveries.list({ query: { ...query, ...place } })))
  )
  return held.map(({ event_name, id, started_at_ms, webhook_id }): Held => ({
    id,
    at: started_at_ms,
    way: sendStreams.get(event_name) ?? `webhook ${webhook_id}`
  }))
})

/** Runs that ended at a request of their own and were not run again since, and the number of those that have yet to end. */
const runsOf = Effect.fnUntraced(function*({ id }: WorkflowResource) {
  const { call } = yield* ApiAccess
  const runs = yield* call(({ workflowRuns }) =>
    taken(ListItems.items((place) => workflowRuns.list({ params: { id }, query: { limit: 100, ...place } })))
  )
  const isAgain = new Set(runs.map(({ trigger }) => trigger.rerun_of))
  return {
    runs: runs.flatMap(({ exit_reason, id, shadow, started_at_ms }): ReadonlyArray<Held> =>
      shadow === true && isHeld(exit_reason) && !isAgain.has(id)
        ? [{ id, at: started_at_ms, way: `run at ${requestOf(exit_reason)}` }]
        : []
    ),
    underWay: runs.filter(({ ended_at_ms, shadow }) => shadow === true && ended_at_ms === null).length
  }
})

/** Reads all that changing over is about. */
export const read = Effect.fnUntraced(function*({ movedFrom, record, resource }: Standing) {
  if (resource === undefined || !resource.active) {
    return yield* new CommandRefused({
      message: `${record.name} does not run here: see \`headwater import status\`, and switch it on in shadow with ` +
        "`headwater import finish --shadow`"
    })
  }
  const sources = yield* sourcesOf(resource)
  const deliveries = yield* Effect.forEach([resource.id, ...sources.map(({ id }) => id)], deliveriesOf)
  return {
    workflow: resource,
    there: [movedFrom, ...record.subscriptions.filter((trigger) => trigger.startsWith("dc_"))],
    sources,
    endpoint: EndpointUrl.of(resource.configured_props),
    deliveries: deliveries.flat(),
    ...yield* runsOf(resource)
  } satisfies Switch as Switch
})

/** True if something of it is in shadow. */
export const isInShadow = ({ sources, workflow }: Switch): boolean =>
  [workflow, ...sources].some(({ shadow }) => shadow === true)

/** Takes a workflow and its sources out of shadow. */
export const goLive = Effect.fnUntraced(function*({ sources, workflow }: Switch) {
  const { call } = yield* ApiAccess
  for (const { active, id, shadow } of sources) {
    if (shadow !== true) continue
    yield* call(({ sources }) => sources.update({ params: { id }, payload: { active, shadow: false } }))
  }
  yield* call(({ workflows }) =>
    workflows.update({ params: { id: workflow.id }, payload: { active: true, shadow: false } })
  )
})

/** The step that a run ended at. */
const heldStepOf = Effect.fnUntraced(function*(workflow: string, run_id: string) {
  const { call } = yield* ApiAccess
  const { data } = yield* call(({ workflowRuns }) => workflowRuns.get({ params: { id: workflow, run_id }, query: {} }))
  return data.steps.findLast(({ error }) => error?.name === heldName)?.name
})

/**
 * Sends what is held since a time, in Unix milliseconds: deliveries are retried, and runs begin again at the step that they
 * ended at. Answers the numbers of them.
 */
export const sendHeld = Effect.fnUntraced(function*({ deliveries, runs, sources, workflow }: Switch, since: number) {
  const { call } = yield* ApiAccess
  const isMeant = ({ at }: Held) => at >= since
  if (deliveries.some(isMeant)) {
    for (const emitter_id of [workflow.id, ...sources.map(({ id }) => id)]) {
      const filter = { emitter_id, state: "dropped", error_class: "held", since } as const
      yield* call(({ bulkActions }) => bulkActions.create({ headers: {}, payload: { action: "retry", filter } }))
    }
  }
  const again = runs.filter(isMeant).toReversed()
  for (const { id } of again) {
    const from_step = yield* heldStepOf(workflow.id, id)
    if (from_step === undefined) continue
    yield* call(({ workflowRuns }) =>
      workflowRuns.rerun({ params: { id: workflow.id, run_id: id }, headers: {}, query: {}, payload: { from_step } })
    )
  }
  return { deliveries: deliveries.filter(isMeant).length, runs: again.length }
})
