import { type CursorKey, keyText, type Position } from "@headwater/log/Cursors"
import { Feed } from "./Feed.ts"
import type { FeedRoom } from "./FeedRoom.ts"
import type { FedEvents } from "./Wake.ts"

/** Lanes that have nothing to send are kept up to so many, for what comes next. */
const mostIdle = 2_000

/** The feeds of one emitter: their events go out one first attempt at a time, in log order. */
export interface Lane {
  readonly emitterId: string
  readonly feeds: Map<string, Feed>
  /** Whether its next item is being sent or passed. */
  running: boolean
  /** Whether something was added since it was taken. */
  hinted: boolean
  /** Commits under way that move its cursors. */
  commits: number
}

/** Whether a lane may have something to send. */
const mayHaveMore = ({ feeds }: Lane): boolean => {
  for (const feed of feeds.values()) if (feed.mayHaveMore) return true
  return false
}

/**
 * The lanes of a webhook, and whose turn it is. A lane is idle, ready (in line), running (taken), or running and hinted: then
 * it is ready once more when it is put back.
 */
export class Lanes {
  private readonly lanes = new Map<string, Lane>()
  private readonly ready = new Set<Lane>()
  private readonly room: FeedRoom
  private readonly mostIdle: number
  /** Set while positions are read: a feed that were dropped meanwhile could be added again where it stood before. */
  keepAll = false

  constructor(room: FeedRoom, most = mostIdle) {
    this.room = room
    this.mostIdle = most
  }

  /** How many lanes are held in memory. */
  get size(): number {
    return this.lanes.size
  }

  /** How many lanes wait for their turn. */
  get readyCount(): number {
    return this.ready.size
  }

  feed(key: CursorKey): Feed | undefined {
    return this.lanes.get(key.emitterId)?.feeds.get(keyText(key))
  }

  /** Adds a feed that is not there, whose cursor stands at a position. */
  add({ emitterId, stream, subscriptionId }: Omit<FedEvents, "events">, position: Position): Feed {
    const key = { emitterId, subscriptionId }
    const feed = new Feed(key, { emitterId, stream }, position, this.room)
    const lane = this.lanes.get(emitterId) ??
      { emitterId, feeds: new Map(), running: false, hinted: false, commits: 0 }
    lane.feeds.set(keyText(key), feed)
    this.lanes.set(emitterId, lane)
    return feed
  }

  /** Puts an emitter's lane in line. */
  makeReady(emitterId: string): void {
    const lane = this.lanes.get(emitterId)
    if (lane === undefined) return
    lane.hinted = true
    if (!lane.running) this.ready.add(lane)
  }

  /** Takes the lane that is first in line. It is to be put back. */
  take(): Lane | undefined {
    const [lane] = this.ready
    if (lane === undefined) return undefined
    this.ready.delete(lane)
    lane.running = true
    lane.hinted = false
    return lane
  }

  /** Puts a lane back, at the end of the line where it had an item. */
  putBack(lane: Lane, hadItem: boolean): void {
    lane.running = false
    if (hadItem || lane.hinted) this.ready.add(lane)
    else this.dropIfIdle(lane)
  }

  /** Forgets a lane that has nothing to do, where there are many: where its cursors stand is in the database. */
  dropIfIdle(lane: Lane): void {
    if (this.keepAll || this.lanes.size <= this.mostIdle || lane.running || lane.commits > 0) return
    if (this.ready.has(lane) || mayHaveMore(lane) || this.lanes.get(lane.emitterId) !== lane) return
    this.lanes.delete(lane.emitterId)
  }

  /** Forgets what has gone idle while all were kept. */
  dropIdle(): void {
    this.keepAll = false
    for (const lane of this.lanes.values()) {
      if (this.lanes.size <= this.mostIdle) return
      this.dropIfIdle(lane)
    }
  }

  /** Forgets the feeds of a subscription. */
  forget(subscriptionId: string): void {
    for (const { feeds } of this.lanes.values()) {
      for (const [key, feed] of feeds) {
        if (feed.key.subscriptionId === subscriptionId) feeds.delete(key)
      }
    }
  }
}
