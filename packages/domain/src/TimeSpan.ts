/** Spans of time as people write them. */

const unitMs: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 }

/** The forms of a span of time. */
export const form = "a duration such as 90s, 30m or 12h"

/** The milliseconds of a text such as `250ms`, `90s`, `30m`, `12h` or `7d`; undefined if it is none, or too long to count. */
export const msOf = (text: string): number | undefined => {
  const [, amount, unit] = /^(\d+)(ms|[smhd])$/.exec(text) ?? []
  const ms = amount === undefined ? Number.NaN : Number(amount) * unitMs[unit!]!
  return Number.isSafeInteger(ms) ? ms : undefined
}

/** The same, where a number without a unit is of milliseconds. */
export const msOrAmountOf = (text: string): number | undefined => msOf(/^\d+$/.test(text) ? `${text}ms` : text)

/** The shortest text that `msOf` reads as so many milliseconds. */
export const textOf = (ms: number): string => {
  const [unit, size] = Object.entries(unitMs).find(([, size]) => ms >= size && ms % size === 0) ?? ["s", 1_000]
  return `${ms / size}${unit}`
}
