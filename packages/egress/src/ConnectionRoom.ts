import type { EgressConnection } from "./EgressConnection.ts"

/** A pool that opens more connections once there is room. */
export interface InLine {
  readonly accountId: string
  readonly openMore: () => void
}

/** The connections of one account. */
interface Share {
  /** Includes those that are being made. */
  open: number
  /** Connections without a request, the longest idle first. */
  readonly idle: Set<EgressConnection>
  readonly line: Set<InLine>
}

/**
 * The room for connections, over all accounts. One account has at most a quarter of all, and no more than are still
 * free: an account that has few finds room. A connection without a request gives way to one that is needed.
 */
export class ConnectionRoom {
  private readonly most: number
  private readonly shares = new Map<string, Share>()
  private total = 0
  /** The number of times that there was room. */
  private taken = 0
  /** The number of pools in line. */
  private waiting = 0
  private isServing = false

  constructor(most: number) {
    this.most = most
  }

  /** Takes room for another connection of the account and answers true, or puts the pool in line for it. */
  take(inLine: InLine): boolean {
    const share = this.shareOf(inLine.accountId)
    while (!this.fits(share)) {
      const [spare] = share.idle.size > 0 ? share.idle : share.open < this.most / 4 ? this.mostIdle().idle : []
      if (spare === undefined) {
        this.enterLine(share, inLine)
        return false
      }
      spare.destroy()
    }
    share.open += 1
    this.total += 1
    this.taken += 1
    return true
  }

  /** A connection is over, or was not made. */
  give(accountId: string): void {
    const share = this.shareOf(accountId)
    share.open -= 1
    this.total -= 1
    this.forgetUnused(accountId, share)
    this.serve()
  }

  /** Nothing waits for a connection there any more. */
  leaveLine(inLine: InLine): void {
    const share = this.shares.get(inLine.accountId)
    if (share?.line.delete(inLine) !== true) return
    this.waiting -= 1
    this.forgetUnused(inLine.accountId, share)
  }

  isIdle(accountId: string, connection: EgressConnection): void {
    this.shareOf(accountId).idle.add(connection)
    this.serve()
  }

  isBusy(accountId: string, connection: EgressConnection): void {
    this.shares.get(accountId)?.idle.delete(connection)
  }

  private fits({ open }: Share): boolean {
    return open < this.most / 4 && open < this.most - this.total
  }

  private shareOf(accountId: string): Share {
    const known = this.shares.get(accountId)
    if (known !== undefined) return known
    const share: Share = { open: 0, idle: new Set(), line: new Set() }
    this.shares.set(accountId, share)
    return share
  }

  private forgetUnused(accountId: string, share: Share): void {
    if (share.open === 0 && share.line.size === 0) this.shares.delete(accountId)
  }

  private mostIdle(): Pick<Share, "idle"> {
    let most: Pick<Share, "idle"> = { idle: new Set() }
    for (const share of this.shares.values()) if (share.idle.size > most.idle.size) most = share
    return most
  }

  private enterLine({ line }: Share, inLine: InLine): void {
    if (line.has(inLine)) return
    line.add(inLine)
    this.waiting += 1
  }

  /** Gives the free room to the first in line, until it helps nobody. Accounts take turns. */
  private serve(): void {
    if (this.isServing) return
    this.isServing = true
    while (this.waiting > 0 && this.serveOne()) {
      // One that is served may have closed connections of others, and left room.
    }
    this.isServing = false
  }

  /** Answers whether somebody took room. */
  private serveOne(): boolean {
    const before = this.taken
    // Of a copy: who needs no room leaves, and may come again at the end.
    for (const accountId of Array.from(this.shares.keys())) {
      for (const first of this.shares.get(accountId)?.line ?? []) {
        this.leaveLine(first)
        first.openMore()
        // Otherwise it needed none any more, and the next one gets its chance.
        if (this.taken > before || this.shares.get(accountId)?.line.has(first) === true) break
      }
      if (this.taken === before) continue
      const share = this.shares.get(accountId)
      if (share !== undefined) {
        this.shares.delete(accountId)
        this.shares.set(accountId, share)
      }
      return true
    }
    return false
  }
}
