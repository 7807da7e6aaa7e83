import * as EventId from "@headwater/domain/EventId"
import * as Id from "@headwater/domain/Id"
import type { Program } from "@headwater/domain/Program"
import * as Stream from "@headwater/domain/Stream"
import { Rerun } from "@headwater/engine/program/StepRuns"
import { Cursors } from "@headwater/log/Cursors"
import { EventLog } from "@headwater/log/EventLog"
import { type RunOutline, WorkflowRuns } from "@headwater/log/WorkflowRuns"
import { Effect, Option, Schema } from "effect"

/** A run that was asked for over the API and has not begun. */
export interface AcceptedRun {
  readonly run: RunOutline
  /** JSON text of its event. */
  readonly event: string
}

const decodeRerun = Schema.decodeUnknownEffect(Schema.fromJsonString(Rerun))

/** Finds it among the inputs that a workflow has acknowledged and not taken. */
export const makeFind = Effect.gen(function*() {
  const cursors = yield* Cursors
  const events = yield* EventLog
  const runs = yield* WorkflowRuns

  return Effect.fnUntraced(function*({ id: workflowId, workflow }: Program, id: Id.RunId) {
    if (workflow === null) return Option.none<AcceptedRun>()
    const { id: passed } = yield* cursors.requestsPosition(workflowId)
    const found = yield* events.byEmitId({ emitterId: workflowId, stream: Stream.requests }, passed, id)
    if (Option.isNone(found)) return Option.none<AcceptedRun>()
    const { hops, id: eventId, meta, payload } = found.value
    const at = EventId.milliseconds(eventId)
    const own = { kind: "INVOCATION", id, at, hops, emitterId: workflowId, stream: Stream.requests } as const
    const asked = meta.kind === "rerun" ? yield* Effect.orDie(decodeRerun(payload)) : undefined
    const former = asked === undefined
      ? Option.none()
      : yield* runs.get(Id.WorkflowId.make(workflowId), asked.run)
    const trigger = Option.match(former, {
      onNone: () => own,
      onSome: ({ id, trigger }) => ({ ...trigger, rerunOf: id })
    })
    return Option.some<AcceptedRun>({
      run: {
        id,
        workflowId: Id.WorkflowId.make(workflowId),
        deploymentId: workflow.deploymentId,
        status: "running",
        trigger,
        startedAt: at,
        endedAt: null,
        dueAt: null,
        error: null,
        exitReason: null,
        step: 0,
        tries: 0,
        failures: 0,
        rerunContext: null
      },
      event: asked === undefined
        ? payload
        : Option.match(former, { onNone: () => "null", onSome: ({ event }) => event })
    })
  })
})
