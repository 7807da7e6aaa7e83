import { Effect, Latch, Schedule, type Scope } from "effect"
import * as Wake from "./Wake.ts"

/** What every actor answers to. */
export interface Wakeable {
  readonly hint: (wake: Wake.Wake) => void
  readonly wake: (wake: Wake.Wake) => Effect.Effect<void>
}

/**
 * An actor in this node's memory. Once woken it stays awake for a while, and is called and hinted at directly: through its
 * mailbox that costs more than most calls are about.
 */
export interface Resident<A> {
  /** Gives an actor that is awake a hint; answers whether it was. */
  readonly hint: (wake: Wake.Wake) => boolean
  /** A call to an actor that is awake, which stays until it is over; none where it is not. */
  readonly call: <B, E, R>(use: (actor: A) => Effect.Effect<B, E, R>) => Effect.Effect<B, E, R> | undefined
  /**
   * Wakes the actor and has it work whenever there is a hint, until there was none for a while or this is interrupted.
   * Returns at once where it is awake already.
   */
  readonly stay: (wake: Wake.Wake) => Effect.Effect<void>
}

/** The actors of one kind that are in this node's memory. */
export interface Residents<A> {
  /** Adds an actor for as long as the scope is open. */
  readonly add: (id: string, actor: A) => Effect.Effect<Resident<A>, never, Scope.Scope>
  readonly find: (id: string) => Resident<A> | undefined
}

const sweepInterval = "5 seconds"

/**
 * How many sweeps an actor that was not used rests for: a minute, or where there are so many of them that they would fill
 * the memory, some seconds.
 */
const sweepsOfRest = 12
const sweepsOfRestAmongMany = 1
const many = 1_000

interface Swept<A> extends Resident<A> {
  /** Has an actor that was not used for so many sweeps end its rest. */
  readonly sweep: (most: number) => void
}

const resident = <A extends Wakeable>(actor: A): Swept<A> => {
  const signal = Latch.makeUnsafe()
  const callsOver = Latch.makeUnsafe(true)
  let awake = false
  let sweepsUnused = 0
  let leaving = false
  let calls = 0

  const isLeaving = () => leaving

  const use = () => {
    sweepsUnused = 0
    leaving = false
  }

  const hint = (wake: Wake.Wake) => {
    if (!awake) return false
    use()
    actor.hint(wake)
    signal.openUnsafe()
    return true
  }

  const workAndRest = Effect.gen(function*() {
    do {
      signal.closeUnsafe()
      yield* actor.wake(Wake.nothing)
      yield* Effect.interruptible(signal.await)
    } while (!isLeaving())
    awake = false
  })

  return {
    hint,
    call: (f) => {
      if (!awake) return undefined
      use()
      return Effect.uninterruptibleMask((restore) => {
        calls += 1
        callsOver.closeUnsafe()
        return Effect.ensuring(
          restore(f(actor)),
          Effect.sync(() => {
            calls -= 1
            if (calls === 0) callsOver.openUnsafe()
          })
        )
      })
    },
    stay: (wake) =>
      Effect.suspend(() => {
        if (hint(wake)) return Effect.void
        awake = true
        hint(wake)
        return workAndRest.pipe(
          Effect.ensuring(Effect.suspend(() => {
            awake = false
            return callsOver.await
          })),
          Effect.uninterruptible
        )
      }),
    sweep: (most) => {
      if (sweepsUnused >= most && awake) {
        leaving = true
        signal.openUnsafe()
      }
      sweepsUnused += 1
    }
  }
}

export const make = Effect.fnUntraced(function*<A extends Wakeable>(): Effect.fn.Return<
  Residents<A>,
  never,
  Scope.Scope
> {
  const known = new Map<string, Swept<A>>()
  yield* Effect.sync(() => {
    const most = known.size > many ? sweepsOfRestAmongMany : sweepsOfRest
    for (const { sweep } of known.values()) sweep(most)
  }).pipe(
    Effect.schedule(Schedule.spaced(sweepInterval)),
    Effect.forkScoped
  )
  return {
    add: (id, actor) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          const added = resident(actor)
          known.set(id, added)
          return added
        }),
        (added) =>
          Effect.sync(() => {
            if (known.get(id) === added) known.delete(id)
          })
      ),
    find: (id) => known.get(id)
  }
})
