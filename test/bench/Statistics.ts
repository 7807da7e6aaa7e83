/** Percentiles of some latencies in milliseconds. */
export interface Latency {
  readonly p50Ms: number
  readonly p99Ms: number
}

export const percentile = (samples: ReadonlyArray<number>, share: number): number => {
  if (samples.length === 0) return Number.NaN
  const sorted = samples.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)]!
}

export const median = (samples: ReadonlyArray<number>): number => {
  const sorted = samples.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  if (sorted.length === 0) return Number.NaN
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

export const latency = (samples: ReadonlyArray<number>): Latency => ({
  p50Ms: percentile(samples, 0.5),
  p99Ms: percentile(samples, 0.99)
})

/** The medians of the percentiles of several runs of the same. */
export const medianLatency = (latencies: ReadonlyArray<Latency>): Latency => ({
  p50Ms: median(latencies.map(({ p50Ms }) => p50Ms)),
  p99Ms: median(latencies.map(({ p99Ms }) => p99Ms))
})

/** To three digits, as a figure that is read; none where there is nothing to say. */
export const rounded = (value: number): number | null => Number.isFinite(value) ? Number(value.toPrecision(3)) : null
