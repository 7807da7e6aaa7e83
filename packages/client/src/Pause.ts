/** The longest time of a timer: one of a longer time ends at once. */
const longestMs = 2 ** 31 - 1

/** Waits, unless a signal ends it, whose reason it rejects with. */
export const pause = (milliseconds: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort)
      resolve()
    }, Math.min(milliseconds, longestMs))
    if (signal?.aborted) abort()
    else signal?.addEventListener("abort", abort, { once: true })
  })
