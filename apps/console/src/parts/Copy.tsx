import { tell } from "./Notices.tsx"

/** A button that copies a text. The text is made on demand. */
export const Copy = ({ label = "Copy", text, what }: {
  readonly text: () => string
  readonly what: string
  readonly label?: string
}) => {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text())
      tell("done", `Copied the ${what}.`)
    } catch {
      tell("failed", `The browser does not let the page copy the ${what}. It does over https and on this machine.`)
    }
  }
  return (
    <button
      type="button"
      class="quiet"
      aria-label={label === "Copy" ? `Copy the ${what}` : undefined}
      onClick={() => void copy()}
    >
      {label}
    </button>
  )
}
