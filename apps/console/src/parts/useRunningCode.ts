import { type Signal, useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { failureOf } from "../api/Failure.ts"
import * as Trials from "../resources/Trials.ts"
import { tell } from "./Notices.tsx"

/** The code that runs, to compare with. */
export interface RunningCode {
  readonly isWanted: Signal<boolean>
  /** Undefined until it is wanted and read. */
  readonly code: string | undefined
}

/** @param version the version that runs; another one is read anew */
export const useRunningCode = (subject: Trials.Subject, version: string): RunningCode => {
  const isWanted = useSignal(false)
  const code = useSignal<string | undefined>(undefined)
  useEffect(() => {
    code.value = undefined
    if (!isWanted.value) return
    const abort = new AbortController()
    const read = async () => {
      try {
        code.value = (await Trials.deployed(subject, abort.signal)).code
      } catch (error) {
        if (abort.signal.aborted) return
        isWanted.value = false
        tell("failed", `The deployed code could not be read: ${failureOf(error).message}`)
      }
    }
    void read()
    return () => abort.abort()
  }, [isWanted.value, version])
  return { isWanted, code: code.value }
}
