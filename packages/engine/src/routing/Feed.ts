import { charactersOf, type LoggedEvent, maxHops } from "@headwater/domain/Event"
import * as EventId from "@headwater/domain/EventId"
import { Sharers } from "@headwater/domain/Sharers"
import * as Stream from "@headwater/domain/Stream"
import { type CursorKey, type CursorMove, noTally, type Position, type Tally } from "@headwater/log/Cursors"
import { EventLog } from "@headwater/log/EventLog"
import { Heads, ordinalOf } from "@headwater/log/Heads"
import { Clock, Context, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql"
import { EngineLimits } from "../EngineLimits.ts"
import { EventDocuments, type EventFilter } from "./EventFilter.ts"
import { FeedRoom } from "./FeedRoom.ts"

/** An event, and how many before it will not be delivered: deleted ones, and those that the filter keeps out. */
export interface EventItem {
  readonly _tag: "Event"
  readonly event: LoggedEvent
  readonly dropped: number
  readonly filtered: number
}

/** Events that will not be delivered: deleted ones, those past the hop limit, and those that the filter keeps out. */
export interface PassedItem {
  readonly _tag: "Passed"
  readonly to: Position
  readonly dropped: number
  readonly filtered: number
}

/** The next thing a cursor meets. */
export type FeedItem = EventItem | PassedItem

/**
 * How long an event held in memory is taken to be in the log still, in milliseconds. After that it is read again, so that
 * one deleted meanwhile starts no attempt more than 5 s later (decisions.md, "Deleting events").
 */
const heldMs = 3_000

interface Held {
  readonly event: LoggedEvent
  /** When it was known to be in the log, in Unix milliseconds: an event that was handed over, when it was appended. */
  readonly knownAt: number
  /** Whether the filter lets it through; undefined where that is not known yet. */
  passes: boolean | undefined
}

/** Characters of payloads that one look at what comes next has judged at once. */
const mostJudged = 64 * 1024

/**
 * A cursor on one stream of one emitter with the events in front of it. What a wake hands over is taken as long as its
 * numbers follow on; over a gap or a bound the rest is read back from the log when it is its turn.
 */
export class Feed {
  readonly key: CursorKey
  readonly address: Stream.StreamAddress
  private position: Position
  private buffer: Array<Held> = []
  /** What these take, in characters. */
  private buffered = 0
  private behind = true
  private filter: EventFilter | undefined
  /** What comes next is yet to be judged, for which it is to be the account's turn. */
  private awaitsJudgement = false
  /** What that came to last: it may have taken so long that the event was let go of meanwhile. */
  private judged: { readonly id: EventId.EventId; readonly passes: boolean } | undefined
  /** Set while a commit is under way that passes events without a delivery: what is passed like that meanwhile waits for the next one. */
  isPassing = false
  private readonly room: FeedRoom

  constructor(key: CursorKey, address: Stream.StreamAddress, position: Position, room: FeedRoom, filter?: EventFilter) {
    this.key = key
    this.address = address
    this.position = position
    this.room = room
    this.filter = filter
  }

  /** The subscription lets other events through, from what has not been passed on. */
  setFilter(filter: EventFilter | undefined): void {
    this.filter = filter
    this.judged = undefined
    for (const held of this.buffer) held.passes = undefined
  }

  /** Whether there may be something in front of the cursor. */
  get mayHaveMore(): boolean {
    return this.buffer.length > 0 || this.behind
  }

  /** Whether to know what comes next the log is to be read, or a large event judged. */
  get takesLook(): boolean {
    return this.awaitsJudgement || this.behind && !this.waitsForPass
  }

  /** Whether all it knows is passed with the next commit, when the one under way has ended. */
  private get waitsForPass(): boolean {
    return this.isPassing && this.buffer.length > 0 && !this.awaitsJudgement
  }

  /** The number of the last event passed. */
  get passed(): number {
    return this.position.n
  }

  private get tail(): number {
    return this.buffer.at(-1)?.event.n ?? this.position.n
  }

  /** Events that were appended to the stream, oldest first. Those known already are passed over. */
  offer(events: ReadonlyArray<LoggedEvent>): void {
    for (const event of events) {
      if (event.n <= this.tail) continue
      if (
        this.behind || event.n !== this.tail + 1 || this.buffer.length >= this.room.ofFeed.count ||
        this.buffered >= this.room.ofFeed.characters
      ) {
        this.behind = true
        return
      }
      this.hold(event, EventId.milliseconds(event.id))
    }
  }

  /** Something may have been appended that was not handed over. */
  lookAgain(): void {
    this.behind = true
  }

  private hold(event: LoggedEvent, knownAt: number): void {
    this.buffer.push({ event, knownAt, passes: event.id === this.judged?.id ? this.judged.passes : undefined })
    const characters = charactersOf(event)
    this.buffered += characters
    this.room.take(this, characters, knownAt)
  }

  /** Forgets what it holds of the log, to be read again when it is its turn. */
  letGo(): void {
    this.room.giveBack(this, this.buffered)
    this.buffer = []
    this.buffered = 0
    this.behind = true
  }

  /** Lets go of everything where what comes first has been held too long, or from before the clock was set back. */
  private letGoOfOld(now: number): void {
    // Requests go only once they are passed.
    if (this.address.stream === Stream.requests) return
    const age = this.buffer.length === 0 ? 0 : now - this.buffer[0]!.knownAt
    if (age < 0 || age > heldMs) this.letGo()
  }

  /** What comes next as far as is known without a look into the log, and without passing it. */
  known(now: number): FeedItem | undefined {
    this.letGoOfOld(now)
    const item = this.peek()
    return item?._tag === "Passed" && this.isPassing ? undefined : item
  }

  /** What comes next, without passing it; none when the cursor is at the head. */
  next(read: Pick<FeedReader["Service"], "page">): Effect.Effect<Option.Option<FeedItem>, SqlError.SqlError> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const known = this.known(now)
      if (known !== undefined) return Effect.succeedSome(known)
      if (this.awaitsJudgement) return Effect.andThen(this.judgeNext, Effect.suspend(() => this.next(read)))
      return this.behind && !this.waitsForPass ? this.readOn(read) : Effect.succeedNone
    })
  }

  /** Judges the first event that is yet to be judged. */
  private get judgeNext(): Effect.Effect<void> {
    const { filter } = this
    const held = this.buffer.find(({ event, passes }) => passes === undefined && event.hops < maxHops)
    if (held === undefined || filter === undefined) return Effect.void
    return Effect.map(filter.passes(held.event), (passes) => {
      // Another filter may have come meanwhile.
      if (this.filter !== filter) return
      this.judged = { id: held.event.id, passes }
      held.passes = passes
    })
  }

  private readOn(read: Pick<FeedReader["Service"], "page">): Effect.Effect<Option.Option<FeedItem>, SqlError.SqlError> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      // Cleared first, so that what is offered while the page is read asks for another look.
      this.behind = false
      this.room.clearBefore(now - heldMs)
      const limit = this.room.isScarce ? 1 : this.room.page.count
      return Effect.map(read.page(this.address, this.position, limit), (page) => ({ ...page, now }))
    }).pipe(
      Effect.flatMap(({ events, head, now }) => {
        for (const event of events) {
          // What was offered while the page was read is there already.
          if (event.n > this.tail) this.hold(event, now)
        }
        if (events.length > 0 && this.tail < head.n) this.behind = true
        const item = this.peek() ?? this.deletedUpTo(head)
        // What was offered meanwhile may not have followed on, or what was read is yet to be judged.
        return item === undefined && (this.behind || this.awaitsJudgement)
          ? this.next(read)
          : Effect.succeed(Option.fromUndefinedOr(item))
      }),
      Effect.tapError(() => Effect.sync(() => this.lookAgain()))
    )
  }

  /** What is known to come next. Judges small events at once, as many as one look may. */
  peek(): FeedItem | undefined {
    let dropped = 0
    let filtered = 0
    let looped = false
    let last: LoggedEvent | undefined
    let n = this.position.n
    let judged = 0
    this.awaitsJudgement = false
    const passed = (): FeedItem | undefined =>
      last === undefined ? undefined : { _tag: "Passed", to: { n: last.n, id: last.id }, dropped, filtered }
    for (const held of this.buffer) {
      const { event } = held
      const deleted = event.n - n - 1
      n = event.n
      if (event.hops < maxHops) {
        if (this.filter !== undefined && held.passes === undefined && judged <= mostJudged) {
          judged += event.payload.length
          held.passes = this.filter.passesAtOnce(event)
        }
        const passes = this.filter === undefined ? true : held.passes
        if (passes === undefined) {
          this.awaitsJudgement = last === undefined
          return passed()
        }
        // What is past the hop limit goes by itself: somebody may wait to hear of it.
        if (passes) return looped ? passed() : { _tag: "Event", event, dropped: dropped + deleted, filtered }
        filtered += 1
      } else {
        looped = true
        dropped += 1
      }
      dropped += deleted
      last = event
    }
    return passed()
  }

  /** The events that are known to come next, in order, as far as each follows on the one before and is to be delivered. */
  knownEvents(now: number, most: number, mostCharacters: number): ReadonlyArray<EventItem> {
    const first = this.known(now)
    if (first?._tag !== "Event") return []
    const items = [first]
    let { n } = first.event
    let filtered = 0
    let characters = charactersOf(first.event)
    for (const held of this.buffer) {
      const { event } = held
      if (event.n <= first.event.n) continue
      characters += charactersOf(event)
      if (items.length >= most || event.n !== n + 1 || event.hops >= maxHops || characters > mostCharacters) break
      n = event.n
      if (this.filter !== undefined) {
        held.passes ??= this.filter.passesAtOnce(event)
        if (held.passes === undefined) break
        if (!held.passes) {
          filtered += 1
          continue
        }
      }
      items.push({ _tag: "Event", event, dropped: 0, filtered })
      filtered = 0
    }
    return items
  }

  /** A head the cursor is behind of with no events between: they were deleted. */
  private deletedUpTo(head: Position): FeedItem | undefined {
    if (this.behind || this.buffer.length > 0 || head.n <= this.position.n) return undefined
    return { _tag: "Passed", to: head, dropped: head.n - this.position.n, filtered: 0 }
  }

  /** Passes an item, answering the move to commit. `outcome` says what became of the event itself. */
  pass(item: FeedItem, outcome: Partial<Tally> = {}): CursorMove {
    const from = this.position.n
    const to = item._tag === "Event" ? { n: item.event.n, id: item.event.id } : item.to
    while (this.buffer.length > 0 && this.buffer[0]!.event.n <= to.n) {
      const characters = charactersOf(this.buffer.shift()!.event)
      this.buffered -= characters
      this.room.giveBack(this, characters)
    }
    this.position = to
    return { ...this.key, from, to, tally: { ...noTally, ...outcome, dropped: item.dropped, filtered: item.filtered } }
  }
}

/** Reads what feeds are behind on. */
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
  /** Where feeds hold what was read. */
  readonly room: FeedRoom
  /** Where filters have the payloads of events from. */
  readonly documents: EventDocuments
}>()("@headwater/engine/FeedReader") {
  static readonly layer = Layer.effect(
    FeedReader,
    Effect.gen(function*() {
      const heads = yield* Heads
      const limits = yield* EngineLimits
      const log = yield* EventLog
      return FeedReader.of({
        room: new FeedRoom(limits, yield* Sharers),
        documents: yield* EventDocuments.make,
        page: Effect.fnUntraced(function*(address, after, limit) {
          // The head before the events: what it counts was committed when they are read.
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
