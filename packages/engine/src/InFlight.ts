import type { Submission } from "@headwater/log/Submission"
import { Effect, Latch } from "effect"

/** Commits that are under way while their actor goes on. */
export interface InFlight<E> {
  /**
   * Hands a commit over, and waits with that where as many as may be are under way. `submit` says when it is in line, so
   * that it counts whatever becomes of the caller.
   */
  readonly start: (
    submit: (inLine: (submission: Submission<E>) => void) => Effect.Effect<Submission<E>>
  ) => Effect.Effect<Submission<E>>
  /** Returns when everything that is under way now has ended. */
  readonly settled: Effect.Effect<void>
}

const most = 64

export const make = <E>(): InFlight<E> => {
  const underWay = new Set<Submission<E>>()
  const mayStart = Latch.makeUnsafe(true)
  /** Those that are being handed over count as well. */
  let starting = 0

  const isFull = () => underWay.size + starting >= most

  const note = (submission: Submission<E>) => {
    underWay.add(submission)
    submission.onEnd(() => {
      underWay.delete(submission)
      mayStart.openUnsafe()
    })
  }

  const start: InFlight<E>["start"] = (submit) =>
    Effect.suspend(() => {
      if (isFull()) {
        mayStart.closeUnsafe()
        return Effect.andThen(mayStart.await, start(submit))
      }
      starting += 1
      return Effect.ensuring(
        submit(note),
        Effect.sync(() => {
          starting -= 1
          if (!isFull()) mayStart.openUnsafe()
        })
      )
    })

  return {
    start,
    settled: Effect.suspend(() =>
      underWay.size === 0
        ? Effect.void
        : Effect.forEach([...underWay], (submission) => Effect.exit(submission.durable), { discard: true })
    )
  }
}
