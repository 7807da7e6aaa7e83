import { useSignal } from "@preact/signals"
import { FormDialog } from "./FormDialog.tsx"
import { Opens } from "./Opens.tsx"
import { TextField } from "./TextField.tsx"

const RenameDialog = ({ act, name, onClose }: {
  readonly name: string
  readonly act: (name: string) => Promise<unknown>
  readonly onClose: () => void
}) => {
  const text = useSignal(name)
  return (
    <FormDialog
      title="Rename"
      note="Its slug changes with its name, and the old slug stops working. Its id stays the same."
      name="Rename it"
      doing="Renaming …"
      failed="It was not renamed."
      act={async () => {
        await act(text.value.trim())
        onClose()
      }}
      onClose={onClose}
    >
      {() => <TextField label="Name" text={text} />}
    </FormDialog>
  )
}

/** Gives something another name. */
export const Rename = (props: { readonly name: string; readonly act: (name: string) => Promise<unknown> }) => (
  <Opens needs="write" what="rename" name="Rename …">
    {(close) => <RenameDialog {...props} onClose={close} />}
  </Opens>
)
