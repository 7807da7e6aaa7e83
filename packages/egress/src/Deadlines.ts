/** Something that has to be over by a deadline. */
export interface Timed {
  /** Its time limit, in milliseconds. */
  readonly timeoutMillis: number
  /** The time by which it has to be over, in milliseconds. */
  readonly deadline: number
  /** Called if it is not over by then. */
  readonly expire: () => void
}

/**
 * The deadlines of many items, most of which are over long before. Items with equal time limits come in the order of
 * their deadlines, so nothing is sorted, and one timer is enough for all.
 */
export class Deadlines {
  private readonly byTimeout = new Map<number, Set<Timed>>()

  add(timed: Timed): void {
    const others = this.byTimeout.get(timed.timeoutMillis)
    if (others === undefined) this.byTimeout.set(timed.timeoutMillis, new Set([timed]))
    else others.add(timed)
  }

  remove(timed: Timed): void {
    this.byTimeout.get(timed.timeoutMillis)?.delete(timed)
  }

  /** The first of all deadlines, if there is any. */
  first(): number | undefined {
    let first: number | undefined
    for (const [timeoutMillis, all] of this.byTimeout) {
      const next = all.values().next().value
      if (next === undefined) this.byTimeout.delete(timeoutMillis)
      else if (first === undefined || next.deadline < first) first = next.deadline
    }
    return first
  }

  /** Expires the items whose time is over. */
  expire(now: number): void {
    for (const all of this.byTimeout.values()) {
      for (const timed of all) {
        if (timed.deadline > now) break
        all.delete(timed)
        timed.expire()
      }
    }
  }
}
