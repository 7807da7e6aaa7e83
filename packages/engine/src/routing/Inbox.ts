import { BoundedSet } from "@headwater/domain/BoundedMap"
import type { SubscriptionId } from "@headwater/domain/Id"
import type { SubscriptionBatch } from "@headwater/domain/SubscriptionBatch"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { Subscriptions } from "@headwater/log/resources/Subscriptions"
import { Cursors, type FilteredPosition } from "@headwater/log/work/Cursors"
import { Effect, Option, Semaphore } from "effect"
import { EngineLimits } from "../ground/EngineLimits.ts"
import type * as Wake from "../ground/Wake.ts"
import { type EventFilter, ListenerFilters } from "./EventFilter.ts"
import { type Feed, type FeedItem, FeedReader } from "./Feed.ts"
import { type Lane, Lanes } from "./Lanes.ts"
import * as OwedLook from "./OwedLook.ts"

/** The listener whose inbox it is. */
export interface InboxOwner {
  readonly id: string
  readonly accountId: string
  /** The batches that it gets its events in, by what a subscription asks for. */
  readonly batchOf: (asked: SubscriptionBatch | undefined) => SubscriptionBatch | undefined
}

/** The next item of a lane, and its feed. */
export interface NextItem {
  readonly feed: Feed
  readonly item: FeedItem
}

interface Parts {
  readonly cursors: Cursors["Service"]
  readonly filters: ListenerFilters
  readonly look: OwedLook.OwedLook
  readonly mostForgotten: number
  readonly mostReady: number
  readonly owner: InboxOwner
  readonly reader: FeedReader["Service"]
  readonly subscriptions: Subscriptions["Service"]
}

/**
 * The events that a listener is owed, as far as they are in memory:
 *
 *     hint ───────────▶ feed by emitter and subscription ─▶ lane by emitter ─▶ in line ─▶ taken ─▶ put back
 *     look at cursors ─────────────▲
 *
 * - N1. Everything owed is in the database. A hint that is lost, or for which there was no room, is found by a look.
 * - N2. A cursor is read and its feed added while `filtering` is held, so that no older filter replaces a newer one.
 * - N3. Of a lane's feeds the one whose next item comes first in the emitter's log is next.
 * - N4. Nothing of a subscription that is forgotten starts any more, also if its cursor was being read.
 */
export class Inbox {
  readonly lanes: Lanes
  private readonly filtering = Semaphore.makeUnsafe(1)
  private readonly forgotten: Set<string>
  private readonly parts: Parts

  private constructor(parts: Parts, lanes: Lanes) {
    this.parts = parts
    this.lanes = lanes
    this.forgotten = new BoundedSet(parts.mostForgotten)
  }

  /** @param keepsIdle whether lanes with nothing to do are kept until `lanes.dropIdle` is called */
  static readonly make = Effect.fnUntraced(function*(owner: InboxOwner, keepsIdle: boolean) {
    const limits = yield* EngineLimits
    const reader = yield* FeedReader
    return new Inbox({
      cursors: yield* Cursors,
      filters: new ListenerFilters(owner.accountId, reader.documents, limits.filters),
      look: yield* OwedLook.make(owner.id),
      mostForgotten: limits.forgotten,
      mostReady: limits.ready,
      owner,
      reader,
      subscriptions: yield* Subscriptions
    }, new Lanes(reader.room, limits.idle, keepsIdle))
  })

  /** @param text JSON text of the filter; null for none */
  filterOf(text: string | null): EventFilter | undefined {
    return this.parts.filters.of(text)
  }

  /** Takes in events that were appended. Answers the hints that `follow` has to take. */
  offer(fed: ReadonlyArray<Wake.FedEvents>): ReadonlyArray<Wake.FedEvents> {
    let unknown: Array<Wake.FedEvents> | undefined
    for (const hint of fed) if (!this.lanes.offer(hint)) (unknown ??= []).push(hint)
    return unknown ?? none
  }

  /** Takes hints at feeds that are not in memory. */
  follow(fed: ReadonlyArray<Wake.FedEvents>): Effect.Effect<void> {
    return Effect.forEach(fed, (hint) => this.followOne(hint), { discard: true })
  }

