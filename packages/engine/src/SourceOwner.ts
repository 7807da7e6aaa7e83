import type { LoggedEvent, NewEvent } from "@headwater/domain/Event"
import type * as Id from "@headwater/domain/Id"
import type { CommitError } from "@headwater/log/GroupCommit"
import { Effect, type Fiber, Option, Semaphore } from "effect"
import { untilAnswered } from "./DatabaseRetry.ts"
import type { CommitParts } from "./EmitterLog.ts"
import { load, type SourceMemory } from "./SourceMemory.ts"
import { SourceNotFound } from "./SourceNotFound.ts"

/** A source's memory and its commits: one owner's view, read anew whenever a commit fails. */
export interface SourceOwner {
  /** What the owner remembers; after a failed commit it is read anew first. */
  readonly current: Effect.Effect<SourceMemory, SourceNotFound>
  /**
   * Hands a commit over in the order of the calls. The next run may start on what is in memory before it is durable; the
   * answered fiber ends when it is.
   */
  readonly commit: (
    memory: SourceMemory,
    events: ReadonlyArray<NewEvent>,
    parts: CommitParts | ((appended: ReadonlyArray<LoggedEvent>) => CommitParts)
  ) => Effect.Effect<Fiber.Fiber<ReadonlyArray<LoggedEvent>, CommitError>>
  /** Returns when every commit handed over is durable or has failed. */
  readonly settled: Effect.Effect<void>
  /** Whether a commit failed since memory was read: what it took is still to be done. */
  readonly hasFailed: () => boolean
  /** Everything in memory is to be read anew. */
  readonly invalidate: Effect.Effect<void>
}

/** Commits that may be under way at once. */
const maxInFlight = 64

export const make = Effect.fnUntraced(function*(sourceId: Id.SourceId, options: {
  /** Called when memory was read anew. */
  readonly onReload: () => void
}) {
  const scope = yield* Effect.scope
  const loading = yield* Semaphore.make(1)
  const inFlight = yield* Semaphore.make(maxInFlight)
  const context = yield* Effect.context<Effect.Services<ReturnType<typeof load>>>()
  const read = load(sourceId).pipe(untilAnswered, Effect.provideContext(context))
  let memory = yield* read

  const settled = inFlight.withPermits(maxInFlight)(Effect.void)

  const readAnew = loading.withPermits(1)(Effect.gen(function*() {
    if (Option.isNone(memory) || !memory.value.failed) return
    yield* settled
    memory = yield* read
    options.onReload()
  }))

  return {
    current: Effect.gen(function*() {
      if (Option.isSome(memory) && memory.value.failed) yield* readAnew
      return Option.isNone(memory) ? yield* new SourceNotFound() : memory.value
    }),
    commit: Effect.fnUntraced(function*(memory, events, parts) {
      yield* inFlight.take(1)
      return yield* memory.log.commit(events, parts).pipe(
        Effect.tapError((error) =>
          Effect.andThen(
            Effect.sync(() => {
              memory.failed = true
            }),
            Effect.logWarning("A commit of a source failed; its memory is read anew", error)
          )
        ),
        Effect.ensuring(inFlight.release(1)),
        // At once, so that commits stand in line in the order of the calls.
        Effect.forkIn(scope, { startImmediately: true })
      )
    }, Effect.uninterruptible),
    settled,
    hasFailed: () => Option.isSome(memory) && memory.value.failed,
    invalidate: Effect.sync(() => {
      if (Option.isSome(memory)) memory.value.failed = true
    })
  } satisfies SourceOwner as SourceOwner
})
