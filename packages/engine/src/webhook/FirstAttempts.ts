import * as DeliveryId from "@headwater/domain/DeliveryId"
import type { Commit } from "@headwater/log/commit/Commit"
import * as CrashPoint from "@headwater/log/commit/CrashPoint"
import { Effect, Exit } from "effect"
import type { FedEvents } from "../ground/Wake.ts"
import * as EventBatch from "../routing/EventBatch.ts"
import type { BatchItem, EventItem, Feed, FeedItem, PassedItem } from "../routing/Feed.ts"
import type { Lane } from "./Lanes.ts"
import { Overlap, type OverlapItem } from "./Overlap.ts"
import { unattempted, type WebhookCommits } from "./WebhookCommits.ts"
import type { WebhookMemory } from "./WebhookMemory.ts"
import type { Send, Sent, WebhookSend } from "./WebhookSend.ts"

/** A secret that was rotated out signs no longer than this past its end. */
export const keysFreshMs = 30_000

/** The next item of a lane, and its feed. */
export interface NextItem {
  readonly feed: Feed
  readonly item: FeedItem
}

/** The owner of the webhook, who does the work of its lanes that takes the database. */
export interface LanesOwner {
  readonly now: () => number
  readonly send: WebhookSend
  readonly commits: WebhookCommits
  /** True if a first attempt may start now. */
  readonly isOpen: (memory: WebhookMemory, now: number) => boolean
  /** The number of lanes that may have a slot. */
  readonly slots: (memory: WebhookMemory) => number
  /** The most outcomes that wait for one before them, if attempts overlap. */
  readonly mostHeld: number
  /** Notes up to where places of the webhook's rate are used, before they are. */
  readonly reserve: (memory: WebhookMemory, until: number) => Effect.Effect<void>
  /** True if so many commits are under way that no more should be begun. */
  readonly isFull: (memory: WebhookMemory) => boolean
  /** Hands over a commit, whether there is room for it or not. */
  readonly commit: (memory: WebhookMemory, commit: Commit, onEnd: () => void) => void
  /** Returns when there is room for a commit. */
  readonly room: (memory: WebhookMemory) => Effect.Effect<void>
  /** The lane's next item, after a look into the log. */
  readonly nextOf: (lane: Lane) => Effect.Effect<NextItem | undefined>
  /** Reads the keys that sign. */
  readonly readKeys: (memory: WebhookMemory) => Effect.Effect<void>
  /** Does work in a fiber of the webhook's. A defect of it fails the memory. */
  readonly start: (work: Effect.Effect<void>, onEnd: (exit: Exit.Exit<void>) => void) => void
  /** Has the webhook go on at a time, in Unix milliseconds: events have waited long enough for others then. */
  readonly wakeAt: (memory: WebhookMemory, at: number) => void
  /** The circuit's probe has ended: it may let other attempts through. */
  readonly onProbed: () => void
  /** A retry was made of an event: it is due. */
  readonly onQueued: () => void
  /** Something went wrong that should not: the memory is of no use any more. */
  readonly onDefect: (defect: unknown) => void
  /** Something that was under way is over, and no lane is ready to take its place. */
  readonly onSlack: () => void
}

/**
 * Sends what the lanes of a webhook have, one item of a lane after the other and as many lanes at once as there are
 * slots. It runs in the calls of those who hand events over and of the endpoints' answers, without a fiber of its own;
 * its owner does the work that takes the database meanwhile.
 *
 * It is *working*; *paused* while the keys that sign are read, or there is no room for more commits, and no lane is
 * taken; *closed* when the sends under way are broken off, and nothing starts any more.
 *
 * If a webhook wants no order, a lane is put back as soon as its item is sent, and the item keeps the slot.
 */
export class FirstAttempts {
  private state: "working" | "paused" | "closed" = "working"
  private readonly owner: LanesOwner
  /** Slots that are taken, by a lane or by an item of one. */
  private taken = 0
  /** The sends under way. */
  private readonly sending = new Set<{ readonly cancel: () => void }>()
  private readonly overlaps = new WeakMap<Feed, Overlap>()

  constructor(owner: LanesOwner) {
    this.owner = owner
  }

  get isBusy(): boolean {
    return this.taken > 0 || this.state === "paused"
  }

  get slotsTaken(): number {
    return this.taken
  }

  /** Takes in events that were appended. Answers those of feeds that are not in memory. */
  offer({ lanes }: WebhookMemory, fed: ReadonlyArray<FedEvents>): ReadonlyArray<FedEvents> {
    let unknown: Array<FedEvents> | undefined
    for (const hint of fed) if (!lanes.offer(hint)) (unknown ??= []).push(hint)
    return unknown ?? none
  }

