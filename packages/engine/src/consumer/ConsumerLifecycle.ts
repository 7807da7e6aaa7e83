import type { Consumer } from "@headwater/domain/Consumer"
import * as EmitterPattern from "@headwater/domain/EmitterPattern"
import type { EventId } from "@headwater/domain/EventId"
import type * as Id from "@headwater/domain/Id"
import type { SubscriptionFilter } from "@headwater/domain/SubscriptionFilter"
import * as CrashPoint from "@headwater/log/commit/CrashPoint"
import { Consumers } from "@headwater/log/resources/Consumers"
import { Programs } from "@headwater/log/resources/Programs"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ActorCalls } from "../ground/ActorCalls.ts"
import { ConsumerNotFound } from "../ground/ConsumerRequests.ts"
import { toUnavailable, type Unavailable } from "../ground/Unavailable.ts"
import { Router } from "../routing/Router.ts"

export {
  BadPosition,
  ConsumerNotFound,
  type ConsumerPage,
  LeaseHeld,
  LeaseLost,
  type PageEvent
} from "../ground/ConsumerRequests.ts"

/** The account has no such emitter. */
export class UnknownEmitter extends Schema.TaggedError<UnknownEmitter>()("UnknownEmitter", { id: Schema.String }) {}

/** Creates and removes consumers. A consumer's owner takes part, so nothing is read after a removal is answered. */
export class ConsumerLifecycle extends Context.Service<ConsumerLifecycle, {
  readonly create: (input: {
    readonly accountId: Id.AccountId
    readonly name: string | null
    readonly leaseSeconds: number
    /** An emitter's id or slug, or a glob over ids. */
    readonly emitterId: string
    readonly eventName: string
    readonly filter: SubscriptionFilter | undefined
    /** It starts before each emitter's first event from this id on; at the end of the logs without it. */
    readonly from: EventId | undefined
  }) => Effect.Effect<Consumer, UnknownEmitter | Unavailable>
  readonly remove: (consumer: Consumer) => Effect.Effect<void, ConsumerNotFound | Unavailable>
  /** The id of an emitter that a consumer reads, given by its id or slug. */
  readonly emitterOf: (consumer: Consumer, idOrSlug: string) => Effect.Effect<string, UnknownEmitter | Unavailable>
}>()("@headwater/engine/consumer/ConsumerLifecycle") {
  static readonly layer = Layer.effect(
    ConsumerLifecycle,
    Effect.gen(function*() {
      const actors = yield* ActorCalls
      const consumers = yield* Consumers
      const programs = yield* Programs
      const router = yield* Router
      const sql = yield* SqlClient.SqlClient

      const found = (
        accountId: Id.AccountId,
        id: string,
        read: typeof programs.get
      ) =>
        id === accountId ? Effect.succeed<string>(id) : Effect.flatMap(
          read(accountId, id),
          Option.match({
            onNone: () => Effect.fail(new UnknownEmitter({ id })),
            onSome: (program) => Effect.succeed<string>(program.id)
          })
        )

      return ConsumerLifecycle.of({
        create: Effect.fnUntraced(function*({ emitterId: given, filter, ...input }) {
          const { accountId } = input
          const consumer = yield* sql.withTransaction(Effect.gen(function*() {
            // Held, so that it is not removed meanwhile without the consumer.
            const emitterId = EmitterPattern.isGlob(given) ? given : yield* found(accountId, given, programs.hold)
            return yield* consumers.insert({ ...input, emitterId, filter: filter?.text ?? null })
          }))
          yield* router.invalidate(accountId)
          return consumer
        }, Effect.catchTag("SqlError", toUnavailable)),
        remove: Effect.fnUntraced(function*({ accountId, id }) {
          yield* actors.retireConsumer(id)
          CrashPoint.reached("consumer-retired")
          if (!(yield* consumers.delete(accountId, id))) return yield* new ConsumerNotFound()
          yield* router.invalidate(accountId)
        }, Effect.catchTag("SqlError", toUnavailable)),
        emitterOf: Effect.fnUntraced(function*({ accountId, emitterId }, idOrSlug) {
          const id = yield* found(accountId, idOrSlug, programs.get)
          return EmitterPattern.matches(emitterId, id) ? id : yield* new UnknownEmitter({ id: idOrSlug })
        }, Effect.catchTag("SqlError", toUnavailable))
      })
    })
  )
}
