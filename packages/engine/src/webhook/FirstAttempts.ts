import * as DeliveryId from "@headwater/domain/DeliveryId"
import type { Commit } from "@headwater/log/commit/Commit"
import * as CrashPoint from "@headwater/log/commit/CrashPoint"
import { Effect, Exit, Option } from "effect"
import * as Wake from "../ground/Wake.ts"
import * as EventBatch from "../routing/EventBatch.ts"
import type { BatchItem, EventItem, Feed, PassedItem } from "../routing/Feed.ts"
import type { NextItem } from "../routing/Inbox.ts"
import type { Lane } from "../routing/Lanes.ts"
import { Attempt } from "./Attempt.ts"
import type { AttemptRequest } from "./AttemptRecord.ts"
import * as Outcome from "./Outcome.ts"
import { Overlap, type OverlapItem } from "./Overlap.ts"
import type { StrictOrder } from "./StrictOrder.ts"
import * as WebhookCommits from "./WebhookCommits.ts"
import type { WebhookMemory } from "./WebhookMemory.ts"
import type { WebhookOwner } from "./WebhookOwner.ts"

/** The first attempt to send an item. */
const attemptOf = (feed: Feed, item: EventItem | BatchItem, now: number): AttemptRequest => ({
  deliveryId: DeliveryId.make(now),
  subscriptionId: feed.key.subscriptionId,
  event: item._tag === "Event" ? item.event : item.events[0]!,
  attempt: 1,
  batch: item._tag === "Event" ? undefined : EventBatch.make(item.events)
})

/** True of what is not to be sent unless somebody asks for it. A batch has events of one kind alone. */
const isOfShadow = (item: EventItem | BatchItem): boolean =>
  (item._tag === "Event" ? item.event : item.events[0]!).meta.shadow === true

/**
 * Sends what the lanes of a webhook have, one item of a lane after the other and as many lanes at once as there are
 * slots. It runs in the calls of those who hand events over and of the endpoints' answers; a fiber does only the work
 * that takes the database.
 *
 * It is *working*; *paused* while a fiber prepares the next attempt, and no lane is taken; *closed* when the sends under way
 * are broken off, and nothing starts any more.
 *
 * - F1. A lane that is taken has an attempt, which takes one slot; the lane is put back when the attempt ends.
 * - F2. If a webhook wants no order, a lane is put back as soon as its item is sent, and the attempt keeps the slot.
 * - F3. A cursor moves in log order: outcomes of one feed are handed over in that order (`Overlap`).
 */
export class FirstAttempts {
  private state: "working" | "paused" | "closed" = "working"
  private readonly owner: WebhookOwner
  private readonly outcomes: Outcome.Outcomes
  private readonly order: StrictOrder
  private readonly mostHeld: number
  /** Those that have a slot. */
  private readonly attempts = new Set<Attempt>()
  private readonly overlaps = new WeakMap<Feed, Overlap>()

  /** @param mostHeld the most outcomes that wait for one before them, if attempts overlap */
  constructor(
    owner: WebhookOwner,
    outcomes: Outcome.Outcomes,
    order: StrictOrder,
    mostHeld: number
  ) {
    this.owner = owner
    this.outcomes = outcomes
    this.order = order
    this.mostHeld = mostHeld
  }

  get isBusy(): boolean {
    return this.attempts.size > 0 || this.state === "paused"
  }

  /** Takes ready lanes while there are slots for them. */
  work(memory: WebhookMemory): void {
    const { inbox: { lanes }, slots } = memory
    while (lanes.readyCount > 0 && slots.hasRoom("first")) {
      const now = this.owner.now()
      if (!this.mayStart(memory, now)) break
      const attempt = Attempt.enter(this.owner, memory, "first")
      this.attempts.add(attempt)
      this.takeNext(memory, lanes.take()!, attempt, now)
    }
  }

  /** Breaks off the sends under way, and starts nothing any more. */
  close(): void {
    this.state = "closed"
    for (const attempt of this.attempts) attempt.end()
    this.attempts.clear()
    this.noteSlack()
  }

  /** Takes ready lanes, when something that was under way is over. */
  private workOn(memory: WebhookMemory): void {
    this.work(memory)
    if (this.attempts.size < memory.webhook.settings.concurrency) this.noteSlack()
  }

