/** When faults were, in Unix milliseconds: what may be sent twice is told from what may not by it. */
export interface FaultTimes {
  /** A fault begins. */
  readonly begin: () => void
  /** The server serves again. */
  readonly end: () => void
  /** Whether the server was in trouble at any time from one moment to another. */
  readonly between: (from: number, to: number) => boolean
}

/** How long after it answers again a server may still be finding out what became of its commits. */
const aftermathMs = 2_000

/** How many are remembered; what lies behind them is settled. */
const kept = 200

export const make = (): FaultTimes => {
  const faults: Array<{ from: number; to: number }> = []
  return {
    begin: () => {
      faults.push({ from: Date.now(), to: Infinity })
      if (faults.length > kept) faults.shift()
    },
    end: () => {
      for (const fault of faults) {
        if (fault.to === Infinity) fault.to = Date.now() + aftermathMs
      }
    },
    between: (from, to) => faults.some((fault) => fault.from <= to && fault.to >= from)
  }
}
