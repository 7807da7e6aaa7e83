import { AccountSlots } from "@headwater/domain/AccountSlots"
import { charactersOf, type LoggedEvent, maxHops } from "@headwater/domain/Event"
import * as EventId from "@headwater/domain/EventId"
import { Sharers } from "@headwater/domain/Sharers"
import * as Stream from "@headwater/domain/Stream"
import type { SubscriptionBatch } from "@headwater/domain/SubscriptionBatch"
import type { Judged } from "@headwater/domain/SubscriptionFilter"
import { EventLog } from "@headwater/log/logs/EventLog"
import { Heads, ordinalOf } from "@headwater/log/logs/Heads"
import {
  addTally,
  type CursorKey,
  type CursorMove,
  noTally,
  type Position,
  type Tally
} from "@headwater/log/work/Cursors"
import { Clock, Context, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql"
import { EngineLimits } from "../ground/EngineLimits.ts"
import { EventDocuments, type EventFilter, Look } from "./EventFilter.ts"
import { FeedRoom } from "./FeedRoom.ts"

/** Events that will not be delivered, counted as the accounting does. */
export type Undelivered = Pick<Tally, "dropped" | "tooCostly" | "filtered">

/** An event, and the number before it that will not be delivered: deleted ones, and those that the filter keeps out. */
export interface EventItem extends Undelivered {
  readonly _tag: "Event"
  readonly event: LoggedEvent
}

/** Events that will not be delivered: deleted ones, those past the hop limit, and those that the filter keeps out. */
export interface PassedItem extends Undelivered {
  readonly _tag: "Passed"
  readonly to: Position
}

/** Events that go to the listener together, and how many up to the last of them will not be delivered. */
export interface BatchItem extends Undelivered {
  readonly _tag: "Batch"
  /** One at least, in the order of the log. */
  readonly events: ReadonlyArray<LoggedEvent>
}

/** The outcome of an event by a filter. */
type Outcome = Judged["outcome"]

/** The next thing a cursor meets. */
export type FeedItem = EventItem | PassedItem | BatchItem

/**
 * The time for which an event held in memory is taken to be in the log still, in milliseconds. After that it is read
 * again, so that one deleted meanwhile starts no attempt more than 5 s later (decisions.md, "Deleting events").
 */
const heldMs = 3_000

interface Held {
  readonly event: LoggedEvent
  /** The time at which it was known to be in the log, in Unix milliseconds: of its append, if it was handed over. */
  readonly knownAt: number
  /** Its outcome by the filter; undefined while that is not known. */
  outcome: Outcome | undefined
}

/** Events in front of a cursor that wait for others to go with. */
interface Wait {
  /** The latest time at which they go, in Unix milliseconds. */
  readonly until: number
  /** The last event that is known to be there. */
  last: Position
  /** After so many more events, or so many characters of them, they may be enough. */
  events: number
  characters: number
  /** True if they were let go of: they are read again when they go, and events that come meanwhile are only counted. */
  isLetGo: boolean
}

/** Counts events that will not be delivered. */
class Passing {
  dropped = 0
  tooCostly = 0
  filtered = 0

  /** An event that the filter does not let through. */
  add(outcome: Exclude<Outcome, "passes">): void {
    if (outcome === "filtered") {
      this.filtered += 1
    } else {
      this.dropped += 1
      this.tooCostly += 1
    }
  }

  /** The numbers so far. */
  get counts(): Undelivered {
    return { dropped: this.dropped, tooCostly: this.tooCostly, filtered: this.filtered }
  }
}

/**
 * A cursor on one stream of one emitter with the events in front of it. Events that a wake hands over are taken as long
 * as their numbers follow on; over a gap or a bound the rest is read back from the log when it is its turn.
 */
export class Feed {
  readonly key: CursorKey
  readonly address: Stream.StreamAddress
  private position: Position
  private buffer: Array<Held> = []
  /** The size of these, in characters. */
  private buffered = 0
  private behind = true
  private filter: EventFilter | undefined
  /** True if the next event is yet to be judged, for which it is to be the account's turn. */
  private awaitsJudgement = false
  /** The last judgement: it may have taken so long that its event was let go of meanwhile. */
  private judged: { readonly id: EventId.EventId; readonly outcome: Outcome } | undefined
  /** Set while a commit passes events without a delivery: others to be passed like that wait for the next commit. */
  isPassing = false
  private readonly room: FeedRoom
  private batch: SubscriptionBatch | undefined
  private wait: Wait | undefined
  /** True if others need the room in which it was to hold more of the next events: it sends those that it can hold. */
  private isSqueezed = false

  constructor(
    key: CursorKey,
    address: Stream.StreamAddress,
    position: Position,
    room: FeedRoom,
    filter?: EventFilter,
    batch?: SubscriptionBatch
  ) {
    this.key = key
    this.address = address
    this.position = position
    this.room = room
    this.filter = filter
    this.batch = batch
  }

  /** The subscription has its events go together, or otherwise than before. */
  setBatch(batch: SubscriptionBatch | undefined): void {
    this.batch = batch
    this.endWait()
  }

  /** The subscription lets other events through, among those that have not been passed. */
  setFilter(filter: EventFilter | undefined): void {
    this.filter = filter
    this.judged = undefined
    for (const held of this.buffer) held.outcome = undefined
    this.endWait()
  }

  /** True if there may be something in front of the cursor. */
  get mayHaveMore(): boolean {
    return this.buffer.length > 0 || this.behind || this.wait !== undefined
  }

  /** The time until which the events in front of the cursor wait for others, in Unix milliseconds; 0 if none do. */
  get waitsUntil(): number {
    return this.wait?.until ?? 0
  }

  /** True if the log is to be read, or a large event judged, to know the next item. */
  get takesLook(): boolean {
    return this.awaitsJudgement || this.mayReadOn
  }

  private get mayReadOn(): boolean {
    return this.behind && !this.waitsForPass
  }

  /** True if all it knows is passed with the next commit, when the one under way has ended. */
  private get waitsForPass(): boolean {
    return this.isPassing && this.buffer.length > 0 && !this.awaitsJudgement
  }

  /** The number of the last event passed. */
  get passed(): number {
    return this.position.n
  }

  private get tail(): number {
    return this.wait?.last.n ?? this.buffer.at(-1)?.event.n ?? this.position.n
  }

  /** Events that were appended to the stream, oldest first. Those known already are passed over. */
  offer(events: ReadonlyArray<LoggedEvent>): void {
    for (const event of events) {
      if (event.n <= this.tail) continue
      // One that follows on is taken also where there may be more behind it: what is in memory need not be read.
      if (event.n !== this.tail + 1 || this.isFull) {
        this.behind = true
        return
      }
      this.hold(event, EventId.milliseconds(event.id))
    }
  }

  /** Nothing is in front of the cursor that is not handed over from now on. Only the emitter's owner can know that. */
  noteAtHead(): void {
    this.behind = false
  }

  /** Something may have been appended that was not handed over. */
  lookAgain(): void {
    this.behind = true
  }

  private hold(event: LoggedEvent, knownAt: number): void {
    const characters = charactersOf(event)
    const { wait } = this
    if (wait !== undefined) {
      wait.last = { n: event.n, id: event.id }
      // An event past the hop limit waits for nothing: somebody may wait to hear of it.
      wait.events = event.hops < maxHops ? wait.events - 1 : 0
      wait.characters -= characters
      if (wait.isLetGo) return
    }
    this.buffer.push({ event, knownAt, outcome: event.id === this.judged?.id ? this.judged.outcome : undefined })
    this.buffered += characters
    this.room.take(this, characters, knownAt)
  }

  /** Forgets the events that it holds, to be read again when it is its turn. */
  letGo(): void {
    this.room.giveBack(this, this.buffered)
    this.buffer = []
    this.buffered = 0
    if (this.wait === undefined) this.behind = true
    else this.wait.isLetGo = true
  }

  /** Lets go of everything if the first event has been held too long, or since before the clock was set back. */
  private letGoOfOld(now: number): void {
    // Requests go only once they are passed.
    if (this.address.stream === Stream.requests) return
    const age = this.buffer.length === 0 ? 0 : now - this.buffer[0]!.knownAt
    if (age < 0 || age > heldMs) this.letGo()
  }

  /** The next item, if it is known without a look into the log. It is not passed. */
  known(now: number): FeedItem | undefined {
    if (this.wait !== undefined) {
      if (this.stillWaits(this.wait, now)) return undefined
      this.endWait()
    }
    this.letGoOfOld(now)
    const item = this.batch === undefined ? this.peek() : this.peekBatch(this.batch, now)
    return item?._tag === "Passed" && this.isPassing ? undefined : item
  }

  /** The next item, without passing it; none when the cursor is at the head. */
  next(read: Pick<FeedReader["Service"], "page">): Effect.Effect<Option.Option<FeedItem>, SqlError.SqlError> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const known = this.known(now)
      if (known !== undefined) return Effect.succeedSome(known)
      if (this.awaitsJudgement) return Effect.andThen(this.judgeNext, Effect.suspend(() => this.next(read)))
      return this.mayReadOn ? this.readOn(read) : Effect.succeedNone
    })
  }

  /** Judges the first event that is yet to be judged. */
  private get judgeNext(): Effect.Effect<void> {
    const { filter } = this
    const held = this.buffer.find(({ event, outcome }) => outcome === undefined && event.hops < maxHops)
    if (held === undefined || filter === undefined) return Effect.void
    return Effect.map(filter.decide(held.event, this.key.subscriptionId), (outcome) => {
      // The events before it are judged again: as many of them as one look may judge go, so that some do.
      if (this.buffer.length === 0) this.isSqueezed = true
      // Another filter may have come meanwhile.
      if (this.filter !== filter) return
      this.judged = { id: held.event.id, outcome }
      held.outcome = outcome
    })
  }

  /** The outcome of an event by the filter, if it is known or can be told in this look. */
  private outcomeOf(held: Held, look: Look): Outcome | undefined {
    if (this.filter === undefined) return "passes"
    held.outcome ??= this.filter.judgeAtOnce(held.event, look)
    return held.outcome
  }

  private readOn(read: Pick<FeedReader["Service"], "page">): Effect.Effect<Option.Option<FeedItem>, SqlError.SqlError> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      this.room.clearBefore(now - heldMs)
      // Cleared first, so that an event that is offered while the page is read asks for another look.
      this.behind = false
      const limit = this.room.isScarce ? 1 : this.room.page.count
      const page = this.batch === undefined
        ? read.page(this.address, this.position, limit)
        : this.readMore(read)
      return Effect.map(page, (page) => ({ ...page, now }))
    }).pipe(
      Effect.flatMap(({ events, head, now }) => {
        for (const event of events) {
          // Events that were offered while the page was read are there already.
          if (event.n > this.tail) this.hold(event, now)
        }
        if (events.length > 0 && this.tail < head.n) this.behind = true
        const item = (this.batch === undefined ? this.peek() : this.known(now)) ?? this.deletedUpTo(head)
        // Events that were offered meanwhile may not have followed on, or those that were read are yet to be judged.
        return item === undefined && (this.behind || this.awaitsJudgement)
          ? this.next(read)
          : Effect.succeed(Option.fromUndefinedOr(item))
      }),
      Effect.tapError(() => Effect.sync(() => this.lookAgain()))
    )
  }

  /** Reads the events that follow those that are known to be there. */
  private readMore(read: Pick<FeedReader["Service"], "page">) {
    const { ofFeed, page } = this.room
    const last = this.wait?.last ?? this.buffer.at(-1)?.event
    const after = last === undefined ? this.position : { n: last.n, id: last.id }
    const limit = Math.max(
      1,
      Math.min(Math.max(page.count, this.batch?.maxEvents ?? 0), ofFeed.count - this.buffer.length)
    )
    return Effect.map(read.page(this.address, after, limit), (page) => {
      if (this.tail >= after.n) return page
      // The events before the page were let go of meanwhile: there is no room for as many.
      this.isSqueezed = true
      this.behind = true
      return { events: [], head: this.position }
    })
  }

  /** The next item as far as it is known. Judges small events at once, as many as one look may. */
  peek(): FeedItem | undefined {
    const passing = new Passing()
    const look = new Look()
    let looped = false
    let last: LoggedEvent | undefined
    let n = this.position.n
    this.awaitsJudgement = false
    const passed = (): FeedItem | undefined =>
      last === undefined ? undefined : { _tag: "Passed", to: { n: last.n, id: last.id }, ...passing.counts }
    for (const held of this.buffer) {
      const { event } = held
      const deleted = event.n - n - 1
      n = event.n
      if (event.hops < maxHops) {
        const outcome = this.outcomeOf(held, look)
        if (outcome === undefined) {
          this.awaitsJudgement = last === undefined
          return passed()
        }
        if (outcome === "passes") {
          // An event past the hop limit goes by itself: somebody may wait to hear of it.
          if (looped) return passed()
          passing.dropped += deleted
          return { _tag: "Event", event, ...passing.counts }
        }
        passing.add(outcome)
      } else {
        looped = true
        passing.dropped += 1
      }
      passing.dropped += deleted
      last = event
    }
    return passed()
  }

  /** True if events still wait for others, as far as can be told without a look at each of them. */
  private stillWaits({ characters, events, until }: Wait, now: number): boolean {
    return now < until && events > 0 && characters > 0 && !this.isFull
  }

  private endWait(): void {
    if (this.wait?.isLetGo === true) this.behind = true
    this.wait = undefined
  }

  /** True if it can hold no more. */
  private get isFull(): boolean {
    return this.buffer.length >= this.room.ofFeed.count || this.buffered >= this.room.ofFeed.characters
  }

  /**
   * As `peek`, if events go together. None while they wait for others, and while more is to be read or judged to know
   * their number.
   */
  private peekBatch({ maxBytes, maxEvents, maxWaitMs }: SubscriptionBatch, now: number): FeedItem | undefined {
    const events: Array<LoggedEvent> = []
    /** The size of the JSON list: one bracket, and behind each payload a comma or the other bracket. */
    let bytes = 1
    const passing = new Passing()
    /** The counts up to the last of the events. */
    let within = passing.counts
    const look = new Look()
    let looped = false
    let isEnough = false
    let last: LoggedEvent | undefined
    let { n } = this.position
    this.awaitsJudgement = false
    for (const held of this.buffer) {
      const { event } = held
      const isLooped = event.hops >= maxHops
      // An event past the hop limit goes by itself: somebody may wait to hear of it.
      if (isLooped && events.length > 0) {
        isEnough = true
        break
      }
      const outcome = isLooped ? "looped" : this.outcomeOf(held, look)
      if (outcome === undefined) {
        this.awaitsJudgement = events.length > 0 || last === undefined
        break
      }
      const passes = outcome === "passes"
      // Events that are sent and events that are held do not go together.
      if (passes && events.length > 0 && events[0]!.meta.shadow !== event.meta.shadow) {
        isEnough = true
        break
      }
      if (passes && looped) break
      const bytesWith = bytes + Buffer.byteLength(event.payload) + 1
      if (passes && events.length > 0 && bytesWith > maxBytes) {
        isEnough = true
        break
      }
      passing.dropped += event.n - n - 1
      n = event.n
      last = event
      if (passes) {
        bytes = bytesWith
        events.push(event)
        within = passing.counts
        isEnough = events.length >= maxEvents || bytes >= maxBytes
        if (isEnough) break
      } else if (outcome === "looped") {
        looped = true
        passing.dropped += 1
      } else passing.add(outcome)
    }
    const [first] = events
    if (last === undefined) return undefined
    if (first === undefined) return { _tag: "Passed", to: { n: last.n, id: last.id }, ...passing.counts }
    if (!isEnough && !this.isSqueezed && this.awaitsJudgement) return undefined
    if (!isEnough && !this.isSqueezed && !this.isFull) {
      if (this.mayReadOn) return undefined
      const until = EventId.milliseconds(first.id) + maxWaitMs
      if (now < until) {
        this.wait = {
          until,
          last: { n: last.n, id: last.id },
          events: maxEvents - events.length,
          // A character is at most three bytes, and each event has a comma.
          characters: Math.floor((maxBytes - bytes) / 4),
          isLetGo: false
        }
        return undefined
      }
    }
    this.awaitsJudgement = false
    return { _tag: "Batch", events, ...within }
  }

  /** The events that are known to come next, in order, as far as each follows the one before and is to be delivered. */
  knownEvents(now: number, most: number, mostCharacters: number): ReadonlyArray<EventItem> {
    const first = this.known(now)
    if (first?._tag !== "Event") return []
    const items = [first]
    const look = new Look()
    let { n } = first.event
    let passing = new Passing()
    let characters = charactersOf(first.event)
    for (const held of this.buffer) {
      const { event } = held
      if (event.n <= first.event.n) continue
      characters += charactersOf(event)
      if (items.length >= most || event.n !== n + 1 || event.hops >= maxHops || characters > mostCharacters) break
      n = event.n
      const outcome = this.outcomeOf(held, look)
      if (outcome === undefined) break
      if (outcome !== "passes") {
        passing.add(outcome)
        continue
      }
      items.push({ _tag: "Event", event, ...passing.counts })
      passing = new Passing()
    }
    return items
  }

  /** The events up to a head that the cursor is behind, if there are none between: they were deleted. */
  private deletedUpTo(head: Position): FeedItem | undefined {
    if (this.behind || this.buffer.length > 0 || this.wait !== undefined || head.n <= this.position.n) return undefined
    return { _tag: "Passed", to: head, dropped: head.n - this.position.n, tooCostly: 0, filtered: 0 }
  }

  /** Passes an item, answering the move to commit. `outcome` says what became of the event itself. */
  pass(item: FeedItem, outcome: Partial<Tally> = {}): CursorMove {
    const from = this.position.n
    const to = endOf(item)
    this.wait = undefined
    this.isSqueezed = false
    while (this.buffer.length > 0 && this.buffer[0]!.event.n <= to.n) {
      const characters = charactersOf(this.buffer.shift()!.event)
      this.buffered -= characters
      this.room.giveBack(this, characters)
    }
    this.position = to
    const { dropped, filtered, tooCostly } = item
    return {
      ...this.key,
      from,
      to,
      tally: addTally({ ...noTally, ...outcome }, { ...noTally, dropped, tooCostly, filtered })
    }
  }
}

