import type { Submission } from "@headwater/log/Submission"
import { Effect, Latch } from "effect"

/** Commits that are under way while their actor goes on. */
export interface InFlight<E> {
  /** Hands a commit over. Waits where as many as may be are under way. */
  readonly start: (submit: Effect.Effect<Submission<E>>) => Effect.Effect<Submission<E>>
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

  const start: InFlight<E>["start"] = (submit) =>
    Effect.suspend(() => {
      if (isFull()) {
        mayStart.closeUnsafe()
        return Effect.andThen(mayStart.await, start(submit))
      }
      starting += 1
      return Effect.map(submit, (submission) => {
        underWay.add(submission)
        submission.onEnd(() => {
          underWay.delete(submission)
          mayStart.openUnsafe()
        })
        return submission
      }).pipe(Effect.ensuring(Effect.sync(() => {
        starting -= 1
        if (!isFull()) mayStart.openUnsafe()
      })))
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