  /** Something that was under way is over, and no lane is ready to take its place: the owner's work may go on. */
  private noteSlack(): void {
    const { hasFailed, loop, memory } = this.owner
    const isAwaited = Option.exists(memory, ({ inbox, slots }) => inbox.isLooking || slots.hasWaitingRetry)
    if (isAwaited || !this.isBusy && hasFailed) this.owner.work()
    else if (!this.isBusy) loop.signal()
  }

  private mayStart(memory: WebhookMemory, now: number): boolean {
    const { owner } = this
    if (this.state !== "working" || !owner.isOpen(memory, now) || !owner.isTurn(memory, "first", now)) return false
    const preparation = owner.preparation(memory, now)
    if (preparation === undefined) return true
    this.state = "paused"
    owner.start(preparation, (exit) => {
      if (Exit.hasInterrupts(exit)) return this.close()
      if (this.state === "paused") this.state = "working"
      this.workOn(memory)
    })
    return false
  }

  private takeNext(memory: WebhookMemory, lane: Lane, attempt: Attempt, now: number): void {
    try {
      const next = memory.inbox.known(lane, now)
      if (next === "unread") this.readOn(memory, lane, attempt)
      else this.deal(memory, lane, attempt, next, now)
    } catch (defect) {
      this.giveUp(memory, lane, attempt, defect)
    }
  }

  private readOn(memory: WebhookMemory, lane: Lane, attempt: Attempt): void {
    let isRead = false
    const reading = Effect.map(memory.inbox.read(lane), (next) => {
      isRead = true
      this.take(memory, lane, attempt, next)
    })
    this.owner.start(reading, (exit) => {
      // The webhook leaves this node.
      if (Exit.hasInterrupts(exit)) return this.close()
      if (!isRead) this.putBack(memory, lane, attempt, true)
      this.workOn(memory)
    })
  }

  /** Deals with an item that was read, unless its subscription has gone meanwhile. */
  private take(memory: WebhookMemory, lane: Lane, attempt: Attempt, next: NextItem | undefined): void {
    if (next !== undefined && lane.feeds.get(next.feed.key.subscriptionId) !== next.feed) {
      return this.putBack(memory, lane, attempt, true)
    }
    try {
      this.deal(memory, lane, attempt, next, this.owner.now())
    } catch (defect) {
      this.giveUp(memory, lane, attempt, defect)
    }
  }

  private deal(
    memory: WebhookMemory,
    lane: Lane,
    attempt: Attempt,
    next: NextItem | undefined,
    now: number
  ): void {
    if (next === undefined) {
      const until = memory.inbox.lanes.noteWait(lane)
      if (until !== undefined) this.owner.wakeAt(memory, "batch", until, now)
      return this.putBack(memory, lane, attempt, false)
    }
    const { feed, item } = next
    if (item._tag === "Passed") return this.pass(memory, lane, attempt, feed, item)
    if (isOfShadow(item)) {
      const commit = WebhookCommits.held(memory, feed, item, attemptOf(feed, item, now))
      return this.finish(memory, lane, attempt, commit)
    }
    if (memory.webhook.workflowId !== null) {
      const commit = WebhookCommits.queued(memory, feed, item, attemptOf(feed, item, now), now)
      return this.finish(memory, lane, attempt, commit, () => {
        this.owner.note(Wake.forDueWork)
        this.owner.work()
      })
    }
    if (this.mayStart(memory, now)) this.send(memory, lane, attempt, feed, item, now)
    else this.putBack(memory, lane, attempt, true)
  }

  /** Passes events without a delivery. Those that follow before the commit ends are passed together by the next. */
  private pass(memory: WebhookMemory, lane: Lane, attempt: Attempt, feed: Feed, item: PassedItem): void {
    feed.isPassing = true
    const commit = WebhookCommits.passed(feed, item)
    const onEnd = () => {
      feed.isPassing = false
      if (!feed.mayHaveMore || this.state === "closed") return
      memory.inbox.lanes.makeReady(lane.emitterId)
      this.workOn(memory)
    }
    const overlap = this.overlaps.get(feed)
    if (overlap === undefined || overlap.isEmpty) return this.finish(memory, lane, attempt, commit, onEnd)
    const passed: OverlapItem = {
      commit: undefined,
      stepAside: () => commit,
      handOver: (commit) => this.handOver(memory, lane, commit, onEnd)
    }
    overlap.add(passed)
    overlap.ended(passed, commit)
    this.putBack(memory, lane, attempt, true)
  }

