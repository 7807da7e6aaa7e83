import type { SubscriptionBatch } from "@headwater/domain/SubscriptionBatch"
import type { CursorKey, Position } from "@headwater/log/work/Cursors"
import type { FedEvents } from "../ground/Wake.ts"
import type { EventFilter } from "./EventFilter.ts"
import { Feed } from "./Feed.ts"
import type { FeedRoom } from "./FeedRoom.ts"

/** The feeds of one emitter: their events are dealt with one after the other, in log order. */
export interface Lane {
  readonly emitterId: string
  /** By subscription. */
  readonly feeds: Map<string, Feed>
  /**
   * It is *idle* with nothing to do or held, *ready* in line for its turn, *running* while its next item is sent or
   * passed, and *hinted* if something was added meanwhile: then it is ready once more when it is put back.
   */
  state: "idle" | "ready" | "running" | "hinted"
  /** Commits under way that move its cursors. */
  commits: number
}

/** True if a lane may have something to deal with now. */
const mayHaveMore = ({ feeds }: Lane): boolean => {
  for (const feed of feeds.values()) if (feed.mayHaveMore && feed.waitsUntil === 0) return true
  return false
}

/** The time until which a lane's events wait for others to go with, in Unix milliseconds; infinity if none do. */
const waitsUntil = ({ feeds }: Lane): number => {
  let first = Infinity
  for (const feed of feeds.values()) if (feed.waitsUntil > 0) first = Math.min(first, feed.waitsUntil)
  return first
}

/** The lanes of a listener, and whose turn it is. */
export class Lanes {
  private readonly lanes = new Map<string, Lane>()
  private readonly ready = new Set<Lane>()
  /** The number of events that hold those behind them, by emitter. */
  private held: Map<string, number> = new Map()
  /** The number of times that this has changed. */
  heldChanges = 0
  /** The time to look at the first lane whose events wait for others, in Unix milliseconds; infinity if none do. */
  waitUntil = Infinity
  /** True if such a lane was forgotten: it is found again by a look at what is owed. */
  private forgotWaiting = false
  /** True if there has been a feed whose events go together. */
  private hasBatches = false
  private readonly room: FeedRoom
  private readonly mostIdle: number
  private readonly keepsIdle: boolean
  /** True while no lane is dropped. */
  private keepsAll: boolean

  /**
   * @param mostIdle the most lanes with nothing to do that are kept, for events to come
   * @param keepsIdle whether the others are kept too until `dropIdle` is called
   */
  constructor(room: FeedRoom, mostIdle: number, keepsIdle = false) {
    this.room = room
    this.mostIdle = mostIdle
    this.keepsIdle = this.keepsAll = keepsIdle
  }

  /** The number of lanes in memory. */
  get size(): number {
    return this.lanes.size
  }

  /** The number of lanes that wait for their turn. */
  get readyCount(): number {
    return this.ready.size
  }

  feed({ emitterId, subscriptionId }: CursorKey): Feed | undefined {
    return this.lanes.get(emitterId)?.feeds.get(subscriptionId)
  }

  /** Adds a feed that is not there, whose cursor stands at a position. */
  add(
    { emitterId, stream, subscriptionId }: Omit<FedEvents, "events">,
    position: Position,
    filter?: EventFilter,
    batch?: SubscriptionBatch
  ): Feed {
    const feed = new Feed({ emitterId, subscriptionId }, { emitterId, stream }, position, this.room, filter, batch)
    if (batch !== undefined) this.hasBatches = true
    const lane = this.lanes.get(emitterId) ?? { emitterId, feeds: new Map(), state: "idle", commits: 0 }
    lane.feeds.set(subscriptionId, feed)
    this.lanes.set(emitterId, lane)
    return feed
  }

  /** Hands a feed events that were appended, and puts its lane in line. Answers whether the feed is there. */
  offer({ emitterId, events, subscriptionId }: FedEvents): boolean {
    const lane = this.lanes.get(emitterId)
    const feed = lane?.feeds.get(subscriptionId)
    if (lane === undefined || feed === undefined) return false
    if (events.length === 0) feed.lookAgain()
    else feed.offer(events)
    this.hint(lane)
    return true
  }

  /** True if there is nothing in front of a lane's cursors. */
  isEmpty({ feeds }: Lane): boolean {
    for (const feed of feeds.values()) if (feed.mayHaveMore) return false
    return true
  }

  /** Puts an emitter's lane in line. */
  makeReady(emitterId: string): void {
    const lane = this.lanes.get(emitterId)
    if (lane !== undefined) this.hint(lane)
  }

  /** Takes the lane that is first in line. It is to be put back. */
  take(): Lane | undefined {
    const lane = this.ready.values().next().value
    if (lane === undefined) return undefined
    this.ready.delete(lane)
    lane.state = "running"
    return lane
  }

