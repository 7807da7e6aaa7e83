import { type CommitError, explain, GroupCommit } from "@headwater/log/commit/GroupCommit"
import * as Places from "@headwater/log/commit/Places"
import type { Submission } from "@headwater/log/commit/Submission"
import { Context, Effect, Exit } from "effect"
import { EngineLimits } from "./EngineLimits.ts"
import * as LogText from "./LogText.ts"

/** What an actor holds in memory: a cache of what the database says, of no use once a commit that is based on it fails. */
export interface FallibleMemory {
  readonly accountId: string
  failed: boolean
}

/** Hands a commit over, once it has been passed on. */
export type SubmitTracked = (track: (submission: Submission<CommitError>) => void) => Submission<CommitError>

/** An actor's commits that are under way while it goes on, and what their failures ask for. */
export interface InFlight {
  /**
   * Hands a commit over, and waits with that where as many as may be are under way or the writer has no room for the account. `submit`
   * passes on what it hands over before it tells anyone else. If it fails, so has the memory.
   */
  readonly start: (memory: FallibleMemory, submit: SubmitTracked) => Effect.Effect<Submission<CommitError>>
  /** The same at once; undefined, and nothing handed over, where that would have to wait. */
  readonly startUnsafe: (memory: FallibleMemory, submit: SubmitTracked) => Submission<CommitError> | undefined
  /** Counts a commit that was handed over already, whether there is a place for it or not. If it fails, so has the memory. */
  readonly add: (memory: FallibleMemory, submission: Submission<CommitError>) => void
  /** Returns when there is a place, and room in the writer's line. */
  readonly room: (memory: FallibleMemory) => Effect.Effect<void>
  /** Whether anything is under way. */
  readonly isIdle: () => boolean
  /** Whether a commit would have to wait before it is handed over. */
  readonly isFull: (memory: FallibleMemory) => boolean
  /** Marks the memory as failed for another reason. */
  readonly noteFailure: (memory: FallibleMemory) => void
  /** Waits before memory is read anew, longer each time, while nothing succeeds. */
  readonly backOff: Effect.Effect<void>
  /** Returns when everything that is under way now has ended. */
  readonly settled: Effect.Effect<void>
}

/** Reading anew is put off from the second failure on, doubling each time; in milliseconds. */
const firstDelay = 50
const longestDelay = 5_000

/** @param annotations what the log line about a failed commit says of its actor */
export const make = (annotations: Record<string, string>): Effect.Effect<InFlight, never, GroupCommit> =>
  Effect.gen(function*() {
    const context = yield* Effect.context<GroupCommit>()
    const run = Effect.runForkWith(context)
    const writer = Context.get(context, GroupCommit)
    const underWay = new Set<Submission<CommitError>>()
    const places = Places.make((yield* EngineLimits).commits)
    /** Since a commit last succeeded. */
    let failures = 0

    const isFull: InFlight["isFull"] = ({ accountId }) => places.isFull() || writer.isFull(accountId)

    const noteFailure = (memory: FallibleMemory) => {
      if (!memory.failed) failures += 1
      memory.failed = true
    }

    const noteEnd = (memory: FallibleMemory, exit: Exit.Exit<void, CommitError>) => {
      if (Exit.isSuccess(exit)) {
        failures = 0
        return
      }
      noteFailure(memory)
      run(
        Effect.logWarning("An actor's commit failed; reading its state again").pipe(
          Effect.annotateLogs({ ...annotations, error: LogText.make(explain(exit.cause)) })
        )
      )
    }

    const track = (memory: FallibleMemory, submission: Submission<CommitError>) => {
      underWay.add(submission)
      submission.onEnd((exit) => {
        underWay.delete(submission)
        noteEnd(memory, exit)
        places.release(submission.bytes)
      })
    }

    const startUnsafe: InFlight["startUnsafe"] = (memory, submit) => {
      if (isFull(memory)) return undefined
      const submission = submit((submission) => track(memory, submission))
      places.take(submission.bytes)
      return submission
    }

    const room: InFlight["room"] = (memory) =>
      Effect.suspend(() =>
        isFull(memory)
          ? places.free.pipe(Effect.andThen(writer.room(memory.accountId)), Effect.andThen(room(memory)))
          : Effect.void
      )

    const start: InFlight["start"] = (memory, submit) =>
      Effect.suspend(() => {
        const submission = startUnsafe(memory, submit)
        return submission === undefined
          ? Effect.andThen(room(memory), start(memory, submit))
          : Effect.succeed(submission)
      })

    return {
      start,
      startUnsafe,
      room,
      add: (memory, submission) => {
        track(memory, submission)
        places.take(submission.bytes)
      },
      isIdle: () => underWay.size === 0,
      isFull,
      noteFailure,
      backOff: Effect.suspend(() =>
        failures > 1 ? Effect.sleep(Math.min(firstDelay * 2 ** (failures - 2), longestDelay)) : Effect.void
      ),
      settled: Effect.suspend(() =>
        underWay.size === 0
          ? Effect.void
          : Effect.forEach([...underWay], (submission) => Effect.exit(submission.durable), { discard: true })
      )
    }
  })
