import * as CrashPoint from "@headwater/log/commit/CrashPoint"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import type { DueItem } from "@headwater/log/work/DueWork"
import { Effect, Option } from "effect"
import { Attempt } from "./Attempt.ts"
import * as DeliveryEvents from "./DeliveryEvents.ts"
import * as DueRetries from "./DueRetries.ts"
import * as Outcome from "./Outcome.ts"
import type { StrictOrder } from "./StrictOrder.ts"
import * as WebhookCommits from "./WebhookCommits.ts"
import type { WebhookMemory } from "./WebhookMemory.ts"
import type { WebhookOwner } from "./WebhookOwner.ts"

/** Retries of an inactive webhook are put off by so many milliseconds; they are due at once when it is active again. */
const inactiveRetryMs = 24 * 3_600_000

/**
 * Attempts once more at deliveries that are due, each in a fiber of its own.
 *
 * - R1. A delivery is under way from when its retry begins until the outcome is committed: nobody else attempts it.
 * - R2. A retry that cannot be sent now stays due, or is put off to when the webhook may send again.
 */
export class RetryAttempts {
  private readonly owner: WebhookOwner
  private readonly order: StrictOrder
  private readonly outcomes: Outcome.Outcomes

  constructor(owner: WebhookOwner, order: StrictOrder, outcomes: Outcome.Outcomes) {
    this.owner = owner
    this.order = order
    this.outcomes = outcomes
  }

  /** Starts retries that are due while there are slots for them, or puts them off if none is to be sent now. */
  start(memory: WebhookMemory): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      const { owner } = this
      const { retries, slots } = memory
      slots.beginRetries()
      // Changed while the database answered, it may be in service again and have nothing to put off.
      while (retries.mayHaveMore && !memory.failed && !owner.isStopping()) {
        const now = owner.now()
        const dueAt = this.putOffTo(memory, now)
        if (!retries.hasKnown) {
          if (dueAt === undefined && slots.retriesAreFull) return
          yield* this.read(memory, now)
        } else if (dueAt !== undefined) {
          yield* owner.commit(memory, { duePut: retries.takeKnown().map((item) => ({ ...item, dueAt })) })
          yield* owner.settled
        } else {
          if (!slots.hasRoom("retry") || !owner.isTurn(memory, "retry", now)) return slots.noteRetryWaits()
          const preparation = owner.preparation(memory, now)
          if (preparation === undefined) this.begin(memory, now)
          else yield* preparation
        }
      }
    })
  }

  private begin(memory: WebhookMemory, now: number): void {
    const item = memory.retries.begin()
    if (item === undefined) return
    const attempt = Attempt.enter(this.owner, memory, "retry")
    attempt.begin(now)
    memory.retries.track(item.key, this.owner.start(this.retry(memory, attempt, item), () => attempt.end()))
  }

  private read(memory: WebhookMemory, now: number): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      const { after, take } = memory.retries.startPage()
      const page = yield* untilAnswered(
        this.owner.tables.dueWork.dueOf(this.owner.id, now, DueRetries.pageSize, ["bulk"], after)
      )
      const wakes = page.filter((item) => item.kind === "wake")
      if (wakes.length > 0) yield* this.owner.commit(memory, { dueDone: wakes })
      take(page)
    })
  }

  /** The time until which retries are put off, in Unix milliseconds; undefined if they may be sent. */
  private putOffTo(memory: WebhookMemory, now: number): number | undefined {
    if (!memory.webhook.active) return now + inactiveRetryMs
    const until = this.owner.heldUpTo(memory)
    return until > now ? until : undefined
  }

  private retry(memory: WebhookMemory, attempt: Attempt, due: DueItem): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      const { order, owner } = this
      const { cursors, deliveries, events } = owner.tables
      const settled = () => void memory.retries.underWay.delete(due.key)
      const [delivery] = yield* untilAnswered(deliveries.find([due.key]))
      // Its subscription was removed, maybe while it waited for a slot.
      if (delivery?.state !== "pending") {
        yield* owner.commit(memory, { dueDone: [due] }, settled)
        return yield* order.readAnew(memory)
      }
      const found = yield* untilAnswered(DeliveryEvents.read(events, delivery))
      const subscribed = yield* untilAnswered(cursors.position(delivery))
      if (found === undefined || Option.isNone(subscribed)) {
        yield* owner.commit(memory, WebhookCommits.ended([delivery], "dropped"), settled)
        return order.release(memory, delivery)
      }
      CrashPoint.reached("retry-chosen")
      const result = yield* attempt.resultIfOpen({
        deliveryId: delivery.id,
        subscriptionId: delivery.subscriptionId,
        attempt: delivery.attempts + 1,
        ...found
      })
      if (result === undefined) {
        settled()
        // It is still due: if the webhook is out of service or told to wait, it is put off.
        if (!memory.inbox.isForgotten(delivery.subscriptionId)) memory.retries.hint()
        return
      }
      CrashPoint.reached("retry-answered")
      const outcome = this.outcomes.of(memory, { _tag: "Delivery", delivery }, result)
      yield* owner.commit(memory, Outcome.together(outcome), settled)
      if (outcome.state !== "pending") order.release(memory, delivery)
    })
  }
}
