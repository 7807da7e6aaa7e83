import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { type Failure, failureOf } from "../api/Failure.ts"
import { Dialog } from "./Dialog.tsx"
import { Failed } from "./Failed.tsx"

/** Asks for a JSON text and does something with it. */
export const JsonDialog = ({ act, children, doing, failed, label, name, note, onClose, text, title }: {
  readonly title: string
  readonly note: string
  readonly label: string
  /** The initial text. */
  readonly text: string
  /** The text of the button, and its text while the act is under way. */
  readonly name: string
  readonly doing: string
  /** The message about a failure. */
  readonly failed: string
  readonly act: (text: string) => Promise<void>
  readonly onClose: () => void
  /** The result of the act. */
  readonly children?: ComponentChildren
}) => {
  const given = useSignal(text)
  const fault = useSignal<string | undefined>(undefined)
  const failure = useSignal<Failure | undefined>(undefined)
  const isUnderWay = useSignal(false)
  const start = async (event: Event) => {
    event.preventDefault()
    if (isUnderWay.value) return
    fault.value = undefined
    failure.value = undefined
    try {
      JSON.parse(given.value)
    } catch (error) {
      fault.value = `This is not JSON: ${error instanceof Error ? error.message : String(error)}`
      return
    }
    isUnderWay.value = true
    try {
      await act(given.value)
    } catch (error) {
      failure.value = failureOf(error)
    } finally {
      isUnderWay.value = false
    }
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={(event) => void start(event)}>
        <p class="note">{note}</p>
        <label class="field">
          <span>{label}</span>
          <textarea
            rows={6}
            spellcheck={false}
            aria-invalid={fault.value !== undefined}
            value={given.value}
            onInput={(event) => {
              given.value = event.currentTarget.value
            }}
          />
        </label>
        {fault.value === undefined ? null : <p class="fault" role="alert">{fault.value}</p>}
        {failure.value === undefined ? null : <Failed what={failed} failure={failure.value} />}
        {children}
        <div class="dialog-acts">
          <button type="button" class="quiet" onClick={onClose}>Close</button>
          <button type="submit" class="main" disabled={isUnderWay.value}>{isUnderWay.value ? doing : name}</button>
        </div>
      </form>
    </Dialog>
  )
}
