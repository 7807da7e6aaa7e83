import { ClockReady, nothingFired } from "@headwater/domain/ClockEvents"
import * as RealTime from "@headwater/domain/RealTime"
import * as Stream from "@headwater/domain/Stream"
import type { VirtualClock } from "@headwater/domain/VirtualClock"
import { GroupCommit } from "@headwater/log/commit/GroupCommit"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import {
  type ClockOperation,
  type ClockStep,
  DevClocks,
  type FiredCounts,
  type StopReason
} from "@headwater/log/work/DevClocks"
import { DueWork } from "@headwater/log/work/DueWork"
import { WorkflowRuns } from "@headwater/log/work/WorkflowRuns"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ActorCalls } from "./ground/ActorCalls.ts"
import { Draining } from "./ground/Draining.ts"
import * as DueItems from "./ground/DueItems.ts"
import * as Wake from "./ground/Wake.ts"
import type { TicksAhead } from "./program/ProgramDueWork.ts"
import * as Retention from "./Retention.ts"
import { Router } from "./routing/Router.ts"

const dayMs = 24 * 3_600_000

/** The engine has to be seen at rest so often in a row, with all that is ready to run in between. */
const looksAtRest = 3

/** After so many looks at an engine that is not at rest, it is looked at only now and then. */
const quickLooks = 300

/** The longest that the engine may be at work that is due at one time, in milliseconds of real time. */
const longestStepMs = 10 * 60_000

/** Everything that is ready to run does so first. */
const turn = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))

const sum = (fired: FiredCounts): number => Object.values(fired).reduce((sum, count) => sum + (count ?? 0), 0)

const encodeReady = Schema.encodeSync(Schema.fromJsonString(ClockReady))

/** The event that tells of the end of an advance. */
const readyEvent = ({ from, id }: ClockOperation, now: number, fired: FiredCounts, reason: StopReason) => ({
  stream: Stream.clock,
  emitId: `clock-ready-${id}`,
  hops: 0,
  meta: {},
  payload: encodeReady({
    type: "clock.ready",
    operation_id: id,
    from,
    now,
    fired: { ...nothingFired, ...fired },
    stopped_by: reason,
    ts: now
  })
})

/** True if the engine has nothing to do at the clock's time: all is committed and routed, and no actor here works. */
export const isAtRest: Effect.Effect<boolean, never, ActorCalls | GroupCommit | Router> = Effect.gen(function*() {
  const [actors, router, writer] = [yield* ActorCalls, yield* Router, yield* GroupCommit]
  return (yield* writer.isIdle) && (yield* router.isQuiet) && (yield* actors.areQuiet)
})

/**
 * Moves a clock forward: to the next time at which anything is due, then on when all of that is done and the engine is
 * at rest, and at the end of each day removes what is beyond its retention. Each time is written to the database first,
 * so an advance that is cut off goes on there.
 *
 * Answers false if the server is being stopped before the end.
 */