  /** Takes ready lanes while there are slots for them. */
  work(memory: WebhookMemory): void {
    const { lanes } = memory
    while (this.taken < this.owner.slots(memory) && lanes.readyCount > 0) {
      const now = this.owner.now()
      if (!this.mayStart(memory, now)) break
      this.taken += 1
      this.takeNext(memory, lanes.take()!, now)
    }
  }

  /** Breaks off the sends under way, and starts nothing any more. */
  close(): void {
    this.state = "closed"
    for (const send of this.sending) send.cancel()
    this.sending.clear()
    this.taken = 0
    this.owner.onSlack()
  }

  /** Takes ready lanes, when something that was under way is over. */
  private workOn(memory: WebhookMemory): void {
    this.work(memory)
    if (this.taken < memory.webhook.settings.concurrency) this.owner.onSlack()
  }

  private mayStart(memory: WebhookMemory, now: number): boolean {
    if (this.state !== "working" || !this.owner.isOpen(memory, now)) return false
    if (now - memory.keysReadAt >= keysFreshMs) this.pause(memory, this.owner.readKeys(memory))
    else if (this.owner.isFull(memory)) this.pause(memory, this.owner.room(memory))
    else {
      const until = memory.gate?.toReserve(now)
      if (until === undefined) return true
      this.pause(memory, this.owner.reserve(memory, until))
    }
    return false
  }

  private pause(memory: WebhookMemory, until: Effect.Effect<void>): void {
    this.state = "paused"
    this.owner.start(until, (exit) => {
      if (Exit.hasInterrupts(exit)) return this.close()
      if (this.state === "paused") this.state = "working"
      this.workOn(memory)
    })
  }

  private takeNext(memory: WebhookMemory, lane: Lane, now: number): void {
    try {
      const next = this.knownNext(lane, now)
      if (next === "unread") this.readOn(memory, lane)
      else this.deal(memory, lane, next, now)
    } catch (defect) {
      this.giveUp(memory, lane, defect)
    }
  }

  /** The lane's next item: of its feeds the one that comes first in the emitter's log. */
  private knownNext(lane: Lane, now: number): NextItem | undefined | "unread" {
    let first: NextItem | undefined
    for (const feed of lane.feeds.values()) {
      const item = feed.known(now)
      if (item === undefined && feed.takesLook) return "unread"
      if (item !== undefined && isBefore(item, first?.item)) first = { feed, item }
    }
    return first
  }

  private readOn(memory: WebhookMemory, lane: Lane): void {
    let isRead = false
    const reading = Effect.map(this.owner.nextOf(lane), (next) => {
      isRead = true
      this.take(memory, lane, next)
    })
    this.owner.start(reading, (exit) => {
      // The webhook leaves this node.
      if (Exit.hasInterrupts(exit)) return this.close()
      if (!isRead) this.putBack(memory, lane, true)
      this.workOn(memory)
    })
  }

  /** Deals with an item that was read, unless its subscription has gone meanwhile. */
  private take(memory: WebhookMemory, lane: Lane, next: NextItem | undefined): void {
    if (next !== undefined && lane.feeds.get(next.feed.key.subscriptionId) !== next.feed) {
      return this.putBack(memory, lane, true)
    }
    try {
      this.deal(memory, lane, next, this.owner.now())
    } catch (defect) {
      this.giveUp(memory, lane, defect)
    }
  }

  private deal(memory: WebhookMemory, lane: Lane, next: NextItem | undefined, now: number): void {
    if (next === undefined) {
      const until = memory.lanes.noteWait(lane)
      if (until !== undefined) this.owner.wakeAt(memory, until)
      return this.putBack(memory, lane, false)
    }
    const { feed, item } = next
    const { commits, onQueued } = this.owner
    if (item._tag === "Passed") return this.pass(memory, lane, feed, item)
    if (memory.webhook.workflowId !== null && item._tag === "Event") {
      return this.finish(memory, lane, commits.queued(memory, feed, item, DeliveryId.make(now), now), onQueued)
    }
    if (this.mayStart(memory, now)) this.send(memory, lane, feed, item, now)
    else this.putBack(memory, lane, true)
  }

  /** Passes events without a delivery. Those that follow before the commit ends are passed together by the next. */
  private pass(memory: WebhookMemory, lane: Lane, feed: Feed, item: PassedItem): void {
    feed.isPassing = true
    const commit = this.owner.commits.passed(memory, feed, item)
    const onEnd = () => {
      feed.isPassing = false
      if (!feed.mayHaveMore || this.state === "closed") return
      memory.lanes.makeReady(lane.emitterId)
      this.workOn(memory)
    }
    const overlap = this.overlaps.get(feed)
    if (overlap === undefined || overlap.isEmpty) return this.finish(memory, lane, commit, onEnd)
    const passed: OverlapItem = {
      commit: undefined,
      stepAside: () => commit,
      handOver: (commit) => this.handOver(memory, lane, commit, onEnd)
    }
    overlap.add(passed)
    overlap.ended(passed, commit)
    this.putBack(memory, lane, true)
  }

