import { Deferred, Effect, Exit } from "effect"
import { Unavailable } from "./Unavailable.ts"

interface Asked<M> {
  /** It is done when nothing else is under way, and nothing starts before it is. */
  readonly atRest: boolean
  readonly perform: (memory: M) => Effect.Effect<void>
  readonly refuse: (error: Unavailable) => void
}

/** Requests that an actor does in its own work, where it knows its state: one after the other. */
export class AskedWork<M> {
  private readonly line: Array<Asked<M>> = []

  get isEmpty(): boolean {
    return this.line.length === 0
  }

  /** True if any waits until nothing else is under way. */
  get awaitsRest(): boolean {
    return this.line.some(({ atRest }) => atRest)
  }

  /** Puts work in line, and returns with what it came to. `onAsked` has the actor work. */
  ask<A, E>(
    work: (memory: M) => Effect.Effect<A, E>,
    options: { readonly atRest: boolean; readonly onAsked: () => void }
  ): Effect.Effect<A, E | Unavailable> {
    return Effect.suspend(() => {
      const answer = Deferred.makeUnsafe<A, E | Unavailable>()
      const asked: Asked<M> = {
        atRest: options.atRest,
        perform: (memory) => Effect.flatMap(Effect.exit(work(memory)), (exit) => Deferred.done(answer, exit)),
        refuse: (error) => Deferred.doneUnsafe(answer, Exit.fail(error))
      }
      this.line.push(asked)
      options.onAsked()
      return Effect.onInterrupt(Deferred.await(answer), () => Effect.sync(() => this.leave(asked)))
    })
  }

  /** Does what is in line, as far as it need not wait for what is under way. */
  perform(memory: M, isBusy: () => boolean): Effect.Effect<void> {
    return Effect.suspend(() => {
      // Work that is under way may wait for those behind.
      const next = this.line.find(({ atRest }) => !atRest || !isBusy())
      if (next === undefined) return Effect.void
      return Effect.andThen(
        next.perform(memory),
        Effect.suspend(() => {
          this.leave(next)
          return this.perform(memory, isBusy)
        })
      )
    })
  }

  /** Refuses all that is in line. */
  refuse(message: string): void {
    for (const { refuse } of this.line.splice(0)) refuse(new Unavailable({ message, retryAfterSeconds: 1 }))
  }

  private leave(asked: Asked<M>): void {
    const place = this.line.indexOf(asked)
    if (place >= 0) this.line.splice(place, 1)
  }
}
