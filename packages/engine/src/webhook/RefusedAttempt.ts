import type { AttemptResult } from "./AttemptRecord.ts"

/** Tells, once it has returned, that nothing was sent. */
export const refuse = (result: AttemptResult, onResult: (result: AttemptResult) => void) => {
  let isCancelled = false
  queueMicrotask(() => {
    if (!isCancelled) onResult(result)
  })
  return {
    cancel: () => {
      isCancelled = true
    }
  }
}
