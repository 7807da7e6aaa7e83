import { Effect } from "effect"

/**
 * Places for so many at a time. Who finds none waits, and the first to wait is let in first. A place is taken at once and
 * by whoever has to have one, which Effect's `Semaphore` is not made for.
 */
export interface Places {
  readonly isFull: () => boolean
  /** Takes a place, whether there is one or not. */
  readonly take: () => void
  readonly release: (count: number) => void
  /** Returns when there is a place, which whoever goes on takes at once. */
  readonly free: Effect.Effect<void>
}

export const make = (most: number): Places => {
  const waiting = new Set<() => void>()
  let taken = 0
  const isFull = () => taken >= most
  return {
    isFull,
    take: () => {
      taken += 1
    },
    release: (count) => {
      taken -= count
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
