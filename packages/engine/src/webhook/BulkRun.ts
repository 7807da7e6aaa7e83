import * as DeliveryId from "@headwater/domain/DeliveryId"
import { maxHops } from "@headwater/domain/Event"
import type * as EventId from "@headwater/domain/EventId"
import * as Id from "@headwater/domain/Id"
import * as RealTime from "@headwater/domain/RealTime"
import type { Commit } from "@headwater/log/commit/Commit"
import * as CrashPoint from "@headwater/log/commit/CrashPoint"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import type { ListedDelivery } from "@headwater/log/lists/DeliveryList"
import { type BulkOutcome, type BulkPart, noTally } from "@headwater/log/work/BulkActions"
import type { CursorKey } from "@headwater/log/work/Cursors"
import type { Delivery } from "@headwater/log/work/Deliveries"
import type { DueItem } from "@headwater/log/work/DueWork"
import { Effect, Exit, Fiber, type Latch, Option } from "effect"
import * as EventBatch from "../routing/EventBatch.ts"
import { Attempt } from "./Attempt.ts"
import type { AttemptRequest } from "./AttemptRecord.ts"
import * as BulkItems from "./BulkItems.ts"
import type { BulkItem, BulkItemPage } from "./BulkItems.ts"
import * as DeliveryEvents from "./DeliveryEvents.ts"
import type { Interventions } from "./Interventions.ts"
import * as Outcome from "./Outcome.ts"
import { Pace } from "./Pace.ts"
import type { StrictOrder } from "./StrictOrder.ts"
import type { WebhookMemory } from "./WebhookMemory.ts"
import type { WebhookOwner } from "./WebhookOwner.ts"

/** Emitters whose items are sent at once. */
const mostLines = 4

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

/**
 * The reasons for which a part stops before it is over: its owner stops or has to read its state anew, its client has
 * cancelled or paused it, or its webhook takes nothing for the moment.
 */
type Halt = "stopped" | "cancelled" | "paused" | "closed"

const dueItem = ({ bulkId, webhookId }: BulkPart, dueAt: number): DueItem => ({
  ownerId: webhookId,
  kind: "bulk",
  key: bulkId,
  dueAt,
  payload: "{}"
})

/** The parts of a run. */
interface BulkRunParts {
  readonly owner: WebhookOwner
  readonly order: StrictOrder
  readonly interventions: Interventions
  readonly outcomes: Outcome.Outcomes
  /** Open when runs that wait are to end soon. */
  readonly halting: Latch.Latch
  readonly memory: WebhookMemory
  readonly part: BulkPart
}

/** An item's attempt as it is to be made. */
interface Chosen {
  readonly request: AttemptRequest
  readonly account: Outcome.AttemptAccount
}

/**
 * A webhook's part of a bulk action, at work page by page:
 *
 * - B1. An item is marked with its outcome in the commit of its attempt. A part that goes on leaves marked items out.
 * - B2. The next page begins when the marks of this one are in the database, or none of it is passed.
 * - B3. A part that halts reads the items that were not done again when it goes on.
 */
export class BulkRun {
  private readonly owner: WebhookOwner
  private readonly order: StrictOrder
  private readonly interventions: Interventions
  private readonly outcomes: Outcome.Outcomes
  private readonly halting: Latch.Latch
  private readonly memory: WebhookMemory
  private readonly part: BulkPart
  private readonly pace = new Pace()
  private rateLimit: number
  private controlledAt = -Infinity
  private halt: Halt | undefined

  constructor({ halting, interventions, memory, order, outcomes, owner, part }: BulkRunParts) {
    this.owner = owner
    this.order = order
    this.interventions = interventions
    this.outcomes = outcomes
    this.halting = halting
    this.memory = memory
    this.part = part
    this.rateLimit = part.action.rateLimit
  }

