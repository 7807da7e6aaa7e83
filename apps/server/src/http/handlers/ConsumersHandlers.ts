import { CurrentAccount } from "@headwater/api/Authorization"
import {
  beginning,
  type ConsumerPosition,
  type ConsumerResource,
  defaultLeaseSeconds,
  defaultMax,
  defaultMaxBytes,
  end,
  type Place
} from "@headwater/api/ConsumersApi"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import * as Pagination from "@headwater/api/Pagination"
import * as Problem from "@headwater/api/Problem"
import type { Consumer, Lease } from "@headwater/domain/Consumer"
import * as EventId from "@headwater/domain/EventId"
import * as Stream from "@headwater/domain/Stream"
import { ActorCalls } from "@headwater/engine/ActorCalls"
import { ConsumerLifecycle, UnknownEmitter } from "@headwater/engine/ConsumerLifecycle"
import { BadPosition, ConsumerNotFound, LeaseHeld, LeaseLost } from "@headwater/engine/ConsumerLifecycle"
import { Consumers } from "@headwater/log/resources/Consumers"
import { type AccountedCursor, Cursors } from "@headwater/log/work/Cursors"
import { Clock, Effect, Option, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { EventAnswers } from "../answers/EventAnswers.ts"
import { boundOf } from "../answers/EventSummaries.ts"
import { WaitingAnswers } from "../answers/WaitingAnswers.ts"
import { answerFailures } from "../conventions/FailureProblem.ts"
import { awaitHalfClose } from "../conventions/HalfClose.ts"
import * as GivenFilter from "./GivenFilter.ts"

const resourceOf = (consumer: Consumer, now: number): ConsumerResource => ({
  id: consumer.id,
  name: consumer.name,
  emitter_id: consumer.emitterId,
  event_name: consumer.eventName,
  ...GivenFilter.shown(consumer.filter),
  lease_seconds: consumer.leaseSeconds,
  lease: consumer.lease !== null && consumer.lease.until > now ? { expires_at_ms: consumer.lease.until } : null,
  created_at: consumer.createdAt
})

const positionOf = ({ emitterId, head, position, tally }: AccountedCursor): ConsumerPosition => ({
  emitter_id: emitterId,
  position: EventId.format(position.id),
  waiting: Math.max(0, head.n - position.n),
  delivered: tally.delivered,
  filtered: tally.filtered,
  dropped: tally.dropped,
  filter_too_costly: tally.tooCostly
})

const leaseOf = (lease: Lease | null) => lease === null ? null : { id: lease.id, expires_at_ms: lease.until }

/** The id before whose event it is to stand; undefined for the end. */
const fromOf = (place: Place): EventId.EventId | undefined => {
  if (typeof place === "number") return EventId.make(place, 0)
  if (place === end) return undefined
  return place === beginning ? 0n : boundOf(place)
}

/** So many an account can have: each takes memory while somebody reads from it, and time with each event that it hears. */
const mostConsumers = 1_000

const tooMany = Problem.invalid([{
  path: "",
  message: `The account has ${mostConsumers} consumers, which is as many as one can have. Delete one first.`
}])

const required = (path: string) => Problem.invalid([{ path, message: "is required" }])

const leaseHeld = ({ until }: LeaseHeld) => {
  const sentence = "Another reader has this consumer's lease."
  return new Problem.LeaseHeld({ detail: sentence, error: sentence, details: { expires_at_ms: until } })
}

const leaseLost = new Problem.LeaseLost(
  Problem.because("This lease is no longer the consumer's. Read without a lease to get another one.")
)

const badPosition = ({ emitterId, message }: BadPosition) =>
  Problem.invalid([{ path: `positions.${emitterId}`, message }])

const answerUnknownEmitter = <A, E, R>(effect: Effect.Effect<A, E | UnknownEmitter, R>) =>
  Effect.catchIf(effect, Schema.is(UnknownEmitter), ({ id }) => Effect.fail(Problem.notFound("emitter", id)))

const missing = (id: string) => <A, E, R>(effect: Effect.Effect<A, E | ConsumerNotFound, R>) =>
  Effect.catchIf(effect, Schema.is(ConsumerNotFound), () => Effect.fail(Problem.notFound("consumer", id)))

const answerLost = <A, E, R>(effect: Effect.Effect<A, E | LeaseLost, R>) =>
  Effect.catchIf(effect, Schema.is(LeaseLost), () => Effect.fail(leaseLost))

const answerHeld = <A, E, R>(effect: Effect.Effect<A, E | LeaseHeld, R>) =>
  Effect.catchIf(effect, Schema.is(LeaseHeld), (held) => Effect.fail(leaseHeld(held)))

export const layer = HttpApiBuilder.group(
  HeadwaterApi,
  "consumers",
  Effect.fnUntraced(function*(handlers) {
    const actors = yield* ActorCalls
    const consumers = yield* Consumers
    const cursors = yield* Cursors
    const lifecycle = yield* ConsumerLifecycle
    const answers = yield* EventAnswers.make
    const waiting = yield* WaitingAnswers

    const find = Effect.fnUntraced(function*(id: string) {
      const found = yield* consumers.get(yield* CurrentAccount, id)
      return Option.isNone(found) ? yield* Problem.notFound("consumer", id) : found.value
    })

    const shown = (consumer: Consumer) =>
      Effect.map(Clock.currentTimeMillis, (now) => ({ data: resourceOf(consumer, now) }))

    return handlers.handleAll({
      create: Effect.fnUntraced(
        function*({ payload }) {
          const accountId = yield* CurrentAccount
          if (payload.emitter_id === undefined || payload.emitter_id === "") return yield* required("emitter_id")
          const eventName = payload.event_name ?? ""
          if (Stream.isUnknown(eventName)) {
            return yield* Problem.invalid([{ path: "event_name", message: Stream.toldUnknown(eventName) }])
          }
          if (yield* consumers.areAsManyAs(accountId, mostConsumers)) return yield* tooMany
          return yield* Effect.flatMap(
            lifecycle.create({
              accountId,
              name: payload.name ?? null,
              leaseSeconds: payload.lease_seconds ?? defaultLeaseSeconds,
              emitterId: payload.emitter_id,
              eventName,
              filter: yield* GivenFilter.read(payload.filter),
              from: fromOf(payload.start ?? end)
            }),
            shown
          )
        },
        answerUnknownEmitter,
        answerFailures
      ),
      list: Effect.fnUntraced(function*({ query }) {
        const { goesOnAt, items } = yield* consumers.page(yield* CurrentAccount, Pagination.pageRequest(query))
        const now = yield* Clock.currentTimeMillis
        return Pagination.openPage(items.map((consumer) => resourceOf(consumer, now)), query, goesOnAt)
      }, answerFailures),
      get: Effect.fnUntraced(function*({ params }) {
        return yield* shown(yield* find(params.id))
      }, answerFailures),
      delete: Effect.fnUntraced(function*({ params }) {
        yield* lifecycle.remove(yield* find(params.id)).pipe(missing(params.id))
      }, answerFailures),
      positions: Effect.fnUntraced(function*({ params, query }) {
        const consumer = yield* find(params.id)
        const limit = query.limit ?? Pagination.defaultLimit
        const subscription = { ...consumer, id: consumer.subscriptionId, listenerId: consumer.id }
        const found = yield* cursors.ofSubscription(subscription, query.after ?? "", limit + 1)
        const items = found.slice(0, limit)
        const cursorOf = (item: AccountedCursor | undefined) =>
          item === undefined ? "" : Pagination.cursorOf(item.emitterId)
        return {
          page_info: {
            count: items.length,
            start_cursor: cursorOf(items[0]),
            end_cursor: cursorOf(items.at(-1)),
            has_more: found.length > limit
          },
          data: items.map(positionOf)
        }
      }, answerFailures),
      commit: Effect.fnUntraced(function*({ params, payload }) {
        const consumer = yield* find(params.id)
        if (payload.lease === undefined) return yield* required("lease")
        const lease = yield* actors.commitConsumer(consumer.id, {
          lease: payload.lease,
          positions: Object.entries(payload.positions ?? {}).map(([emitterId, id]) => ({
            emitterId,
            id: boundOf(id)!
          })),
          release: payload.release ?? false
        }).pipe(
          missing(params.id),
          answerLost,
          Effect.catchIf(Schema.is(BadPosition), (error) => Effect.fail(badPosition(error)))
        )
        return { data: { lease: leaseOf(lease) } }
      }, answerFailures),
      seek: Effect.fnUntraced(
        function*({ params, payload }) {
          const consumer = yield* find(params.id)
          if (payload.to === undefined) return yield* required("to")
          yield* actors.seekConsumer(consumer.id, {
            from: fromOf(payload.to) ?? null,
            emitterId: payload.emitter_id === undefined
              ? null
              : yield* lifecycle.emitterOf(consumer, payload.emitter_id)
          }).pipe(missing(params.id))
          return yield* shown({ ...consumer, lease: null })
        },
        answerUnknownEmitter,
        answerFailures
      )
    }).handleRaw(
      "events",
      Effect.fnUntraced(function*({ params, query }) {
        const consumer = yield* find(params.id)
        const read = (waitMs: number) =>
          actors.readConsumer(consumer.id, {
            lease: query.lease ?? null,
            max: query.max ?? defaultMax,
            maxBytes: query.max_bytes ?? defaultMaxBytes,
            waitMs,
            mayLeaveOut: true
          }).pipe(missing(params.id), answerLost, answerHeld)
        const waitMs = (query.wait ?? 0) * 1_000
        const untilHalfClose = Effect.raceFirst(
          Effect.asSome(read(waitMs)),
          Effect.as(awaitHalfClose, Option.none())
        ).pipe(Effect.flatMap((found) => Option.isSome(found) ? Effect.succeed(found.value) : read(0)))
        const { events, lease } = yield* waitMs === 0
          ? read(0)
          : Effect.scoped(Effect.flatMap(waiting.open, (ended) => Effect.raceFirst(untilHalfClose, ended)))
        const positions = Object.fromEntries(events.map(({ emitterId, id }) => [emitterId, EventId.format(id)]))
        const head = `{"lease":${JSON.stringify(leaseOf(lease))},"positions":${JSON.stringify(positions)},"data":[`
        return yield* answers.ofConsumer(consumer.accountId, head, events, query)
      }, answerFailures)
    )
  })
)
