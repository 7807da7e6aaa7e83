import type { AccountId } from "@headwater/domain/Id"
import * as Recurring from "@headwater/domain/Recurring"
import { Accounts } from "@headwater/log/access/Accounts"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { Programs } from "@headwater/log/resources/Programs"
import { Webhooks } from "@headwater/log/resources/Webhooks"
import { Clock, Context, Effect, Layer, Option, Queue } from "effect"
import { ActorCalls } from "./ActorCalls.ts"
import * as Wake from "./Wake.ts"

/** The time between two looks for accounts that were suspended or resumed. */
const lookEvery = "1 second"

/** Every server notices a suspension within this time. */
export const noticedWithin = "2 seconds"

/** A creation that had begun when its account was suspended may take so long, in seconds: what it makes is suspended too. */
const longestCreation = 15 * 60

/**
 * The accounts that an operator has suspended, as this node knows within a second. Their sources, workflows and webhooks
 * start nothing and keep their place.
 */
export class Suspensions extends Context.Service<Suspensions, {
  readonly isSuspended: (accountId: AccountId) => boolean
  /** True if a source, workflow or webhook belongs to a suspended account. */
  readonly holds: (actorId: string) => boolean
  /** The sources, workflows and webhooks of accounts that were resumed, to be woken. */
  readonly released: Queue.Dequeue<ReadonlyArray<string>>
}>()("@headwater/engine/ground/Suspensions") {
  /** A layer under which no account is ever suspended. */
  static readonly layerNone: Layer.Layer<Suspensions> = Layer.effect(
    Suspensions,
    Effect.map(
      Queue.unbounded<ReadonlyArray<string>>(),
      (released) => Suspensions.of({ isSuspended: () => false, holds: () => false, released })
    )
  )

  static readonly layer: Layer.Layer<Suspensions, never, Accounts | Programs | Webhooks> = Layer.effect(
    Suspensions,
    Effect.gen(function*() {
      const accounts = yield* Accounts
      const programs = yield* Programs
      const webhooks = yield* Webhooks
      const released = yield* Queue.unbounded<ReadonlyArray<string>>()
      const actorsOf = new Map<AccountId, ReadonlyArray<string>>()
      const held = new Set<string>()

      const hold = Effect.fnUntraced(function*(accountId: AccountId) {
        const ids = [...yield* programs.idsOfAccount(accountId), ...yield* webhooks.idsOfAccount(accountId)]
        actorsOf.set(accountId, ids)
        for (const id of ids) held.add(id)
      })

      const release = Effect.fnUntraced(function*(accountId: AccountId) {
        const isGone = Option.isNone(yield* accounts.get(accountId))
        const ids = actorsOf.get(accountId) ?? []
        actorsOf.delete(accountId)
        for (const id of ids) held.delete(id)
        if (!isGone) yield* Queue.offer(released, ids)
      })

      const look = Effect.gen(function*() {
        const now = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
        const suspended = yield* accounts.suspended
        const ids = new Set(suspended.map(({ id }) => id))
        for (const id of actorsOf.keys()) if (!ids.has(id)) yield* release(id)
        for (const { id, suspendedAt } of suspended) {
          if (!actorsOf.has(id) || suspendedAt >= now - longestCreation) yield* hold(id)
        }
      })

      yield* untilAnswered(look)
      yield* Recurring.every("check which accounts are suspended", lookEvery, untilAnswered(look))

      return Suspensions.of({
        isSuspended: (accountId) => actorsOf.has(accountId),
        holds: (actorId) => held.has(actorId),
        released
      })
    })
  )

  /** Wakes the actors of an account that was resumed: they go on from their places. */
  static readonly layerWaking: Layer.Layer<never, never, ActorCalls | Suspensions> = Layer.effectDiscard(
    Effect.gen(function*() {
      const actors = yield* ActorCalls
      const { released } = yield* Suspensions
      yield* Queue.take(released).pipe(
        Effect.map((ids) => {
          for (const id of ids) actors.wake(id, Wake.forEverything)
        }),
        Effect.forever,
        Effect.forkScoped
      )
    })
  )
}
