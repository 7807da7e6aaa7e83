import * as DeliveryId from "@headwater/domain/DeliveryId"
import type { LoggedEvent } from "@headwater/domain/Event"
import type * as Id from "@headwater/domain/Id"
import { Effect, Option } from "effect"
import { BulkRuns } from "../bulk/BulkRuns.ts"
import type { Reopening, WebhookNotFound } from "../ground/ActorCalls.ts"
import { EngineLimits } from "../ground/EngineLimits.ts"
import type { TestedAttempt } from "../ground/TestedAttempt.ts"
import { Unavailable } from "../ground/Unavailable.ts"
import type * as Wake from "../ground/Wake.ts"
import { Attempt } from "./Attempt.ts"
import { mostTests } from "./AttemptSlots.ts"
import { BulkDeliveries } from "./BulkDeliveries.ts"
import type { DeliveryItem } from "./DeliveryItems.ts"
import { FirstAttempts } from "./FirstAttempts.ts"
import { Interventions } from "./Interventions.ts"
import { Outcomes } from "./Outcome.ts"
import { RetryAttempts } from "./RetryAttempts.ts"
import { StrictOrder } from "./StrictOrder.ts"
import type { WebhookMemory } from "./WebhookMemory.ts"
import { WebhookOwner } from "./WebhookOwner.ts"

/** Waits of batches that end within so many milliseconds of each other end together. */
const batchedWaitsMs = 20

/**
 * Sends the events that a webhook's cursors come to, and retries attempts that failed:
 *
 *     hint ─▶ Inbox ─▶ Lanes ─▶ FirstAttempts ─────────┐
 *     due work ─▶ DueRetries ─▶ RetryAttempts ─────────┤
 *     bulk actions ─▶ BulkRuns ────────────────────────┼─▶ Attempt ─▶ Outcome ─▶ commit
 *     a client's test ─────────────────────────────────┘    (a test has no outcome)
 *
 * All of them begin by the same slots (`AttemptSlots`) and stand on the same memory and commits (`WebhookOwner`).
 */
export class WebhookActor {
  private readonly owner: WebhookOwner
  private readonly order: StrictOrder
  private readonly interventions: Interventions
  private readonly firstAttempts: FirstAttempts
  private readonly retryAttempts: RetryAttempts
  private readonly bulkRuns: BulkRuns<DeliveryItem>
  private readonly outcomes: Outcomes

  private constructor(owner: WebhookOwner, order: StrictOrder, outcomes: Outcomes, firstAttempts: FirstAttempts) {
    this.owner = owner
    this.order = order
    this.firstAttempts = firstAttempts
    this.interventions = new Interventions(owner, order)
    this.retryAttempts = new RetryAttempts(owner, order, outcomes)
    this.outcomes = outcomes
    this.bulkRuns = new BulkRuns({
      ownerId: owner.id,
      bulk: owner.tables.bulk,
      start: (work, onEnd) => void owner.start(work, onEnd)
    })
  }

  /** @param kick has `wake` called: there is something to do that nobody hinted at */
  static readonly make = Effect.fnUntraced(function*(webhookId: Id.WebhookId, kick: () => void = () => {}) {
    const limits = yield* EngineLimits
    const outcomes = yield* Outcomes.make
    const owner = yield* WebhookOwner.make(webhookId, kick)
    const order = new StrictOrder(owner)
    const firstAttempts = new FirstAttempts(owner, outcomes, order, limits.outcomes)
    yield* Effect.addFinalizer(() => Effect.sync(() => firstAttempts.close()))
    return new WebhookActor(owner, order, outcomes, firstAttempts)
  })

  /** Takes a hint in. Answers true if it has dealt with it already, false if it left that to its work. */
  hint(wake: Wake.Wake): boolean {
    const { firstAttempts, owner } = this
    const { memory } = owner
    if (Option.isNone(memory) || memory.value.failed || owner.isStopping()) {
      owner.note(wake)
      return false
    }
    const fed = memory.value.inbox.offer(wake.fed)
    firstAttempts.work(memory.value)
    if (wake.fed.length > 0 && fed.length === 0 && !wake.due && !wake.look) return true
    owner.note({ ...wake, fed })
    return false
  }