  private send(memory: WebhookMemory, lane: Lane, feed: Feed, item: EventItem | BatchItem, now: number): void {
    CrashPoint.reached("send-chosen")
    const options: Send = {
      deliveryId: DeliveryId.make(now),
      subscriptionId: feed.key.subscriptionId,
      event: item._tag === "Event" ? item.event : item.events[0]!,
      attempt: 1,
      batch: item._tag === "Event" ? undefined : EventBatch.make(item.events)
    }
    if (memory.webhook.settings.ordering === "none") return this.sendBeside(memory, lane, feed, item, options, now)
    this.begin(memory, options, now, (sent) => {
      try {
        const commit = this.owner.commits.first(memory, feed, item, sent)
        if (memory.webhook.settings.ordering === "strict" && commit.deliveries?.[0]?.state === "pending") {
          memory.lanes.hold(lane.emitterId)
        }
        this.finish(memory, lane, commit)
      } catch (defect) {
        this.giveUp(memory, lane, defect)
      }
    })
  }

  private begin(memory: WebhookMemory, options: Send, now: number, onSent: (sent: Sent) => void): void {
    const isProbe = memory.gate?.begin(memory.webhook, now) === true
    const sending = this.owner.send(memory, options, (sent) => {
      CrashPoint.reached("send-answered")
      this.sending.delete(sending)
      if (isProbe) memory.gate?.probed()
      onSent(sent)
      this.workOn(memory)
      if (isProbe) this.owner.onProbed()
    })
    this.sending.add(sending)
  }

  /** Sends an item, and puts its lane back at once: the next one does not wait for its outcome. */
  private sendBeside(
    memory: WebhookMemory,
    lane: Lane,
    feed: Feed,
    item: EventItem | BatchItem,
    options: Send,
    now: number
  ): void {
    const { commits } = this.owner
    const overlap = this.overlaps.get(feed) ?? new Overlap(this.owner.mostHeld)
    this.overlaps.set(feed, overlap)
    const move = feed.pass(item)
    const delivery = unattempted(memory, options)
    let isAside = false
    const sent: OverlapItem = {
      commit: undefined,
      stepAside: () => {
        isAside = true
        memory.retries.underWay.add(delivery.id)
        return commits.steppedAside(memory, move, delivery, now + 2 * memory.webhook.settings.timeoutMs)
      },
      handOver: (commit) => {
        lane.commits -= 1
        this.handOver(memory, lane, commit)
      }
    }
    overlap.add(sent)
    lane.commits += 1
    this.begin(memory, options, now, (outcome) => {
      this.taken -= 1
      try {
        if (isAside) {
          const settled = () => memory.retries.underWay.delete(delivery.id)
          return this.handOver(memory, lane, commits.retried(memory, delivery, outcome), settled)
        }
        const { inOrder, now } = commits.overlapped(memory, move, outcome)
        if (now !== undefined) this.handOver(memory, lane, now)
        overlap.ended(sent, inOrder)
      } catch (defect) {
        this.owner.onDefect(defect)
      }
    })
    memory.lanes.putBack(lane, true)
  }

  /** Hands over the outcome of a lane's item. The next one does not wait until that is durable. */
  private finish(memory: WebhookMemory, lane: Lane, commit: Commit, onEnd?: () => void): void {
    this.handOver(memory, lane, commit, onEnd)
    this.putBack(memory, lane, true)
  }

  private handOver(memory: WebhookMemory, lane: Lane, commit: Commit, onEnd?: () => void): void {
    lane.commits += 1
    this.owner.commit(memory, commit, () => {
      lane.commits -= 1
      onEnd?.()
      memory.lanes.dropIfIdle(lane)
    })
  }

  private putBack(memory: WebhookMemory, lane: Lane, hadItem: boolean): void {
    if (this.state === "closed") return
    this.taken -= 1
    memory.lanes.putBack(lane, hadItem)
  }

  private giveUp(memory: WebhookMemory, lane: Lane, defect: unknown): void {
    this.owner.onDefect(defect)
    this.putBack(memory, lane, true)
  }
}

const none: ReadonlyArray<never> = []

/** True if an item comes before another in the emitter's log, or there is no other. */
export const isBefore = (item: FeedItem, other: FeedItem | undefined): boolean =>
  other === undefined || idOf(item) < idOf(other)

const idOf = (item: FeedItem): bigint =>
  item._tag === "Event" ? item.event.id : item._tag === "Passed" ? item.to.id : item.events[0]!.id
