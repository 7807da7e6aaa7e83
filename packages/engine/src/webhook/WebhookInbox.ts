import type * as Id from "@headwater/domain/Id"
import type { SubscriptionBatch } from "@headwater/domain/SubscriptionBatch"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import type { Delivery } from "@headwater/log/work/Deliveries"
import { Effect, Option, Semaphore } from "effect"
import * as Wake from "../ground/Wake.ts"
import type { WebhookMemory } from "./WebhookMemory.ts"
import type { WebhookOwner } from "./WebhookOwner.ts"

/** Waits of batches that end within so many milliseconds of each other end together. */
const batchedWaitsMs = 20

/** The batches that a subscription asks for, of which none is larger than the webhook takes. */
const fitting = (
  { requestSettings }: WebhookMemory,
  batch: SubscriptionBatch | undefined
): SubscriptionBatch | undefined => {
  const most = requestSettings?.maxBytes ?? Infinity
  return batch === undefined || batch.maxBytes <= most ? batch : { ...batch, maxBytes: most }
}

/**
 * Brings the events that a webhook is owed into its lanes: those that it is told of, and those that a look at its cursors
 * finds.
 *
 * - N1. A cursor, with its filter, is read and added as a feed while `filtering` is held, so that no older filter replaces a
 *   newer one.
 * - N2. By strict order a delivery that waits for a retry holds the events behind it: its lane is not in line.
 */
export class WebhookInbox {
  private readonly filtering = Semaphore.makeUnsafe(1)
  private readonly owner: WebhookOwner
  private readonly mostReady: number

  /** @param mostReady the most lanes in line before a look goes on */
  constructor(owner: WebhookOwner, mostReady: number) {
    this.owner = owner
    this.mostReady = mostReady
  }

  /** Follows hints. */
  take(memory: WebhookMemory, { fed, look }: Wake.Wake): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      this.endWaits(memory)
      if (look) this.owner.look.begin()
      while (this.owner.look.isUnderWay() && memory.lanes.readyCount < this.mostReady) yield* this.lookAtPage(memory)
      if (look && memory.lanes.heldCount > 0) yield* this.readHeld(memory)
      for (const hint of fed) yield* this.takeHint(memory, hint)
    })
  }

  private takeHint(memory: WebhookMemory, hint: Wake.FedEvents): Effect.Effect<void> {
    return this.filtering.withPermits(1)(Effect.gen({ self: this }, function*() {
      const { filters, lanes } = memory
      // Events that are held are read from the log when they are released: those in memory are bounded by ready lanes.
      if (lanes.offer(hint) || lanes.isHeld(hint.emitterId)) return
      const found = yield* untilAnswered(this.owner.tables.cursors.position(hint))
      if (Option.isNone(found) || this.owner.isForgotten(hint.subscriptionId)) return
      lanes.add(hint, found.value.position, filters.of(found.value.filter), fitting(memory, found.value.batch))
      lanes.offer(hint)
    }))
  }

  private lookAtPage(memory: WebhookMemory): Effect.Effect<void> {
    return this.filtering.withPermits(1)(Effect.gen({ self: this }, function*() {
      const { filters, lanes } = memory
      lanes.keepAll = true
      for (const owed of yield* this.owner.look.page) {
        if (this.owner.isForgotten(owed.subscriptionId) || lanes.isHeld(owed.emitterId)) continue
        const feed = lanes.feed(owed) ??
          lanes.add(owed, owed.position, filters.of(owed.filter), fitting(memory, owed.batch))
        feed.lookAgain()
        lanes.makeReady(owed.emitterId)
      }
      lanes.dropIdle()
    }))
  }

  /** Has the lanes go on whose events have waited for others for long enough. */
  private endWaits(memory: WebhookMemory): void {
    const now = this.owner.now()
    const { lanes } = memory
    if (lanes.waitUntil > now) return
    if (lanes.endWaits(now)) this.owner.look.begin()
    if (lanes.waitUntil < Infinity) {
      this.owner.wakeAt(memory, "batch", Math.max(lanes.waitUntil, now + batchedWaitsMs), now)
    }
  }

  /** Reads which events hold those behind them, if others than this owner may have ended some. */
  readHeld({ lanes, webhook }: WebhookMemory): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      if (webhook.settings.ordering !== "strict") return
      let changes: number
      do {
        changes = lanes.heldChanges
        yield* this.owner.settled
        const pending = yield* untilAnswered(this.owner.tables.deliveries.pendingByEmitter(this.owner.id))
        if (changes !== lanes.heldChanges) continue
        lanes.holdAll(pending)
        return this.owner.look.begin()
      } while (true)
    })
  }

  /** A delivery has come to an end: by strict order, the events that it held go on. */
  release({ lanes }: WebhookMemory, delivery: Delivery): void {
    if (lanes.heldCount === 0) return
    lanes.release(delivery.emitterId)
    if (lanes.feed(delivery) === undefined) this.owner.note(Wake.forOwed([delivery]))
  }

  /** A subscription lets other events through, or has them go together otherwise than before. */
  refilter(subscriptionId: Id.SubscriptionId): Effect.Effect<void> {
    return this.filtering.withPermits(1)(Effect.gen({ self: this }, function*() {
      const found = yield* untilAnswered(this.owner.tables.subscriptions.get(subscriptionId))
      const { memory } = this.owner
      if (Option.isNone(memory) || Option.isNone(found)) return
      const { filters, lanes } = memory.value
      const batch = fitting(memory.value, found.value.batch ?? undefined)
      lanes.change(subscriptionId, filters.of(found.value.filter), batch)
      this.owner.work()
    }))
  }

  /** A subscription is gone: no new attempt for it starts any more. */
  forget(subscriptionId: string): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { memory } = this.owner
      this.owner.forget(subscriptionId)
      if (Option.isNone(memory)) return Effect.void
      memory.value.lanes.forget(subscriptionId)
      // Its deliveries that waited for a retry hold nothing any more.
      if (memory.value.lanes.heldCount === 0) return Effect.void
      return Effect.map(this.readHeld(memory.value), () => this.owner.work())
    })
  }
}
