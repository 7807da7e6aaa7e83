import { partsOf, timeOf } from "../Zone.ts"

/** A time as a field of a form writes it. */
const written = (ms: number | undefined): string => {
  if (ms === undefined) return ""
  const { clock, date } = partsOf(ms)
  return `${date}T${clock}`
}

/** A field for a time in the chosen zone; undefined if it is left empty. */
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
        const chosen = value === "" ? Number.NaN : timeOf(value)
        onChange(Number.isNaN(chosen) ? undefined : chosen)
      }}
    />
  </label>
)
