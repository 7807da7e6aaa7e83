import * as EmitId from "@headwater/domain/EmitId"
import { maxHops } from "@headwater/domain/Event"
import type { AccountId, ProgramId } from "@headwater/domain/Id"
import { Programs } from "@headwater/log/Programs"
import { Cache, Clock, Context, Duration, Effect, Exit, Layer, Option } from "effect"
import { Actors } from "./Actors.ts"
import { toUnavailable } from "./DatabaseRetry.ts"
import { BacklogFull, EndpointNotFound, type HttpReply, type NotAnswered } from "./HttpExchange.ts"
import { type QuotaExceeded, Quotas } from "./Quotas.ts"
import { Suspensions } from "./Suspensions.ts"
import type { Unavailable } from "./Unavailable.ts"

/** What answers at an endpoint. */
export interface Endpoint {
  readonly key: string
  readonly programId: ProgramId
  readonly accountId: AccountId
}

/**
 * A key names one program for good, and the program's owner knows whether it still answers there, so what was found may be
 * kept; not for ever, as there are more keys than fit.
 */
const keptFor = Duration.minutes(5)
const keptEndpoints = 50_000

/** How long a full backlog is taken to stay full, in milliseconds. */
const fullForMs = 250

/** Takes requests for programs' HTTP interfaces: durable before they are answered. */
export class Ingest extends Context.Service<Ingest, {
  /** The program that answers at an endpoint, or did a while ago; none of a suspended account does. */
  readonly find: (endpointKey: string) => Effect.Effect<Endpoint, EndpointNotFound | Unavailable>
  /**
   * Fails where a request would be refused, as far as that is known without it, so that its body need not be read: once the
   * account has used up a quota, and while the program has as much waiting as it may.
   */
  readonly admit: (endpoint: Endpoint) => Effect.Effect<void, BacklogFull | QuotaExceeded | Unavailable>
  /** Takes an admitted request, the JSON text of an `HttpRequestEvent`. */
  readonly request: (endpoint: Endpoint, eventJson: string, options: {
    /** How many emitters the request has passed through (`x-headwater-hops`). */
    readonly hops: number
  }) => Effect.Effect<HttpReply, EndpointNotFound | BacklogFull | NotAnswered | Unavailable>
}>()("@headwater/engine/Ingest") {
  static readonly layer = Layer.effect(
    Ingest,
    Effect.gen(function*() {
      const actors = yield* Actors
      const quotas = yield* Quotas
      const suspensions = yield* Suspensions
      const programs = yield* Programs
      /** Until when a program's backlog is taken to be full, by program. */
      const fullUntil = new Map<ProgramId, number>()
      const known = yield* Cache.makeWith(
        Effect.fnUntraced(function*(key: string) {
          const program = yield* programs.byEndpointKey(key)
          if (Option.isNone(program)) return yield* new EndpointNotFound()
          return { key, programId: program.value.id, accountId: program.value.accountId } satisfies Endpoint as Endpoint
        }, Effect.uninterruptible),
        { capacity: keptEndpoints, timeToLive: (exit) => Exit.isSuccess(exit) ? keptFor : Duration.zero }
      )
      return Ingest.of({
        find: (endpointKey) =>
          Cache.get(known, endpointKey).pipe(
            Effect.filterOrFail(({ accountId }) => !suspensions.isSuspended(accountId), () => new EndpointNotFound()),
            Effect.catchTag("SqlError", toUnavailable)
          ),
        admit: Effect.fnUntraced(function*({ accountId, programId }) {
          const now = yield* Clock.currentTimeMillis
          const until = fullUntil.get(programId)
          if (until !== undefined && now < until) return yield* new BacklogFull({ programId })
          fullUntil.delete(programId)
          const exceeded = yield* quotas.exceeded(accountId)
          if (Option.isSome(exceeded)) return yield* exceeded.value
        }, Effect.catchTag("SqlError", toUnavailable)),
        request: ({ key, programId }, eventJson, { hops }) =>
          Effect.suspend(() =>
            actors.ingest(programId, {
              endpointKey: key,
              emitId: EmitId.make(),
              payload: eventJson,
              hops: Math.min(hops, maxHops)
            })
          ).pipe(
            Effect.tapErrorTag("BacklogFull", () =>
              Effect.map(Clock.currentTimeMillis, (now) => {
                if (fullUntil.size >= keptEndpoints) fullUntil.clear()
                fullUntil.set(programId, now + fullForMs)
              }))
          )
      })
    })
  )
}
