import { charactersOf, type LoggedEvent, maxHops } from "@headwater/domain/Event"
import * as EventId from "@headwater/domain/EventId"
import { Sharers } from "@headwater/domain/Sharers"
import * as Stream from "@headwater/domain/Stream"
import { type CursorKey, type CursorMove, noTally, type Position, type Tally } from "@headwater/log/Cursors"
import { EventLog, type StreamAddress } from "@headwater/log/EventLog"
import { Heads, ordinalOf } from "@headwater/log/Heads"
import { Clock, Context, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql"
import { FeedRoom, mostCharacters } from "./FeedRoom.ts"

/** An event, and how many before it will not be delivered. */
export interface EventItem {
  readonly _tag: "Event"
  readonly event: LoggedEvent
  readonly dropped: number
}

/** The next thing a cursor meets. */
export type FeedItem =
  | EventItem
  /** Events that will not be delivered: deleted ones, and those past the hop limit. */
  | { readonly _tag: "Dropped"; readonly to: Position; readonly dropped: number }

const pageSize = 100
const pageBytes = 4 * 1024 * 1024
const maxBuffered = 1_000
const maxBufferedCharacters = 4 * 1024 * 1024

/**
 * How long an event held in memory is taken to be in the log still, in milliseconds. After that it is read again, so that
 * one deleted meanwhile starts no attempt more than 5 s later (decisions.md, "Deleting events").
 */
const heldMs = 3_000

interface Held {
  readonly event: LoggedEvent
  /** When it was known to be in the log, in Unix milliseconds: an event that was handed over, when it was appended. */
  readonly knownAt: number
}

/**
 * A cursor on one stream of one emitter with the events in front of it. What a wake hands over is taken as long as its
 * numbers follow on; over a gap or a bound the rest is read back from the log when it is its turn.
 */
export class Feed {
  readonly key: CursorKey
  readonly address: StreamAddress
  private position: Position
  private buffer: Array<Held> = []
  /** What these take, in characters. */
  private buffered = 0
  private behind = true
  private readonly room: FeedRoom

  constructor(key: CursorKey, address: StreamAddress, position: Position, room: FeedRoom) {
    this.key = key
    this.address = address
    this.position = position
    this.room = room
  }

  /** Whether there may be something in front of the cursor. */
  get mayHaveMore(): boolean {
    return this.buffer.length > 0 || this.behind
  }

  /** Whether the log is to be read for what comes behind all that is known. */
  get isBehind(): boolean {
    return this.behind
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
        this.behind || event.n !== this.tail + 1 || this.buffer.length >= maxBuffered ||
        this.buffered >= maxBufferedCharacters
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
    this.buffer.push({ event, knownAt })
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
    return this.peek()
  }

  /** What comes next, without passing it; none when the cursor is at the head. */
  next(read: Pick<FeedReader["Service"], "page">): Effect.Effect<Option.Option<FeedItem>, SqlError.SqlError> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const known = this.known(now)
      if (known !== undefined) return Effect.succeedSome(known)
      return this.behind ? this.readOn(read) : Effect.succeedNone
    })
  }

  private readOn(read: Pick<FeedReader["Service"], "page">): Effect.Effect<Option.Option<FeedItem>, SqlError.SqlError> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      // Cleared first, so that what is offered while the page is read asks for another look.
      this.behind = false
      this.room.clearBefore(now - heldMs)
      const limit = this.room.isScarce ? 1 : pageSize
      return Effect.map(read.page(this.address, this.position, limit), (page) => ({ ...page, now }))
    }).pipe(
      Effect.flatMap(({ events, head, now }) => {
        for (const event of events) {
          // What was offered while the page was read is there already.
          if (event.n > this.tail) this.hold(event, now)
        }
        if (events.length > 0 && this.tail < head.n) this.behind = true
        const item = this.peek() ?? this.deletedUpTo(head)
        // What was offered meanwhile may not have followed on.
        return item === undefined && this.behind ? this.next(read) : Effect.succeed(Option.fromUndefinedOr(item))
      }),
      Effect.tapError(() => Effect.sync(() => this.lookAgain()))
    )
  }

  /** What is known to come next. */
  peek(): FeedItem | undefined {
    let dropped = 0
    let last: LoggedEvent | undefined
    let n = this.position.n
    for (const { event } of this.buffer) {
      dropped += event.n - n - 1
      n = event.n
      if (event.hops < maxHops) {
        return last === undefined
          ? { _tag: "Event", event, dropped }
          : { _tag: "Dropped", to: { n: last.n, id: last.id }, dropped: dropped - (event.n - last.n - 1) }
      }
      dropped += 1
      last = event
    }
    return last === undefined ? undefined : { _tag: "Dropped", to: { n: last.n, id: last.id }, dropped }
  }

  /** The events that are known to come next, in order, as far as each follows on the one before and is to be delivered. */
  knownEvents(now: number, most: number, mostCharacters: number): ReadonlyArray<EventItem> {
    const first = this.known(now)
    if (first?._tag !== "Event") return []
    const items = [first]
    let characters = charactersOf(first.event)
    for (let i = 1; i < this.buffer.length && items.length < most; i++) {
      const { event } = this.buffer[i]!
      characters += charactersOf(event)
      if (event.n !== items.at(-1)!.event.n + 1 || event.hops >= maxHops || characters > mostCharacters) break
      items.push({ _tag: "Event", event, dropped: 0 })
    }
    return items
  }

  /** A head the cursor is behind of with no events between: they were deleted. */
  private deletedUpTo(head: Position): FeedItem | undefined {
    if (this.behind || head.n <= this.position.n) return undefined
    return { _tag: "Dropped", to: head, dropped: head.n - this.position.n }
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
    return { ...this.key, from, to, tally: { ...noTally, ...outcome, dropped: item.dropped } }
  }
}

/** Reads what feeds are behind on. */
export class FeedReader extends Context.Service<FeedReader, {
  /**
   * The events after a position, no more than the limit, and a head such that every event up to it that is still in the
   * log is among them where those are not as many.
   */
  readonly page: (
    address: StreamAddress,
    after: Position,
    limit: number
  ) => Effect.Effect<{ readonly events: ReadonlyArray<LoggedEvent>; readonly head: Position }, SqlError.SqlError>
  /** Where feeds hold what was read. */
  readonly room: FeedRoom
}>()("@headwater/engine/FeedReader") {
  static readonly layer = Layer.effect(
    FeedReader,
    Effect.gen(function*() {
      const heads = yield* Heads
      const log = yield* EventLog
      return FeedReader.of({
        room: new FeedRoom(mostCharacters / (yield* Sharers)),
        page: Effect.fnUntraced(function*(address, after, limit) {
          // The head before the events: what it counts was committed when they are read.
          const head = yield* heads.get(address.emitterId)
          // The emitter is gone, and what is left of its log is being removed.
          if (Option.isNone(head)) return { events: [], head: after }
          const events = yield* log.after(address, after.id, limit, pageBytes)
          return { events, head: { n: ordinalOf(head.value, address.stream), id: head.value.lastId } }
        })
      })
    })
  )
}
