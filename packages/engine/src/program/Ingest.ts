import { BoundedMap } from "@headwater/domain/BoundedMap"
import { isDone } from "@headwater/domain/Done"
import * as EmitId from "@headwater/domain/EmitId"
import { maxHops } from "@headwater/domain/Event"
import type { AccountId, ProgramId } from "@headwater/domain/Id"
import * as RealTime from "@headwater/domain/RealTime"
import { parse as parseRunKey, type RunKey } from "@headwater/domain/RunKey"
import { Programs } from "@headwater/log/resources/Programs"
import { Cache, Clock, Context, Duration, Effect, Exit, Layer, Option, Schema } from "effect"
import { ActorCalls, type IngestRequest, type RequestError as RequestRefused } from "../ground/ActorCalls.ts"
import { BacklogFull, EndpointNotFound, RunKeyInvalid, type RunTooLarge } from "../ground/HttpExchange.ts"
import { Suspensions } from "../ground/Suspensions.ts"
import { toUnavailable, type Unavailable } from "../ground/Unavailable.ts"
import { type QuotaExceeded, Quotas } from "./Quotas.ts"
import * as RunUrls from "./RunUrls.ts"

export type { HttpReply, HttpRequestEvent, NotAnswered } from "../ground/HttpExchange.ts"
export { accepted } from "./ProgramRequests.ts"
export type { QuotaExceeded } from "./Quotas.ts"

/** The reasons for which a request is not taken, or not answered. */
export type RequestError = RequestRefused | RunKeyInvalid | RunTooLarge

/** A request to an endpoint; `hops` is the number of emitters that it has passed through (`x-headwater-hops`). */
export interface TakenRequest extends Pick<IngestRequest, "authorization" | "hops" | "isTest" | "kind" | "unstored"> {
  /** The JSON text of an `HttpRequestEvent`, or of an e-mail. */
  readonly eventJson: string
}

/** The program that answers at an endpoint. */
export interface Endpoint {
  readonly key: string
  readonly programId: ProgramId
  readonly accountId: AccountId
  /** The key of a run that goes on or ends, in place of a new one. */
  readonly runKey?: RunKey
}

/**
 * A key names one program for good, and the program's owner knows whether it still answers there, so what was found may be
 * kept; not for ever, as there are more keys than fit. In milliseconds.
 */
const keptForMs = 5 * 60_000
const keptEndpoints = 50_000

/** The time for which a full backlog is taken to stay full, in milliseconds. */
const fullForMs = 250

const unlessExceeded = (exceeded: Option.Option<QuotaExceeded>): Effect.Effect<void, QuotaExceeded> =>
  Option.isNone(exceeded) ? Effect.void : Effect.fail(exceeded.value)

/**
 * Takes requests for programs' HTTP interfaces: durable before they are answered. If an answer is known without a look into the
 * database, the effect is done already (`Done`).
 */
