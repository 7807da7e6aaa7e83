const jitter = 0.2

/**
 * The latest that the attempt after a failed one is due by the schedule; undefined once that is used up.
 *
 * @param schedule the milliseconds after which each failed attempt is followed by another
 */
export const latestAttemptAt = (
  schedule: ReadonlyArray<number>,
  attempts: number,
  failedAt: number
): number | undefined => nextAttemptAt(schedule, attempts, failedAt, 1)

/**
 * The time at which the attempt after a failed one is due, spread by ±20 % so that endpoints which failed together do
 * not meet their retries together; undefined once the schedule is used up.
 *
 * @param random from 0 to 1
 */
export const nextAttemptAt = (
  schedule: ReadonlyArray<number>,
  attempts: number,
  failedAt: number,
  random: number
): number | undefined => {
  const delay = schedule[attempts - 1]
  return delay === undefined ? undefined : Math.round(failedAt + delay * (1 - jitter + 2 * jitter * random))
}
