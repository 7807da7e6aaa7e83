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

/** The most times that a commit that must be durable is put in line. */
const mostHandOvers = 5

interface Parts {
  readonly inFlight: InFlight
  /** Called when memory was read anew. */
  readonly onReload: () => void
  /** Called with the time of each work that a commit puts off, in Unix milliseconds. */
  readonly onPutOff: (dueAt: number) => void
  readonly read: Effect.Effect<Option.Option<ProgramMemory>>
}

/**
 * The owner of a program: its memory, and its commits.
 *
 * - O1. A run may start on memory before the commit of the one before is durable. Once a commit fails, so has the memory, and
 *   `current` reads it anew when everything that was handed over has ended.
 * - O2. One reader at a time reads memory anew; the others get what it read.
 */
export class ProgramOwner {
  private memory: Option.Option<ProgramMemory>
  private readonly loading = Semaphore.makeUnsafe(1)
  private readonly parts: Parts

  private constructor(parts: Parts, memory: Option.Option<ProgramMemory>) {
    this.parts = parts
    this.memory = memory
  }

  static readonly make = Effect.fnUntraced(function*(
    programId: Id.ProgramId,
    options: Pick<Parts, "onPutOff" | "onReload">
  ) {
    const inFlight = yield* InFlight.make(labelOf(programId))
    const context = yield* Effect.context<Effect.Services<ReturnType<typeof load>>>()
    const read = load(programId).pipe(untilAnswered, Effect.setContext(context))
    return new ProgramOwner({ ...options, inFlight, read }, yield* read)
  })

  /** The owner's memory; after a failed commit it is read anew first. */
  readonly current: Effect.Effect<ProgramMemory, ProgramNotFound> = Effect.suspend(() => {
    if (Option.isNone(this.memory)) return Effect.fail(new ProgramNotFound())
    return this.memory.value.failed ? Effect.andThen(this.readAnew, this.current) : Effect.succeed(this.memory.value)
  })

  /** The owner's memory; undefined if `current` would have to wait for the database. */
  get ready(): ProgramMemory | undefined {
    return Option.isSome(this.memory) && !this.memory.value.failed ? this.memory.value : undefined
  }

  /** True if a commit failed since memory was read: the inputs that it took are still to be run. */
  get hasFailed(): boolean {
    return Option.isSome(this.memory) && this.memory.value.failed
  }

  /** Everything in memory is to be read anew. */
  readonly invalidate: Effect.Effect<void> = Effect.sync(() => {
    if (Option.isSome(this.memory)) this.memory.value.failed = true
  })

  /**
   * Puts a commit in line, on which the next run may start before it is durable; undefined, and nothing in line, where there
   * is no room.
   */
  submit(memory: ProgramMemory, events: ReadonlyArray<NewEvent>, parts: PartsOf): Submission | undefined {
    const { inFlight, onPutOff } = this.parts
    if (inFlight.isFull(memory)) return undefined
    const submission = memory.log.submit(events, parts)
    inFlight.track(memory, submission)
    for (const { dueAt } of submission.commit.duePut ?? []) onPutOff(dueAt)
    return submission
  }

  /** Returns when there is room for a commit. */
  room(memory: ProgramMemory): Effect.Effect<void> {
    return this.parts.inFlight.room(memory)
  }

  /** Puts a commit in line once there is room. */
  commit(memory: ProgramMemory, events: ReadonlyArray<NewEvent>, parts: PartsOf): Effect.Effect<Submission> {
    return Effect.suspend(() => {
      const submission = this.submit(memory, events, parts)
      return submission === undefined
        ? Effect.andThen(this.room(memory), this.commit(memory, events, parts))
        : Effect.succeed(submission)
    })
  }

  /**
   * Returns when a commit is durable. One that fails because of another before it, or of a locked row, is handed over again
   * on memory that was read anew.
   */
  durably<E, R>(
    handOver: (memory: ProgramMemory) => Effect.Effect<Pick<Submission, "durable">, E, R>
  ): Effect.Effect<void, CommitError | ProgramNotFound | E, R> {
    return this.current.pipe(
      Effect.flatMap(handOver),
      Effect.flatMap(({ durable }) => durable),
      Effect.retry({ while: Schema.is(Fenced), times: mostHandOvers - 1 })
    )
  }

  /** Returns when every commit handed over is durable or has failed. */
  get settled(): Effect.Effect<void> {
    return this.parts.inFlight.settled
  }

  private readonly readAnew: Effect.Effect<void> = this.loading.withPermits(1)(
    Effect.gen({ self: this }, function*() {
      if (!this.hasFailed) return
      const { inFlight, onReload, read } = this.parts
      yield* inFlight.backOff
      yield* inFlight.settled
      this.memory = yield* read
      onReload()
    })
  )
}
