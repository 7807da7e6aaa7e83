import { CurrentAccount } from "@headwater/api/Authorization"
import * as EventCursor from "@headwater/api/EventCursor"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import * as Pagination from "@headwater/api/Pagination"
import * as Problem from "@headwater/api/Problem"
import * as EventId from "@headwater/domain/EventId"
import type * as Id from "@headwater/domain/Id"
import * as StreamName from "@headwater/domain/Stream"
import { EventTrace, type TracedSubscription } from "@headwater/engine/EventTrace"
import type { CommitPosition } from "@headwater/log/lists/AccountTail"
import { EventLog } from "@headwater/log/logs/EventLog"
import { Heads } from "@headwater/log/logs/Heads"
import type { ProgramKind } from "@headwater/log/resources/Programs"
import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { outlineOf } from "../answers/AttemptOutlineAnswer.ts"
import * as DeliveredBatch from "../answers/DeliveredBatch.ts"
import { EventAnswers } from "../answers/EventAnswers.ts"
import { boundOf, type EventQuery } from "../answers/EventSummaries.ts"
import { answerFailures } from "../conventions/FailureProblem.ts"
import { makeFindAny } from "./EmitterIdOf.ts"
import { makeFind } from "./OwnProgram.ts"

interface Listing extends EventQuery {
  readonly event_name?: string
}

interface AccountListing extends EventQuery {
  readonly emitter?: ReadonlyArray<string>
  readonly stream?: string
  readonly id?: string
  readonly from?: number
  readonly to?: number
  readonly text?: string
}

const placeOf = (cursor: string | undefined) =>
  cursor === undefined ? undefined : Option.getOrUndefined(EventCursor.parse(cursor))

const tracedOf = (
  { attempts, batch, clause, mismatch, nextAttemptAt, progress, subscription, waiting }: TracedSubscription
) => ({
  subscription_id: subscription.id,
  emitter_id: subscription.emitterId,
  listener_id: subscription.listenerId,
  event_name: subscription.eventName,
  matched: mismatch === undefined,
  reason: mismatch ?? null,
  ...(clause === undefined ? {} : { clause }),
  state: progress ?? null,
  ...(waiting === undefined ? {} : { waiting_for: waiting.reason }),
  next_attempt_at_ms: nextAttemptAt ?? waiting?.until ?? null,
  attempts: attempts.map(outlineOf),
  ...DeliveredBatch.shown(batch)
})

/** The emitter whose log is meant. */
interface Named {
  readonly kind: ProgramKind
  readonly idOrSlug: string
}

const source = ({ id }: { readonly id: string }): Named => ({ kind: "source", idOrSlug: id })
const workflow = ({ id }: { readonly id: string }): Named => ({ kind: "workflow", idOrSlug: id })

const tailOf = (
  headers: { readonly "last-event-id"?: string },
  query: { readonly event_name?: string; readonly after?: string }
) => ({
  stream: StreamName.normalize(query.event_name ?? ""),
  after: boundOf(headers["last-event-id"] ?? query.after)
})

