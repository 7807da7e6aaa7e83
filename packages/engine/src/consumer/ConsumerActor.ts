import type { Consumer, Lease } from "@headwater/domain/Consumer"
import * as EmitterPattern from "@headwater/domain/EmitterPattern"
import { maxHops } from "@headwater/domain/Event"
import * as Id from "@headwater/domain/Id"
import { OnBehalfOf } from "@headwater/domain/OnBehalfOf"
import * as RealTime from "@headwater/domain/RealTime"
import * as Stream from "@headwater/domain/Stream"
import type { Judged } from "@headwater/domain/SubscriptionFilter"
import type { Commit } from "@headwater/log/commit/Commit"
import { Fenced } from "@headwater/log/commit/CommitWriter"
import * as CrashPoint from "@headwater/log/commit/CrashPoint"
import { explain, GroupCommit } from "@headwater/log/commit/GroupCommit"
import { type CommitError, CommitRejected } from "@headwater/log/commit/Submission"
import { EventLog, type FoundEvent } from "@headwater/log/logs/EventLog"
import { type Fence, Fences } from "@headwater/log/logs/Fences"
import { Consumers } from "@headwater/log/resources/Consumers"
import { type CursorMove, Cursors, noTally } from "@headwater/log/work/Cursors"
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
import { EngineLimits } from "../ground/EngineLimits.ts"
import * as LogText from "../ground/LogText.ts"
import { toUnavailable, Unavailable } from "../ground/Unavailable.ts"
import type * as Wake from "../ground/Wake.ts"
import { EventFilter, Look } from "../routing/EventFilter.ts"
import { FeedReader } from "../routing/Feed.ts"
import * as OwedLook from "../routing/OwedLook.ts"
import { ConsumerLanes, type Lane, type Verdict } from "./ConsumerLanes.ts"

/** The owner of one consumer: it alone moves its cursors, and knows its reader. */
export interface ConsumerActor {
  /** Takes a hint in: readers that wait for events look again. */
  readonly hint: (wake: Wake.Wake) => void
  /** Does nothing: a consumer has no work but its requests. */
  readonly wake: (wake: Wake.Wake) => Effect.Effect<void>
  /** True while somebody is being answered. */
  readonly awaitsTurn: () => boolean
  /**
   * Reads the events behind the last commit: the same again if they were not committed. A reader without a lease is
   * given one with the first events, and waits for the end of another's.
   */
  readonly read: (
    request: ReadRequest
  ) => Effect.Effect<ConsumerPage, ConsumerNotFound | LeaseHeld | LeaseLost | Unavailable>
  /** Answers the lease, renewed; null if it was given back. */
  readonly commit: (
    request: CommitRequest
  ) => Effect.Effect<Lease | null, BadPosition | ConsumerNotFound | LeaseLost | Unavailable>
  /** Has the cursors start anew somewhere else, and ends the lease. */
  readonly seek: (request: SeekRequest) => Effect.Effect<void, ConsumerNotFound | Unavailable>
  /** Has nobody given anything any more. */
  readonly retire: Effect.Effect<void>
}

/** The memory of a consumer's owner: a cache of what the database says, dropped whole when a commit fails. */
interface ConsumerMemory {
  readonly consumer: Consumer
  readonly fence: Fence
  readonly stream: string
  readonly filter: EventFilter | undefined
  lanes: ConsumerLanes
  lease: Lease | undefined
  /** The end of the lease as the database has it. */
  leaseWrittenUntil: number
  failed: boolean
}

const leaseLength = 24

/** The most bytes of payloads that come with a page. Those of its other events are read later. */
const pagePayloadBytes = 64 * 1024

/** Events that a commit looks through at once if it names one that is not known to have been read. */
const walkEvents = 1_000

/** A waiting reader looks so often whether the server stops, and for events without a hint, in milliseconds. */
const tickMs = 1_000
const lookAgainMs = 10_000

/** The most times that a request is done whose commit fails. */
const mostTries = 3

const isCommitError = Schema.is(Schema.Union([Fenced, CommitRejected]))

const again = (message: string) => new Unavailable({ message, retryAfterSeconds: 1 })

const notWritten = again("The consumer's place could not be written. Try again later.")

