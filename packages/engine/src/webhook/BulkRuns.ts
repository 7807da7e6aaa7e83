import { readsLog } from "@headwater/domain/BulkAction"
import * as DeliveryId from "@headwater/domain/DeliveryId"
import { maxHops } from "@headwater/domain/Event"
import * as EventId from "@headwater/domain/EventId"
import * as Id from "@headwater/domain/Id"
import * as RealTime from "@headwater/domain/RealTime"
import type { Commit } from "@headwater/log/commit/Commit"
import * as CrashPoint from "@headwater/log/commit/CrashPoint"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import {
  type DeliveryFilter,
  DeliveryList,
  type ListedDelivery,
  type ListedState
} from "@headwater/log/lists/DeliveryList"
import { type PassedEvent, ReplayList } from "@headwater/log/lists/ReplayList"
import { EventLog } from "@headwater/log/logs/EventLog"
import { Attempts } from "@headwater/log/work/Attempts"
import { BulkActions, type BulkOutcome, type BulkPart, noTally } from "@headwater/log/work/BulkActions"
import { Cursors } from "@headwater/log/work/Cursors"
import { Deliveries, type Delivery } from "@headwater/log/work/Deliveries"
import type { DueItem } from "@headwater/log/work/DueWork"
import { Clock, Effect, Exit, Fiber, Latch, Option, Semaphore } from "effect"
import * as EventBatch from "../routing/EventBatch.ts"
import * as DeliveryEvents from "./DeliveryEvents.ts"
import { Pace } from "./Pace.ts"
import type { WebhookCommits } from "./WebhookCommits.ts"
import type { WebhookMemory } from "./WebhookMemory.ts"
import type { Send, Sent } from "./WebhookSend.ts"

/** Attempts of all bulk actions of a webhook at once. */
const slots = 4

/** The items of a page, and of one that is only counted. */
const pageSize = 100
const countedAtOnce = 1_000

/** A slow action has so many seconds' worth of items in a page, and no fewer than so many items. */
const pageSeconds = 5
const leastOfPage = 10

/** An attempt for which the webhook has no place asks for one again after so long, in milliseconds. */
const placeMs = 20

/** A client's change to an action is noticed within this time, in milliseconds. */
const controlMs = 250

/** A part is due again so long after it was last at work, in milliseconds: if its owner is gone, another goes on. */
const leaseMs = 10_000

/** A part that waits looks again after so long, unless it is told to, in milliseconds. */
const pausedMs = 60_000
const closedMs = 3_600_000
const shortlyMs = 1_000

/** One thing that a part is to do. */
type Item =
  & { readonly key: string; readonly emitterId: string }
  & (
    | { readonly _tag: "Delivery"; readonly listed: ListedDelivery }
    | { readonly _tag: "Event"; readonly event: PassedEvent }
  )

interface ItemPage {
  readonly items: ReadonlyArray<Item>
  /** The place behind which there is more; undefined at the end. */
  readonly goesOnAt: string | undefined
}

/**
 * The reasons for which a part stops before it is over: its owner stops or has to read its state anew, its client has
 * cancelled or paused it, or its webhook takes nothing for the moment.
 */
type Halt = "stopped" | "cancelled" | "paused" | "closed"

