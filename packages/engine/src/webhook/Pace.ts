/** What may be made up for, in milliseconds, where a timer came late. */
const mostBehindMs = 100

/** Spreads what is begun evenly over time. */
export class Pace {
  private next = 0

  /**
   * Takes the next turn.
   *
   * @param perSecond how many there may be
   * @param now milliseconds as time elapses
   * @returns how long to wait for it, in milliseconds
   */
  take(perSecond: number, now: number): number {
    const at = Math.max(this.next, now - mostBehindMs)
    this.next = at + 1_000 / perSecond
    return Math.max(0, at - now)
  }
}
