import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useDoing } from "../api/useDoing.ts"
import { Dialog } from "./Dialog.tsx"
import { Failed } from "./Failed.tsx"

/** Asks for something and does it. The dialog stays open until it is closed, which the act may do. */
export const FormDialog = ({ act, children, doing, failed, faultOf, name, note, onClose, title, below }: {
  readonly title: string
  readonly note: string
  /** The fields. They are faulty if they hold what can't be sent. */
  readonly children: (isFaulty: boolean) => ComponentChildren
  /** The reason why what is in the fields can't be sent, if there is one. */
  readonly faultOf?: () => string | undefined
  /** The text of the button, and its text while the act is under way. */
  readonly name: string
  readonly doing: string
  /** The message about a failure. */
  readonly failed: string
  readonly act: () => Promise<unknown>
  readonly onClose: () => void
  /** Stands below the fields: the result of the act, or another act. */
  readonly below?: ComponentChildren
}) => {
  const fault = useSignal<string | undefined>(undefined)
  const { failure, isUnderWay, start } = useDoing(act)
  const submit = (event: Event) => {
    event.preventDefault()
    fault.value = faultOf?.()
    if (fault.value === undefined) void start()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        <p class="note">{note}</p>
        {children(fault.value !== undefined)}
        {fault.value === undefined ? null : <p class="fault" role="alert">{fault.value}</p>}
        {failure.value === undefined ? null : <Failed what={failed} failure={failure.value} />}
        {below}
        <div class="dialog-acts">
          <button type="button" class="quiet" onClick={onClose}>Close</button>
          <button type="submit" class="main" disabled={isUnderWay.value}>{isUnderWay.value ? doing : name}</button>
        </div>
      </form>
    </Dialog>
  )
}

/** The reason why a text is not JSON, if it is not. */
export const jsonFault = (text: string): string | undefined => {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return `This is not JSON: ${error instanceof Error ? error.message : String(error)}`
  }
}