export class Ingest extends Context.Service<Ingest, {
  /** The program that answers at an endpoint, or did a while ago; none of a suspended account does. */
  readonly find: (endpointKey: string) => Effect.Effect<Endpoint, EndpointNotFound | RunKeyInvalid | Unavailable>
  /** The program of an e-mail address, by the local part of that; none of a suspended account. */
  readonly findMailbox: (localPart: string) => Effect.Effect<Endpoint, EndpointNotFound | Unavailable>
  /**
   * Fails where a request would be refused, as far as that is known without it, so that its body need not be read: once the
   * account has used up a quota, and while the program has as much waiting as it may.
   */
  readonly admit: (endpoint: Endpoint) => Effect.Effect<void, BacklogFull | QuotaExceeded | Unavailable>
  /** Takes an admitted request, and calls back once. */
  readonly take: (endpoint: Endpoint, request: TakenRequest, onAnswered: RunUrls.OnCalled) => void
}>()("@headwater/engine/program/Ingest") {
  static readonly layer = Layer.effect(
    Ingest,
    Effect.gen(function*() {
      const actors = yield* ActorCalls
      const quotas = yield* Quotas
      const suspensions = yield* Suspensions
      const programs = yield* Programs
      const runUrls = yield* RunUrls.make
      /** Until when a program's backlog is taken to be full, by program. */
      const fullUntil = new BoundedMap<ProgramId, number>(keptEndpoints)
      const clock = yield* Clock.Clock
      /** The endpoints that were found last, and the times until which they are kept, by endpoint key. */
      const found = new BoundedMap<string, { readonly endpoint: Endpoint; readonly until: number }>(keptEndpoints)
      const finding = yield* Cache.makeWith(
        // Shared by all who ask meanwhile: it does not end with the one who asked first.
        Effect.fnUntraced(function*(key: string) {
          const program = yield* programs.byEndpointKey(key)
          if (Option.isNone(program)) return yield* new EndpointNotFound()
          const endpoint: Endpoint = { key, programId: program.value.id, accountId: program.value.accountId }
          found.set(key, { endpoint, until: RealTime.elapsedUnsafe(clock) + keptForMs })
          return endpoint
        }, Effect.uninterruptible),
        { capacity: keptEndpoints, timeToLive: () => Duration.zero }
      )

      const known = (key: string) => {
        const kept = found.get(key)
        if (kept === undefined || RealTime.elapsedUnsafe(clock) >= kept.until) return undefined
        return suspensions.isSuspended(kept.endpoint.accountId) ? undefined : kept.endpoint
      }

      const lookedUp = (key: string) =>
        Cache.get(finding, key).pipe(
          Effect.filterOrFail(({ accountId }) => !suspensions.isSuspended(accountId), () => new EndpointNotFound()),
          Effect.catchTag("SqlError", toUnavailable)
        )

      const ofRun = (key: string, runKey: RunKey) =>
        runUrls.find(runKey).pipe(
          Effect.filterOrFail(({ accountId }) => !suspensions.isSuspended(accountId), () => new RunKeyInvalid()),
          Effect.map((found): Endpoint => ({ key, ...found })),
          Effect.catchTag("SqlError", toUnavailable)
        )

      const isFull = (programId: ProgramId, now: number): boolean => {
        const until = fullUntil.get(programId)
        if (until === undefined) return false
        if (now < until) return true
        fullUntil.delete(programId)
        return false
      }

      const noteFull = (programId: ProgramId, now: number) => {
        fullUntil.set(programId, now + fullForMs)
      }

      return Ingest.of({
        find: (endpointKey) => {
          const runKey = parseRunKey(endpointKey)
          if (runKey !== undefined) return ofRun(endpointKey, runKey)
          const endpoint = known(endpointKey)
          return endpoint === undefined ? lookedUp(endpointKey) : Effect.succeed(endpoint)
        },
        findMailbox: Effect.fnUntraced(function*(localPart) {
          const program = yield* programs.byMailbox(localPart)
          if (Option.isNone(program) || program.value.endpointKey === null) return yield* new EndpointNotFound()
          const { accountId, endpointKey, id } = program.value
          if (suspensions.isSuspended(accountId)) return yield* new EndpointNotFound()
          return { key: endpointKey, programId: id, accountId }
        }, Effect.catchTag("SqlError", toUnavailable)),
        admit: ({ accountId, programId, runKey }) => {
          // A run that waits has begun.
          if (runKey !== undefined) return Effect.void
          if (isFull(programId, RealTime.elapsedUnsafe(clock))) return Effect.fail(new BacklogFull({ programId }))
          const exceeded = quotas.exceeded(accountId, clock)
          return isDone(exceeded)
            ? unlessExceeded(exceeded.value)
            : Effect.catchTag(Effect.flatMap(exceeded, unlessExceeded), "SqlError", toUnavailable)
        },
        take: ({ accountId, key, programId, runKey }, { eventJson, hops, ...more }, onAnswered) => {
          if (runKey !== undefined) return runUrls.call({ programId, accountId, runKey }, eventJson, onAnswered)
          actors.ingest(
            programId,
            { ...more, endpointKey: key, emitId: EmitId.make(), payload: eventJson, hops: Math.min(hops, maxHops) },
            (exit) => {
              if (Exit.isFailure(exit) && Option.exists(Exit.findErrorOption(exit), Schema.is(BacklogFull))) {
                noteFull(programId, RealTime.elapsedUnsafe(clock))
              }
              onAnswered(exit)
            }
          )
        }
      })
    })
  )
}
