import { signal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { Dialog } from "./Dialog.tsx"
import { Palette } from "./Palette.tsx"

const opened = signal<"palette" | "keys" | undefined>(undefined)

const close = () => {
  opened.value = undefined
}

/** Opens what finds anything. */
export const openPalette = (): void => {
  opened.value = "palette"
}

export const openKeys = (): void => {
  opened.value = "keys"
}

const keys: ReadonlyArray<readonly [keys: ReadonlyArray<string>, meaning: string]> = [
  [["Ctrl K", "⌘ K"], "find anything, and act on it"],
  [["?"], "these keys"],
  [["Escape"], "close a dialog or a side panel"],
  [["Tab"], "go to the next control; in the editor, press Escape first"],
  [["↑", "↓", "Page ↑", "Page ↓", "Home", "End"], "move through a list"],
  [["Enter"], "open the selected row of a list"],
  [["←", "→"], "read the steps of a chart"],
  [["←", "→", "↑", "↓", "+", "−", "0"], "move and zoom the graph, and show all of it"],
  [["Ctrl S", "⌘ S"], "deploy the code in the editor, or check new code"]
]

const Keys = () => (
  <Dialog title="Keyboard" onClose={close}>
    <dl class="facts keys">
      {keys.map(([names, meaning]) => [
        <dt key={meaning}>{names.map((name) => <kbd key={name}>{name}</kbd>)}</dt>,
        <dd key={`${meaning} itself`}>{meaning}</dd>
      ])}
    </dl>
    <div class="dialog-acts">
      <button type="button" class="quiet" onClick={close}>Close</button>
    </div>
  </Dialog>
)

/** True if a character that is typed there is a part of a text. */
const takesText = (target: EventTarget | undefined): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches("input, textarea, select, [role=textbox]"))

/** The keys that the console takes everywhere, and what they open. */
export const Keyboard = () => {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") {
        event.preventDefault()
        event.stopPropagation()
        openPalette()
      } else if (event.key === "?" && !event.ctrlKey && !event.metaKey && !takesText(event.composedPath()[0])) {
        event.preventDefault()
        openKeys()
      }
    }
    document.addEventListener("keydown", press, { capture: true })
    return () => {
      document.removeEventListener("keydown", press, { capture: true })
      close()
    }
  }, [])
  return opened.value === "palette"
    ? <Palette onClose={close} />
    : opened.value === "keys"
    ? <Keys />
    : null
}
