/** A reader without input for this time may have left, in milliseconds. */
const absentMs = 15 * 60_000

let lastInputMs = Date.now()

const note = (): void => {
  lastInputMs = Date.now()
}

export const start = (): void => {
  for (const name of ["pointermove", "pointerdown", "keydown", "wheel", "touchmove"]) {
    addEventListener(name, note, { passive: true, capture: true })
  }
  document.addEventListener("visibilitychange", note)
}

/**
 * True if somebody looks at the page. The page sends requests by itself only then: otherwise the session of a reader
 * who has left would not end.
 */
export const isPresent = (): boolean => document.visibilityState === "visible" && Date.now() - lastInputMs < absentMs

/** Resolves once the page is seen or `abort` is aborted. */
export const whenSeen = (abort: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const look = () => {
      if (document.visibilityState !== "visible" && !abort.aborted) return
      document.removeEventListener("visibilitychange", look)
      resolve()
    }
    document.addEventListener("visibilitychange", look)
    abort.addEventListener("abort", look, { once: true })
    look()
  })

/** Aborts once nobody has seen the page for `ms` milliseconds or `abort` is aborted. */
export const untilUnseen = (ms: number, abort: AbortSignal): AbortSignal => {
  const unseen = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const look = () => {
    clearTimeout(timer)
    if (document.visibilityState !== "visible") timer = setTimeout(() => unseen.abort(), ms)
  }
  document.addEventListener("visibilitychange", look)
  const signal = AbortSignal.any([abort, unseen.signal])
  signal.addEventListener("abort", () => {
    clearTimeout(timer)
    document.removeEventListener("visibilitychange", look)
  }, { once: true })
  return signal
}
