import type { LoggedEvent } from "@headwater/domain/Event"
import { Cause, Effect, Latch, type Scope } from "effect"

/** The events that one commit appended. */
export interface CommittedEvents {
  readonly accountId: string
  readonly events: ReadonlyArray<LoggedEvent>
}

export type Batch = ReadonlyArray<CommittedEvents>

/** Tells of events as they are committed, in log order per emitter, once the owners of the commits have their answers. */
export class CommittedTopic {
  private readonly listeners = new Set<(batch: Batch) => void>()
  private readonly arrived = Latch.makeUnsafe(false)
  private untold: Array<Batch> = []

  /** True if every listener has heard of all that was committed. */
  get isTold(): boolean {
    return this.untold.length === 0
  }

  /** Has a listener hear of what is committed from now on, which holds up the thread as long as it listens. */
  listen(listener: (batch: Batch) => void): Effect.Effect<void, never, Scope.Scope> {
    return Effect.acquireRelease(
      Effect.sync(() => void this.listeners.add(listener)),
      () => Effect.sync(() => this.listeners.delete(listener))
    )
  }

  tell(batch: Batch): void {
    this.untold.push(batch)
    this.arrived.openUnsafe()
  }

  /** Tells the listeners, for as long as it runs. */
  readonly telling: Effect.Effect<never> = Effect.suspend(() => this.arrived.await).pipe(
    Effect.andThen(Effect.yieldNow),
    Effect.andThen(Effect.suspend(() => this.tellAll())),
    Effect.forever({ disableYield: true })
  )

  private tellAll(): Effect.Effect<void> {
    const defects: Array<unknown> = []
    for (const batch of this.untold) {
      for (const listener of this.listeners) {
        try {
          listener(batch)
        } catch (defect) {
          defects.push(defect)
        }
      }
    }
    this.untold = []
    this.arrived.closeUnsafe()
    return defects.length === 0 ? Effect.void : Effect.logError(
      "A listener did not hear of what was committed; a scan will find what is owed",
      Cause.die(defects[0])
    )
  }
}
