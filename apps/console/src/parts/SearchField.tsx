import { useEffect, useRef } from "preact/hooks"

/** The pause in typing after which a search takes the text, in milliseconds. */
const restMs = 350

/** A field for a text that narrows a list. */
export const SearchField = ({ label, onChange, placeholder, text }: {
  readonly label: string
  readonly text: string
  readonly placeholder?: string
  readonly onChange: (text: string) => void
}) => {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  return (
    <label class="field is-wide">
      <span>{label}</span>
      <input
        type="search"
        spellcheck={false}
        value={text}
        maxLength={200}
        placeholder={placeholder ?? ""}
        onInput={(event) => {
          const { value } = event.currentTarget
          clearTimeout(timer.current)
          timer.current = setTimeout(() => onChange(value), restMs)
        }}
      />
    </label>
  )
}
