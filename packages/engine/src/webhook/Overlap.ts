import type { Commit } from "@headwater/log/commit/Commit"

/** One event that was taken from a feed, or several that are passed. */
export interface OverlapItem {
  /** The commit of its outcome, once there is one. */
  commit: Commit | undefined
  /** The commit that passes the event before it has an outcome, as a delivery of its own, which holds up nothing. */
  readonly stepAside: () => Commit
  /** Its commit, or the one by which it steps aside, is to be written. */
  readonly handOver: (commit: Commit) => void
}

/**
 * The events of one feed whose attempts overlap. A cursor moves in log order, so an outcome waits for those of the
 * events before it. If many wait for slow ones, these step aside.
 */
export class Overlap {
  private readonly items: Array<OverlapItem> = []
  private readonly most: number
  private held = 0

  /** @param most the most outcomes that wait for one before them */
  constructor(most: number) {
    this.most = most
  }

  get isEmpty(): boolean {
    return this.items.length === 0
  }

  add(item: OverlapItem): void {
    this.items.push(item)
  }

  /** An item has its outcome. */
  ended(item: OverlapItem, commit: Commit): void {
    item.commit = commit
    this.held += 1
    this.handOverFirst()
    if (this.held < this.most) return
    while (this.items.length > 0 && this.items[0]!.commit === undefined) {
      const slow = this.items.shift()!
      slow.handOver(slow.stepAside())
    }
    this.handOverFirst()
  }

  private handOverFirst(): void {
    for (let first = this.items[0]; first?.commit !== undefined; first = this.items[0]) {
      this.items.shift()
      this.held -= 1
      first.handOver(first.commit)
    }
  }
}
