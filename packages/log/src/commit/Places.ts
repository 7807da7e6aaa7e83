import { Effect } from "effect"

/** How much there is room for at a time. */
export interface Room {
  readonly count: number
  readonly bytes: number
}

/**
 * Room for so many at a time, and so many bytes of them. Whoever finds none waits, and the first to wait is let in first.
 * A place is taken at once and by whoever has to have one, which Effect's `Semaphore` is not made for.
 */
export interface Places {
  readonly isFull: () => boolean
  /** Takes a place, whether there is one or not. */
  readonly take: (bytes: number) => void
  readonly release: (bytes: number) => void
  /** Returns when there is a place, which whoever goes on takes at once. */
  readonly free: Effect.Effect<void>
}

export const make = (most: Room): Places => {
  const waiting = new Set<() => void>()
  let taken = 0
  let takenBytes = 0
  const isFull = () => taken >= most.count || takenBytes >= most.bytes
  return {
    isFull,
    take: (bytes) => {
      taken += 1
      takenBytes += bytes
    },
    release: (bytes) => {
      taken -= 1
      takenBytes -= bytes
      for (const letIn of waiting) {
        if (isFull()) return
        waiting.delete(letIn)
        // Goes on within this call, and has taken its place before the next one is asked.
        letIn()
      }
    },
    free: Effect.callback((resume) => {
      if (!isFull()) return resume(Effect.void)
      const letIn = () => resume(Effect.void)
      waiting.add(letIn)
      return Effect.sync(() => waiting.delete(letIn))
    })
  }
}
