const seconds = 1_000
const minutes = 60 * seconds
const hours = 60 * minutes

/** How long after each failed attempt the next one is due, in milliseconds (delivery.md, "The answer"). */
export const delays: ReadonlyArray<number> = [
  5 * seconds,
  5 * minutes,
  30 * minutes,
  2 * hours,
  5 * hours,
  10 * hours,
  14 * hours,
  20 * hours,
  24 * hours
]

const jitter = 0.2

/** The latest that the attempt after a failed one is due by the schedule; undefined once that is used up. */
export const latestAttemptAt = (attempts: number, failedAt: number): number | undefined =>
  nextAttemptAt(attempts, failedAt, 1)

/**
 * When the attempt after a failed one is due, spread by ±20 % so that endpoints which failed together do not meet their
 * retries together; undefined once the schedule is used up.
 *
 * @param random from 0 to 1
 */
export const nextAttemptAt = (attempts: number, failedAt: number, random: number): number | undefined => {
  const delay = delays[attempts - 1]
  return delay === undefined ? undefined : Math.round(failedAt + delay * (1 - jitter + 2 * jitter * random))
}
