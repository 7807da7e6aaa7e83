import type { NewEvent } from "@headwater/domain/Event"
import type * as Id from "@headwater/domain/Id"
import { labelOf } from "@headwater/domain/Program"
import { Fenced } from "@headwater/log/commit/CommitWriter"
import type { CommitError, Submission } from "@headwater/log/commit/Submission"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { Effect, Option, Schema, Semaphore } from "effect"
import { ProgramNotFound } from "../ground/ActorCalls.ts"
import type { PartsOf } from "../ground/EmitterLog.ts"
import { InFlight } from "../ground/InFlight.ts"
import { load, type ProgramMemory } from "./ProgramMemory.ts"

/** A program's memory and its commits: one owner's view, read anew whenever a commit fails. */
export interface ProgramOwner {
  /** The owner's memory; after a failed commit it is read anew first. */
  readonly current: Effect.Effect<ProgramMemory, ProgramNotFound>
  /** The owner's memory; undefined if `current` would have to wait for the database. */
  readonly ready: () => ProgramMemory | undefined
  /**
   * Puts a commit in line, on which the next run may start before it is durable; undefined, and nothing in line, where there
   * is no room.
   */
  readonly submit: (
    memory: ProgramMemory,
    events: ReadonlyArray<NewEvent>,
    parts: PartsOf
  ) => Submission | undefined
  /** Returns when there is room for a commit. */
  readonly room: (memory: ProgramMemory) => Effect.Effect<void>
  /** Puts a commit in line once there is room. */
  readonly commit: (
    memory: ProgramMemory,
    events: ReadonlyArray<NewEvent>,
    parts: PartsOf
  ) => Effect.Effect<Submission>
  /**
   * Returns when a commit is durable. One that fails because of another before it, or of a locked row, is handed over again
   * on memory that was read anew.
   */
  readonly durably: <E, R>(
    handOver: (memory: ProgramMemory) => Effect.Effect<Pick<Submission, "durable">, E, R>
  ) => Effect.Effect<void, CommitError | ProgramNotFound | E, R>
  /** Returns when every commit handed over is durable or has failed. */
  readonly settled: Effect.Effect<void>
  /** True if a commit failed since memory was read: the inputs that it took are still to be run. */
  readonly hasFailed: () => boolean
  /** Everything in memory is to be read anew. */
  readonly invalidate: Effect.Effect<void>
}

/** The most times that a commit that must be durable is put in line. */
const mostHandOvers = 5

export const make = Effect.fnUntraced(function*(programId: Id.ProgramId, options: {
  /** Called when memory was read anew. */
  readonly onReload: () => void
  /** Called with the time of each work that a commit puts off, in Unix milliseconds. */
  readonly onPutOff: (dueAt: number) => void
}) {
  const loading = yield* Semaphore.make(1)
  const inFlight = yield* InFlight.make(labelOf(programId))
  const context = yield* Effect.context<Effect.Services<ReturnType<typeof load>>>()
  const read = load(programId).pipe(untilAnswered, Effect.provideContext(context))
  let memory = yield* read

  const readAnew = loading.withPermits(1)(Effect.gen(function*() {
    if (Option.isNone(memory) || !memory.value.failed) return
    yield* inFlight.backOff
    yield* inFlight.settled
    memory = yield* read
    options.onReload()
  }))

  const current: ProgramOwner["current"] = Effect.suspend(() => {
    if (Option.isNone(memory)) return Effect.fail(new ProgramNotFound())
    return memory.value.failed ? Effect.andThen(readAnew, current) : Effect.succeed(memory.value)
  })

  const submit: ProgramOwner["submit"] = (memory, events, parts) => {
    if (inFlight.isFull(memory)) return undefined
    const submission = memory.log.submit(events, parts)
    inFlight.track(memory, submission)
    for (const { dueAt } of submission.commit.duePut ?? []) options.onPutOff(dueAt)
    return submission
  }

  const commit: ProgramOwner["commit"] = (memory, events, parts) =>
    Effect.suspend(() => {
      const submission = submit(memory, events, parts)
      return submission === undefined
        ? Effect.andThen(inFlight.room(memory), commit(memory, events, parts))
        : Effect.succeed(submission)
    })

  return {
    current,
    ready: () => Option.isSome(memory) && !memory.value.failed ? memory.value : undefined,
    room: (memory) => inFlight.room(memory),
    submit,
    commit,
    durably: (handOver) =>
      current.pipe(
        Effect.flatMap(handOver),
        Effect.flatMap(({ durable }) => durable),
        Effect.retry({ while: Schema.is(Fenced), times: mostHandOvers - 1 })
      ),
    settled: inFlight.settled,
    hasFailed: () => Option.isSome(memory) && memory.value.failed,
    invalidate: Effect.sync(() => {
      if (Option.isSome(memory)) memory.value.failed = true
    })
  } satisfies ProgramOwner as ProgramOwner
})