/** The owner of the webhook, who does for its bulk actions what it does for all that it sends. */
export interface BulkOwner {
  readonly commits: WebhookCommits
  /** Hands a commit over, when there is room for it. */
  readonly commit: (memory: WebhookMemory, commit: Commit, onEnd?: () => void) => Effect.Effect<void>
  /** Returns when everything that was handed over has ended. */
  readonly settled: Effect.Effect<void>
  readonly isOpen: (memory: WebhookMemory, now: number) => boolean
  /** True if none of its work is to go on. */
  readonly isStopping: (memory: WebhookMemory) => boolean
  readonly isForgotten: (subscriptionId: string) => boolean
  /** Sends; undefined if the webhook closed meanwhile. */
  readonly attempt: (memory: WebhookMemory, send: Send) => Effect.Effect<Sent | undefined>
  /**
   * Takes an attempt's part of the webhook's concurrency, rate and circuit, and answers how to give it back; undefined
   * if it can't be had now.
   */
  readonly enter: (memory: WebhookMemory) => Effect.Effect<(() => void) | undefined>
  /** A delivery waits for no attempt any more. */
  readonly onEnded: (memory: WebhookMemory, delivery: Delivery) => void
  /** Does work in a fiber of the webhook's. */
  readonly start: (work: Effect.Effect<void>, onEnd: () => void) => Effect.Effect<unknown>
  /** Has the work under way for a delivery broken off if the delivery is skipped. */
  readonly track: (deliveryId: string, fiber: Fiber.Fiber<unknown, unknown>) => void
  /** Ends those of some deliveries that wait for an attempt, and commits more with it. Answers whether it could. */
  readonly end: (
    ids: ReadonlyArray<string>,
    state: "dropped" | "exhausted",
    also: (count: number) => Commit
  ) => Effect.Effect<boolean>
}

/** A webhook's parts of bulk actions. */
export interface BulkRuns {
  /** Begins, or goes on with, all that is to be done. */
  readonly look: (memory: WebhookMemory) => Effect.Effect<void>
  /** Has the parts that wait end soon. */
  readonly halt: () => void
}

/** The states of the deliveries that an action takes if its filter names none. */
const statesOf = ({ action: { action } }: BulkPart): ReadonlyArray<ListedState> | undefined =>
  action === "retry"
    ? ["pending", "exhausted", "dropped"]
    : action === "replay"
    ? undefined
    : ["pending"]

const parsed = (text: string | undefined) => text === undefined ? undefined : Option.getOrUndefined(EventId.parse(text))

/** The time up to which an action takes items: those that came after it was begun are not meant. */
const untilOf = ({ action: { createdAt, filter } }: BulkPart): number =>
  Math.min(filter.until ?? Infinity, createdAt + 1)

const deliveryFilterOf = (part: BulkPart): DeliveryFilter => {
  const { eventId, from, to, ...filter } = part.action.filter
  return {
    ...filter,
    webhookId: part.webhookId,
    states: statesOf(part),
    until: untilOf(part),
    eventId: parsed(eventId),
    from: parsed(from),
    to: parsed(to)
  }
}

const replayFilterOf = (part: BulkPart) => {
  const { emitterId, from, since = 0, stream, subscriptionId, to } = part.action.filter
  const first = EventId.make(since, 0)
  const last = EventId.make(untilOf(part), 0) - 1n
  return {
    subscriptionId,
    emitterId,
    stream,
    from: bigger(parsed(from) ?? first, first),
    to: smaller(parsed(to) ?? last, last)
  }
}

const bigger = (one: bigint, other: bigint) => one > other ? one : other
const smaller = (one: bigint, other: bigint) => one < other ? one : other

const timeOf = (item: Item): number =>
  item._tag === "Delivery" ? Id.timeOf(item.listed.id) : EventId.milliseconds(item.event.eventId)

const eventIdOf = (item: Item): EventId.EventId => item._tag === "Delivery" ? item.listed.eventId : item.event.eventId

const inLogOrder = (one: Item, other: Item): number => Number(eventIdOf(one) - eventIdOf(other))

const dueItem = ({ bulkId, webhookId }: BulkPart, dueAt: number): DueItem => ({
  ownerId: webhookId,
  kind: "bulk",
  key: bulkId,
  dueAt,
  payload: "{}"
})