  private followOne(hint: Wake.FedEvents): Effect.Effect<void> {
    const { lanes, parts: { cursors } } = this
    return this.filtering.withPermits(1)(Effect.gen({ self: this }, function*() {
      // Events that are held are read from the log when they are released: those in memory are bounded by ready lanes.
      if (lanes.offer(hint) || lanes.isHeld(hint.emitterId)) return
      const found = yield* untilAnswered(cursors.position(hint))
      if (Option.isNone(found) || this.isForgotten(hint.subscriptionId)) return
      this.add(hint, found.value)
      lanes.offer(hint)
    }))
  }

  private add(address: Omit<Wake.FedEvents, "events">, { batch, filter, position }: FilteredPosition): Feed {
    return this.lanes.add(address, position, this.filterOf(filter), this.parts.owner.batchOf(batch))
  }

  /** Looks for everything that is owed, from now on. */
  lookAgain(): void {
    this.parts.look.begin()
  }

  /** True if a look is not over. */
  get isLooking(): boolean {
    return this.parts.look.isUnderWay()
  }

  /** True if the look may go on now: there is room for more that is ready. */
  get mayLookOn(): boolean {
    return this.isLooking && this.lanes.readyCount < this.parts.mostReady
  }

  /** Goes on with the look while there is room for more that is ready. */
  readonly lookOn: Effect.Effect<void> = Effect.gen({ self: this }, function*() {
    while (this.mayLookOn) yield* this.filtering.withPermits(1)(this.lookAtPage)
  })

  private readonly lookAtPage: Effect.Effect<void> = Effect.suspend(() => {
    this.lanes.beginLook()
    return Effect.map(this.parts.look.page, (page) => {
      for (const owed of page) {
        if (this.isForgotten(owed.subscriptionId) || this.lanes.isHeld(owed.emitterId)) continue
        // A cursor whose commit is under way has its feed in memory still.
        const feed = this.lanes.feed(owed) ?? this.add(owed, owed)
        feed.lookAgain()
        this.lanes.makeReady(owed.emitterId)
      }
      this.lanes.endLook()
    })
  })

  /** Has the lanes go on whose events have waited for others for long enough. Answers whether there may be any. */
  endWaits(now: number): boolean {
    if (this.lanes.waitUntil > now) return false
    if (this.lanes.endWaits(now)) this.lookAgain()
    return true
  }

  /** A lane's next item, if there is one; "unread" if that takes a look into the log, or a large event to be judged. */
  known(lane: Lane, now: number): NextItem | undefined | "unread" {
    let first: NextItem | undefined
    for (const feed of lane.feeds.values()) {
      const item = feed.known(now)
      if (item === undefined && feed.takesLook) return "unread"
      if (item !== undefined && isBefore(item, first?.item)) first = { feed, item }
    }
    return first
  }

  /** A lane's next item, if there is one, after a look into the log. */
  read(lane: Lane): Effect.Effect<NextItem | undefined> {
    return Effect.gen({ self: this }, function*() {
      let first: NextItem | undefined
      for (const feed of lane.feeds.values()) {
        const item = Option.getOrUndefined(yield* untilAnswered(feed.next(this.parts.reader)))
        if (item !== undefined && isBefore(item, first?.item)) first = { feed, item }
      }
      return first
    })
  }

  /** A subscription lets other events through, or has them go together otherwise than before. */
  refilter(subscriptionId: SubscriptionId): Effect.Effect<void> {
    const { owner, subscriptions } = this.parts
    return this.filtering.withPermits(1)(
      Effect.map(untilAnswered(subscriptions.get(subscriptionId)), (found) => {
        if (Option.isNone(found)) return
        const { batch, filter } = found.value
        this.lanes.change(subscriptionId, this.filterOf(filter), owner.batchOf(batch ?? undefined))
      })
    )
  }

  isForgotten(subscriptionId: string): boolean {
    return this.forgotten.has(subscriptionId)
  }

  /** A subscription is gone. */
  forget(subscriptionId: string): void {
    this.forgotten.add(subscriptionId)
    this.lanes.forget(subscriptionId)
  }
}

const none: ReadonlyArray<never> = []

/** True if an item comes before another in the emitter's log, or there is no other. */
const isBefore = (item: FeedItem, other: FeedItem | undefined): boolean =>
  other === undefined || idOf(item) < idOf(other)

const idOf = (item: FeedItem): bigint =>
  item._tag === "Event" ? item.event.id : item._tag === "Passed" ? item.to.id : item.events[0]!.id
