import type { Invariant, Note } from "../Invariants.ts"

/** How many findings of one invariant are told in full. */
const told = 5

/** What broke. */
export interface Findings {
  readonly note: Note
  readonly count: (invariant: Invariant) => number
  readonly total: () => number
  /** A line for each, the first of each invariant. */
  readonly lines: () => ReadonlyArray<string>
}

const text = (value: unknown): string =>
  JSON.stringify(value, (_, inner) => typeof inner === "bigint" ? String(inner) : inner)

export const make = (): Findings => {
  const counts = new Map<Invariant, number>()
  const lines: Array<string> = []
  const count = (invariant: Invariant) => counts.get(invariant) ?? 0
  return {
    note: (invariant, what, details = {}) => {
      counts.set(invariant, count(invariant) + 1)
      if (count(invariant) > told) return
      const at = new Date().toISOString()
      lines.push(`${at} ${invariant}: ${what}${Object.keys(details).length === 0 ? "" : ` ${text(details)}`}`)
    },
    count,
    total: () => [...counts.values()].reduce((sum, value) => sum + value, 0),
    lines: () => lines
  }
}
