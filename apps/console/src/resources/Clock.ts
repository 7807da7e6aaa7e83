import { signal } from "@preact/signals"

/** The present time, in Unix milliseconds. It moves once a second while the page is seen. */
export const now = signal(Date.now())

const second = 1_000

export const start = (): void => {
  setInterval(() => {
    if (document.visibilityState === "visible") now.value = Date.now()
  }, second)
}