  private send(
    memory: WebhookMemory,
    lane: Lane,
    attempt: Attempt,
    feed: Feed,
    item: EventItem | BatchItem,
    now: number
  ): void {
    CrashPoint.reached("send-chosen")
    const request = attemptOf(feed, item, now)
    attempt.begin(now)
    if (memory.webhook.settings.ordering === "none") {
      return this.sendBeside(memory, lane, attempt, feed, item, request, now)
    }
    attempt.send(request, (result) => {
      CrashPoint.reached("send-answered")
      try {
        const outcome = this.outcomes.of(memory, { _tag: "Move", move: feed.pass(item) }, result)
        if (outcome.state === "pending") this.order.hold(memory, lane)
        this.finish(memory, lane, attempt, Outcome.together(outcome))
      } catch (defect) {
        this.giveUp(memory, lane, attempt, defect)
      }
      this.workOn(memory)
    })
  }

  /** Sends an item, and puts its lane back at once: the next one does not wait for its outcome. */
  private sendBeside(
    memory: WebhookMemory,
    lane: Lane,
    attempt: Attempt,
    feed: Feed,
    item: EventItem | BatchItem,
    request: AttemptRequest,
    now: number
  ): void {
    const overlap = this.overlaps.get(feed) ?? new Overlap(this.mostHeld)
    this.overlaps.set(feed, overlap)
    const move = feed.pass(item)
    const delivery = WebhookCommits.unattempted(memory, request)
    let isAside = false
    const sent: OverlapItem = {
      commit: undefined,
      stepAside: () => {
        isAside = true
        memory.retries.underWay.add(delivery.id)
        return WebhookCommits.steppedAside(move, delivery, now + 2 * memory.webhook.settings.timeoutMs)
      },
      handOver: (commit) => {
        lane.commits -= 1
        this.handOver(memory, lane, commit)
      }
    }
    overlap.add(sent)
    lane.commits += 1
    attempt.send(request, (result) => {
      CrashPoint.reached("send-answered")
      try {
        if (isAside) {
          const outcome = this.outcomes.of(memory, { _tag: "Delivery", delivery }, result)
          this.handOver(memory, lane, Outcome.together(outcome), () => memory.retries.underWay.delete(delivery.id))
        } else {
          const { events, webhook } = this.outcomes.of(memory, { _tag: "Move", move }, result)
          if (webhook.duePut.length > 0 || webhook.updates.length > 0) this.handOver(memory, lane, webhook)
          overlap.ended(sent, events)
        }
      } catch (defect) {
        this.owner.noteDefect(defect)
      }
      this.end(attempt)
      this.workOn(memory)
    })
    memory.inbox.lanes.putBack(lane, true)
  }

  /** Hands over the outcome of a lane's item. The next one does not wait until that is durable. */
  private finish(memory: WebhookMemory, lane: Lane, attempt: Attempt, commit: Commit, onEnd?: () => void): void {
    this.handOver(memory, lane, commit, onEnd)
    this.putBack(memory, lane, attempt, true)
  }

  private handOver(memory: WebhookMemory, lane: Lane, commit: Commit, onEnd?: () => void): void {
    lane.commits += 1
    this.owner.submit(memory, commit, () => {
      lane.commits -= 1
      onEnd?.()
      memory.inbox.lanes.dropIfIdle(lane)
    })
  }

  private putBack(memory: WebhookMemory, lane: Lane, attempt: Attempt, hadItem: boolean): void {
    if (this.state === "closed") return
    this.end(attempt)
    memory.inbox.lanes.putBack(lane, hadItem)
  }

  private end(attempt: Attempt): void {
    this.attempts.delete(attempt)
    attempt.end()
  }

  private giveUp(memory: WebhookMemory, lane: Lane, attempt: Attempt, defect: unknown): void {
    this.owner.noteDefect(defect)
    this.putBack(memory, lane, attempt, true)
  }
}
