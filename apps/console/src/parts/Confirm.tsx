import type { ComponentChildren } from "preact"
import { useDoing } from "../api/useDoing.ts"
import { Dialog } from "./Dialog.tsx"
import { Failed } from "./Failed.tsx"

/** Asks before an act that cannot be undone. If the act fails, the dialog says why. */
export const Confirm = ({ act, children, doing, failed, leave, name, onClose, title }: {
  readonly title: string
  /** The consequences of the act. */
  readonly children: ComponentChildren
  /** The texts of the buttons: to leave it, to do it, and while it is under way. */
  readonly leave: string
  readonly name: ComponentChildren
  readonly doing: string
  /** The message if it was not done. */
  readonly failed: string
  readonly act: () => Promise<unknown>
  /** Called when the act was done or left. */
  readonly onClose: () => void
}) => {
  const { failure, isUnderWay, start } = useDoing(act)
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      {failure.value === undefined ? null : <Failed what={failed} failure={failure.value} />}
      <div class="dialog-acts">
        <button type="button" class="quiet" onClick={onClose}>{leave}</button>
        <button
          type="button"
          class="danger"
          disabled={isUnderWay.value}
          onClick={async () => {
            if (await start()) onClose()
          }}
        >
          {isUnderWay.value ? doing : name}
        </button>
      </div>
    </Dialog>
  )
}
