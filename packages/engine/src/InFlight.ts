import type { CommitError } from "@headwater/log/GroupCommit"
import type { Submission } from "@headwater/log/Submission"
import { Effect, Exit, Latch } from "effect"

/** What an actor holds in memory: a cache of what the database says, of no use once a commit that is based on it fails. */
export interface FallibleMemory {
  failed: boolean
}

/** An actor's commits that are under way while it goes on, and what their failures ask for. */
export interface InFlight {
  /**
   * Hands a commit over, and waits with that where as many as may be are under way. `submit` passes on what it hands over
   * as it comes in line, so that it counts whatever becomes of the caller. If it fails, so has the memory.
   */
  readonly start: (
    memory: FallibleMemory,
    submit: (inLine: (submission: Submission<CommitError>) => void) => Effect.Effect<Submission<CommitError>>
  ) => Effect.Effect<Submission<CommitError>>
  /** Whether a commit would have to wait before it is handed over. */
  readonly isFull: () => boolean
  /** Marks the memory as failed for another reason. */
  readonly noteFailure: (memory: FallibleMemory) => void
  /** Waits before memory is read anew, longer each time, while nothing succeeds. */
  readonly backOff: Effect.Effect<void>
  /** Returns when everything that is under way now has ended. */
  readonly settled: Effect.Effect<void>
}

const most = 64

/** Reading anew is put off from the second failure on, doubling each time; in milliseconds. */
const firstDelay = 50
const longestDelay = 5_000

/** @param annotations what the log line about a failed commit says of its actor */
export const make = (annotations: Record<string, string>): Effect.Effect<InFlight> =>
  Effect.map(Effect.context<never>(), (context) => {
    const run = Effect.runForkWith(context)
    const underWay = new Set<Submission<CommitError>>()
    const mayStart = Latch.makeUnsafe(true)
    /** Those that are being handed over count as well. */
    let starting = 0
    /** Since a commit last succeeded. */
    let failures = 0

    const isFull = () => underWay.size + starting >= most

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
        Effect.logWarning("A commit of an actor failed; its memory is read anew", exit.cause).pipe(
          Effect.annotateLogs(annotations)
        )
      )
    }

    const start: InFlight["start"] = (memory, submit) =>
      Effect.suspend(() => {
        if (isFull()) {
          mayStart.closeUnsafe()
          return Effect.andThen(mayStart.await, start(memory, submit))
        }
        starting += 1
        const inLine = (submission: Submission<CommitError>) => {
          underWay.add(submission)
          submission.onEnd((exit) => {
            underWay.delete(submission)
            noteEnd(memory, exit)
            mayStart.openUnsafe()
          })
        }
        return Effect.ensuring(
          submit(inLine),
          Effect.sync(() => {
            starting -= 1
            if (!isFull()) mayStart.openUnsafe()
          })
        )
      })

    return {
      start,
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
