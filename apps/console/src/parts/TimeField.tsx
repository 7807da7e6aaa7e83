const two = (value: number) => String(value).padStart(2, "0")

/** A time as a field of a form writes it, in the reader's zone. */
const written = (ms: number | undefined): string => {
  if (ms === undefined) return ""
  const date = new Date(ms)
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${
    two(date.getMinutes())
  }:${two(date.getSeconds())}`
}

/** A field for a time in the reader's zone; undefined if it is left empty. */
export const TimeField = ({ label, ms, onChange }: {
  readonly label: string
  readonly ms: number | undefined
  readonly onChange: (ms: number | undefined) => void
}) => (
  <label class="field is-time">
    <span>{label}</span>
    <input
      type="datetime-local"
      step={1}
      value={written(ms)}
      onChange={(event) => {
        const { value } = event.currentTarget
        const chosen = value === "" ? Number.NaN : new Date(value).getTime()
        onChange(Number.isNaN(chosen) ? undefined : chosen)
      }}
    />
  </label>
)
