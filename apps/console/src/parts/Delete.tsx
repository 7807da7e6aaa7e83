import type { ComponentChildren } from "preact"
import { Confirm } from "./Confirm.tsx"
import { Opens } from "./Opens.tsx"

/** A button that deletes something, after a confirmation that shows what else is lost. */
export const Delete = ({ act, children, id, what }: {
  /** The thing to delete, as in "the source". */
  readonly what: string
  /** Tells it from others that the page can delete. */
  readonly id?: string
  readonly act: () => Promise<void>
  /** A description of what is lost with it. */
  readonly children: ComponentChildren
}) => (
  <Opens needs="write" what={id === undefined ? "delete" : `delete ${id}`} kind="danger" name="Delete …">
    {(close) => (
      <Confirm
        title={`Delete ${what}?`}
        leave="Keep it"
        name="Delete for good"
        doing="Deleting …"
        failed="It was not deleted."
        act={act}
        onClose={close}
      >
        {children}
      </Confirm>
    )}
  </Opens>
)
