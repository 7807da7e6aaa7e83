import * as Id from "@headwater/domain/Id"
import type { Commit } from "@headwater/log/commit/Commit"
import type { CommitError } from "@headwater/log/commit/Submission"
import { beforeAll, type CursorKey, type OwedPage, type Unpassed } from "@headwater/log/work/Cursors"
import type { Delivery } from "@headwater/log/work/Deliveries"
import { Effect, Option } from "effect"
import type { SqlError } from "effect/sql"
import type { Reopening } from "../ground/ActorCalls.ts"
import * as DeliveryEvents from "./DeliveryEvents.ts"
import type { StrictOrder } from "./StrictOrder.ts"
import * as WebhookCommits from "./WebhookCommits.ts"
import type { WebhookMemory } from "./WebhookMemory.ts"
import type { WebhookOwner } from "./WebhookOwner.ts"

/** Deliveries that one commit ends. */
const endedAtOnce = 200

type Failure = CommitError | SqlError.SqlError

/** The requests of clients to a webhook's owner about the events that it owes. */
export class Interventions {
  private readonly owner: WebhookOwner
  private readonly order: StrictOrder

  constructor(owner: WebhookOwner, order: StrictOrder) {
    this.owner = owner
    this.order = order
  }

  /** Has a delivery attempted once more, now, whatever became of it. */
  reopen(memory: WebhookMemory, id: string): Effect.Effect<Reopening, Failure> {
    return Effect.gen({ self: this }, function*() {
      const { owner } = this
      const { attempts, deliveries, dueWork } = owner.tables
      const now = owner.now()
      const [delivery] = yield* deliveries.find([id])
      const last = delivery === undefined
        ? (yield* attempts.ofDelivery(memory.accountId, id, Id.timeOf(id))).at(-1)
        : undefined
      const known = delivery ?? last
      if (known?.webhookId !== owner.id) return "unknown"
      const batch = delivery === undefined ? last && DeliveryEvents.batchOf(last) : delivery.batch
      const refused = yield* this.refusal({ ...known, batch })
      if (refused !== undefined) return refused
      if (delivery === undefined) {
        if (last?.outcome !== "delivered") return "unknown"
        yield* owner.durably(memory, WebhookCommits.resent(last, now))
      } else if (delivery.state === "pending") {
        yield* dueWork.hasten(owner.id, "retry", [id], now)
      } else {
        yield* owner.durably(memory, WebhookCommits.reopened(delivery, now))
      }
      memory.retries.hint()
      // It holds those behind it, as it would after a restart.
      if (delivery?.state !== "pending") this.order.hold(memory, known)
      return "due"
    })
  }

  /**
   * Ends those of some deliveries that wait for an attempt. One that is under way is broken off.
   *
   * @param also the parts to commit with it, by the number of deliveries
   */
  end(
    memory: WebhookMemory,
    ids: ReadonlyArray<string>,
    state: "dropped" | "exhausted",
    also?: (count: number) => Commit
  ): Effect.Effect<void, Failure> {
    return Effect.gen({ self: this }, function*() {
      const { claimed, letGo } = yield* memory.retries.claim(ids)
      yield* Effect.gen({ self: this }, function*() {
        // The outcomes of attempts that had ended are durable then.
        yield* this.owner.settled
        const found = yield* this.owner.tables.deliveries.find(claimed)
        const pending = found.filter((delivery) => delivery.webhookId === this.owner.id && delivery.state === "pending")
        if (pending.length === 0 && also === undefined) return
        yield* this.owner.durably(memory, { ...WebhookCommits.ended(pending, state), ...also?.(pending.length) })
        for (const delivery of pending) this.order.release(memory, delivery)
      }).pipe(Effect.ensuring(Effect.sync(letGo)))
    })
  }

  /** Passes all that waits, for a first attempt or another one, without sending it. Nothing may be under way. */
  passAll(memory: WebhookMemory): Effect.Effect<void, Failure> {
    return Effect.gen({ self: this }, function*() {
      yield* this.passUnread(memory)
      yield* this.dropWaiting(memory)
      // The events that its lanes and retries know were passed.
      memory.failed = true
    })
  }

  private refusal(delivery: Pick<Delivery, "batch" | "emitterId" | "eventId" | "stream" | "subscriptionId">) {
    return Effect.gen({ self: this }, function*() {
      if (Option.isNone(yield* this.owner.tables.cursors.position(delivery))) return "subscription_deleted"
      return (yield* DeliveryEvents.read(this.owner.tables.events, delivery)) === undefined
        ? "event_deleted"
        : undefined
    })
  }

  private passUnread(memory: WebhookMemory): Effect.Effect<void, Failure> {
    return Effect.gen({ self: this }, function*() {
      let after: CursorKey | undefined = beforeAll
      while (after !== undefined) {
        const { next, owed }: OwedPage<Unpassed> = yield* this.owner.tables.cursors.unpassedBy(this.owner.id, after)
        if (owed.length > 0) yield* this.owner.durably(memory, WebhookCommits.unsent(owed))
        after = next
      }
    })
  }

  private dropWaiting(memory: WebhookMemory): Effect.Effect<void, Failure> {
    return Effect.gen({ self: this }, function*() {
      let after = ""
      while (true) {
        const page = yield* this.owner.tables.deliveries.pendingOf(this.owner.id, after, endedAtOnce)
        const last = page.at(-1)
        if (last === undefined) return
        yield* this.owner.durably(memory, WebhookCommits.ended(page, "dropped"))
        for (const delivery of page) this.order.release(memory, delivery)
        after = last.id
      }
    })
  }
}
