import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { may } from "../api/Session.ts"
import { Confirm } from "./Confirm.tsx"

/** A button that deletes something, after a confirmation that shows what else is lost. */
export const Delete = ({ act, children, what }: {
  /** The thing to delete, as in "the source". */
  readonly what: string
  readonly act: () => Promise<void>
  /** A description of what is lost with it. */
  readonly children: ComponentChildren
}) => {
  const isAsked = useSignal(false)
  if (!may("write")) return null
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
          <Confirm
            title={`Delete ${what}?`}
            leave="Keep it"
            name="Delete for good"
            doing="Deleting …"
            failed="It is not deleted."
            act={act}
            onClose={() => {
              isAsked.value = false
            }}
          >
            {children}
          </Confirm>
        )
        : null}
    </>
  )
}
