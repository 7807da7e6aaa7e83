import { type BulkAction, type BulkFilter, isOfRuns } from "@headwater/domain/BulkAction"
import * as Id from "@headwater/domain/Id"
import { Subscriptions } from "@headwater/log/resources/Subscriptions"
import { BulkActions, type BulkActionWithProgress } from "@headwater/log/work/BulkActions"
import { DueWork } from "@headwater/log/work/DueWork"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { ActorCalls } from "../ground/ActorCalls.ts"
import { toUnavailable, type Unavailable } from "../ground/Unavailable.ts"
import * as Wake from "../ground/Wake.ts"

/**
 * The most bulk actions of an account that may be under way or paused by their client at once: those that count alone, or
 * wait for who has paused their webhooks, are none of them. And the most with these.
 */
export const mostOpen = 20
const mostOfAll = 200

/** The account has as many bulk actions that have not ended as it may. */
export class BulkActionsFull extends Schema.TaggedError<BulkActionsFull>()("BulkActionsFull", {
  most: Schema.Int
}) {}

export class BulkActionNotFound extends Schema.TaggedError<BulkActionNotFound>()("BulkActionNotFound", {}) {}

/** It has ended, or was cancelled. */
export class BulkActionEnded extends Schema.TaggedError<BulkActionEnded>()("BulkActionEnded", {}) {}

const isSubscriptionId = Schema.is(Id.SubscriptionId)

/** Begins and controls bulk actions for clients. The owners of webhooks, sources and workflows carry them out, each at its own. */
export class BulkControl extends Context.Service<BulkControl, {
  readonly begin: (
    input: Pick<BulkAction, "accountId" | "action" | "dryRun" | "filter" | "rateLimit" | "rerun">
  ) => Effect.Effect<BulkActionWithProgress, BulkActionsFull | Unavailable>
  /** Items that are not begun within a second wait. */
  readonly pause: (accountId: Id.AccountId, id: string) => Effect.Effect<BulkActionWithProgress, Refusal>
  readonly resume: (accountId: Id.AccountId, id: string) => Effect.Effect<BulkActionWithProgress, Refusal>
  /** Items that are not begun within a second are left as they are. */
  readonly cancel: (accountId: Id.AccountId, id: string) => Effect.Effect<BulkActionWithProgress, Refusal>
  /** A rate that is undefined stays. */
  readonly setRate: (
    accountId: Id.AccountId,
    id: string,
    rateLimit: number | undefined
  ) => Effect.Effect<BulkActionWithProgress, Refusal>
}>()("@headwater/engine/bulk/BulkControl") {
  static readonly layer = Layer.effect(
    BulkControl,
    Effect.gen(function*() {
      const actors = yield* ActorCalls
      const bulkActions = yield* BulkActions
      const dueWork = yield* DueWork
      const subscriptions = yield* Subscriptions

      const find = Effect.fnUntraced(function*(accountId: Id.AccountId, id: string) {
        const found = yield* bulkActions.get(accountId, id)
        return Option.isNone(found) ? yield* new BulkActionNotFound() : found.value
      })

      /** The only webhook that a filter can be about. */
      const webhookOf = Effect.fnUntraced(function*(
        accountId: Id.AccountId,
        { subscriptionId, webhookId }: BulkFilter
      ) {
        if (webhookId !== undefined || subscriptionId === undefined || !isSubscriptionId(subscriptionId)) {
          return webhookId
        }
        const found = Option.getOrUndefined(yield* subscriptions.get(subscriptionId))
        return found?.accountId === accountId ? found.listenerId as string : undefined
      })

      /** Has the owners look at once. */
      const hasten = Effect.fnUntraced(function*(id: Id.BulkActionId) {
        const dueAt = yield* Clock.currentTimeMillis
        const ownerIds = yield* bulkActions.openOwners(id)
        if (ownerIds.length === 0) return
        yield* dueWork.put(ownerIds.map((ownerId) => ({ ownerId, kind: "bulk", key: id, dueAt, payload: "{}" })))
        for (const ownerId of ownerIds) actors.wake(ownerId, Wake.forDueWork)
      })

      const change = Effect.fnUntraced(function*(
        accountId: Id.AccountId,
        id: string,
        { state, ...change }: { readonly state?: BulkAction["state"]; readonly rateLimit?: number }
      ) {
        const { action, progress } = yield* find(accountId, id)
        if (action.state === state) return { action, progress }
        if (action.state === "cancelled" || progress.endedAt !== null) return yield* new BulkActionEnded()
        yield* bulkActions.change(action.id, state === undefined ? change : { ...change, state })
        if (state === "running" || state === "cancelled") yield* hasten(action.id)
        return yield* find(accountId, id)
      }, Effect.catchTag("SqlError", toUnavailable))

      return BulkControl.of({
        begin: Effect.fnUntraced(function*(input) {
          const { accountId, action, dryRun, filter } = input
          const open = yield* bulkActions.countOpen(accountId)
          if (!dryRun && open.atWork >= mostOpen) return yield* new BulkActionsFull({ most: mostOpen })
          if (open.all >= mostOfAll) return yield* new BulkActionsFull({ most: mostOfAll })
          const { id, ownerIds } = yield* bulkActions.insert(
            input,
            isOfRuns(action)
              ? { at: "programs", id: filter.programId, workflowsOnly: action === "cancel_runs" }
              : { at: "webhooks", id: yield* webhookOf(accountId, filter), ownOnly: action === "replay" }
          )
          for (const ownerId of ownerIds) actors.wake(ownerId, Wake.forDueWork)
          return yield* Effect.catchTag(find(input.accountId, id), "BulkActionNotFound", Effect.die)
        }, Effect.catchTag("SqlError", toUnavailable)),
        pause: (accountId, id) => change(accountId, id, { state: "paused" }),
        resume: (accountId, id) => change(accountId, id, { state: "running" }),
        cancel: (accountId, id) => change(accountId, id, { state: "cancelled" }),
        setRate: (accountId, id, rateLimit) => change(accountId, id, rateLimit === undefined ? {} : { rateLimit })
      })
    })
  )
}

type Refusal = BulkActionEnded | BulkActionNotFound | Unavailable