/** The position of a cursor that has passed an item. */
const endOf = (item: FeedItem): Position => {
  if (item._tag === "Passed") return item.to
  const { id, n } = item._tag === "Event" ? item.event : item.events.at(-1)!
  return { n, id }
}

/** Reads the events that feeds are behind on. */
export class FeedReader extends Context.Service<FeedReader, {
  /**
   * The events after a position, no more than the limit, and a head such that every event up to it that is still in the
   * log is among them where those are not as many.
   */
  readonly page: (
    address: Stream.StreamAddress,
    after: Position,
    limit: number
  ) => Effect.Effect<{ readonly events: ReadonlyArray<LoggedEvent>; readonly head: Position }, SqlError.SqlError>
  /** The room in which feeds hold the events that were read. */
  readonly room: FeedRoom
  /** The source from which filters have the payloads of events. */
  readonly documents: EventDocuments
  /** Slots for pages of clients whose payloads are in memory to be judged: 4 of a machine, 1 of an account. */
  readonly filteredPages: AccountSlots
}>()("@headwater/engine/FeedReader") {
  static readonly layer = Layer.effect(
    FeedReader,
    Effect.gen(function*() {
      const heads = yield* Heads
      const limits = yield* EngineLimits
      const log = yield* EventLog
      const sharers = yield* Sharers
      return FeedReader.of({
        room: new FeedRoom(limits, sharers),
        filteredPages: new AccountSlots(Math.max(1, Math.floor(4 / sharers)), 1),
        documents: yield* EventDocuments.make,
        page: Effect.fnUntraced(function*(address, after, limit) {
          // The head is read before the events: those that it counts were committed by then.
          const head = yield* heads.get(address.emitterId)
          // The emitter is gone, and what is left of its log is being removed.
          if (Option.isNone(head)) return { events: [], head: after }
          const events = yield* log.after(address, after.id, limit, limits.feedPage.bytes)
          return { events, head: { n: ordinalOf(head.value, address.stream), id: head.value.lastId } }
        })
      })
    })
  )
}