export const layer = HttpApiBuilder.group(
  HeadwaterApi,
  "log",
  Effect.fnUntraced(function*(handlers) {
    const events = yield* EventLog
    const heads = yield* Heads
    const findOwn = yield* makeFind
    const findEmitter = yield* makeFindAny
    const answers = yield* EventAnswers.make
    const eventTrace = yield* EventTrace

    const emitterOf = ({ idOrSlug, kind }: Named) => findOwn(kind, idOrSlug)

    const list = Effect.fnUntraced(function*(named: Named, query: Listing) {
      const { accountId, id } = yield* emitterOf(named)
      const address = { emitterId: id, stream: StreamName.normalize(query.event_name ?? "") }
      return yield* answers.page(accountId, address, query, { totalCount: yield* events.count(address) })
    }, answerFailures)

    const listAll = Effect.fnUntraced(function*(query: AccountListing) {
      const accountId = yield* CurrentAccount
      const { emitter, from, id, stream, text, to } = query
      const { after, before, ...request } = Pagination.pageRequest(query)
      const emitterIds = emitter && (yield* Effect.forEach(emitter, (one) => findEmitter(accountId, one)))
      return yield* answers.listed(
        accountId,
        {
          emitterIds,
          stream: stream === undefined ? undefined : StreamName.normalize(stream),
          id: boundOf(id),
          from: from === undefined ? undefined : EventId.firstAt(from),
          until: to === undefined ? undefined : EventId.firstAt(to),
          text
        },
        query,
        { ...request, after: placeOf(after), before: placeOf(before) }
      )
    }, answerFailures)

    const followAll = Effect.fnUntraced(function*(
      { emitter, stream, text }: Pick<AccountListing, "emitter" | "stream" | "text">,
      after: CommitPosition | undefined
    ) {
      const accountId = yield* CurrentAccount
      const emitterIds = emitter && (yield* Effect.forEach(emitter, (one) => findEmitter(accountId, one)))
      const filter = { emitterIds, stream: stream === undefined ? undefined : StreamName.normalize(stream), text }
      return yield* answers.accountTail(accountId, filter, after)
    }, answerFailures)

    const find = Effect.fnUntraced(function*(programId: Id.ProgramId, eventId: string) {
      const found = yield* events.findInAny(programId, boundOf(eventId)!)
      return Option.isNone(found) ? yield* Problem.notFound("event", eventId) : found.value
    })

    const get = Effect.fnUntraced(function*(named: Named, eventId: string, query: EventQuery) {
      const program = yield* emitterOf(named)
      const answer = yield* answers.one(program.accountId, yield* find(program.id, eventId), query)
      return answer === undefined ? yield* Problem.notFound("event", eventId) : answer
    }, answerFailures)

    const trace = Effect.fnUntraced(function*(named: Named, eventId: string) {
      const program = yield* emitterOf(named)
      const event = yield* find(program.id, eventId)
      return {
        data: {
          event_id: EventId.format(event.id),
          emit_id: event.emitId,
          emitter_id: event.emitterId,
          event_name: event.stream,
          hops: event.hops,
          subscriptions: (yield* eventTrace.of(program.accountId, event)).map(tracedOf)
        }
      }
    }, answerFailures)

    const follow = Effect.fnUntraced(function*(named: Named, options: {
      readonly stream: string
      readonly after: EventId.EventId | undefined
    }) {
      const program = yield* emitterOf(named)
      const head = yield* heads.get(program.id)
      const end = Option.match(head, { onNone: () => 0n, onSome: ({ lastId }) => lastId })
      return yield* answers.tail(
        program.accountId,
        { emitterId: program.id, stream: options.stream },
        options.after ?? end
      )
    }, answerFailures)

    return handlers.handleAll({
      sourceEventTrace: ({ params }) => trace(source(params), params.event_id),
      workflowEventTrace: ({ params }) => trace(workflow(params), params.event_id)
    })
      .handleRaw("accountEvents", ({ query }) => listAll(query))
      .handleRaw("accountTail", ({ headers, query }) => followAll(query, headers["last-event-id"] ?? query.after))
      .handleRaw("sourceEvents", ({ params, query }) => list(source(params), query))
      .handleRaw("workflowEvents", ({ params, query }) => list(workflow(params), query))
      .handleRaw("sourceEvent", ({ params, query }) => get(source(params), params.event_id, query))
      .handleRaw("workflowEvent", ({ params, query }) => get(workflow(params), params.event_id, query))
      .handleRaw("sourceTail", ({ headers, params, query }) => follow(source(params), tailOf(headers, query)))
      .handleRaw("workflowTail", ({ headers, params, query }) => follow(workflow(params), tailOf(headers, query)))
  })
)
