import { Effect } from "effect"
import type { Room } from "./Places.ts"

interface Share {
  count: number
  bytes: number
}

const nothing: Share = { count: 0, bytes: 0 }

/**
 * Room that accounts share: each may have a quarter of it, and no more than is still free, so that one that has nothing
 * finds some, however much the others have. A place is taken at once and by whoever has to have one. What an account takes
 * beyond its quarter, by items that are large, is not the others' loss.
 */
export class AccountPlaces {
  readonly #most: Room
  readonly #shares = new Map<string, Share>()
  /** Who waits, by account; the account that was let in last comes last. */
  readonly #waiting = new Map<string, Set<() => void>>()
  #freeCount: number
  #freeBytes: number

  constructor({ bytes, count }: Room) {
    this.#most = { bytes: bytes / 4, count: count / 4 }
    this.#freeCount = count
    this.#freeBytes = bytes
  }

  isFull(accountId: string): boolean {
    const { bytes, count } = this.#shares.get(accountId) ?? nothing
    return count >= Math.min(this.#most.count, this.#freeCount) || bytes >= Math.min(this.#most.bytes, this.#freeBytes)
  }

  /** Takes a place, whether there is one or not. */
  take(accountId: string, bytes: number): void {
    this.#change(accountId, 1, bytes)
  }

  release(accountId: string, bytes: number): void {
    this.#change(accountId, -1, -bytes)
    this.#letIn()
  }

  /** Returns when there is a place, which whoever goes on takes at once; first for who waits longest of an account. */
  free(accountId: string): Effect.Effect<void> {
    return Effect.callback((resume) => {
      if (!this.isFull(accountId)) return resume(Effect.void)
      const letIn = () => resume(Effect.void)
      const line = this.#waiting.get(accountId) ?? new Set()
      this.#waiting.set(accountId, line.add(letIn))
      return Effect.sync(() => {
        line.delete(letIn)
        if (line.size === 0 && this.#waiting.get(accountId) === line) this.#waiting.delete(accountId)
      })
    })
  }

  #change(accountId: string, count: number, bytes: number): void {
    const before = this.#shares.get(accountId) ?? nothing
    const after = { count: before.count + count, bytes: before.bytes + bytes }
    if (after.count === 0) this.#shares.delete(accountId)
    else this.#shares.set(accountId, after)
    this.#freeCount += Math.min(before.count, this.#most.count) - Math.min(after.count, this.#most.count)
    this.#freeBytes += Math.min(before.bytes, this.#most.bytes) - Math.min(after.bytes, this.#most.bytes)
  }

  /** Lets in one of each account after another. Who is let in goes to the end, and is met again. */
  #letIn(): void {
    for (const [accountId, line] of this.#waiting) {
      if (this.isFull(accountId)) continue
      const [letIn] = line
      this.#waiting.delete(accountId)
      if (letIn === undefined) continue
      line.delete(letIn)
      if (line.size > 0) this.#waiting.set(accountId, line)
      // Goes on within this call, and has taken its place before the next one is asked.
      letIn()
    }
  }
}
