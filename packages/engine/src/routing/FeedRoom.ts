import type { Limits } from "../ground/EngineLimits.ts"

/** A holder of events in memory, which can read them again. */
export interface Holder {
  readonly letGo: () => void
}

interface Holding {
  characters: number
  /** The time at which it took in the last of them, in Unix milliseconds. */
  at: number
}

/**
 * The room that a node has for events in front of cursors, all of them together: however many emitters are behind,
 * memory is bounded. If there is no more, the holder that took something in longest ago lets go of all it holds and
 * reads it again when it is its turn.
 */
export class FeedRoom {
  /** The most that one feed holds. */
  readonly ofFeed: Limits["feed"]
  /** The most that one feed reads at a time. */
  readonly page: Limits["feedPage"]
  private readonly most: number
  private held = 0
  /** The holder that took something in last comes last. */
  private readonly holdings = new Map<Holder, Holding>()

  /** @param sharers the number of nodes that share a machine's room */
  constructor({ feed, feedPage, feedRoom }: Pick<Limits, "feed" | "feedPage" | "feedRoom">, sharers = 1) {
    this.ofFeed = feed
    this.page = feedPage
    this.most = feedRoom / sharers
  }

  /** True if so much is held that feeds had better read little. */
  get isScarce(): boolean {
    return this.held > this.most / 2
  }

  take(holder: Holder, characters: number, at: number): void {
    const holding = this.holdings.get(holder) ?? { characters: 0, at }
    this.holdings.delete(holder)
    this.holdings.set(holder, holding)
    holding.characters += characters
    holding.at = at
    this.held += characters
    for (const other of this.holdings.keys()) {
      if (this.held <= this.most || other === holder) return
      this.clear(other)
    }
  }

  giveBack(holder: Holder, characters: number): void {
    const holding = this.holdings.get(holder)
    if (holding === undefined) return
    holding.characters -= characters
    this.held -= characters
    if (holding.characters <= 0) this.holdings.delete(holder)
  }

  /** If room is scarce, has the holders let go that took nothing in since a time, in Unix milliseconds. */
  clearBefore(time: number): void {
    if (!this.isScarce) return
    for (const [holder, { at }] of this.holdings) {
      if (at >= time) return
      this.clear(holder)
    }
  }

  private clear(holder: Holder): void {
    this.held -= this.holdings.get(holder)?.characters ?? 0
    this.holdings.delete(holder)
    holder.letGo()
  }
}
