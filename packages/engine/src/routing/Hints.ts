import { Effect, FiberSet, type Scope } from "effect"
import * as Wake from "../ground/Wake.ts"

/**
 * Sends actors hints, one at a time to each: hints that come meanwhile are merged, so that an actor that is slow to
 * start holds up no other and is sent no more than it has to hear.
 */
export const make = <E>(
  send: (actorId: string, hint: Wake.Wake) => Effect.Effect<void, E>
): Effect.Effect<(actorId: string, hint: Wake.Wake) => void, never, Scope.Scope> =>
  Effect.map(FiberSet.makeRuntime(), (run) => {
    /** The hint that waits for the one under way to the same actor, if any. */
    const underWay = new Map<string, Wake.Wake | undefined>()

    const sendAll = (actorId: string, hint: Wake.Wake): Effect.Effect<void> =>
      send(actorId, hint).pipe(
        // The next hint is to be sent even if this one failed, or its actor is leaving or broke.
        Effect.catchCause((cause) => Effect.logDebug("A hint was lost; a scan will find what is owed", cause)),
        Effect.andThen(Effect.suspend(() => {
          const next = underWay.get(actorId)
          if (next === undefined) {
            underWay.delete(actorId)
            return Effect.void
          }
          underWay.set(actorId, undefined)
          return sendAll(actorId, next)
        }))
      )

    return (actorId, hint) => {
      const isUnderWay = underWay.has(actorId)
      underWay.set(actorId, isUnderWay ? Wake.merge(underWay.get(actorId), hint) : undefined)
      if (!isUnderWay) run(sendAll(actorId, hint))
    }
  })
