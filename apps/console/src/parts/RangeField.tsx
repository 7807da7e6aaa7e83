const minuteMs = 60_000

const ranges = [
  ["last 15 minutes", 15 * minuteMs],
  ["last hour", 60 * minuteMs],
  ["last 24 hours", 24 * 60 * minuteMs],
  ["last 7 days", 7 * 24 * 60 * minuteMs]
] as const

/** A choice of a time up to now, which sets where a list ends. Times that were set by hand are a range of their own. */
export const RangeField = ({ from, onChange, to }: {
  readonly from: number | undefined
  readonly to: number | undefined
  readonly onChange: (from: number | undefined) => void
}) => {
  const length = from === undefined ? undefined : Date.now() - from
  // It was chosen a while ago, and the list goes on meanwhile.
  const chosen = to !== undefined || length === undefined
    ? undefined
    : ranges.find(([, ms]) => length >= ms && length < ms + 10 * minuteMs)
  const isOwn = chosen === undefined && (from !== undefined || to !== undefined)
  return (
    <label class="field">
      <span>Time</span>
      <select
        value={chosen?.[0] ?? (isOwn ? "own" : "")}
        onChange={({ currentTarget: { value } }) => {
          const range = ranges.find(([name]) => name === value)
          if (value !== "own") onChange(range === undefined ? undefined : Date.now() - range[1])
        }}
      >
        <option value="">any time</option>
        {ranges.map(([name]) => <option key={name} value={name}>{name}</option>)}
        {isOwn ? <option value="own">custom</option> : null}
      </select>
    </label>
  )
}
