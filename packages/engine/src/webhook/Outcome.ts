import type { Commit } from "@headwater/log/commit/Commit"
import type { Webhooks } from "@headwater/log/resources/Webhooks"
import type { CursorMove } from "@headwater/log/work/Cursors"
import type { Delivery, LastAttempt } from "@headwater/log/work/Deliveries"
import { Effect, Random } from "effect"
import * as EventBatch from "../routing/EventBatch.ts"
import type { AttemptResult } from "./AttemptRecord.ts"
import * as RetrySchedule from "./RetrySchedule.ts"
import { arrived, become, retryItem, retryOver, settlementsOf } from "./WebhookCommits.ts"
import type { WebhookMemory } from "./WebhookMemory.ts"
import * as WebhookTransitions from "./WebhookTransitions.ts"

/**
 * The account of an attempt's events: the cursor's move that passes them with a first attempt, the delivery that they are
 * kept as, or none if they are accounted for already.
 */
export type AttemptAccount =
  | { readonly _tag: "Move"; readonly move: CursorMove }
  | { readonly _tag: "Delivery"; readonly delivery: Delivery }
  | { readonly _tag: "Apart" }

/** The result of an attempt as it is written. */
export interface Outcome {
  /** The state of the events after it. */
  readonly state: "delivered" | "exhausted" | "pending"
  /** The attempt, and the change to its events: their cursor's move or their delivery's next state. */
  readonly events: Commit
  /** The change to the webhook itself, which is in its memory already. */
  readonly webhook: WebhookTransitions.Transition
}

const noItems: ReadonlyArray<never> = []

/** All of an outcome in one commit. */
export const together = ({ events, webhook: { duePut, updates } }: Outcome): Commit => ({
  ...events,
  duePut: [...duePut, ...events.duePut ?? noItems],
  updates
})

/** Turns the results of attempts into commits, whatever kind of attempt they are of. */
export class Outcomes {
  private readonly transitions: WebhookTransitions.WebhookTransitions
  private readonly random: Random.Random

  private constructor(transitions: WebhookTransitions.WebhookTransitions, random: Random.Random) {
    this.transitions = transitions
    this.random = random
  }

  static readonly make: Effect.Effect<Outcomes, never, Webhooks> = Effect.gen(function*() {
    return new Outcomes(yield* WebhookTransitions.make, yield* Effect.service(Random.Random))
  })

  of(memory: WebhookMemory, account: AttemptAccount, result: AttemptResult): Outcome {
    const isRetried = account._tag === "Move" || account._tag === "Delivery" && account.delivery.state === "pending"
    const nextAt = isRetried ? this.nextAttemptAt(memory, result) : undefined
    const state = result.outcome._tag === "Delivered" ? "delivered" : nextAt === undefined ? "exhausted" : "pending"
    const isGivenUp = nextAt === undefined && account._tag !== "Apart"
    return {
      state,
      events: {
        attempts: [nextAt === undefined ? result.record : { ...result.record, nextAt }],
        duePut: nextAt === undefined ? noItems : [retryItem(memory.webhook.id, result.record.deliveryId, nextAt)],
        ...changeTo(account, state, result)
      },
      webhook: this.transitions.of(memory, result, isGivenUp)
    }
  }

  /** The time of the next attempt; none after an arrival, a refusal or a `gone`, or once the schedule is used up. */
  private nextAttemptAt({ webhook }: WebhookMemory, { endedAt, outcome, record }: AttemptResult): number | undefined {
    if (outcome._tag === "Delivered" || outcome._tag === "Gone" || outcome._tag === "Refused") return undefined
    const { retrySchedule } = webhook.settings
    const scheduled = RetrySchedule.nextAttemptAt(
      retrySchedule,
      record.attempt,
      endedAt,
      this.random.nextDoubleUnsafe()
    )
    return scheduled === undefined || outcome._tag !== "Throttled" ? scheduled : Math.max(scheduled, outcome.until)
  }
}

/** The change to the account of an attempt's events. */
const changeTo = (account: AttemptAccount, state: Outcome["state"], result: AttemptResult): Commit => {
  switch (account._tag) {
    case "Move": {
      const { move } = account
      const moves = [{ ...move, tally: { ...move.tally, [state]: eventsSent(result) } }]
      return state === "delivered" ? { moves } : { moves, deliveries: [deliveryOf(result, state, false)] }
    }
    case "Delivery": {
      const { delivery } = account
      return {
        dueDone: delivery.state === "pending" && state !== "pending" ? [retryOver(delivery)] : noItems,
        deliveryChanges: [{
          id: delivery.id,
          from: delivery.state,
          fromAttempts: delivery.attempts,
          attempts: result.record.attempt,
          state: state === "delivered" ? "settled" : state,
          last: lastOf(result)
        }],
        settlements: state === delivery.state
          ? noItems
          : settlementsOf(
            [delivery],
            delivery.state,
            state === "delivered" ? arrived(eventsSent(result)) : become(state)
          )
      }
    }
    case "Apart":
      return state === "delivered" ? {} : { deliveries: [deliveryOf(result, state, true)] }
  }
}

const lastOf = ({ record: { errorClass, startedAt, status } }: AttemptResult): LastAttempt => ({
  at: startedAt,
  status,
  errorClass
})

/** The number of events that an attempt sent. */
const eventsSent = ({ batch }: AttemptResult): number => batch === undefined ? 1 : batch.events.length

/** The delivery of events that did not arrive with an attempt. */
const deliveryOf = (result: AttemptResult, state: "exhausted" | "pending", apart: boolean): Delivery => {
  const { record } = result
  return {
    id: record.deliveryId,
    accountId: record.accountId,
    webhookId: record.webhookId,
    subscriptionId: record.subscriptionId,
    emitterId: record.emitterId,
    stream: record.stream,
    eventId: record.eventId,
    attempts: record.attempt,
    state,
    last: lastOf(result),
    apart,
    batch: EventBatch.kept(result.batch)
  }
}