  /** Works until there is nothing left to do. Returns at once if it is working already. */
  wake(wake: Wake.Wake): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.hint(wake)
      return this.owner.loop.run(this)
    })
  }

  /** True while it waits for an answer or a commit, or has been asked for something. */
  awaitsTurn(): boolean {
    return this.firstAttempts.isBusy || this.owner.isAwaiting
  }

  /**
   * The webhook was changed: before anything else starts, it is read anew. Returns when all work that was based on its
   * former state is committed.
   */
  readonly changed: Effect.Effect<void> = Effect.suspend(() => {
    this.owner.noteChanged()
    return this.owner.settled
  })

  /** Takes the webhook out of service for good. An attempt under way is broken off, and comes to nothing. */
  readonly retire: Effect.Effect<void> = Effect.suspend(() => {
    this.owner.isRetired = true
    this.firstAttempts.close()
    return this.owner.brokenOff
  })

  /** Has a delivery attempted once more, now, whatever became of it. */
  reopen(deliveryId: string): Effect.Effect<Reopening, Unavailable | WebhookNotFound> {
    return this.owner.ask((memory) => this.interventions.reopen(memory, deliveryId))
  }

  /** Drops a delivery that waits for an attempt. */
  skip(deliveryId: string): Effect.Effect<void, Unavailable | WebhookNotFound> {
    return this.owner.ask((memory) => this.interventions.end(memory, [deliveryId], "dropped"))
  }

  /** Passes, without sending it, all that waits for a first attempt or another one. */
  readonly passAll: Effect.Effect<void, Unavailable | WebhookNotFound> = Effect.suspend(() =>
    this.owner.ask((memory) => this.interventions.passAll(memory), true)
  )

  /** Sends one request to try the webhook, and answers its result. Nothing of it is kept. */
  test(event: LoggedEvent): Effect.Effect<TestedAttempt, Unavailable | WebhookNotFound> {
    return Effect.gen({ self: this }, function*() {
      const { owner } = this
      // In the owner's own work, memory has the present state of the webhook.
      const memory = yield* owner.ask((memory) => Effect.as(owner.readKeys(memory), memory))
      if (!memory.slots.hasRoom("test")) {
        const message = `${mostTests} tests of the webhook are under way. Try again.`
        return yield* new Unavailable({ message, retryAfterSeconds: 1 })
      }
      const attempt = Attempt.enter(owner, memory, "test")
      const deliveryId = DeliveryId.make(owner.now())
      const { record } = yield* attempt.result({ deliveryId, subscriptionId: "", event, attempt: 1, isTest: true })
        .pipe(
          Effect.ensuring(Effect.sync(() => attempt.end()))
        )
      return record
    })
  }

  /** A subscription is gone: no new attempt for it starts any more. */
  forget(subscriptionId: string): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { memory } = this.owner
      if (Option.isNone(memory)) return Effect.void
      memory.value.inbox.forget(subscriptionId)
      // Its deliveries that waited for a retry hold nothing any more.
      return Effect.map(this.order.readAnew(memory.value), () => this.owner.work())
    })
  }

  /** A subscription lets other events through. Once this returns, events that it has not passed meet the new filter. */
  refilter(subscriptionId: Id.SubscriptionId): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { memory } = this.owner
      if (Option.isNone(memory)) return Effect.void
      return Effect.map(memory.value.inbox.refilter(subscriptionId), () => this.owner.work())
    })
  }

  /** One step of its work. */
  readonly step: Effect.Effect<boolean> = Effect.suspend(() => {
    const { bulkRuns, owner } = this
    if (owner.isStopping() || owner.hasFailed || owner.asked.awaitsRest) bulkRuns.halt()
    if (owner.isStopping()) {
      owner.refuseAsked()
      return Effect.succeed(false)
    }
    const readAnew = owner.hasFailed && !this.isBusy() ? owner.readAnew : Effect.void
    return Effect.as(owner.onItsBehalf(Effect.andThen(readAnew, this.workOn)), false)
  })

  isBusy(): boolean {
    return this.owner.isBusy || this.firstAttempts.isBusy
  }

  /** Waits for the commits under way. */
  readonly settle: Effect.Effect<boolean> = Effect.suspend(() => Effect.map(this.owner.settled, () => this.owner.owes))

  private readonly workOn: Effect.Effect<void> = Effect.gen({ self: this }, function*() {
    const { owner } = this
    if (Option.isNone(owner.memory)) return owner.asked.refuse("There is no such webhook.")
    const memory = owner.memory.value
    if (memory.failed || owner.isStopping()) return
    yield* owner.asked.perform(memory, () => this.isBusy() || owner.hasCommits)
    if (!memory.failed && !owner.asked.awaitsRest) yield* this.follow(memory, owner.takeHints())
  })

  private follow(memory: WebhookMemory, hints: Wake.Wake): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      const { inbox } = memory
      this.endWaits(memory)
      if (hints.look) inbox.lookAgain()
      yield* inbox.lookOn
      if (hints.look) yield* this.order.readAnew(memory)
      yield* inbox.follow(hints.fed)
      this.firstAttempts.work(memory)
      if (hints.due || hints.look) {
        memory.retries.hint()
        const { interventions, order, outcomes, owner } = this
        yield* this.bulkRuns.look((part) => new BulkDeliveries({ interventions, memory, order, outcomes, owner, part }))
      }
      yield* this.retryAttempts.start(memory)
      // Slots and turns that were left to retries may be free again.
      if (inbox.lanes.readyCount > 0) this.firstAttempts.work(memory)
    })
  }

  /** Has the lanes go on whose events have waited for others for long enough, and wakes it for those that wait on. */
  private endWaits(memory: WebhookMemory): void {
    const { inbox, inbox: { lanes } } = memory
    const now = this.owner.now()
    if (!inbox.endWaits(now) || lanes.waitUntil === Infinity) return
    this.owner.wakeAt(memory, "batch", Math.max(lanes.waitUntil, now + batchedWaitsMs), now)
  }
}
