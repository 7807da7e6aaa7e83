import type { Lease } from "@headwater/domain/Consumer"
import * as EmitterPattern from "@headwater/domain/EmitterPattern"
import * as Id from "@headwater/domain/Id"
import { OnBehalfOf } from "@headwater/domain/OnBehalfOf"
import * as RealTime from "@headwater/domain/RealTime"
import * as Stream from "@headwater/domain/Stream"
import type { Commit } from "@headwater/log/commit/Commit"
import { Fenced } from "@headwater/log/commit/CommitWriter"
import * as CrashPoint from "@headwater/log/commit/CrashPoint"
import { explain, GroupCommit } from "@headwater/log/commit/GroupCommit"
import { type CommitError, CommitRejected } from "@headwater/log/commit/Submission"
import { Fences } from "@headwater/log/logs/Fences"
import { Consumers } from "@headwater/log/resources/Consumers"
import type { CursorMove } from "@headwater/log/work/Cursors"
import { Clock, Deferred, Effect, Option, Schema, Semaphore } from "effect"
import type { SqlError } from "effect/sql"
import {
  BadPosition,
  type CommitRequest,
  ConsumerNotFound,
  type ConsumerPage,
  LeaseHeld,
  LeaseLost,
  type PageEvent,
  type ReadRequest,
  type SeekRequest
} from "../ground/ConsumerRequests.ts"
import { Draining } from "../ground/Draining.ts"
import { EngineLimits, type Limits } from "../ground/EngineLimits.ts"
import * as LogText from "../ground/LogText.ts"
import { toUnavailable, Unavailable } from "../ground/Unavailable.ts"
import type * as Wake from "../ground/Wake.ts"
import { EventFilter } from "../routing/EventFilter.ts"
import { FeedReader } from "../routing/Feed.ts"
import * as OwedLook from "../routing/OwedLook.ts"
import { ConsumerLanes } from "./ConsumerLanes.ts"
import { type ConsumerMemory, ConsumerPages } from "./ConsumerPages.ts"

const leaseLength = 24

/** A waiting reader looks so often whether the server stops, and for events without a hint, in milliseconds. */
const tickMs = 1_000
const lookAgainMs = 10_000

/** The most times that a request is done whose commit fails. */
const mostTries = 3

const isCommitError = Schema.is(Schema.Union([Fenced, CommitRejected]))

const again = (message: string) => new Unavailable({ message, retryAfterSeconds: 1 })

const notWritten = again("The consumer's place could not be written. Try again later.")

const services = Effect.all({
  clock: Clock.Clock,
  consumers: Consumers,
  draining: Draining,
  fences: Fences,
  limits: EngineLimits,
  reader: FeedReader,
  writer: GroupCommit
})

/**
 * The owner of one consumer: it alone moves its cursors, and knows its reader.
 *
 * - C1. Requests are done one after the other (`turn`): each is based on the state that the one before has left.
 * - C2. A commit is durable before memory says so. Once one fails, so has the memory, and the request is done again on what is
 *   read anew.
 * - C3. One reader at a time has the lease. The database has its end before the reader is told of it.
 */
export class ConsumerActor {
  private memory: ConsumerMemory | undefined
  private retired = false
  private answering = 0
  /** The time of the last look at all its cursors, as time elapses. */
  private lookedAt = -Infinity
  /** Done when there may be something to do for waiting readers. */
  private changed = Deferred.makeUnsafe<void>()
  private readonly turn = Semaphore.makeUnsafe(1)
  private readonly id: Id.ConsumerId
  private readonly pages: ConsumerPages
  private readonly owed: OwedLook.OwedLook
  private readonly services: Effect.Success<typeof services>
  private readonly limits: Limits

  private constructor(
    id: Id.ConsumerId,
    pages: ConsumerPages,
    owed: OwedLook.OwedLook,
    given: Effect.Success<typeof services>
  ) {
    this.id = id
    this.pages = pages
    this.owed = owed
    this.services = given
    this.limits = given.limits
  }

