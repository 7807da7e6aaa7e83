import type { Lease } from "@headwater/domain/Consumer"
import type { LoggedEvent, RequestKind } from "@headwater/domain/Event"
import * as Id from "@headwater/domain/Id"
import type { Program } from "@headwater/domain/Program"
import type { HeldActors } from "@headwater/log/database/Nodes"
import { Context, Effect, type Exit, Schema } from "effect"
import type {
  BadPosition,
  CommitRequest,
  ConsumerNotFound,
  ConsumerPage,
  LeaseHeld,
  LeaseLost,
  ReadRequest,
  SeekRequest
} from "./ConsumerRequests.ts"
import type { BacklogFull, EndpointNotFound, HttpReply, NotAnswered, TokenRefused } from "./HttpExchange.ts"
import type { TestedAttempt } from "./TestedAttempt.ts"
import type { Unavailable } from "./Unavailable.ts"
import type * as Wake from "./Wake.ts"

/** A request to a program's HTTP interface, an e-mail, or an event that a workflow is invoked with, on its way into the program's log. */
export interface IngestRequest {
  /** The endpoint it came to, which may not be the program's any more; null where it came through the API. */
  readonly endpointKey: string | null
  /** The way by which it came, if that is not the endpoint. */
  readonly kind?: RequestKind
  /** Minted where the request came in; a repeat has the same one. */
  readonly emitId: string
  /** JSON text of the request event. */
  readonly payload: string
  readonly hops: number
  /** The `Authorization` header that it came with. */
  readonly authorization?: string
  /** True if it is only to be answered as it would be: it does not come into the log, and begins no run. */
  readonly isTest?: boolean
  /** Given if nothing of it is to be kept once its run has ended: the paths of the files that came with it. */
  readonly unstored?: ReadonlyArray<string>
  /** The run whose event this one takes the place of. */
  readonly rerunOf?: string
}

/** True if a request has nothing but what every one has. */
export const isPlain = ({ authorization, isTest, kind, rerunOf, unstored }: IngestRequest): boolean =>
  authorization === undefined && kind === undefined && isTest === undefined && unstored === undefined &&
  rerunOf === undefined

/** The reasons for which a request is not taken, or not answered. */
export type RequestError = BacklogFull | EndpointNotFound | NotAnswered | TokenRefused | Unavailable

/** Told once what became of a request. */
export type OnAnswered = (exit: Exit.Exit<HttpReply, RequestError>) => void

/** The answer to a request. To stop waiting for it does not take the request back. */
export const answerTo = <E = RequestError>(
  ask: (onAnswered: (exit: Exit.Exit<HttpReply, E>) => void) => void
): Effect.Effect<HttpReply, E> => Effect.callback(ask)

/** Events of one stream that are to go: from the first id to the last, both included. */
export const EventRange = Schema.Struct({
  stream: Schema.String,
  from: Schema.BigInt,
  to: Schema.BigInt
})
export type EventRange = typeof EventRange.Type

/** Before every event and after every one. */
export const everyEvent: Pick<EventRange, "from" | "to"> = { from: 0n, to: (1n << 63n) - 1n }

/**
 * The outcome of the wish to cancel a run: one that has ended is not, and one that was cancelled stays so. Of the wish to
 * cancel one that waits after a step, any other is `not_waiting`, too.
 */
export const Cancellation = Schema.Literals(["cancelled", "not_waiting", "unknown"])
export type Cancellation = typeof Cancellation.Type

/** The step that a run waits after. */
export const WaitPlace = Schema.Struct({
  /** Its number among those of the run, or of the path that waits. */
  n: Schema.Int,
  /** That path, where the run is on several. */
  path: Schema.optionalKey(Schema.String)
})
export type WaitPlace = typeof WaitPlace.Type

/** The step of a wish that names one. */
export const placeAfter = (
  { n, path }: { readonly n?: number | null; readonly path?: string }
): WaitPlace | undefined => typeof n === "number" ? { n, ...(path === undefined ? {} : { path }) } : undefined

/** The wish to have a run that waits go on. */
export const ResumptionRequest = Schema.Struct({
  id: Id.RunId,
  /** The step after which it is to wait; null for any, and for all of its paths that wait. */
  n: Schema.NullOr(Schema.Int),
  path: WaitPlace.fields.path,
  /** JSON text for the steps to see; never the same for two wishes. Null for nothing. */
  data: Schema.NullOr(Schema.String)
})
export type ResumptionRequest = typeof ResumptionRequest.Type

/** The outcome of the wish to have a run go on: `too_large` if it would hold more than a run may. */
export const Resumption = Schema.Literals(["resumed", "not_waiting", "unknown", "too_large"])
export type Resumption = typeof Resumption.Type

/** A hook threw, or ran over a limit. */
export class HookFailed extends Schema.TaggedError<HookFailed>()("HookFailed", {
  hook: Schema.String,
  message: Schema.String,
  stack: Schema.optional(Schema.String),
  line: Schema.optional(Schema.Int),
  column: Schema.optional(Schema.Int)
}) {}

