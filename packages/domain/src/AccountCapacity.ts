import { Effect } from "effect"

/** An amount of held items: their number, and their bytes together. */
export interface Amount {
  readonly count: number
  readonly bytes: number
}

interface Share {
  readonly count: number
  readonly bytes: number
}

interface Waiter {
  readonly bytes: number
  readonly letIn: () => void
}

const nothing: Share = { count: 0, bytes: 0 }

/**
 * Capacity that accounts share. An account may hold up to the limit of one account and no more than is still free, so
 * that an account that holds nothing finds some, however much the others hold. Waiters are let in in turn: one of each
 * account after another, and first come, first served within an account.
 *
 * Invariants:
 * - C1. `free` is the whole capacity less each account's share. A share counts only up to one account's limit: large
 *   items beyond it cost the others nothing.
 * - C2. A waiter that would fit waits only behind others of the same account.
 */
export class AccountCapacity {
  readonly #mostOfAccount: Amount
  #freeCount: number
  #freeBytes: number
  readonly #shares = new Map<string, Share>()
  /** The account that was let in last comes last. */
  readonly #waiting = new Map<string, Set<Waiter>>()

  constructor(mostOfAll: Amount, mostOfAccount: Amount) {
    this.#mostOfAccount = mostOfAccount
    this.#freeCount = mostOfAll.count
    this.#freeBytes = mostOfAll.bytes
  }

  /** The limit that one more item of so many bytes would exceed: the account's or that of all. Undefined if it fits. */
  fullness(accountId: string, bytes = 1): "account" | "all" | undefined {
    const share = this.#shares.get(accountId) ?? nothing
    // An item larger than an account's limit counts as one that fills it, so that an account can always have one.
    const counted = share.count === 0 ? Math.min(bytes, this.#mostOfAccount.bytes) : bytes
    const [count, held] = [share.count + 1, share.bytes + counted]
    if (count > this.#mostOfAccount.count || held > this.#mostOfAccount.bytes) return "account"
    return count > this.#freeCount || held > this.#freeBytes ? "all" : undefined
  }

  isFull(accountId: string): boolean {
    return this.fullness(accountId) !== undefined
  }

  /** Takes a place, whether there is one or not. */
  take(accountId: string, bytes: number): void {
    this.#change(accountId, 1, bytes)
  }

  /** Takes a place where there is one and nobody of the account waits for it; answers whether it did. */
  takeNow(accountId: string, bytes: number): boolean {
    if (this.#waiting.has(accountId) || this.fullness(accountId, bytes) !== undefined) return false
    this.take(accountId, bytes)
    return true
  }

  release(accountId: string, bytes: number): void {
    this.#change(accountId, -1, -bytes)
    this.#letIn()
  }

  /** Calls `letIn`, which takes the place, once there is one. Returns the function that ends the wait. */
  wait(accountId: string, bytes: number, letIn: () => void): () => void {
    const waiter: Waiter = { bytes, letIn }
    const line = this.#waiting.get(accountId) ?? new Set()
    this.#waiting.set(accountId, line.add(waiter))
    return () => {
      line.delete(waiter)
      if (line.size === 0 && this.#waiting.get(accountId) === line) this.#waiting.delete(accountId)
    }
  }

  /** Returns when there is a place. The caller takes it at once. */
  free(accountId: string): Effect.Effect<void> {
    return Effect.callback((resume) => {
      if (!this.isFull(accountId)) return resume(Effect.void)
      return Effect.sync(this.wait(accountId, 1, () => resume(Effect.void)))
    })
  }

  #change(accountId: string, count: number, bytes: number): void {
    const before = this.#shares.get(accountId) ?? nothing
    const after = { count: before.count + count, bytes: before.bytes + bytes }
    if (after.count === 0) this.#shares.delete(accountId)
    else this.#shares.set(accountId, after)
    const most = this.#mostOfAccount
    this.#freeCount += Math.min(before.count, most.count) - Math.min(after.count, most.count)
    this.#freeBytes += Math.min(before.bytes, most.bytes) - Math.min(after.bytes, most.bytes)
  }

  /** An account that has one let in goes to the end of the map, where this loop meets its next waiter. */
  #letIn(): void {
    for (const [accountId, line] of this.#waiting) {
      const [next] = line
      if (next === undefined || this.fullness(accountId, next.bytes) !== undefined) continue
      this.#waiting.delete(accountId)
      line.delete(next)
      if (line.size > 0) this.#waiting.set(accountId, line)
      next.letIn()
    }
  }
}