  static readonly make = Effect.fnUntraced(function*(id: Id.ConsumerId) {
    return new ConsumerActor(id, yield* ConsumerPages.make, yield* OwedLook.make(id), yield* services)
  })

  /** Takes a hint in: readers that wait for events look again. */
  hint(wake: Wake.Wake): void {
    const { memory } = this
    if (memory === undefined || memory.failed) return
    let isMore = wake.look
    for (const fed of wake.fed) if (memory.lanes.offer(fed)) isMore = true
    if (wake.look) this.lookAtAll()
    if (isMore) this.signal()
  }

  /** Does nothing: a consumer has no work but its requests. */
  wake(_wake: Wake.Wake): Effect.Effect<void> {
    return Effect.void
  }

  /** True while somebody is being answered. */
  awaitsTurn(): boolean {
    return this.answering > 0
  }

  /**
   * Reads the events behind the last commit: the same again if they were not committed. A reader without a lease is
   * given one with the first events, and waits for the end of another's.
   */
  read(request: ReadRequest): Effect.Effect<ConsumerPage, ConsumerNotFound | LeaseHeld | LeaseLost | Unavailable> {
    return this.counted(this.readInTime(request))
  }

  /** Answers the lease, renewed; null if it was given back. */
  commit(
    request: CommitRequest
  ): Effect.Effect<Lease | null, BadPosition | ConsumerNotFound | LeaseLost | Unavailable> {
    return this.counted(this.inTurn(this.commitOnce(request)))
  }

  /** Has the cursors start anew somewhere else, and ends the lease. */
  seek(request: SeekRequest): Effect.Effect<void, ConsumerNotFound | Unavailable> {
    return this.counted(this.inTurn(this.seekOnce(request)))
  }

  /** Has nobody given anything any more. */
  readonly retire: Effect.Effect<void> = Effect.sync(() => {
    this.retired = true
    this.signal()
  })

  private counted<A, E>(answer: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.suspend(() => {
      this.answering += 1
      return Effect.ensuring(answer, Effect.sync(() => this.answering -= 1))
    })
  }

  private signal(): void {
    Deferred.doneUnsafe(this.changed, Effect.void)
    this.changed = Deferred.makeUnsafe()
  }

  private lookAtAll(): void {
    this.owed.begin()
    this.lookedAt = RealTime.elapsedUnsafe(this.services.clock)
  }

  private readonly load = Effect.gen({ self: this }, function*() {
    const { consumers, fences, reader } = this.services
    const fence = yield* fences.acquire(this.id)
    if (Option.isNone(fence)) return yield* new ConsumerNotFound()
    const found = yield* Effect.provideService(consumers.getById(this.id), OnBehalfOf, fence.value.accountId)
    if (this.retired || Option.isNone(found)) return yield* new ConsumerNotFound()
    const { accountId, eventName, filter, lease } = found.value
    this.lookAtAll()
    const memory: ConsumerMemory = {
      consumer: found.value,
      fence: fence.value,
      stream: Stream.normalize(eventName),
      filter: filter === null ? undefined : new EventFilter(filter, accountId, reader.documents),
      lanes: new ConsumerLanes(this.limits),
      lease: lease ?? undefined,
      leaseWrittenUntil: lease?.until ?? 0,
      failed: false
    }
    this.memory = memory
    return memory
  })

  private get current(): Effect.Effect<ConsumerMemory, ConsumerNotFound | SqlError.SqlError> {
    return Effect.suspend(() => {
      if (this.retired) return Effect.fail(new ConsumerNotFound())
      return this.memory === undefined || this.memory.failed ? this.load : Effect.succeed(this.memory)
    })
  }

