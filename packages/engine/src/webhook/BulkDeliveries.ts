import * as DeliveryId from "@headwater/domain/DeliveryId"
import { maxHops } from "@headwater/domain/Event"
import type * as EventId from "@headwater/domain/EventId"
import * as Id from "@headwater/domain/Id"
import type { Commit } from "@headwater/log/commit/Commit"
import * as CrashPoint from "@headwater/log/commit/CrashPoint"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import type { ListedDelivery } from "@headwater/log/lists/DeliveryList"
import type { BulkOutcome, BulkPart } from "@headwater/log/work/BulkActions"
import type { CursorKey } from "@headwater/log/work/Cursors"
import type { Delivery } from "@headwater/log/work/Deliveries"
import { Effect, Exit, Fiber, Option } from "effect"
import type { BulkItemPage, BulkRun, BulkStanding, BulkWork } from "../bulk/BulkRun.ts"
import * as EventBatch from "../routing/EventBatch.ts"
import { Attempt } from "./Attempt.ts"
import type { AttemptRequest } from "./AttemptRecord.ts"
import * as DeliveryEvents from "./DeliveryEvents.ts"
import * as DeliveryItems from "./DeliveryItems.ts"
import type { DeliveryItem } from "./DeliveryItems.ts"
import type { Interventions } from "./Interventions.ts"
import * as Outcome from "./Outcome.ts"
import type { StrictOrder } from "./StrictOrder.ts"
import type { WebhookMemory } from "./WebhookMemory.ts"
import type { WebhookOwner } from "./WebhookOwner.ts"

/** An attempt for which the webhook has no place asks for one again after so long, in milliseconds. */
const placeMs = 20

/** A part whose webhook takes nothing looks again after so long, unless it is told to, in milliseconds. */
const closedMs = 3_600_000
const shortlyMs = 1_000

interface Parts {
  readonly owner: WebhookOwner
  readonly order: StrictOrder
  readonly interventions: Interventions
  readonly outcomes: Outcome.Outcomes
  readonly memory: WebhookMemory
  readonly part: BulkPart
}

/** An item's attempt as it is to be made. */
interface Chosen {
  readonly request: AttemptRequest
  readonly account: Outcome.AttemptAccount
}

/** The webhook's side of a bulk action: the deliveries and events that match, and what is done with each. */
export class BulkDeliveries implements BulkWork<DeliveryItem> {
  private readonly owner: WebhookOwner
  private readonly order: StrictOrder
  private readonly interventions: Interventions
  private readonly outcomes: Outcome.Outcomes
  private readonly memory: WebhookMemory
  private readonly part: BulkPart

  constructor({ interventions, memory, order, outcomes, owner, part }: Parts) {
    this.owner = owner
    this.order = order
    this.interventions = interventions
    this.outcomes = outcomes
    this.memory = memory
    this.part = part
  }

  readonly isStopping = (): boolean => this.owner.isStopping() || this.memory.failed || this.owner.asked.awaitsRest

  readonly now = (): number => this.owner.now()

  readonly standing = (now: number): BulkStanding => {
    const { memory, owner } = this
    if (this.dealAtOnce !== undefined || owner.isOpen(memory, now)) return { _tag: "Open" }
    const { active, disabledReason } = memory.webhook
    if (!active && disabledReason !== null) return { _tag: "Disabled", reason: disabledReason }
    return { _tag: "Closed", until: active ? Math.max(owner.heldUpTo(memory), now + shortlyMs) : now + closedMs }
  }

  get settled(): Effect.Effect<void> {
    return this.owner.settled
  }

  readonly commit = (commit: Commit, onEnd?: () => void): Effect.Effect<void> =>
    Effect.asVoid(this.owner.commit(this.memory, commit, onEnd))

  readonly page = (place: string, limit: number): Effect.Effect<BulkItemPage<DeliveryItem>> =>
    untilAnswered(DeliveryItems.page(this.owner.tables, this.part, place, limit))

  /** Those of one emitter go one after the other, in log order. */
  readonly linesOf = (items: ReadonlyArray<DeliveryItem>): ReadonlyArray<ReadonlyArray<DeliveryItem>> =>
    // Deliveries that began in the same millisecond are listed in any order.
    [...Map.groupBy(items, ({ emitterId }) => emitterId).values()].map((line) =>
      line.toSorted(DeliveryItems.inLogOrder)
    )

