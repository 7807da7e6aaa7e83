import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"

/** The pause in typing after which a text is taken, in milliseconds. */
const restMs = 400

/** A text once it has rested: what is typed meanwhile is left out. */
export const useRested = (text: string): string => {
  const rested = useSignal(text)
  useEffect(() => {
    const timer = setTimeout(() => {
      rested.value = text
    }, restMs)
    return () => clearTimeout(timer)
  }, [text])
  return rested.value
}
