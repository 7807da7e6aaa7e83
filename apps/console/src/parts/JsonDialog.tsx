import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { FormDialog, jsonFault } from "./FormDialog.tsx"

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
      {(isFaulty) => (
        <label class="field">
          <span>{label}</span>
          <textarea
            rows={6}
            spellcheck={false}
            aria-invalid={isFaulty}
            value={given.value}
            onInput={(event) => {
              given.value = event.currentTarget.value
            }}
          />
        </label>
      )}
    </FormDialog>
  )
}
