import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { may } from "../api/Session.ts"
import { placeOf } from "../code/CodePlace.ts"
import type { Remark } from "../code/Remark.ts"
import * as Trials from "../resources/Trials.ts"
import { harmless } from "./Harmless.ts"

/** The time without typing after which the code is checked, in milliseconds. */
const calmMs = 700

/** The server's findings on code, and the code. */
export interface CodeCheck {
  readonly code: string
  readonly checked: Trials.CheckedCode
}

/** The faults that name a place in the code. */
export const remarksOf = ({ checked, code }: CodeCheck): ReadonlyArray<Remark> =>
  checked.errors.flatMap((error) => {
    const place = placeOf(error)
    return place === undefined ? [] : [{ place, message: harmless(error.message), code }]
  })

/**
 * Checks code as a deployment does, a moment after each change. The newest findings stay until there are newer ones.
 *
 * @param isChanged false if the code runs already
 */
export const useCodeCheck = (subject: Trials.Subject, code: string, isChanged: boolean): CodeCheck | undefined => {
  const found = useSignal<CodeCheck | undefined>(undefined)
  useEffect(() => {
    if (!isChanged || !may("run")) {
      found.value = undefined
      return
    }
    const abort = new AbortController()
    const check = async () => {
      // A check that fails says nothing about the code; the next change begins another one.
      const checked = await Trials.check(subject, code, abort.signal).catch(() => undefined)
      if (checked !== undefined && !abort.signal.aborted) found.value = { code, checked }
    }
    const timer = setTimeout(() => void check(), calmMs)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [subject.id, code, isChanged])
  return found.value
}
