import type { Signal } from "@preact/signals"

/** A field for a text in a form. */
export const TextField = ({ isFaulty = false, label, placeholder = "", rows, text }: {
  readonly label: string
  readonly text: Signal<string>
  readonly placeholder?: string
  /** Lines of a field for a text of several, which may be left empty. */
  readonly rows?: number
  readonly isFaulty?: boolean
}) => {
  const take = (event: { readonly currentTarget: { readonly value: string } }) => {
    text.value = event.currentTarget.value
  }
  const common = { spellcheck: false, placeholder, value: text.value, "aria-invalid": isFaulty, onInput: take }
  return (
    <label class="field">
      <span>{label}</span>
      {rows === undefined ? <input type="text" required {...common} /> : <textarea rows={rows} {...common} />}
    </label>
  )
}