  private inItsName<A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.suspend(() =>
      this.memory === undefined ? work : Effect.provideService(work, OnBehalfOf, this.memory.consumer.accountId)
    )
  }

  /** Does a request in its turn, and again if its commit fails: by then the consumer may have gone. */
  private inTurn<A, E>(work: Effect.Effect<A, E | CommitError | SqlError.SqlError>) {
    return this.turn.withPermits(1)(Effect.retry(this.inItsName(work), { while: isCommitError, times: mostTries - 1 }))
      .pipe(
        Effect.catchTag("SqlError", (error) => toUnavailable(error as SqlError.SqlError)),
        Effect.catchIf(isCommitError, () => Effect.fail(notWritten))
      ) as Effect.Effect<A, Exclude<E, CommitError | SqlError.SqlError> | Unavailable>
  }

  /** Returns when a commit is durable and memory says so. It goes on though nobody waits for it any more. */
  private write(memory: ConsumerMemory, commit: Commit, after: () => void): Effect.Effect<void, CommitError> {
    const { writer } = this.services
    return writer.room(memory.consumer.accountId).pipe(
      Effect.andThen(Effect.suspend(() => writer.submit({ ...commit, fence: memory.fence }).durable)),
      Effect.tapCause((cause) => {
        memory.failed = true
        return Effect.logWarning("A consumer's commit failed; reading its state again").pipe(
          Effect.annotateLogs({ consumer_id: this.id, error: LogText.make(explain(cause)) })
        )
      }),
      Effect.andThen(Effect.sync(after)),
      Effect.uninterruptible
    )
  }

  private moveAll(memory: ConsumerMemory, commit: Commit & { readonly moves: ReadonlyArray<CursorMove> }) {
    return commit.moves.length === 0 && (commit.updates ?? []).length === 0
      ? Effect.void
      : this.write(memory, commit, () => {
        for (const move of commit.moves) memory.lanes.moved(move)
      })
  }

  /** Renews the lease, and answers the updates to write for that: there are some little more than twice in its time. */
  private renew(memory: ConsumerMemory, id: string, now: number) {
    const leaseMs = memory.consumer.leaseSeconds * 1_000
    const until = now + leaseMs
    memory.lease = { id, until }
    return memory.leaseWrittenUntil >= until ? [] : [this.writeLease(memory, { id, until: until + leaseMs / 2 })]
  }

  private writeLease(memory: ConsumerMemory, lease: Lease | null) {
    memory.leaseWrittenUntil = lease?.until ?? 0
    return this.services.consumers.setLease(memory.consumer.id, lease)
  }

  private readPage(
    memory: ConsumerMemory,
    request: ReadRequest
  ): Effect.Effect<ReadonlyArray<PageEvent>, CommitError | SqlError.SqlError> {
    return Effect.gen({ self: this }, function*() {
      const { lanes } = memory
      for (let looks = 0; looks < this.limits.consumerLooks; looks++) {
        if (lanes.readyCount < this.limits.consumerReady) {
          if (lanes.takeMissed()) this.lookAtAll()
          if (this.owed.isUnderWay()) {
            for (const { emitterId, position } of yield* this.owed.page) lanes.owe(emitterId, position)
          }
        }
        const first = lanes.first(Math.min(request.max, this.limits.consumerEmitters))
        const taken = yield* this.pages.place(memory, first)
        if (taken.length > 0) {
          const { moves, page } = yield* this.pages.read(memory, taken, request)
          yield* this.moveAll(memory, { moves })
          if (page.length > 0) return page
        } else if (!this.owed.isUnderWay() && lanes.readyCount === 0) return []
      }
      return []
    })
  }

  private readOnce(request: ReadRequest) {
    return Effect.gen({ self: this }, function*() {
      const memory = yield* this.current
      const { lease } = memory
      const now = yield* Clock.currentTimeMillis
      if (request.lease !== null && lease?.id !== request.lease) return yield* new LeaseLost()
      if (request.lease === null && lease !== undefined && lease.until > now) {
        return yield* new LeaseHeld({ until: lease.until })
      }
      const page = yield* this.readPage(memory, request)
      if (page.length === 0 && request.lease === null) return { events: page, lease: null }
      const id = request.lease ?? Id.takeText(leaseLength)
      yield* this.moveAll(memory, { moves: [], updates: this.renew(memory, id, yield* Clock.currentTimeMillis) })
      CrashPoint.reached("consumer-read")
      return { events: page, lease: memory.lease ?? null }
    })
  }

  private readInTime(request: ReadRequest) {
    return Effect.gen({ self: this }, function*() {
      const { clock, draining } = this.services
      if (draining.isDraining()) return yield* again("The server that has this consumer is shutting down.")
      const deadline = (yield* RealTime.elapsed) + request.waitMs
      while (true) {
        const next = this.changed
        if (RealTime.elapsedUnsafe(clock) - this.lookedAt >= lookAgainMs) this.lookAtAll()
        const outcome = yield* this.inTurn(
          Effect.catchIf(this.readOnce(request), (error) => error._tag === "LeaseHeld", (held) => Effect.succeed(held))
        )
        const isHeld = "until" in outcome
        if (!isHeld && outcome.events.length > 0) return outcome
        if (this.retired) return yield* new ConsumerNotFound()
        const now = yield* RealTime.elapsed
        if (now >= deadline || draining.isDraining()) return isHeld ? yield* outcome : outcome
        if (!isHeld && this.memory !== undefined && this.memory.lanes.readyCount > 0) {
          yield* Effect.yieldNow
          continue
        }
        const heldMs = isHeld ? Math.max(1, outcome.until - clock.currentTimeMillisUnsafe()) : Infinity
        yield* Effect.timeoutOption(Deferred.await(next), Math.min(deadline - now, tickMs, heldMs))
      }
    })
  }

  private commitOnce({ lease, positions, release }: CommitRequest) {
    return Effect.gen({ self: this }, function*() {
      const memory = yield* this.current
      const { consumer, lanes } = memory
      if (memory.lease?.id !== lease) return yield* new LeaseLost()
      const unheard = positions.find(({ emitterId }) => !EmitterPattern.matches(consumer.emitterId, emitterId))
      if (unheard !== undefined) {
        return yield* new BadPosition({ emitterId: unheard.emitterId, message: "is of an emitter that is not read" })
      }
      const ids = new Map(positions.map(({ emitterId, id }) => [emitterId, id]))
      const named = [...ids.keys()].map((emitterId) => lanes.find(emitterId) ?? lanes.add(emitterId, undefined))
      const moves: Array<CursorMove> = []
      for (const lane of yield* this.pages.place(memory, named)) {
        const id = ids.get(lane.emitterId)!
        if (id <= lane.position!.id) continue
        yield* this.pages.walkTo(memory, lane, id)
        const move = lanes.moveTo(consumer.subscriptionId, lane, id)
        if (move !== undefined) moves.push(move)
      }
      CrashPoint.reached("consumer-commit")
      const now = yield* Clock.currentTimeMillis
      if (release) memory.lease = undefined
      const updates = release ? [this.writeLease(memory, null)] : this.renew(memory, lease, now)
      yield* this.moveAll(memory, { moves, updates })
      if (release) this.signal()
      return memory.lease ?? null
    })
  }

  private seekOnce({ emitterId, from }: SeekRequest) {
    return Effect.gen({ self: this }, function*() {
      const memory = yield* this.current
      const sought = this.services.consumers.seek(memory.consumer, from ?? undefined, emitterId ?? undefined)
      memory.lease = undefined
      yield* this.write(memory, { updates: [this.writeLease(memory, null)], also: sought }, () => {
        memory.lanes = new ConsumerLanes(this.limits)
        this.lookAtAll()
        this.signal()
      })
    })
  }
}
