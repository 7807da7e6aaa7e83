import { AccountCapacity } from "@headwater/domain/AccountCapacity"
import { explain, GroupCommit } from "@headwater/log/commit/GroupCommit"
import type { CommitError, Submission } from "@headwater/log/commit/Submission"
import { Effect, Exit } from "effect"
import { EngineLimits } from "./EngineLimits.ts"
import * as LogText from "./LogText.ts"

/** An actor's memory: a cache of what the database says, of no use once a commit that is based on it fails. */
export interface FallibleMemory {
  readonly accountId: string
  failed: boolean
}

/** Reading anew is put off from the second failure on, doubling each time; in milliseconds. */
const firstDelay = 50
const longestDelay = 5_000

/**
 * An actor's commits that are under way while it goes on, and what their failures ask for:
 *
 * - I1. A commit is tracked in the step that puts it in line, before anyone else observes it: once it fails, so has the memory,
 *   and nothing is decided on that memory any more.
 * - I2. A caller that finds it full waits for `room` and looks again, since the memory may be another by then.
 */
export class InFlight {
  private readonly writer: GroupCommit["Service"]
  private readonly underWay = new Set<Submission>()
  private readonly capacity: AccountCapacity
  private readonly logFailure: (exit: Exit.Failure<void, CommitError>) => void
  /** Since a commit last succeeded. */
  private failures = 0

  private constructor(
    writer: GroupCommit["Service"],
    most: { readonly count: number; readonly bytes: number },
    logFailure: (exit: Exit.Failure<void, CommitError>) => void
  ) {
    this.writer = writer
    this.capacity = new AccountCapacity({ count: Infinity, bytes: Infinity }, most)
    this.logFailure = logFailure
  }

  /** @param annotations what the log line about a failed commit says of its actor */
  static readonly make = Effect.fnUntraced(function*(annotations: Record<string, string>) {
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const { commits } = yield* EngineLimits
    return new InFlight(yield* GroupCommit, commits, ({ cause }) =>
      run(
        Effect.logWarning("An actor's commit failed; reading its state again").pipe(
          Effect.annotateLogs({ ...annotations, error: LogText.make(explain(cause)) })
        )
      ))
  })

  get isIdle(): boolean {
    return this.underWay.size === 0
  }

  /** True if a commit has to wait for `room`. */
  isFull({ accountId }: FallibleMemory): boolean {
    return this.capacity.isFull(accountId) || this.writer.isFull(accountId)
  }

  /** Counts a commit that was put in line, whether there is a place for it or not. If it fails, so has the memory. */
  track(memory: FallibleMemory, submission: Submission): void {
    this.underWay.add(submission)
    this.capacity.take(memory.accountId, submission.bytes)
    submission.onEnd((exit) => {
      this.underWay.delete(submission)
      if (Exit.isSuccess(exit)) this.failures = 0
      else {
        this.noteFailure(memory)
        this.logFailure(exit)
      }
      this.capacity.release(memory.accountId, submission.bytes)
    })
  }

  /** Marks the memory as failed. */
  noteFailure(memory: FallibleMemory): void {
    if (!memory.failed) this.failures += 1
    memory.failed = true
  }

  /** Returns when there is a place, and room in the writer's line. */
  room(memory: FallibleMemory): Effect.Effect<void> {
    return Effect.suspend(() =>
      this.isFull(memory)
        ? this.capacity.free(memory.accountId).pipe(
          Effect.andThen(this.writer.room(memory.accountId)),
          Effect.andThen(this.room(memory))
        )
        : Effect.void
    )
  }

  /** Waits before memory is read anew, longer each time, while nothing succeeds. */
  get backOff(): Effect.Effect<void> {
    return Effect.suspend(() =>
      this.failures > 1
        ? Effect.sleep(Math.min(firstDelay * 2 ** (this.failures - 2), longestDelay))
        : Effect.void
    )
  }

  /** Returns when everything that is under way now has ended. */
  get settled(): Effect.Effect<void> {
    return Effect.suspend(() =>
      this.underWay.size === 0
        ? Effect.void
        : Effect.forEach([...this.underWay], ({ durable }) => Effect.exit(durable), { discard: true })
    )
  }
}
