import * as Id from "@headwater/domain/Id"
import type { Commit } from "@headwater/log/commit/Commit"
import type { CommitError } from "@headwater/log/commit/Submission"
import { EventLog } from "@headwater/log/logs/EventLog"
import { Attempts } from "@headwater/log/work/Attempts"
import { beforeAll, type CursorKey, Cursors, type OwedPage, type Unpassed } from "@headwater/log/work/Cursors"
import { Deliveries, type Delivery } from "@headwater/log/work/Deliveries"
import { DueWork } from "@headwater/log/work/DueWork"
import { Clock, Effect, Option } from "effect"
import type { SqlError } from "effect/sql"
import type { Reopening } from "../ground/ActorCalls.ts"
import * as DeliveryEvents from "./DeliveryEvents.ts"
import * as WebhookCommits from "./WebhookCommits.ts"
import type { WebhookMemory } from "./WebhookMemory.ts"

/** Deliveries that one commit ends. */
const endedAtOnce = 200

/** The owner of the webhook, who carries the interventions out. */
export interface IntervenedOwner {
  /** Returns when a commit is durable. */
  readonly commit: (memory: WebhookMemory, commit: Commit) => Effect.Effect<void, CommitError>
  /**
   * Breaks off the attempts under way of deliveries, and lets none begin until they are let go. Once this returns, the
   * outcomes of attempts that had ended are durable. Answers the deliveries of which no attempt is under way.
   */
  readonly claim: (
    memory: WebhookMemory,
    ids: ReadonlyArray<string>
  ) => Effect.Effect<{ readonly claimed: ReadonlyArray<string>; readonly letGo: () => void }>
  /** Something is due: a delivery that did not wait for an attempt before, or one that did. */
  readonly onDue: (memory: WebhookMemory, opened: Pick<Delivery, "emitterId"> | undefined) => void
  /** These wait for no attempt any more. */
  readonly onEnded: (memory: WebhookMemory, deliveries: ReadonlyArray<Delivery>) => void
}

/** The requests of clients to a webhook's owner about the events that it owes. */
export interface Interventions {
  /** Has a delivery attempted once more, now, whatever became of it. */
  readonly reopen: (memory: WebhookMemory, id: string) => Effect.Effect<Reopening, Failure>
  /**
   * Ends those of some deliveries that wait for an attempt. One that is under way is broken off.
   *
   * @param also the parts to commit with it, by the number of deliveries
   */
  readonly end: (
    memory: WebhookMemory,
    ids: ReadonlyArray<string>,
    state: "dropped" | "exhausted",
    also?: (count: number) => Commit
  ) => Effect.Effect<void, Failure>
  /** Passes all that waits, for a first attempt or another one, without sending it. Nothing may be under way. */
  readonly passAll: (memory: WebhookMemory) => Effect.Effect<void, Failure>
}

type Failure = CommitError | SqlError.SqlError

export const make = Effect.fnUntraced(function*(webhookId: Id.WebhookId, owner: IntervenedOwner) {
  const attempts = yield* Attempts
  const commits = yield* WebhookCommits.make
  const cursors = yield* Cursors
  const deliveries = yield* Deliveries
  const dueWork = yield* DueWork
  const events = yield* EventLog

  const refusal = Effect.fnUntraced(function*(
    delivery: Pick<Delivery, "batch" | "emitterId" | "eventId" | "stream" | "subscriptionId">
  ) {
    if (Option.isNone(yield* cursors.position(delivery))) return "subscription_deleted"
    return (yield* DeliveryEvents.read(events, delivery)) === undefined ? "event_deleted" : undefined
  })

  const dropWaiting = Effect.fnUntraced(function*(memory: WebhookMemory) {
    let after = ""
    while (true) {
      const page = yield* deliveries.pendingOf(webhookId, after, endedAtOnce)
      const last = page.at(-1)
      if (last === undefined) return
      yield* owner.commit(memory, commits.ended(memory, page, "dropped"))
      owner.onEnded(memory, page)
      after = last.id
    }
  })

  const passUnread = Effect.fnUntraced(function*(memory: WebhookMemory) {
    let after: CursorKey | undefined = beforeAll
    while (after !== undefined) {
      const { next, owed }: OwedPage<Unpassed> = yield* cursors.unpassedBy(webhookId, after)
      if (owed.length > 0) yield* owner.commit(memory, commits.unsent(memory, owed))
      after = next
    }
  })

  return {
    reopen: Effect.fnUntraced(function*(memory, id) {
      const now = yield* Clock.currentTimeMillis
      const [delivery] = yield* deliveries.find([id])
      const last = delivery === undefined
        ? (yield* attempts.ofDelivery(memory.accountId, id, Id.timeOf(id))).at(-1)
        : undefined
      const known = delivery ?? last
      if (known?.webhookId !== webhookId) return "unknown"
      const batch = delivery === undefined ? last && DeliveryEvents.batchOf(last) : delivery.batch
      const refused = yield* refusal({ ...known, batch })
      if (refused !== undefined) return refused
      if (delivery === undefined) {
        if (last?.outcome !== "delivered") return "unknown"
        yield* owner.commit(memory, commits.resent(memory, last, now))
      } else if (delivery.state === "pending") {
        yield* dueWork.hasten(webhookId, "retry", [id], now)
      } else {
        yield* owner.commit(memory, commits.reopened(memory, delivery, now))
      }
      owner.onDue(memory, delivery?.state === "pending" ? undefined : known)
      return "due"
    }),
    end: Effect.fnUntraced(function*(memory, ids, state, also) {
      const { claimed, letGo } = yield* owner.claim(memory, ids)
      yield* Effect.gen(function*() {
        const found = yield* deliveries.find(claimed)
        const pending = found.filter((delivery) => delivery.webhookId === webhookId && delivery.state === "pending")
        if (pending.length === 0 && also === undefined) return
        yield* owner.commit(memory, { ...commits.ended(memory, pending, state), ...also?.(pending.length) })
        owner.onEnded(memory, pending)
      }).pipe(Effect.ensuring(Effect.sync(letGo)))
    }),
    passAll: (memory) => Effect.andThen(passUnread(memory), dropWaiting(memory))
  } satisfies Interventions as Interventions
})