  readonly toItsEnd: Effect.Effect<void> = Effect.gen({ self: this }, function*() {
    // All marks are in the database when they are read.
    yield* this.owner.settled
    const marked = yield* untilAnswered(this.owner.tables.bulk.marked(this.part))
    let { place } = this.part
    while (true) {
      yield* this.heed()
      if (this.halt !== undefined) {
        yield* this.rest(this.halt)
        if (this.halt !== undefined) return
        continue
      }
      const page = yield* untilAnswered(BulkItems.page(this.owner.tables, this.part, place, this.limit))
      const toDo = page.items.filter(({ key }) => !marked.has(key))
      const kept = [...marked].filter((key) => key > place).length
      yield* this.deal(place, page, toDo, kept)
      // Items that were not done are read again when the part goes on.
      if (this.halt !== undefined || this.isStopping) continue
      if (page.goesOnAt === undefined) return yield* this.end
      place = page.goesOnAt
    }
  })

  private get isStopping(): boolean {
    return this.owner.isStopping() || this.memory.failed || this.owner.asked.awaitsRest
  }

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
    if (this.isStopping) {
      this.halt = "stopped"
      return Effect.void
    }
    if (elapsed - this.controlledAt < controlMs) return this.heedWebhook(now)
    return Effect.flatMap(untilAnswered(this.owner.tables.bulk.control(this.part.bulkId)), (control) => {
      this.controlledAt = elapsed
      const { rateLimit, state } = Option.getOrElse(control, () => ({ state: "cancelled" as const, rateLimit: 1 }))
      this.rateLimit = rateLimit
      if (state !== "running") this.halt = state
      return state === "running" ? this.heedWebhook(now) : Effect.void
    })
  }

  private heedWebhook(now: number): Effect.Effect<void> {
    const { action, dryRun } = this.part.action
    if (!dryRun && (action === "retry" || action === "replay") && !this.owner.isOpen(this.memory, now)) {
      this.halt = "closed"
    }
    return Effect.void
  }

  /** Ends, or is put off; goes on at once if it was resumed meanwhile. */
  private rest(halt: Halt): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      if (halt === "stopped") return
      if (halt === "cancelled") return yield* this.end
      const now = this.owner.now()
      const { active, circuitUntil, throttledUntil } = this.memory.webhook
      const dueAt = halt === "paused"
        ? now + pausedMs
        : !active
        ? now + closedMs
        : Math.max(throttledUntil ?? 0, circuitUntil ?? 0, now + shortlyMs)
      yield* this.commit({ duePut: [dueItem(this.part, dueAt)] })
      yield* this.owner.settled
      if (halt !== "paused") return
      this.controlledAt = -Infinity
      this.halt = undefined
      yield* this.heed()
    })
  }

  private get end(): Effect.Effect<void> {
    return Effect.suspend(() =>
      this.commit({
        dueDone: [dueItem(this.part, Number.MAX_SAFE_INTEGER)],
        updates: [this.owner.tables.bulk.end(this.part, this.owner.now())]
      })
    ).pipe(
      // Until then it is at work: nobody begins it anew.
      Effect.andThen(this.owner.settled)
    )
  }

  private commit(commit: Commit, onEnd?: () => void): Effect.Effect<void> {
    return Effect.asVoid(this.owner.commit(this.memory, commit, onEnd))
  }

  private deal(place: string, page: BulkItemPage, toDo: ReadonlyArray<BulkItem>, kept: number): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { action, dryRun } = this.part.action
      const { bulk } = this.owner.tables
      const next = page.goesOnAt ?? page.items.at(-1)?.key ?? place
      const last = page.items.at(-1)
      const placeAt = last === undefined ? null : BulkItems.timeOf(last)
      if (dryRun) {
        return this.commit(this.atPlace([bulk.count(this.part, { place: next, placeAt, count: page.items.length })]))
      }
      if (action === "retry" || action === "replay") return this.sendPage(place, page, toDo, kept)
      const also = (done: number): Commit =>
        this.atPlace([bulk.advance(this.part, {
          place: next,
          placeAt,
          kept,
          toDo: 0,
          tally: { done, failed: 0, skipped: toDo.length - done }
        })])
      const ids = toDo.map(({ key }) => key)
      const end = this.owner.ask((memory) =>
        this.interventions.end(memory, ids, action === "skip" ? "dropped" : "exhausted", also)
      )
      return Effect.map(Effect.isSuccess(end), (isEnded) => {
        if (!isEnded) this.halt = "stopped"
      })
    })
  }

  private sendPage(
    place: string,
    page: BulkItemPage,
    toDo: ReadonlyArray<BulkItem>,
    kept: number
  ): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      const first = page.items[0]
      const begins = {
        place,
        placeAt: first === undefined ? null : BulkItems.timeOf(first),
        kept,
        toDo: toDo.length,
        tally: noTally
      }
      yield* this.commit(this.atPlace([this.owner.tables.bulk.advance(this.part, begins)]))
      yield* this.sendAll(toDo)
      // The next page begins when all of this one is in the database, or none of it is passed.
      yield* this.owner.settled
    })
  }

  private atPlace(updates: NonNullable<Commit["updates"]>): Commit {
    return { duePut: [dueItem(this.part, this.owner.now() + leaseMs)], updates }
  }

  /** Sends the items of a page: those of one emitter one after the other, in log order. */
  private sendAll(items: ReadonlyArray<BulkItem>): Effect.Effect<void> {
    // Deliveries that began in the same millisecond are listed in any order.
    const lines = [...Map.groupBy(items, ({ emitterId }) => emitterId).values()].map((line) =>
      line.toSorted(BulkItems.inLogOrder)
    )
    return Effect.forEach(
      lines,
      (line) => Effect.forEach(line, (item) => this.take(item), { discard: true }),
      { concurrency: mostLines, discard: true }
    )
  }

  /** Deals with an item when it is its turn, unless the part is to halt. */
  private take(item: BulkItem): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      if (this.halt !== undefined) return
      let wait = this.pace.take(this.rateLimit, yield* RealTime.elapsed)
      while (true) {
        yield* this.heed()
        if (this.halt !== undefined) return
        if (wait < 1) break
        const nap = Math.min(wait, controlMs)
        yield* Effect.timeoutOption(this.halting.await, nap)
        wait -= nap
      }
      yield* this.enter(item)
    })
  }

  /** Begins when the webhook has a slot and a place for it. */
  private enter(item: BulkItem): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      const { memory, owner } = this
      while (true) {
        yield* this.heed()
        if (this.halt !== undefined) return
        const now = owner.now()
        if (memory.slots.hasRoom("bulk") && memory.slots.startsAt("bulk", now) <= now) {
          const preparation = owner.preparation(memory, now)
          if (preparation === undefined) {
            const attempt = Attempt.enter(owner, memory, "bulk")
            attempt.begin(now)
            CrashPoint.reached("bulk-chosen")
            return yield* Effect.ensuring(this.breakable(item, attempt), Effect.sync(() => attempt.end()))
          }
          yield* preparation
        } else yield* Effect.timeoutOption(this.halting.await, placeMs)
      }
    })
  }

  /** Deals with an item. A retry is broken off if a client skips its delivery meanwhile. */
  private breakable(item: BulkItem, attempt: Attempt): Effect.Effect<void> {
    const { retries } = this.memory
    const { key } = item
    if (item._tag === "Event" || this.part.action.action === "replay") return this.send(item, attempt, () => {})
    // An attempt at it is being made.
    if (retries.underWay.has(key)) return this.mark(key, "skipped", {})
    retries.underWay.add(key)
    return Effect.gen({ self: this }, function*() {
      const fiber = yield* Effect.forkChild(this.send(item, attempt, () => void retries.underWay.delete(key)))
      retries.track(key, fiber)
      const exit = yield* Fiber.await(fiber)
      if (Exit.isSuccess(exit)) return
      retries.underWay.delete(key)
      if (Exit.hasInterrupts(exit)) yield* this.mark(key, "skipped", {})
      else yield* exit
    })
  }

  /** Marks an item as dealt with, with its outcome. */
  private mark(key: string, outcome: BulkOutcome, commit: Commit, onEnd?: () => void): Effect.Effect<void> {
    const { bulkId, webhookId } = this.part
    return this.commit({ ...commit, bulkMarks: [{ bulkId, webhookId, key, outcome }] }, onEnd)
  }

  /**
   * Makes an item's attempt, if there is anything to send.
   *
   * @param settled called when its outcome is committed, or it has none
   */
  private send(item: BulkItem, attempt: Attempt, settled: () => void): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      const { memory } = this
      const chosen = yield* this.choose(item)
      if (chosen === undefined) return yield* this.mark(item.key, "skipped", {}, settled)
      const result = yield* attempt.resultIfOpen(chosen.request)
      if (result === undefined) {
        this.halt ??= "closed"
        return settled()
      }
      CrashPoint.reached("bulk-answered")
      const { account } = chosen
      const outcome = this.outcomes.of(memory, account, result)
      yield* this.mark(item.key, outcome.state === "delivered" ? "done" : "failed", Outcome.together(outcome), settled)
      if (account._tag === "Delivery" && account.delivery.state === "pending" && outcome.state !== "pending") {
        this.order.release(memory, account.delivery)
      }
    })
  }

  /** The attempt to make of an item; undefined if its events or its subscription are gone, or its filter drops them. */
  private choose(item: BulkItem): Effect.Effect<Chosen | undefined> {
    if (item._tag === "Event") return this.chooseReplay(item.event)
    const { listed } = item
    if (this.part.action.action === "retry") return this.chooseDelivery(listed, listed.id)
    return listed.batch === undefined ? this.chooseReplay(listed) : this.chooseDelivery(listed, undefined)
  }

  /**
   * The next attempt at a delivery, or the first of another one that sends the rest of its batch under the batch's id.
   *
   * @param deliveryId undefined for another one
   */
  private chooseDelivery(listed: ListedDelivery, deliveryId: string | undefined): Effect.Effect<Chosen | undefined> {
    return Effect.gen({ self: this }, function*() {
      const { memory, owner } = this
      const { subscriptionId } = listed
      const [delivery] = yield* untilAnswered(owner.tables.deliveries.find([listed.id]))
      const found = yield* untilAnswered(this.eventsOf(listed, delivery))
      const subscribed = yield* untilAnswered(owner.tables.cursors.position(listed))
      if (found === undefined || Option.isNone(subscribed) || memory.inbox.isForgotten(subscriptionId)) return undefined
      if (deliveryId === undefined) {
        const request = { deliveryId: DeliveryId.make(owner.now()), subscriptionId, attempt: 1, ...found }
        return { request, account: { _tag: "Apart" } } satisfies Chosen
      }
      const isGone = delivery === undefined && listed.state !== "delivered"
      return isGone ? undefined : {
        request: { deliveryId, subscriptionId, attempt: (delivery ?? listed).attempts + 1, ...found },
        account: delivery === undefined ? { _tag: "Apart" } : { _tag: "Delivery", delivery }
      } satisfies Chosen
    })
  }

  /** An event as a delivery of its own. */
  private chooseReplay(
    { emitterId, eventId, stream, subscriptionId }: CursorKey & {
      readonly stream: string
      readonly eventId: EventId.EventId
    }
  ): Effect.Effect<Chosen | undefined> {
    return Effect.gen({ self: this }, function*() {
      const { memory, owner } = this
      const found = yield* untilAnswered(owner.tables.events.find({ emitterId, stream }, eventId))
      const subscribed = yield* untilAnswered(owner.tables.cursors.position({ subscriptionId, emitterId }))
      if (
        Option.isNone(found) || found.value.hops >= maxHops || Option.isNone(subscribed) ||
        memory.inbox.isForgotten(subscriptionId)
      ) return undefined
      const filter = memory.inbox.filterOf(subscribed.value.filter)
      if (filter !== undefined && (yield* filter.judge(found.value)).outcome !== "passes") return undefined
      return {
        request: {
          deliveryId: DeliveryId.make(owner.now()),
          subscriptionId,
          event: found.value,
          attempt: 1,
          // A subscription for batches gets a list of one.
          batch: subscribed.value.batch && EventBatch.make([found.value])
        },
        account: { _tag: "Apart" }
      } satisfies Chosen
    })
  }

  /** The events that an attempt at a delivery sends. The last attempt tells those of a batch that has arrived. */
  private eventsOf(listed: ListedDelivery, delivery: Delivery | undefined) {
    const { attempts, events } = this.owner.tables
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
}
