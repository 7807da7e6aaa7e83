import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { type Failure, failureOf } from "../Failure.ts"
import { may } from "../Session.ts"
import { Dialog } from "./Dialog.tsx"
import { Failed } from "./Failed.tsx"

/** A button that deletes something, after the reader has seen what goes with it. */
export const Delete = ({ act, children, what }: {
  /** What it is, as in "the source". */
  readonly what: string
  readonly act: () => Promise<void>
  /** What goes with it. */
  readonly children: ComponentChildren
}) => {
  const isAsked = useSignal(false)
  const isUnderWay = useSignal(false)
  const failure = useSignal<Failure | undefined>(undefined)
  if (!may("write")) return null
  const close = () => {
    isAsked.value = false
    failure.value = undefined
  }
  const start = async () => {
    if (isUnderWay.value) return
    isUnderWay.value = true
    failure.value = undefined
    try {
      await act()
    } catch (error) {
      failure.value = failureOf(error)
    } finally {
      isUnderWay.value = false
    }
  }
  return (
    <>
      <button
        type="button"
        class="danger"
        onClick={() => {
          isAsked.value = true
        }}
      >
        Delete …
      </button>
      {isAsked.value
        ? (
          <Dialog title={`Delete ${what}?`} onClose={close}>
            {children}
            {failure.value === undefined ? null : <Failed what="It is not deleted." failure={failure.value} />}
            <div class="dialog-acts">
              <button type="button" class="quiet" onClick={close}>Keep it</button>
              <button type="button" class="danger" disabled={isUnderWay.value} onClick={() => void start()}>
                {isUnderWay.value ? "Deleting …" : "Delete for good"}
              </button>
            </div>
          </Dialog>
        )
        : null}
    </>
  )
}
