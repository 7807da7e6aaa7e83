const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 })

/** A number with its thousands separated. */
export const count = (value: number): string => whole.format(value)

/** A number with the noun that it counts. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`

/** A number of bytes, as a reader says it. */
export const bytes = (value: number): string => {
  if (value < 1_000) return `${value} B`
  if (value < 1_000_000) return `${(value / 1_000).toFixed(value < 10_000 ? 1 : 0)} kB`
  return `${(value / 1_000_000).toFixed(value < 10_000_000 ? 1 : 0)} MB`
}

/** A duration in milliseconds, as a reader says it. */
export const duration = (ms: number): string => {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`
  return humanSeconds(ms / 1_000)
}

const units = [["d", 86_400], ["h", 3_600], ["min", 60], ["s", 1]] as const

/** Seconds in their one or two largest units: `2 h 5 min`. */
export const humanSeconds = (seconds: number): string => {
  const rounded = Math.max(0, Math.round(seconds))
  const first = units.findIndex(([, size]) => rounded >= size)
  if (first === -1) return "0 s"
  const [unit, size] = units[first]!
  const next = units[first + 1]
  const amount = Math.floor(rounded / size)
  const rest = next === undefined ? 0 : Math.floor((rounded % size) / next[1])
  return rest === 0 || next === undefined ? `${amount} ${unit}` : `${amount} ${unit} ${rest} ${next[0]}`
}
