import { Effect, Latch } from "effect"

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
 * their deadlines, so nothing is sorted, and one fiber is enough for all: it sleeps until the first deadline, and longer if
 * there is none.
 */
export class Deadlines {
  private readonly now: () => number
  private readonly byTimeout = new Map<number, Set<Timed>>()
  private readonly isSooner = Latch.makeUnsafe()
  /** The time of the next look. */
  private looksAt = Number.POSITIVE_INFINITY

  private constructor(now: () => number) {
    this.now = now
  }

  /** Expires what is added, for as long as the scope lasts. `now` is a monotonic time in milliseconds. */
  static readonly make = Effect.fnUntraced(function*(now: () => number) {
    const deadlines = new Deadlines(now)
    yield* Effect.forkScoped(Effect.forever(deadlines.look))
    return deadlines
  })

  add(timed: Timed): void {
    const others = this.byTimeout.get(timed.timeoutMillis)
    if (others === undefined) this.byTimeout.set(timed.timeoutMillis, new Set([timed]))
    else others.add(timed)
    if (timed.deadline < this.looksAt) this.isSooner.openUnsafe()
  }

  remove(timed: Timed): void {
    this.byTimeout.get(timed.timeoutMillis)?.delete(timed)
  }

  private readonly look = Effect.suspend(() => {
    this.expire(this.now())
    this.looksAt = this.first()
    this.isSooner.closeUnsafe()
    const ms = this.looksAt - this.now()
    return Effect.race(
      ms === Number.POSITIVE_INFINITY ? Effect.never : Effect.sleep(Math.ceil(ms)),
      this.isSooner.await
    )
  })

  /** The first of all deadlines; infinity if there is none. */
  private first(): number {
    let first = Number.POSITIVE_INFINITY
    for (const [timeoutMillis, all] of this.byTimeout) {
      const next = all.values().next().value
      if (next === undefined) this.byTimeout.delete(timeoutMillis)
      else first = Math.min(first, next.deadline)
    }
    return first
  }

  private expire(now: number): void {
    for (const all of this.byTimeout.values()) {
      for (const timed of all) {
        if (timed.deadline > now) break
        all.delete(timed)
        timed.expire()
      }
    }
  }
}
