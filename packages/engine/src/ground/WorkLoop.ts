import { Effect, Latch } from "effect"

/**
 * - `resting`: there is nothing to do. `run` begins to work.
 * - `working`: it looks for something to do, does it, or waits for what is under way. It rests when there is nothing left.
 * - `signalled`: it works, and looks again before it rests or waits.
 *
 * Work that fails or is interrupted rests.
 */
type State = "resting" | "working" | "signalled"

/** One step of the work that an actor is woken for. */
export interface Work {
  /** Does something; answers whether there may be more to do at once. */
  readonly step: Effect.Effect<boolean>
  /** True if something is under way that signals when it ends. */
  readonly isBusy: () => boolean
  /** Waits for the commits under way; answers whether there may be more to do then. */
  readonly settle: Effect.Effect<boolean>
}

/** An actor's work: one fiber at a time does it, from when the actor is woken until there is nothing left. */
export class WorkLoop {
  private state: State = "resting"
  private readonly signalled = Latch.makeUnsafe(false)

  isResting(): boolean {
    return this.state === "resting"
  }

  /** There may be something to do: work under way looks again. */
  signal(): void {
    if (this.state === "resting") return
    this.state = "signalled"
    this.signalled.openUnsafe()
  }

  /** Works until there is nothing left. If it works already, it is signalled, and this returns at once. */
  run(work: Work): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.state !== "resting") {
        this.signal()
        return Effect.void
      }
      return Effect.onError(this.untilNothingIsLeft(work), () => Effect.sync(() => this.rest()))
    })
  }

  private untilNothingIsLeft(work: Work): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      do {
        this.beginToLook()
        if ((yield* work.step) || this.isSignalled()) continue
        if (work.isBusy()) {
          yield* this.signalled.await
          continue
        }
        if ((yield* work.settle) || this.isSignalled()) continue
        this.rest()
      } while (!this.isResting())
    })
  }

  private isSignalled(): boolean {
    return this.state === "signalled"
  }

  private beginToLook(): void {
    this.state = "working"
    this.signalled.closeUnsafe()
  }

  private rest(): void {
    this.state = "resting"
  }
}