  get dealAtOnce(): BulkWork<DeliveryItem>["dealAtOnce"] {
    const { action } = this.part.action
    if (action !== "skip" && action !== "cancel") return undefined
    return (keys, also) =>
      Effect.isSuccess(
        this.owner.ask((memory) =>
          this.interventions.end(memory, keys, action === "skip" ? "dropped" : "exhausted", also)
        )
      )
  }

  /** Begins when the webhook has a slot and a place for it. */
  readonly deal = (run: BulkRun<DeliveryItem>, item: DeliveryItem): Effect.Effect<void> =>
    Effect.gen({ self: this }, function*() {
      const { memory, owner } = this
      while (true) {
        if (yield* run.isHalted) return
        const now = owner.now()
        if (memory.slots.hasRoom("bulk") && memory.slots.startsAt("bulk", now) <= now) {
          const preparation = owner.preparation(memory, now)
          if (preparation === undefined) {
            const attempt = Attempt.enter(owner, memory, "bulk")
            attempt.begin(now)
            CrashPoint.reached("bulk-chosen")
            return yield* Effect.ensuring(this.breakable(run, item, attempt), Effect.sync(() => attempt.end()))
          }
          yield* preparation
        } else yield* run.pause(placeMs)
      }
    })

  /** Deals with an item. A retry is broken off if a client skips its delivery meanwhile. */
  private breakable(run: BulkRun<DeliveryItem>, item: DeliveryItem, attempt: Attempt): Effect.Effect<void> {
    const { retries } = this.memory
    const { key } = item
    if (item._tag === "Event" || this.part.action.action === "replay") {
      return this.send(run, item, attempt, () => {})
    }
    // An attempt at it is being made.
    if (retries.underWay.has(key)) return this.mark(run, item, "skipped", {})
    retries.underWay.add(key)
    return Effect.gen({ self: this }, function*() {
      const fiber = yield* Effect.forkChild(this.send(run, item, attempt, () => void retries.underWay.delete(key)))
      retries.track(key, fiber)
      const exit = yield* Fiber.await(fiber)
      if (Exit.isSuccess(exit)) return
      retries.underWay.delete(key)
      if (Exit.hasInterrupts(exit)) yield* this.mark(run, item, "skipped", {})
      else yield* exit
    })
  }

  /** Marks an item as dealt with, with its outcome. */
  private mark(
    run: BulkRun<DeliveryItem>,
    item: DeliveryItem,
    outcome: BulkOutcome,
    commit: Commit,
    onEnd?: () => void
  ): Effect.Effect<void> {
    return this.commit({ ...commit, ...run.markOf(item, outcome) }, onEnd)
  }

  /**
   * Makes an item's attempt, if there is anything to send.
   *
   * @param settled called when its outcome is committed, or it has none
   */
  private send(
    run: BulkRun<DeliveryItem>,
    item: DeliveryItem,
    attempt: Attempt,
    settled: () => void
  ): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      const { memory } = this
      const chosen = yield* this.choose(item)
      if (chosen === undefined) return yield* this.mark(run, item, "skipped", {}, settled)
      const result = yield* attempt.resultIfOpen(chosen.request)
      if (result === undefined) {
        const now = this.now()
        const standing = this.standing(now)
        run.close(standing._tag === "Closed" ? standing.until : now + shortlyMs)
        return settled()
      }
      CrashPoint.reached("bulk-answered")
      const { account } = chosen
      const outcome = this.outcomes.of(memory, account, result)
      yield* this.mark(run, item, outcome.state === "delivered" ? "done" : "failed", Outcome.together(outcome), settled)
      if (account._tag === "Delivery" && account.delivery.state === "pending" && outcome.state !== "pending") {
        this.order.release(memory, account.delivery)
      }
    })
  }

  /** The attempt to make of an item; undefined if its events or its subscription are gone, or its filter drops them. */
  private choose(item: DeliveryItem): Effect.Effect<Chosen | undefined> {
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