export const make = Effect.fnUntraced(function*(
  clock: VirtualClock,
  ticksAhead: TicksAhead,
  days: Retention.KeptDays
) {
  const actors = yield* ActorCalls
  const clocks = yield* DevClocks
  const draining = yield* Draining
  const dueWork = yield* DueWork
  const router = yield* Router
  const runs = yield* WorkflowRuns
  const sql = yield* SqlClient.SqlClient
  const context = yield* Effect.context<
    Effect.Services<ReturnType<typeof Retention.sweep>> | Effect.Services<typeof isAtRest>
  >()

  /** Returns when the engine has nothing to do; false if that takes too long. */
  const atRest = Effect.gen(function*() {
    const until = RealTime.elapsedUnsafe(clock) + longestStepMs
    let seen = 0
    for (let looks = 0; seen < looksAtRest; looks++) {
      yield* seen > 0 || looks < quickLooks ? turn : Effect.sleep(1)
      seen = (yield* Effect.provideContext(isAtRest, context)) ? seen + 1 : 0
      if (seen === 0 && RealTime.elapsedUnsafe(clock) > until) return false
    }
    return true
  })

  /** Has everybody look for what is owed: hints at it may be lost. */
  const wakeAll = Effect.gen(function*() {
    yield* router.wakeAllOwed
    for (const workflowId of yield* untilAnswered(runs.workflowsUnderWay)) actors.wake(workflowId, Wake.nothing)
  })

  const hasJoined = Effect.gen(function*() {
    while (!(yield* actors.hasShards)) yield* Effect.sleep("50 millis")
  })

  return (begun: ClockOperation, isStopAsked: () => boolean) =>
    Effect.gen(function*() {
      const { id, maxFired } = begun
      const to = begun.to ?? begun.from
      let { sweptAt } = begun
      let { fired } = begun
      let sweptFired = 0
      const left = new Set<string>()
      const woken = new Map<string, string>()

      const end = Effect.fnUntraced(function*(reason: StopReason) {
        const now = clock.currentTimeMillisUnsafe()
        const { accountId } = begun
        yield* untilAnswered(sql.withTransaction(Effect.andThen(
          dueWork.put([DueItems.emit(accountId, readyEvent(begun, now, fired, reason), now)]),
          clocks.end(id, reason, RealTime.of(clock).currentTimeMillisUnsafe())
        )))
        actors.wake(accountId, Wake.forDueWork)
        yield* atRest
        return true
      })

      const reasonToEnd = (): StopReason | undefined => {
        if (maxFired !== undefined && sum(fired) >= maxFired) return "max_fired"
        return isStopAsked() ? "stopped" : undefined
      }

      const sweep = Effect.gen(function*() {
        sweptAt = clock.currentTimeMillisUnsafe()
        sweptFired = sum(fired)
        yield* Retention.sweep(days, { rests: false }).pipe(
          Effect.provideContext(context),
          Effect.catchCause((cause) => Effect.logWarning("Could not remove old events; going on", cause))
        )
        yield* untilAnswered(clocks.noteSwept(id, sweptAt))
        yield* wakeAll
      })

      /** Lets a source that nobody hears run many of its ticks at a time, if nothing else is due. */
      const grantTicks = Effect.fnUntraced(function*({ at, tick }: Extract<ClockStep, { readonly _tag: "Moved" }>) {
        ticksAhead.grant = undefined
        if (tick === undefined || (yield* router.isHeard(tick.accountId, tick.sourceId))) return
        const dayEnd = (Math.floor(at / dayMs) + 1) * dayMs
        ticksAhead.grant = {
          programId: tick.sourceId,
          before: Math.min(tick.nextAt ?? Infinity, to + 1, dayEnd),
          most: maxFired === undefined ? Infinity : maxFired - sum(fired) + 1,
          count: (ticks, at) => clocks.countTicks(id, ticks, at),
          onDurable: (ticks, at) => {
            fired = { ...fired, timer: (fired.timer ?? 0) + ticks }
            clock.standAt(at)
          }
        }
      })

      yield* hasJoined
      clock.standAt(begun.at)
      yield* wakeAll
      while (true) {
        if (!(yield* atRest)) return yield* end("busy")
        if (draining.isDraining()) return false
        ticksAhead.grant = undefined
        const now = clock.currentTimeMillisUnsafe()
        const reason = reasonToEnd()
        const sweepsAt = (Math.floor(sweptAt / dayMs) + 1) * dayMs
        // Days on which nothing happened leave nothing more to remove than the next on which something does.
        const until = reason !== undefined ? now : Math.max(now, sum(fired) > sweptFired ? Math.min(to, sweepsAt) : to)
        const step = yield* untilAnswered(clocks.step(id, { now, until, but: [...left] }))
        switch (step._tag) {
          case "Overdue": {
            for (const { mark, ownerId } of step.due) {
              // Work that an owner leaves though it was woken for it is not to be done now.
              if (woken.get(ownerId) === mark) left.add(ownerId)
              else actors.wake(ownerId, Wake.forDueWork)
              woken.set(ownerId, mark)
            }
            continue
          }
          case "Moved": {
            clock.standAt(step.at)
            fired = step.fired
            left.clear()
            woken.clear()
            yield* grantTicks(step)
            for (const ownerId of step.owners) actors.wake(ownerId, Wake.forDueWork)
            continue
          }
          case "NothingDue": {
            if (reason !== undefined) return yield* end(reason)
            if (now < until) yield* untilAnswered(clocks.moveTo(id, until))
            clock.standAt(until)
            if (until >= sweepsAt && sweptAt < until) yield* sweep
            else if (until >= to) return yield* end(begun.to === undefined ? "nothing_due" : "target")
          }
        }
      }
    })
})
