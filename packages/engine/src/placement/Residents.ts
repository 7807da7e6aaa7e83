import * as Recurring from "@headwater/domain/Recurring"
import { Effect, Fiber, Latch, Scope } from "effect"
import * as Wake from "../ground/Wake.ts"

/** The part that all actors have in common. */
export interface Wakeable {
  /** Takes a hint in. Answers true if it has dealt with it already: then it need not be woken. */
  readonly hint: (wake: Wake.Wake) => boolean | void
  readonly wake: (wake: Wake.Wake) => Effect.Effect<void>
  /** True while it waits for its turn, or for an answer, and is to stay though there is nothing to wake it for. */
  readonly awaitsTurn?: () => boolean
}

/** A call to an actor. */
export interface Call<A> {
  readonly actor: A
  /** Says once that the call is over. */
  readonly end: () => void
}

/**
 * An actor in this node's memory. Once woken it stays awake for a while, and is called and hinted at directly: the way
 * through its mailbox costs more than the work of most calls.
 */
export interface Resident<A> {
  /** Gives an actor that is awake a hint; answers whether it was. */
  readonly hint: (wake: Wake.Wake) => boolean
  /** Begins a call to an actor that is awake, which stays until the call is said to be over; undefined if it is not. */
  readonly enter: () => Call<A> | undefined
  /**
   * Wakes the actor and has it work whenever there is a hint, until there was none for a while. Returns at once if it
   * is awake already. Interrupted, the actor leaves: it is called and hinted at no more, and work under way ends first.
   */
  readonly stay: (wake: Wake.Wake) => Effect.Effect<void>
}

/** The actors of one kind that are in this node's memory. */
export interface Residents<A> {
  /** Adds an actor for as long as the scope is open. */
  readonly add: (
    id: string,
    actor: A,
    /** Has the actor take on nothing new any more. */
    drain: Effect.Effect<void>
  ) => Effect.Effect<Resident<A>, never, Scope.Scope>
  readonly find: (id: string) => Resident<A> | undefined
  readonly size: () => number
  /** True if none of them works, is called, or waits for an answer or its turn. */
  readonly areQuiet: () => boolean
}

const sweepInterval = "1 second"

/**
 * The sweeps for which an actor that was not used rests: a minute's, or some seconds' if there are so many actors that
 * they would fill the memory.
 */
const longRest = 60
const shortRest = 3
const many = 1_000

/**
 * An actor that comes back within so many sweeps of its leaving is in regular use, and rests long among many too: it
 * takes milliseconds to bring one into memory.
 */
const sweepsAway = 10

/** Once this share of the places is taken, all rest for seconds only: else those in regular use keep others out. */
const nearlyFull = 0.8

/** The actors of all kinds in a node's memory. */
export interface Population {
  size: number
  /** The most actors that there may be. */
  readonly most: number
}

interface Kept<A> extends Resident<A> {
  /** Has an actor that was not used for long enough end its rest. */
  readonly sweep: () => void
  /** Has the actor take on nothing more. */
  readonly leave: Effect.Effect<void>
  readonly isQuiet: () => boolean
}

/** @param sweepsOfRest the number of sweeps without use for which it rests */
const resident = <A extends Wakeable>(
  actor: A,
  drain: Effect.Effect<void>,
  sweepsOfRest: () => number
): Kept<A> => {
  const signal = Latch.makeUnsafe()
  const callsOver = Latch.makeUnsafe(true)
  let awake = false
  let sweepsUnused = 0
  let isRestOver = false
  let left = false
  let calls = 0
  /** It has nothing to do until it is signalled. */
  let waits = true

  const use = () => {
    sweepsUnused = 0
    isRestOver = false
  }

  const hint = (wake: Wake.Wake) => {
    if (!awake) return false
    use()
    if (actor.hint(wake) === true) return true
    waits = false
    signal.openUnsafe()
    return true
  }

  /** Decided and noted at once, so that no hint is taken by an actor that is not going to look. */
  const stops = (): boolean => {
    if (!left && (!isRestOver || actor.awaitsTurn?.() === true)) return false
    awake = false
    return true
  }

  const call: Call<A> = {
    actor,
    end: () => {
      calls -= 1
      if (calls === 0) callsOver.openUnsafe()
    }
  }

  const workAndRest = Effect.gen(function*() {
    do {
      signal.closeUnsafe()
      waits = false
      yield* actor.wake(Wake.nothing)
      waits = !signal.isOpen()
      if (!left) yield* signal.await
    } while (!stops())
    // Work that it does without being woken for it ends first.
    if (left && actor.awaitsTurn?.() === true) yield* actor.wake(Wake.nothing)
  }).pipe(
    Effect.ensuring(Effect.suspend(() => {
      awake = false
      waits = true
      return callsOver.await
    }))
  )

  const leave = Effect.suspend(() => {
    awake = false
    left = true
    signal.openUnsafe()
    return drain
  })

  return {
    hint,
    leave,
    isQuiet: () => waits && calls === 0 && actor.awaitsTurn?.() !== true,
    enter: () => {
      if (!awake) return undefined
      use()
      calls += 1
      callsOver.closeUnsafe()
      return call
    },
    stay: (wake) =>
      Effect.suspend(() => {
        if (left || hint(wake)) return Effect.void
        awake = true
        hint(wake)
        // In a fiber of its own, since one that may not be interrupted does not learn that it should be.
        return Effect.uninterruptibleMask((restore) =>
          Effect.flatMap(Effect.forkChild(workAndRest, { uninterruptible: true }), (staying) =>
            restore(Fiber.join(staying)).pipe(
              Effect.onInterrupt(() =>
                Effect.andThen(leave, Fiber.join(staying))
              )
            ))
        )
      }),
    sweep: () => {
      if (sweepsUnused >= sweepsOfRest() && awake && actor.awaitsTurn?.() !== true) {
        isRestOver = true
        signal.openUnsafe()
      }
      sweepsUnused += 1
    }
  }
}

export const make = Effect.fnUntraced(function*<A extends Wakeable>(population: Population): Effect.fn.Return<
  Residents<A>,
  never,
  Scope.Scope
> {
  const known = new Map<string, Kept<A>>()
  /** The sweeps at which actors left that are not in memory, the first to leave first. */
  const leftAt = new Map<string, number>()
  let sweeps = 0
  const sweep = Effect.sync(() => {
    for (const { sweep } of known.values()) sweep()
    sweeps += 1
    for (const [id, at] of leftAt) {
      if (sweeps - at <= sweepsAway) break
      leftAt.delete(id)
    }
  })
  yield* Recurring.every("send off actors that rest", sweepInterval, sweep)
  return {
    add: (id, actor, drain) =>
      Effect.uninterruptible(Effect.flatMap(Effect.scope, (scope) => {
        const isRegular = leftAt.delete(id)
        const added = resident(actor, drain, () => {
          if (population.size > population.most * nearlyFull) return shortRest
          return population.size > many && !isRegular ? shortRest : longRest
        })
        known.set(id, added)
        population.size += 1
        const remove = Effect.suspend(() => {
          population.size -= 1
          if (known.get(id) === added) {
            known.delete(id)
            leftAt.set(id, sweeps)
          }
          return added.leave
        })
        return Effect.as(Scope.addFinalizer(scope, remove), added)
      })),
    find: (id) => known.get(id),
    size: () => known.size,
    areQuiet: () => {
      for (const { isQuiet } of known.values()) if (!isQuiet()) return false
      return true
    }
  }
})