/** The program is gone, or was never there. */
export class ProgramNotFound extends Schema.TaggedError<ProgramNotFound>()("ProgramNotFound", {}) {}

/** The outcome of asking for another attempt. */
export const Reopening = Schema.Literals(["due", "event_deleted", "subscription_deleted", "unknown"])
export type Reopening = typeof Reopening.Type

/** The webhook was deleted, or is being deleted. */
export class WebhookNotFound extends Schema.TaggedError<WebhookNotFound>()("WebhookNotFound", {}) {}

/**
 * Calls to the engine's actors, on whichever node they live. An actor that can't be reached is `Unavailable`.
 * `placement/Actors.ts` carries the calls through the cluster.
 */
export class ActorCalls extends Context.Service<ActorCalls, {
  /** Has a program take a request. It is a call and no effect, since nearly all the others that an event needs are calls too. */
  readonly ingest: (programId: Id.ProgramId, request: IngestRequest, onAnswered: OnAnswered) => void
  readonly deploy: (
    programId: Id.ProgramId,
    options: {
      readonly emits: boolean
      /** The time of its last poll elsewhere, in Unix milliseconds. */
      readonly polledAt?: number
    }
  ) => Effect.Effect<void, HookFailed | ProgramNotFound | Unavailable>
  readonly update: (program: Program) => Effect.Effect<void, HookFailed | ProgramNotFound | Unavailable>
  readonly deleteEvents: (
    programId: Id.ProgramId,
    range: EventRange
  ) => Effect.Effect<void, ProgramNotFound | Unavailable>
  /** @param after given where it is to be one that waits after this step */
  readonly cancelRun: (
    workflowId: Id.ProgramId,
    id: Id.RunId,
    after?: WaitPlace
  ) => Effect.Effect<Cancellation, ProgramNotFound | Unavailable>
  readonly resumeRun: (
    workflowId: Id.ProgramId,
    request: ResumptionRequest
  ) => Effect.Effect<Resumption, ProgramNotFound | Unavailable>
  readonly retireProgram: (programId: Id.ProgramId) => Effect.Effect<void, ProgramNotFound | Unavailable>
  readonly retireWebhook: (webhookId: Id.WebhookId) => Effect.Effect<void, Unavailable>
  readonly webhookChanged: (webhookId: Id.WebhookId) => Effect.Effect<void, Unavailable>
  /** Has a delivery attempted once more, now. */
  readonly reopenDelivery: (
    webhookId: Id.WebhookId,
    deliveryId: Id.DeliveryId
  ) => Effect.Effect<Reopening, Unavailable | WebhookNotFound>
  /** Drops a delivery if it waits for an attempt. */
  readonly skipDelivery: (
    webhookId: Id.WebhookId,
    deliveryId: Id.DeliveryId
  ) => Effect.Effect<void, Unavailable | WebhookNotFound>
  /** Has a webhook sent one request to try it. */
  readonly testWebhook: (
    webhookId: Id.WebhookId,
    event: LoggedEvent
  ) => Effect.Effect<TestedAttempt, Unavailable | WebhookNotFound>
  /** Has a webhook pass all that waits, without sending it. */
  readonly passWebhook: (webhookId: Id.WebhookId) => Effect.Effect<void, Unavailable | WebhookNotFound>
  /** Waits as long as it is asked to; what there is to read goes as it comes. */
  readonly readConsumer: (
    consumerId: Id.ConsumerId,
    request: ReadRequest
  ) => Effect.Effect<ConsumerPage, ConsumerNotFound | LeaseHeld | LeaseLost | Unavailable>
  readonly commitConsumer: (
    consumerId: Id.ConsumerId,
    request: CommitRequest
  ) => Effect.Effect<Lease | null, BadPosition | ConsumerNotFound | LeaseLost | Unavailable>
  readonly seekConsumer: (
    consumerId: Id.ConsumerId,
    request: SeekRequest
  ) => Effect.Effect<void, ConsumerNotFound | Unavailable>
  readonly retireConsumer: (consumerId: Id.ConsumerId) => Effect.Effect<void, Unavailable>
  /** Tells a listener that a subscription of its is gone. */
  readonly forget: (listenerId: string, subscriptionId: string) => Effect.Effect<void, Unavailable>
  /** Tells a listener that a subscription of its has another filter. Events have to pass it once this returns. */
  readonly refilter: (listenerId: string, subscriptionId: Id.SubscriptionId) => Effect.Effect<void, Unavailable>
  /** Hints at an actor, by the kind its id names. Lost hints are found again by scans. */
  readonly wake: (actorId: string, wake: Wake.Wake) => void
  /** True if an actor lives, or would live, on this node. */
  readonly isHere: (actorId: string) => boolean
  /** The number of actors of each kind in this node's memory. */
  readonly held: Effect.Effect<HeldActors>
  /** True if no actor of this node does anything, or is about to because of a hint. */
  readonly areQuiet: Effect.Effect<boolean>
  /** True if this node has its share of the actors: not before it has joined the others, nor once it lost touch with them. */
  readonly hasShards: Effect.Effect<boolean>
}>()("@headwater/engine/ground/ActorCalls") {}
