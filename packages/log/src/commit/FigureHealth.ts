import { latencyBounds } from "./FigureCounts.ts"

const hourMs = 3_600_000

/** The times before now that health is told of, in milliseconds, the shortest first. */
export const spansMs = [hourMs, 24 * hourMs, 7 * 24 * hourMs] as const

/** The fewest runs or attempts whose rate says anything. */
export const enough = 5

/** The outcomes of the runs or attempts of a subject in a span. */
export interface SpanHealth {
  readonly done: number
  readonly failed: number
  /** The numbers of attempts by their duration, in buckets (`latencyBounds`). */
  readonly latencies: ReadonlyArray<number>
}

export interface Health {
  /** As `spansMs`: each holds those before it. */
  readonly spans: ReadonlyArray<SpanHealth>
  /** The beginning of the last minute, or hour where minutes are no longer kept, in which something succeeded. */
  readonly lastSuccessAt: number | null
}

export const unknown: Health = {
  spans: spansMs.map(() => ({ done: 0, failed: 0, latencies: [] })),
  lastSuccessAt: null
}

/** True if most runs or attempts fail. */
export const mostFail = ({ done, failed }: Pick<SpanHealth, "done" | "failed">): boolean => 2 * failed > done

/** True if most fail in the shortest span that has enough of them, else in the longest. */
export const isFailing = ({ spans }: Health): boolean =>
  mostFail(spans.find(({ done }) => done >= enough) ?? spans.at(-1)!)

const sum = (numbers: Iterable<number>): number => {
  let all = 0
  for (const number of numbers) all += number
  return all
}

/** The milliseconds within which a share of attempts ended, as if each bucket's were spread evenly over it. */
export const within = (share: number, latencies: ReadonlyArray<number>): number | null => {
  const all = sum(latencies)
  if (all === 0) return null
  let left = share * all
  for (const [bucket, count] of latencies.entries()) {
    if (count > 0 && left <= count) {
      const from = latencyBounds[bucket - 1] ?? 0
      const to = latencyBounds[bucket] ?? from
      return Math.round((from + (to - from) * left / count) * 10) / 10
    }
    left -= count
  }
  return latencyBounds.at(-1)!
}