export const make = Effect.fnUntraced(function*(webhookId: Id.WebhookId, owner: BulkOwner) {
  const bulk = yield* BulkActions
  const cursors = yield* Cursors
  const attempts = yield* Attempts
  const deliveries = yield* Deliveries
  const events = yield* EventLog
  const list = yield* DeliveryList
  const replays = yield* ReplayList
  const sending = yield* Semaphore.make(slots)
  const halting = Latch.makeUnsafe(false)
  /** Ids of the actions whose parts are at work. */
  const atWork = new Set<string>()

  const readPage = Effect.fnUntraced(function*(part: BulkPart, place: string, limit: number) {
    if (readsLog(part.action)) {
      const { goesOnAt, items } = yield* replays.page(part.webhookId, replayFilterOf(part), place, limit)
      const of = (event: PassedEvent): Item => ({ _tag: "Event", key: event.key, emitterId: event.emitterId, event })
      return { items: items.map(of), goesOnAt } satisfies ItemPage
    }
    const request = { limit, after: undefined, before: place }
    const { goesOnAt, items } = yield* list.page(part.action.accountId, deliveryFilterOf(part), request)
    const of = (listed: ListedDelivery): Item => ({
      _tag: "Delivery",
      key: listed.id,
      emitterId: listed.emitterId,
      listed
    })
    return { items: items.toReversed().map(of), goesOnAt } satisfies ItemPage
  }, untilAnswered)

  /** One part at work. */
  class Run {
    private readonly memory: WebhookMemory
    private readonly part: BulkPart
    private readonly pace = new Pace()
    private rateLimit: number
    private controlledAt = -Infinity
    private halt: Halt | undefined

    constructor(memory: WebhookMemory, part: BulkPart) {
      this.memory = memory
      this.part = part
      this.rateLimit = part.action.rateLimit
    }

    readonly toItsEnd: Effect.Effect<void> = Effect.gen({ self: this }, function*() {
      // All marks are in the database when they are read.
      yield* owner.settled
      const marked = yield* untilAnswered(bulk.marked(this.part))
      let { place } = this.part
      while (true) {
        yield* this.heed()
        if (this.halt !== undefined) {
          yield* this.rest(this.halt)
          if (this.halt !== undefined) return
          continue
        }
        const page = yield* readPage(this.part, place, this.limit)
        const toDo = page.items.filter(({ key }) => !marked.has(key))
        const kept = [...marked].filter((key) => key > place).length
        yield* this.deal(place, page, toDo, kept)
        // Items that were not done are read again when the part goes on.
        if (this.halt !== undefined || owner.isStopping(this.memory)) continue
        if (page.goesOnAt === undefined) return yield* this.end
        place = page.goesOnAt
      }
    })

    private get limit(): number {
      const { action, dryRun } = this.part.action
      if (dryRun) return countedAtOnce
      return action === "skip" || action === "cancel"
        ? pageSize
        : Math.max(leastOfPage, Math.min(pageSize, this.rateLimit * pageSeconds))
    }

    /** Notes the wishes of its client and its webhook. */
    private heed(): Effect.Effect<void> {
      return Effect.clockWith((clock) => this.heedAt(RealTime.elapsedUnsafe(clock), clock.currentTimeMillisUnsafe()))
    }

    /** @param elapsed as time elapses, in milliseconds */
    private heedAt(elapsed: number, now: number): Effect.Effect<void> {
      if (owner.isStopping(this.memory)) {
        this.halt = "stopped"
        return Effect.void
      }
      if (elapsed - this.controlledAt < controlMs) return this.heedWebhook(now)
      return Effect.flatMap(untilAnswered(bulk.control(this.part.bulkId)), (control) => {
        this.controlledAt = elapsed
        const { rateLimit, state } = Option.getOrElse(control, () => ({ state: "cancelled" as const, rateLimit: 1 }))
        this.rateLimit = rateLimit
        if (state !== "running") this.halt = state
        return state === "running" ? this.heedWebhook(now) : Effect.void
      })
    }

    private heedWebhook(now: number): Effect.Effect<void> {
      const { action, dryRun } = this.part.action
      if (!dryRun && (action === "retry" || action === "replay") && !owner.isOpen(this.memory, now)) {
        this.halt = "closed"
      }
      return Effect.void
    }

    /** Ends, or is put off; goes on at once if it was resumed meanwhile. */
    private rest(halt: Halt): Effect.Effect<void> {
      return Effect.gen({ self: this }, function*() {
        if (halt === "stopped") return
        if (halt === "cancelled") return yield* this.end
        const now = yield* Clock.currentTimeMillis
        const { active, circuitUntil, throttledUntil } = this.memory.webhook
        const dueAt = halt === "paused"
          ? now + pausedMs
          : !active
          ? now + closedMs
          : Math.max(throttledUntil ?? 0, circuitUntil ?? 0, now + shortlyMs)
        yield* this.commit({ duePut: [dueItem(this.part, dueAt)] })
        yield* owner.settled
        if (halt !== "paused") return
        this.controlledAt = -Infinity
        this.halt = undefined
        yield* this.heed()
      })
    }

    private get end(): Effect.Effect<void> {
      return Clock.currentTimeMillis.pipe(
        Effect.flatMap((now) =>
          this.commit({
            dueDone: [dueItem(this.part, Number.MAX_SAFE_INTEGER)],
            updates: [bulk.end(this.part, now)]
          })
        ),
        // Until then it is at work: nobody begins it anew.
        Effect.andThen(owner.settled)
      )
    }

    private commit(commit: Commit): Effect.Effect<void> {
      return owner.commit(this.memory, commit)
    }

    private deal(place: string, page: ItemPage, toDo: ReadonlyArray<Item>, kept: number): Effect.Effect<void> {
      const { action, dryRun } = this.part.action
      const next = page.goesOnAt ?? page.items.at(-1)?.key ?? place
      const last = page.items.at(-1)
      const placeAt = last === undefined ? null : timeOf(last)
      if (dryRun) {
        return Effect.flatMap(Clock.currentTimeMillis, (now) =>
          this.commit(
            this.atPlace(now, [bulk.count(this.part, { place: next, placeAt, count: page.items.length })])
          ))
      }
      if (action === "skip" || action === "cancel") {
        return Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const also = (done: number): Commit =>
            this.atPlace(now, [bulk.advance(this.part, {
              place: next,
              placeAt,
              kept,
              toDo: 0,
              tally: { done, failed: 0, skipped: toDo.length - done }
            })])
          const ids = toDo.map(({ key }) => key)
          return Effect.map(owner.end(ids, action === "skip" ? "dropped" : "exhausted", also), (isEnded) => {
            if (!isEnded) this.halt = "stopped"
          })
        })
      }
      const first = page.items[0]
      return Effect.gen({ self: this }, function*() {
        const begins = {
          place,
          placeAt: first === undefined ? null : timeOf(first),
          kept,
          toDo: toDo.length,
          tally: noTally
        }
        yield* this.commit(this.atPlace(yield* Clock.currentTimeMillis, [bulk.advance(this.part, begins)]))
        yield* this.sendAll(toDo)
        // The next page begins when all of this one is in the database, or none of it is passed.
        yield* owner.settled
      })
    }

    private atPlace(now: number, updates: NonNullable<Commit["updates"]>): Commit {
      return { duePut: [dueItem(this.part, now + leaseMs)], updates }
    }

    /** Sends the items of a page: those of one emitter one after the other, in log order. */
    private sendAll(items: ReadonlyArray<Item>): Effect.Effect<void> {
      // Deliveries that began in the same millisecond are listed in any order.
      const lines = [...Map.groupBy(items, ({ emitterId }) => emitterId).values()].map((line) =>
        line.toSorted(inLogOrder)
      )
      return Effect.forEach(
        lines,
        (line) => Effect.forEach(line, (item) => this.take(item), { discard: true }),
        { concurrency: slots, discard: true }
      )
    }

    /** Deals with an item when it is its turn, unless the part is to halt. */
    private take(item: Item): Effect.Effect<void> {
      return Effect.gen({ self: this }, function*() {
        if (this.halt !== undefined) return
        let wait = this.pace.take(this.rateLimit, yield* RealTime.elapsed)
        while (true) {
          yield* this.heed()
          if (this.halt !== undefined) return
          if (wait < 1) break
          const nap = Math.min(wait, controlMs)
          yield* Effect.timeoutOption(halting.await, nap)
          wait -= nap
        }
        yield* sending.withPermits(1)(this.enter(item))
      })
    }

    /** Begins when the webhook has a place for it. */
    private enter(item: Item): Effect.Effect<void> {
      return Effect.gen({ self: this }, function*() {
        while (true) {
          yield* this.heed()
          if (this.halt !== undefined) return
          const leave = yield* owner.enter(this.memory)
          if (leave !== undefined) {
            CrashPoint.reached("bulk-chosen")
            return yield* Effect.ensuring(this.breakable(item), Effect.sync(leave))
          }
          yield* Effect.timeoutOption(halting.await, placeMs)
        }
      })
    }

    /** Deals with an item. A retry is broken off if a client skips its delivery meanwhile. */
    private breakable(item: Item): Effect.Effect<void> {
      const id = item.key
      const { underWay } = this.memory.retries
      if (item._tag === "Event") return this.replay(item.event.subscriptionId, item.event, item.key)
      if (this.part.action.action === "replay") {
        return item.listed.batch === undefined
          ? this.replay(item.listed.subscriptionId, item.listed, item.key)
          : this.replayBatch(item.listed)
      }
      // An attempt at it is being made.
      if (underWay.has(id)) return this.mark(id, "skipped", {})
      underWay.add(id)
      return Effect.gen({ self: this }, function*() {
        const fiber = yield* Effect.forkChild(this.retry(item.listed))
        owner.track(id, fiber)
        const exit = yield* Fiber.await(fiber)
        if (Exit.isSuccess(exit)) return
        underWay.delete(id)
        if (Exit.hasInterrupts(exit)) yield* this.mark(id, "skipped", {})
        else yield* exit
      })
    }

    /** Marks an item as dealt with, with its outcome. */
    private mark(key: string, outcome: BulkOutcome, commit: Commit, onEnd?: () => void): Effect.Effect<void> {
      const { bulkId, webhookId } = this.part
      return owner.commit(this.memory, { ...commit, bulkMarks: [{ bulkId, webhookId, key, outcome }] }, onEnd)
    }

    private retry(listed: ListedDelivery): Effect.Effect<void> {
      return Effect.gen({ self: this }, function*() {
        const { id } = listed
        const settled = () => this.memory.retries.underWay.delete(id)
        const [delivery] = yield* untilAnswered(deliveries.find([id]))
        const found = yield* untilAnswered(this.eventsOf(listed, delivery))
        const subscribed = yield* untilAnswered(cursors.position(listed))
        const isGone = delivery === undefined && listed.state !== "delivered"
        if (isGone || found === undefined || Option.isNone(subscribed) || owner.isForgotten(listed.subscriptionId)) {
          return yield* this.mark(id, "skipped", {}, settled)
        }
        const sent = yield* owner.attempt(this.memory, {
          deliveryId: id,
          subscriptionId: listed.subscriptionId,
          attempt: (delivery ?? listed).attempts + 1,
          ...found
        })
        if (sent === undefined) {
          this.halt ??= "closed"
          return void settled()
        }
        CrashPoint.reached("bulk-answered")
        const { commits } = owner
        const commit = delivery === undefined
          ? commits.sentApart(this.memory, sent)
          : delivery.state === "pending"
          ? commits.retried(this.memory, delivery, sent)
          : commits.attemptedAgain(this.memory, delivery, sent)
        const becomes = commit.deliveryChanges?.[0]?.state
        yield* this.mark(id, sent.outcome._tag === "Delivered" ? "done" : "failed", commit, settled)
        if (delivery?.state === "pending" && becomes !== "pending") owner.onEnded(this.memory, delivery)
      })
    }

    /** The events that an attempt at a delivery sends. The last attempt tells those of a batch that has arrived. */
    private eventsOf(listed: ListedDelivery, delivery: Delivery | undefined) {
      if (delivery !== undefined || listed.batch === undefined) {
        return DeliveryEvents.read(events, delivery ?? { ...listed, batch: undefined })
      }
      return Effect.flatMap(
        attempts.ofDelivery(this.memory.accountId, listed.id, Id.timeOf(listed.id)),
        (made) => {
          const last = made.at(-1)
          return last === undefined
            ? Effect.undefined
            : DeliveryEvents.read(events, { ...listed, batch: DeliveryEvents.batchOf(last) })
        }
      )
    }

    /** Sends the rest of a batch once more, under its id. */
    private replayBatch(listed: ListedDelivery): Effect.Effect<void> {
      return Effect.gen({ self: this }, function*() {
        const { id, subscriptionId } = listed
        const [delivery] = yield* untilAnswered(deliveries.find([id]))
        const found = yield* untilAnswered(this.eventsOf(listed, delivery))
        const subscribed = yield* untilAnswered(cursors.position(listed))
        if (found === undefined || Option.isNone(subscribed) || owner.isForgotten(subscriptionId)) {
          return yield* this.mark(id, "skipped", {})
        }
        const deliveryId = DeliveryId.make(yield* Clock.currentTimeMillis)
        const sent = yield* owner.attempt(this.memory, { deliveryId, subscriptionId, attempt: 1, ...found })
        if (sent === undefined) {
          this.halt ??= "closed"
          return
        }
        CrashPoint.reached("bulk-answered")
        const outcome = sent.outcome._tag === "Delivered" ? "done" : "failed"
        yield* this.mark(id, outcome, owner.commits.sentApart(this.memory, sent))
      })
    }

    private replay(
      subscriptionId: string,
      address: { readonly emitterId: string; readonly stream: string; readonly eventId: EventId.EventId },
      key: string
    ): Effect.Effect<void> {
      return Effect.gen({ self: this }, function*() {
        const found = yield* untilAnswered(events.find(address, address.eventId))
        const subscribed = yield* untilAnswered(cursors.position({ subscriptionId, emitterId: address.emitterId }))
        if (
          Option.isNone(found) || found.value.hops >= maxHops || Option.isNone(subscribed) ||
          owner.isForgotten(subscriptionId)
        ) return yield* this.mark(key, "skipped", {})
        const filter = this.memory.filters.of(subscribed.value.filter)
        if (filter !== undefined && (yield* filter.judge(found.value)).outcome !== "passes") {
          return yield* this.mark(key, "skipped", {})
        }
        const now = yield* Clock.currentTimeMillis
        const sent = yield* owner.attempt(this.memory, {
          deliveryId: DeliveryId.make(now),
          subscriptionId,
          event: found.value,
          attempt: 1,
          // A subscription for batches gets a list of one.
          batch: subscribed.value.batch && EventBatch.make([found.value])
        })
        if (sent === undefined) {
          this.halt ??= "closed"
          return
        }
        CrashPoint.reached("bulk-answered")
        const outcome = sent.outcome._tag === "Delivered" ? "done" : "failed"
        yield* this.mark(key, outcome, owner.commits.sentApart(this.memory, sent))
      })
    }
  }

  return {
    look: Effect.fnUntraced(function*(memory) {
      halting.closeUnsafe()
      // One that ends while the database answers is told of as it was before.
      const before = new Set(atWork)
      for (const part of yield* untilAnswered(bulk.partsOf(webhookId))) {
        if (before.has(part.bulkId) || atWork.has(part.bulkId)) continue
        atWork.add(part.bulkId)
        yield* owner.start(new Run(memory, part).toItsEnd, () => {
          atWork.delete(part.bulkId)
        })
      }
    }),
    halt: () => halting.openUnsafe()
  } satisfies BulkRuns as BulkRuns
})
