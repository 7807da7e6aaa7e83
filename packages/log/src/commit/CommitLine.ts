import { AccountCapacity } from "@headwater/domain/AccountCapacity"
import { AccountLines } from "@headwater/domain/AccountLines"
import { type Exit, Latch } from "effect"
import { accountOf } from "./Commit.ts"
import type { CommitError, Submission } from "./Submission.ts"

/** Bounds of one transaction. */
export const maxBatchRows = 2_000
export const maxBatchBytes = 2 * 1024 * 1024

/** The most that waits for the next, on the whole machine, of which an account may have a quarter. */
const most = { count: 10_000, bytes: 64 * 1024 * 1024 }
const accountShare = 1 / 4

/** The bytes of a batch that are one account's before it is another's turn. */
const turnBytes = 64 * 1024

/** From so many rows or bytes on a commit is large: others would notice that they wait for it. */
const manyRows = 256
const manyBytes = 128 * 1024

export const isLarge = ({ bytes, rows }: Submission): boolean => rows >= manyRows || bytes >= manyBytes

/**
 * The commits that wait for the writer, accounts in turn, and the capacity that they hold from when they are put in
 * line until they end:
 *
 *     put ── waits ── takeBatch ── written ── end
 *              ▲                       │
 *              └─────── putBack ───────┘
 *
 * - L1. An actor's commits are taken in the order in which they were put: an account's line keeps its order.
 * - L2. A commit that was put ends once, and gives its capacity back then; until then `isIdle` is false.
 * - L3. `arrived` is open while anything waits.
 */
export class CommitLine {
  /** Open while anything waits. */
  readonly arrived = Latch.makeUnsafe(false)
  private readonly lines = new AccountLines<Submission>(turnBytes, ({ bytes }) => bytes)
  private readonly capacity: AccountCapacity
  /** Commits that were put and have not ended. */
  private underWay = 0

  /** @param sharers how many processes share the machine */
  constructor(sharers: number) {
    const all = { count: Math.ceil(most.count / sharers), bytes: Math.ceil(most.bytes / sharers) }
    const part = { count: all.count * accountShare, bytes: all.bytes * accountShare }
    this.capacity = new AccountCapacity(all, part, "ignored")
  }

  get isIdle(): boolean {
    return this.underWay === 0
  }

  isFull(accountId: string): boolean {
    return this.capacity.isFull(accountId)
  }

  /** Returns when there is room for the account, first to who waits longest of it. */
  room(accountId: string) {
    return this.capacity.free(accountId)
  }

  /** Puts a commit in line, whether there is room or not. */
  put(submission: Submission): void {
    const accountId = accountOf(submission.commit)
    this.underWay += 1
    this.lines.put(accountId, submission)
    this.arrived.openUnsafe()
    this.capacity.take(accountId, submission.bytes)
  }

  /** Puts commits that were taken back in line, before what has come since. */
  putBack(submissions: ReadonlyArray<Submission>): void {
    for (const one of submissions.toReversed()) this.lines.putFirst(accountOf(one.commit), one)
    this.arrived.openUnsafe()
  }

  /** As many commits as one transaction takes. A large one is written by itself, so it takes nothing of the batch. */
  takeBatch(): ReadonlyArray<Submission> {
    const batch: Array<Submission> = []
    let rows = 0
    let bytes = 0
    while (rows < maxBatchRows && bytes < maxBatchBytes) {
      const next = this.lines.take()
      if (next === undefined) break
      batch.push(next)
      if (isLarge(next)) continue
      rows += next.rows
      bytes += next.bytes
    }
    if (this.lines.size === 0) this.arrived.closeUnsafe()
    return batch
  }

  end(submission: Submission, exit: Exit.Exit<void, CommitError>): void {
    this.underWay -= 1
    submission.end(exit)
    this.capacity.release(accountOf(submission.commit), submission.bytes)
  }
}