  /** Puts a lane back, at the end of the line if it had an item. */
  putBack(lane: Lane, hadItem: boolean): void {
    const isReady = hadItem || lane.state === "hinted"
    lane.state = "idle"
    if (isReady) this.hint(lane)
    else this.dropIfIdle(lane)
  }

  /** Forgets a lane that has nothing to do, or is held, if there are many: the database has its cursors' positions. */
  dropIfIdle(lane: Lane): void {
    if (this.keepsAll || this.lanes.size <= this.mostIdle || lane.state !== "idle" || lane.commits > 0) return
    if ((mayHaveMore(lane) && !this.isHeld(lane.emitterId)) || this.lanes.get(lane.emitterId) !== lane) return
    for (const feed of lane.feeds.values()) {
      if (feed.waitsUntil > 0) this.forgotWaiting = true
      feed.letGo()
    }
    this.lanes.delete(lane.emitterId)
  }

  /** Positions are read: a feed that was dropped meanwhile could be added again at its former position. */
  beginLook(): void {
    this.keepsAll = true
  }

  /** The positions that were read are added. */
  endLook(): void {
    if (!this.keepsIdle) this.dropIdle()
  }

  /** Forgets lanes that have gone idle while all were kept. */
  dropIdle(): void {
    this.keepsAll = false
    for (const lane of this.lanes.values()) {
      if (this.lanes.size <= this.mostIdle) break
      this.dropIfIdle(lane)
    }
    this.keepsAll = this.keepsIdle
  }

  /** Notes that a lane's events may wait for others. Answers the end of that wait if it is before all other ends. */
  noteWait(lane: Lane): number | undefined {
    if (!this.hasBatches) return undefined
    const until = waitsUntil(lane)
    if (until >= this.waitUntil) return undefined
    this.waitUntil = until
    return until
  }

  /**
   * Puts those in line whose events have waited for long enough. Answers whether others that did were forgotten;
   * `waitUntil` says when the next ones have.
   */
  endWaits(now: number): boolean {
    this.waitUntil = Infinity
    for (const lane of this.lanes.values()) {
      const until = waitsUntil(lane)
      if (until <= now) this.hint(lane)
      else this.waitUntil = Math.min(this.waitUntil, until)
    }
    const { forgotWaiting } = this
    this.forgotWaiting = false
    return forgotWaiting
  }

  /** A subscription lets other events through, or has them go together otherwise than before. */
  change(subscriptionId: string, filter: EventFilter | undefined, batch: SubscriptionBatch | undefined): void {
    if (batch !== undefined) this.hasBatches = true
    for (const lane of this.lanes.values()) {
      const feed = lane.feeds.get(subscriptionId)
      if (feed === undefined) continue
      feed.setFilter(filter)
      feed.setBatch(batch)
      this.hint(lane)
    }
  }

  /** Forgets the feeds of a subscription. */
  forget(subscriptionId: string): void {
    for (const { feeds } of this.lanes.values()) feeds.delete(subscriptionId)
  }

  /** The number of emitters whose events are held. */
  get heldCount(): number {
    return this.held.size
  }

  isHeld(emitterId: string): boolean {
    return this.held.has(emitterId)
  }

  /** An event of an emitter holds those behind it. */
  hold(emitterId: string): void {
    this.heldChanges += 1
    this.held.set(emitterId, (this.held.get(emitterId) ?? 0) + 1)
    this.takeOutOfLine(emitterId)
    // Events that wait for long are read again when it is their turn: by then they may be deleted.
    for (const feed of this.lanes.get(emitterId)?.feeds.values() ?? []) feed.letGo()
  }

  /** An event that held those behind it has come to an end. */
  release(emitterId: string): void {
    this.heldChanges += 1
    const count = this.held.get(emitterId)
    if (count === undefined) return
    if (count > 1) {
      this.held.set(emitterId, count - 1)
    } else {
      this.held.delete(emitterId)
      this.makeReady(emitterId)
    }
  }

  /** Takes the numbers of all events that hold others, by emitter. */
  holdAll(counts: ReadonlyMap<string, number>): void {
    const before = this.held
    this.held = new Map(counts)
    for (const emitterId of counts.keys()) this.takeOutOfLine(emitterId)
    for (const emitterId of before.keys()) if (!this.held.has(emitterId)) this.makeReady(emitterId)
  }

  private takeOutOfLine(emitterId: string): void {
    const lane = this.lanes.get(emitterId)
    if (lane === undefined || !this.ready.delete(lane)) return
    lane.state = "idle"
  }

  private hint(lane: Lane): void {
    if (lane.state === "running" || lane.state === "hinted") {
      lane.state = "hinted"
    } else if (this.held.size === 0 || !this.isHeld(lane.emitterId)) {
      lane.state = "ready"
      this.ready.add(lane)
    }
  }
}
