import * as EmitId from "@headwater/domain/EmitId"
import { maxHops } from "@headwater/domain/Event"
import type { AccountId, ProgramId } from "@headwater/domain/Id"
import { Programs } from "@headwater/log/Programs"
import { Cache, Context, Duration, Effect, Exit, Layer, Option } from "effect"
import { Actors } from "./Actors.ts"
import { toUnavailable } from "./DatabaseRetry.ts"
import {
  type BacklogFull,
  EndpointNotFound,
  type HttpReply,
  type HttpRequestEvent,
  type NotAnswered
} from "./HttpExchange.ts"
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

/** Takes requests for programs' HTTP interfaces: durable before they are answered. */
export class Ingest extends Context.Service<Ingest, {
  /** The program that answers at an endpoint, or did a while ago; none of a suspended account does. */
  readonly find: (endpointKey: string) => Effect.Effect<Endpoint, EndpointNotFound | Unavailable>
  /** Once the account has used up a quota, no request of it is taken. */
  readonly request: (endpoint: Endpoint, request: HttpRequestEvent, options: {
    /** How many emitters the request has passed through (`x-headwater-hops`). */
    readonly hops: number
  }) => Effect.Effect<HttpReply, EndpointNotFound | BacklogFull | NotAnswered | QuotaExceeded | Unavailable>
}>()("@headwater/engine/Ingest") {
  static readonly layer = Layer.effect(
    Ingest,
    Effect.gen(function*() {
      const actors = yield* Actors
      const quotas = yield* Quotas
      const suspensions = yield* Suspensions
      const programs = yield* Programs
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
        request: Effect.fnUntraced(function*(endpoint, request, { hops }) {
          const exceeded = yield* quotas.exceeded(endpoint.accountId)
          if (Option.isSome(exceeded)) return yield* exceeded.value
          return yield* actors.ingest(endpoint.programId, {
            endpointKey: endpoint.key,
            emitId: EmitId.make(),
            payload: JSON.stringify(request),
            hops: Math.min(hops, maxHops)
          })
        }, Effect.catchTag("SqlError", toUnavailable))
      })
    })
  )
}
