import { Effect } from "effect"
import { AccountLines } from "./AccountLines.ts"

/** A caller that waits for a slot or has been given one. */
interface Waiter {
  readonly accountId: string
  readonly letIn: () => void
  state: "waiting" | "in" | "gone"
}

/**
 * A limited number of slots, over all accounts and for each account. Callers beyond that wait in a line for each
 * account, and accounts take turns.
 */
export class AccountSlots {
  private readonly mostOfAccount: number
  private free: number
  private readonly held = new Map<string, number>()
  /** Accounts that hold as many slots as one account may. */
  private readonly full = new Set<string>()
  private readonly lines = new AccountLines<Waiter>(1, () => 1)

  constructor(most: number, mostOfAccount: number) {
    this.free = most
    this.mostOfAccount = mostOfAccount
  }

  /** Does work in one of the account's slots, once it has its turn. */
  hold<A, E, R>(accountId: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(
        this.enter(accountId, restore),
        () => Effect.ensuring(restore(work), Effect.sync(() => this.leave(accountId)))
      )
    )
  }

  /** Interruptible only while it waits: a slot that it was given meanwhile is given back. */
  private enter(
    accountId: string,
    restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  ): Effect.Effect<void> {
    return Effect.suspend(() => {
      // A caller that waits while a slot is free belongs to a full account.
      if (this.free > 0 && !this.full.has(accountId)) {
        this.take(accountId)
        return Effect.void
      }
      let waiter: Waiter | undefined
      return restore(Effect.callback<void>((resume) => {
        waiter = { accountId, letIn: () => resume(Effect.void), state: "waiting" }
        this.lines.put(accountId, waiter)
      })).pipe(Effect.onInterrupt(() =>
        Effect.sync(() => {
          if (waiter?.state === "in") this.leave(accountId)
          else if (waiter !== undefined) waiter.state = "gone"
        })
      ))
    })
  }

  private take(accountId: string): void {
    const held = (this.held.get(accountId) ?? 0) + 1
    this.held.set(accountId, held)
    if (held >= this.mostOfAccount) this.full.add(accountId)
    this.free -= 1
  }

  private leave(accountId: string): void {
    const left = this.held.get(accountId)! - 1
    if (left > 0) this.held.set(accountId, left)
    else this.held.delete(accountId)
    this.full.delete(accountId)
    this.free += 1
    this.letIn()
  }

  private letIn(): void {
    while (this.free > 0) {
      const waiter = this.lines.take(this.full)
      if (waiter === undefined) return
      if (waiter.state === "gone") continue
      waiter.state = "in"
      this.take(waiter.accountId)
      waiter.letIn()
    }
  }
}
