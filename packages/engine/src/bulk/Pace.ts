/** The longest delay of a late timer that is made up for, in milliseconds. */
const mostBehindMs = 100

/** Spreads beginnings evenly over time. */
export class Pace {
  private next = 0

  /**
   * Takes the next turn.
   *
   * @param perSecond the most turns per second
   * @param now milliseconds as time elapses
   * @returns the time to wait for it, in milliseconds
   */
  take(perSecond: number, now: number): number {
    const at = Math.max(this.next, now - mostBehindMs)
    this.next = at + 1_000 / perSecond
    return Math.max(0, at - now)
  }
}
