import type { LoggedEvent } from "@headwater/domain/Event"
import * as EventId from "@headwater/domain/EventId"
import * as Id from "@headwater/domain/Id"
import type { Program } from "@headwater/domain/Program"
import * as Stream from "@headwater/domain/Stream"
import { Rerun } from "@headwater/engine/Invocations"
import { EventLog } from "@headwater/log/logs/EventLog"
import { Cursors } from "@headwater/log/work/Cursors"
import { type RunOutline, WorkflowRuns } from "@headwater/log/work/WorkflowRuns"
import { Effect, Option, Schema } from "effect"

/** A run that was asked for over the API and has not begun. */
export interface AcceptedRun {
  readonly run: RunOutline
  /** JSON text of its event. */
  readonly event: string
}

const decodeRerun = Schema.decodeUnknownEffect(Schema.fromJsonString(Rerun))

/**
 * The spans of the log in which a run's input is looked for, in milliseconds before and after the run's id was made:
 * the ordinary one, then one as wide as a call takes and clocks of nodes differ. Thousands of other inputs may wait.
 */
const spans = [{ before: 0, after: 10_000 }, { before: 60_000, after: 600_000 }]

const later = (one: EventId.EventId, other: EventId.EventId) => one > other ? one : other

/**
 * Finds it among the inputs that a workflow has acknowledged and not taken. One whose place in the log is not that of its
 * time, since a clock was set back, is found once it has begun.
 */
export const makeFind = Effect.gen(function*() {
  const cursors = yield* Cursors
  const events = yield* EventLog
  const runs = yield* WorkflowRuns

  return Effect.fnUntraced(function*({ id: workflowId, workflow }: Program, id: Id.RunId) {
    if (workflow === null) return Option.none<AcceptedRun>()
    const { id: passed } = yield* cursors.requestsPosition(workflowId)
    const address = { emitterId: workflowId, stream: Stream.requests }
    const madeAt = Id.timeOf(id)
    let found = Option.none<LoggedEvent>()
    for (const { after, before } of spans) {
      const from = later(passed + 1n, EventId.firstAt(madeAt - before))
      found = yield* events.byEmitId(address, { from, to: EventId.firstAt(madeAt + after) }, id)
      if (Option.isSome(found)) break
    }
    if (Option.isNone(found)) return Option.none<AcceptedRun>()
    const { hops, id: eventId, meta, payload } = found.value
    const at = EventId.milliseconds(eventId)
    const own = { kind: "INVOCATION", id, at, hops, emitterId: workflowId, stream: Stream.requests } as const
    const asked = meta.kind === "rerun" ? yield* Effect.orDie(decodeRerun(payload)) : undefined
    const former = asked === undefined
      ? Option.none()
      : yield* runs.get(Id.WorkflowId.make(workflowId), asked.run)
    const trigger = Option.match(former, {
      onNone: () => meta.rerunOf === undefined ? own : { ...own, rerunOf: meta.rerunOf },
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
        waitsFor: null,
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
