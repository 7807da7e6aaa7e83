import { type ReadonlySignal, useSignal } from "@preact/signals"
import { type Failure, failureOf } from "./Failure.ts"

export interface Doing {
  readonly isUnderWay: ReadonlySignal<boolean>
  readonly failure: ReadonlySignal<Failure | undefined>
  /** Does it, unless it is under way. Answers whether it was done. */
  readonly start: () => Promise<boolean>
}

/** An act that the server is asked for, once at a time, and the reason why it failed. */
export const useDoing = (act: () => Promise<unknown>): Doing => {
  const isUnderWay = useSignal(false)
  const failure = useSignal<Failure | undefined>(undefined)
  const start = async (): Promise<boolean> => {
    if (isUnderWay.value) return false
    isUnderWay.value = true
    failure.value = undefined
    try {
      await act()
      return true
    } catch (error) {
      failure.value = failureOf(error)
      return false
    } finally {
      isUnderWay.value = false
    }
  }
  return { isUnderWay, failure, start }
}