export const make = Effect.fnUntraced(function*(consumerId: Id.ConsumerId) {
  const consumers = yield* Consumers
  const cursors = yield* Cursors
  const events = yield* EventLog
  const fences = yield* Fences
  const writer = yield* GroupCommit
  const draining = yield* Draining
  const { documents, filteredPages } = yield* FeedReader
  const limits = yield* EngineLimits
  const look = yield* OwedLook.make(consumerId)
  const clock = yield* Clock.Clock
  const turn = yield* Semaphore.make(1)
  let memory: ConsumerMemory | undefined
  let retired = false
  let answering = 0
  /** The time of the last look at all its cursors, as time elapses. */
  let lookedAt = -Infinity
  /** The mean size of the events that were read last, in bytes. */
  let eventBytes = 256
  /** Done when there may be something to do for waiting readers. */
  let changed = Deferred.makeUnsafe<void>()

  const signal = () => {
    Deferred.doneUnsafe(changed, Effect.void)
    changed = Deferred.makeUnsafe()
  }

  const lookAtAll = () => {
    look.begin()
    lookedAt = RealTime.elapsedUnsafe(clock)
  }

  const load = Effect.gen(function*() {
    const fence = yield* fences.acquire(consumerId)
    if (Option.isNone(fence)) return yield* new ConsumerNotFound()
    const found = yield* Effect.provideService(consumers.getById(consumerId), OnBehalfOf, fence.value.accountId)
    if (retired || Option.isNone(found)) return yield* new ConsumerNotFound()
    const consumer = found.value
    lookAtAll()
    memory = {
      consumer,
      fence: fence.value,
      stream: Stream.normalize(consumer.eventName),
      filter: consumer.filter === null ? undefined : new EventFilter(consumer.filter, consumer.accountId, documents),
      lanes: new ConsumerLanes(limits),
      lease: consumer.lease ?? undefined,
      leaseWrittenUntil: consumer.lease?.until ?? 0,
      failed: false
    }
    return memory
  })

  const current = Effect.suspend(() => {
    if (retired) return Effect.fail(new ConsumerNotFound())
    return memory === undefined || memory.failed ? load : Effect.succeed(memory)
  })

  const inItsName = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() =>
      memory === undefined ? work : Effect.provideService(work, OnBehalfOf, memory.consumer.accountId)
    )

  /**
   * Does requests one after the other: each is based on the state that the one before has left. One whose commit fails is
   * done again on the state that is read anew, by which the consumer may have gone.
   */
  const inTurn = <A, E>(work: Effect.Effect<A, E | CommitError | SqlError.SqlError>) =>
    turn.withPermits(1)(Effect.retry(inItsName(work), { while: isCommitError, times: mostTries - 1 })).pipe(
      Effect.catchTag("SqlError", (error) => toUnavailable(error as SqlError.SqlError)),
      Effect.catchIf(isCommitError, () => Effect.fail(notWritten))
    ) as Effect.Effect<A, Exclude<E, CommitError | SqlError.SqlError> | Unavailable>

  /** Returns when a commit is durable and memory says so. It goes on though nobody waits for it any more. */
  const write = (memory: ConsumerMemory, commit: Commit, after: () => void) =>
    Effect.andThen(
      writer.room(memory.consumer.accountId),
      Effect.suspend(() => writer.submit({ ...commit, fence: memory.fence }).durable)
    ).pipe(
      Effect.tapCause((cause) => {
        memory.failed = true
        return Effect.logWarning("A consumer's commit failed; reading its state again").pipe(
          Effect.annotateLogs({ consumer_id: consumerId, error: LogText.make(explain(cause)) })
        )
      }),
      Effect.andThen(Effect.sync(after)),
      Effect.uninterruptible
    )

  const leaseMs = ({ consumer }: ConsumerMemory) => consumer.leaseSeconds * 1_000

  /** Renews the lease, and answers the updates to write for that: there are some little more than twice in its time. */
  const renew = (memory: ConsumerMemory, id: string, now: number) => {
    const until = now + leaseMs(memory)
    memory.lease = { id, until }
    return memory.leaseWrittenUntil >= until ? [] : [writeLease(memory, { id, until: until + leaseMs(memory) / 2 })]
  }

  const writeLease = (memory: ConsumerMemory, lease: Lease | null) => {
    memory.leaseWrittenUntil = lease?.until ?? 0
    return consumers.setLease(memory.consumer.id, lease)
  }

  const moveAll = (memory: ConsumerMemory, commit: Commit & { readonly moves: ReadonlyArray<CursorMove> }) =>
    commit.moves.length === 0 && (commit.updates ?? []).length === 0 ? Effect.void : write(memory, commit, () => {
      for (const move of commit.moves) memory.lanes.moved(move)
    })

  /** Judges events, in order. */
  const judging = ({ consumer, filter }: ConsumerMemory) => {
    const look = new Look()
    return (found: FoundEvent): Verdict | Effect.Effect<Verdict> => {
      if (found.hops >= maxHops) return "dropped"
      if (filter === undefined) return "delivered"
      const event = { ...found, payload: found.payload! }
      const outcome = filter.judgeAtOnce(event, look)
      return outcome === undefined
        ? Effect.map(filter.decide(event, consumer.subscriptionId), verdictOf)
        : verdictOf(outcome)
    }
  }

  /** Reads events and judges them: under a filter with their payloads, in one of the account's slots for that. */
  const withPayloads = <A, E, R>(
    { consumer, filter }: ConsumerMemory,
    payloadBytes: number,
    work: (payloadBytes: number) => Effect.Effect<A, E, R>
  ) => filter === undefined ? work(payloadBytes) : filteredPages.hold(consumer.accountId, work(Number.MAX_SAFE_INTEGER))

  /** Looks up the positions of lanes that were only hinted at. Answers those whose emitter is there. */
  const place = Effect.fnUntraced(function*({ consumer, lanes, stream }: ConsumerMemory, some: ReadonlyArray<Lane>) {
    const unplaced = some.filter(({ position }) => position === undefined)
    if (unplaced.length === 0) return some
    const places = yield* cursors.places(
      { id: consumer.subscriptionId, stream },
      unplaced.map(({ emitterId }) => emitterId)
    )
    for (const lane of unplaced) {
      const found = places.get(lane.emitterId)
      if (found === undefined) lanes.remove(lane)
      else lane.position = found.position
    }
    return some.filter(({ position }) => position !== undefined)
  })

  const addOwed = Effect.fnUntraced(function*({ lanes }: ConsumerMemory) {
    for (const { emitterId, position } of yield* look.page) lanes.owe(emitterId, position)
  })

  const behind = (lanes: ReadonlyArray<Lane>) =>
    lanes.map(({ emitterId, position, read }) => ({ emitterId, id: read.at(-1)?.id ?? position!.id }))

  /** The moves by which lanes pass the deleted events up to their emitters' heads. */
  const passDeleted = Effect.fnUntraced(function*(memory: ConsumerMemory, empty: ReadonlyArray<Lane>) {
    if (empty.length === 0) return []
    const { consumer, lanes, stream } = memory
    const subscription = { id: consumer.subscriptionId, stream }
    const places = yield* cursors.places(subscription, empty.map(({ emitterId }) => emitterId))
    const owed: Array<Lane> = []
    for (const lane of empty) {
      const found = places.get(lane.emitterId)
      if (found === undefined) lanes.remove(lane)
      else if (found.head.n > lane.position!.n) owed.push(lane)
      else lanes.complete(lane)
    }
    if (owed.length === 0) return []
    // Read after the heads: the events that these count were committed, so they are there or were deleted.
    const there = yield* events.inTurns(stream, behind(owed), {
      each: 1,
      limit: owed.length,
      maxBytes: 1,
      payloadBytes: 0
    })
    if (there.events.length > 0) return []
    return owed.map((lane): CursorMove => {
      const { head } = places.get(lane.emitterId)!
      const from = lane.position!.n
      return {
        subscriptionId: consumer.subscriptionId,
        emitterId: lane.emitterId,
        from,
        to: head,
        tally: { ...noTally, dropped: head.n - from }
      }
    })
  })

  /** Reads some events behind lanes' cursors and judges them. */
  const judgedEvents = Effect.fnUntraced(function*(
    memory: ConsumerMemory,
    taken: ReadonlyArray<Lane>,
    most: Parameters<typeof events.inTurns>[2],
    { max, maxBytes, mayLeaveOut }: ReadRequest
  ) {
    const { lanes, stream } = memory
    for (const lane of taken) lanes.forgetRead(lane)
    const byEmitter = new Map(taken.map((lane) => [lane.emitterId, lane]))
    const found = yield* events.inTurns(stream, behind(taken), most)
    const judge = judging(memory)
    const page: Array<PageEvent> = []
    let bytes = 0
    if (found.events.length > 0) {
      eventBytes = Math.max(1, found.events.reduce((sum, event) => sum + event.bytes, 0) / found.events.length)
    }
    for (const event of found.events) {
      const judged = judge(event)
      const verdict = typeof judged === "string" ? judged : yield* judged
      if (verdict === "delivered") {
        if (page.length >= max || (bytes >= maxBytes && page.length > 0)) return { page, isCut: true }
        bytes += event.bytes
        page.push(mayLeaveOut === true && bytes > pagePayloadBytes ? { ...event, payload: null } : event)
      }
      lanes.note(byEmitter.get(event.emitterId)!, event, verdict)
    }
    return { page, isCut: found.isCut }
  })

  /** Reads a page of events behind some lanes' cursors. */
  const readLanes = Effect.fnUntraced(function*(
    memory: ConsumerMemory,
    taken: ReadonlyArray<Lane>,
    request: ReadRequest
  ) {
    const { max, maxBytes } = request
    const { consumer, filter, lanes } = memory
    const wanted = filter === undefined
      ? { limit: max, maxBytes }
      : { limit: Math.max(max, limits.filteredRead.count), maxBytes: Math.max(maxBytes, limits.filteredRead.bytes) }
    // Little more than fits: each row is weighed, though it may then be left out.
    const limit = Math.min(wanted.limit, Math.ceil(1.25 * wanted.maxBytes / eventBytes))
    const most = { ...wanted, limit, each: Math.ceil(limit / taken.length) }
    const { isCut, page } = yield* withPayloads(
      memory,
      request.mayLeaveOut === true ? pagePayloadBytes : Number.MAX_SAFE_INTEGER,
      (payloadBytes) => judgedEvents(memory, taken, { ...most, payloadBytes }, request)
    )
    const empty = taken.filter(({ read }) => read.length === 0)
    const others = taken.filter(({ read }) => read.length > 0)
    if (!isCut) { for (const lane of others) if (lane.read.length < most.each) lanes.complete(lane) }
    const passed = others.filter(({ read }) => read.every(({ verdict }) => verdict !== "delivered"))
      .flatMap((lane) => lanes.moveTo(consumer.subscriptionId, lane, 0n) ?? [])
    const deleted = isCut ? [] : yield* passDeleted(memory, empty)
    yield* moveAll(memory, { moves: [...passed, ...deleted] })
    return page
  })

  const readPage = Effect.fnUntraced(function*(memory: ConsumerMemory, request: ReadRequest) {
    const { lanes } = memory
    for (let looks = 0; looks < limits.consumerLooks; looks++) {
      if (lanes.readyCount < limits.consumerReady) {
        if (lanes.takeMissed()) lookAtAll()
        if (look.isUnderWay()) yield* addOwed(memory)
      }
      const taken = yield* place(memory, lanes.first(Math.min(request.max, limits.consumerEmitters)))
      if (taken.length > 0) {
        const page = yield* readLanes(memory, taken, request)
        if (page.length > 0) return page
      } else if (!look.isUnderWay() && lanes.readyCount === 0) return []
    }
    return []
  })

  const readOnce = Effect.fnUntraced(function*(request: ReadRequest) {
    const memory = yield* current
    const { lease } = memory
    const now = yield* Clock.currentTimeMillis
    if (request.lease !== null && lease?.id !== request.lease) return yield* new LeaseLost()
    if (request.lease === null && lease !== undefined && lease.until > now) {
      return yield* new LeaseHeld({ until: lease.until })
    }
    const page = yield* readPage(memory, request)
    if (page.length === 0 && request.lease === null) return { events: page, lease: null }
    const id = request.lease ?? Id.takeText(leaseLength)
    yield* moveAll(memory, { moves: [], updates: renew(memory, id, yield* Clock.currentTimeMillis) })
    CrashPoint.reached("consumer-read")
    return { events: page, lease: memory.lease ?? null }
  })

  const read = Effect.fnUntraced(function*(request: ReadRequest) {
    if (draining.isDraining()) return yield* again("The server that has this consumer is shutting down.")
    const deadline = (yield* RealTime.elapsed) + request.waitMs
    while (true) {
      const next = changed
      if (RealTime.elapsedUnsafe(clock) - lookedAt >= lookAgainMs) lookAtAll()
      const outcome = yield* inTurn(
        Effect.catchIf(readOnce(request), (error) => error._tag === "LeaseHeld", (held) => Effect.succeed(held))
      )
      const isHeld = "until" in outcome
      if (!isHeld && outcome.events.length > 0) return outcome
      if (retired) return yield* new ConsumerNotFound()
      const now = yield* RealTime.elapsed
      if (now >= deadline || draining.isDraining()) return isHeld ? yield* outcome : outcome
      if (!isHeld && memory !== undefined && memory.lanes.readyCount > 0) {
        yield* Effect.yieldNow
        continue
      }
      const heldMs = isHeld ? Math.max(1, outcome.until - clock.currentTimeMillisUnsafe()) : Infinity
      yield* Effect.timeoutOption(Deferred.await(next), Math.min(deadline - now, tickMs, heldMs))
    }
  })

  /** Reads and judges the next events of one lane. Answers their number. */
  const judgeNext = Effect.fnUntraced(function*(memory: ConsumerMemory, lane: Lane, payloadBytes: number) {
    const judge = judging(memory)
    const { events: found } = yield* events.inTurns(memory.stream, behind([lane]), {
      each: walkEvents,
      limit: walkEvents,
      maxBytes: limits.filteredRead.bytes,
      payloadBytes
    })
    for (const event of found) {
      const judged = judge(event)
      memory.lanes.note(lane, event, typeof judged === "string" ? judged : yield* judged)
    }
    return found.length
  })

  /** Reads on until a lane has read up to an event. */
  const walkTo = Effect.fnUntraced(function*(memory: ConsumerMemory, lane: Lane, id: bigint) {
    const { emitterId } = lane
    for (let walks = 0; (lane.read.at(-1)?.id ?? lane.position!.id) < id; walks++) {
      if (walks * walkEvents >= limits.consumerWalk) {
        return yield* new BadPosition({ emitterId, message: "is far ahead of what was read: seek there" })
      }
      const walked = yield* withPayloads(memory, 0, (payloadBytes) => judgeNext(memory, lane, payloadBytes))
      if (walked > 0) continue
      const { consumer, stream } = memory
      const places = yield* cursors.places({ id: consumer.subscriptionId, stream }, [emitterId])
      if ((places.get(emitterId)?.head.id ?? id) < id) {
        return yield* new BadPosition({ emitterId, message: "is beyond the emitter's last event" })
      }
      return
    }
  })

  const commit = Effect.fnUntraced(function*({ lease, positions, release }: CommitRequest) {
    const memory = yield* current
    const { consumer, lanes } = memory
    if (memory.lease?.id !== lease) return yield* new LeaseLost()
    const unheard = positions.find(({ emitterId }) => !EmitterPattern.matches(consumer.emitterId, emitterId))
    if (unheard !== undefined) {
      return yield* new BadPosition({ emitterId: unheard.emitterId, message: "is of an emitter that is not read" })
    }
    const ids = new Map(positions.map(({ emitterId, id }) => [emitterId, id]))
    const named = [...ids.keys()].map((emitterId) => lanes.find(emitterId) ?? lanes.add(emitterId, undefined))
    const moves: Array<CursorMove> = []
    for (const lane of yield* place(memory, named)) {
      const id = ids.get(lane.emitterId)!
      if (id <= lane.position!.id) continue
      yield* walkTo(memory, lane, id)
      const move = lanes.moveTo(consumer.subscriptionId, lane, id)
      if (move !== undefined) moves.push(move)
    }
    CrashPoint.reached("consumer-commit")
    const now = yield* Clock.currentTimeMillis
    if (release) memory.lease = undefined
    const updates = release ? [writeLease(memory, null)] : renew(memory, lease, now)
    yield* moveAll(memory, { moves, updates })
    if (release) signal()
    return memory.lease ?? null
  })

  const seek = Effect.fnUntraced(function*({ emitterId, from }: SeekRequest) {
    const memory = yield* current
    const sought = consumers.seek(memory.consumer, from ?? undefined, emitterId ?? undefined)
    memory.lease = undefined
    yield* write(memory, { updates: [writeLease(memory, null)], also: sought }, () => {
      memory.lanes = new ConsumerLanes(limits)
      lookAtAll()
      signal()
    })
  })

  const counted = <A, E>(answer: Effect.Effect<A, E>) =>
    Effect.suspend(() => {
      answering += 1
      return Effect.ensuring(answer, Effect.sync(() => answering -= 1))
    })

  return {
    hint: (wake) => {
      if (memory === undefined || memory.failed) return
      let isMore = wake.look
      for (const fed of wake.fed) if (memory.lanes.offer(fed)) isMore = true
      if (wake.look) lookAtAll()
      if (isMore) signal()
    },
    wake: () => Effect.void,
    awaitsTurn: () => answering > 0,
    read: (request) => counted(read(request)),
    commit: (request) => counted(inTurn(commit(request))),
    seek: (request) => counted(inTurn(seek(request))),
    retire: Effect.sync(() => {
      retired = true
      signal()
    })
  } satisfies ConsumerActor as ConsumerActor
})

const verdictOf = (outcome: Judged["outcome"]): Verdict => outcome === "passes" ? "delivered" : outcome
