import { Effect, type Exit } from "effect"

/**
 * A commit in line. It has no fiber of its own: there are some for each event, and most of those who hand one over do
 * not wait for it.
 */
export interface Submission<E> {
  /** What the commit takes in memory, roughly; known once it is in line. */
  readonly bytes: number
  /** Returns when the commit is durable. To stop waiting does not take it back. */
  readonly durable: Effect.Effect<void, E>
  /** Calls back once, when the commit is durable or has failed, in the order in which commits end. */
  readonly onEnd: (observer: (exit: Exit.Exit<void, E>) => void) => void
}

/** A submission that has yet to be given its size, and how to end it. */
export const make = <E>(): {
  readonly submission: Submission<E> & { bytes: number }
  readonly end: (exit: Exit.Exit<void, E>) => void
} => {
  let ended: Exit.Exit<void, E> | undefined
  const observers: Array<(exit: Exit.Exit<void, E>) => void> = []
  const onEnd: Submission<E>["onEnd"] = (observer) => {
    if (ended === undefined) observers.push(observer)
    else observer(ended)
  }
  return {
    submission: {
      bytes: 0,
      onEnd,
      durable: Effect.suspend(() => ended ?? Effect.callback<void, E>((resume) => onEnd(resume)))
    },
    end: (exit) => {
      if (ended !== undefined) return
      ended = exit
      for (const observer of observers) observer(exit)
    }
  }
}
