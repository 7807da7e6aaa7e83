import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { FormDialog, jsonFault } from "./FormDialog.tsx"
import { TextField } from "./TextField.tsx"

/** Asks for a JSON text and does something with it. */
export const JsonDialog = ({ act, children, label, text, ...dialog }: {
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
  return (
    <FormDialog {...dialog} faultOf={() => jsonFault(given.value)} act={() => act(given.value)} below={children}>
      {(isFaulty) => <TextField label={label} text={given} rows={6} isFaulty={isFaulty} />}
    </FormDialog>
  )
}
