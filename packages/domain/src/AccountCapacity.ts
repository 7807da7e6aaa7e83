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
 * Capacity that accounts share. An account may hold its part, and no more than is still free, so that one that holds nothing
 * finds some, however much the others hold. Waiters are let in in turn: one of each account after another, and of an account
 * the one that came first.
 *
 * Invariants:
 * - C1. `free` is the whole capacity less what all accounts hold; of an account that takes more than its part, as one large
 *   thing does, the excess counts or not as the constructor was told.
 * - C2. Nobody waits who would fit, but behind others of the same account.
 * - C3. An account that holds nothing may have one thing larger than its part, and one larger than all of the capacity while
 *   nobody holds anything.
 */
export class AccountCapacity {
  readonly #mostOfAccount: Amount
  readonly #excess: "counts" | "ignored"
  #freeCount: number
  #freeBytes: number
  readonly #shares = new Map<string, Share>()
  /** The account that was let in last comes last. */
  readonly #waiting = new Map<string, Set<Waiter>>()

  /** @param excess `ignored` where things are taken at any size, and a large one is not to be the others' loss */
  constructor(mostOfAll: Amount, mostOfAccount: Amount, excess: "counts" | "ignored" = "counts") {
    this.#mostOfAccount = mostOfAccount
    this.#excess = excess
    this.#freeCount = mostOfAll.count
    this.#freeBytes = mostOfAll.bytes
  }

  /** The bound that leaves no place for one more thing of so many bytes, if one does. */
  fullness(accountId: string, bytes = 1): "account" | "all" | undefined {
    const share = this.#shares.get(accountId) ?? nothing
    const [count, held] = [share.count + 1, share.bytes + bytes]
    const most = this.#mostOfAccount
    if (count > most.count || (share.count > 0 && held > most.bytes)) return "account"
    return count > this.#freeCount || (held > this.#freeBytes && this.#shares.size > 0) ? "all" : undefined
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
    this.#freeCount += this.#counted(before.count, "count") - this.#counted(after.count, "count")
    this.#freeBytes += this.#counted(before.bytes, "bytes") - this.#counted(after.bytes, "bytes")
  }

  #counted(held: number, of: keyof Amount): number {
    return this.#excess === "counts" ? held : Math.min(held, this.#mostOfAccount[of])
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
