/** What the harness holds the server to. */
export const invariants = {
  lost: "what was acknowledged is there, is run, and is delivered",
  reordered: "per emitter one order: readers see a prefix, runs and first attempts follow it",
  torn: "what one run did (emits, store, dedupe, usage, cursor) is there whole and once, or not at all",
  unjustified: "an event is sent again only where a fault came between, and with the same webhook-id and body",
  unbalanced: "each cursor's counts come to how far it has moved, and nothing is left of what was deleted",
  unavailable: "the server answers, or says 503, and comes back by itself"
} as const

export type Invariant = keyof typeof invariants

/** How many findings of one invariant are told in full. */
const told = 5

/** What broke. */
export interface Findings {
  readonly note: (invariant: Invariant, what: string, details?: Readonly<Record<string, unknown>>) => void
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
