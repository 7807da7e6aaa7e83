import { Lease } from "@headwater/domain/Consumer"
import { LoggedEvent, RequestKind } from "@headwater/domain/Event"
import * as Id from "@headwater/domain/Id"
import { Program } from "@headwater/domain/Program"
import * as RealTime from "@headwater/domain/RealTime"
import { Clock, Context, Duration, Effect, Layer, Option, Schema } from "effect"
import {
  ClusterError,
  ClusterSchema,
  Entity,
  EntityId,
  MessageStorage,
  RunnerAddress,
  RunnerHealth,
  Runners,
  RunnerServer,
  RunnerStorage,
  ShardId,
  Sharding,
  ShardingConfig,
  SqlRunnerStorage
} from "effect/cluster"
import { Rpc, RpcSerialization, RpcServer } from "effect/rpc"
import { getHeapStatistics } from "node:v8"
import { ConsumerActor } from "../consumer/ConsumerActor.ts"
import {
  ActorCalls,
  answerTo,
  Cancellation,
  EventRange,
  HookFailed,
  type IngestRequest,
  isPlain,
  type OnAnswered,
  ProgramNotFound,
  Reopening,
  Resumption,
  ResumptionRequest,
  WebhookNotFound
} from "../ground/ActorCalls.ts"
import {
  BadPosition,
  CommitRequest,
  ConsumerNotFound,
  ConsumerPage,
  LeaseHeld,
  LeaseLost,
  ReadRequest,
  SeekRequest
} from "../ground/ConsumerRequests.ts"
import { Draining } from "../ground/Draining.ts"
import { BacklogFull, EndpointNotFound, HttpReply, NotAnswered, TokenRefused } from "../ground/HttpExchange.ts"
import { ShardsAcquired } from "../ground/ShardsAcquired.ts"
import { Suspensions } from "../ground/Suspensions.ts"
import { TestedAttempt } from "../ground/TestedAttempt.ts"
import { Unavailable } from "../ground/Unavailable.ts"
import * as Wake from "../ground/Wake.ts"
import * as ProgramActor from "../program/ProgramActor.ts"
import * as Hints from "../routing/Hints.ts"
import { WebhookActor } from "../webhook/WebhookActor.ts"
import * as AccountActor from "./AccountActor.ts"
import * as Crossing from "./Crossing.ts"
import * as PeerSockets from "./PeerSockets.ts"
import * as Residents from "./Residents.ts"

/** Nodes speak a binary format that knows no unions of shapes without a tag, of which a program has some. */
const ProgramText = Schema.fromJsonString(Schema.toCodecJson(Program))

const changeError = Schema.Union([HookFailed, ProgramNotFound, Unavailable])

// Every call is volatile: the log has everything that must survive, and a persisted mailbox would only write it a
// second time. None is interrupted once it is running, since its caller's going away does not undo what it has begun;
// but for the rest of an actor that was woken, which ends when it is to leave the node.
const WakeRpc = Rpc.make("Wake", { payload: Wake.Wake })
  .annotate(ClusterSchema.Uninterruptible, false)
  .annotate(ClusterSchema.InterruptOnTermination, true)

const ProgramEntity = Entity.make("Program", [
  Rpc.make("Ingest", {
    payload: {
      endpointKey: Schema.NullOr(Schema.String),
      kind: Schema.optionalKey(RequestKind),
      emitId: Schema.String,
      payload: Schema.String,
      hops: Schema.Int,
      authorization: Schema.optionalKey(Schema.String),
      isTest: Schema.optionalKey(Schema.Boolean)
    },
    success: HttpReply,
    error: Schema.Union([BacklogFull, EndpointNotFound, NotAnswered, TokenRefused, Unavailable])
  }),
  WakeRpc,
  Rpc.make("Deploy", { payload: { emits: Schema.Boolean }, error: changeError }),
  Rpc.make("Update", { payload: { program: ProgramText }, error: changeError }),
  Rpc.make("Retire", { error: Schema.Union([ProgramNotFound, Unavailable]) }),
  Rpc.make("DeleteEvents", { payload: EventRange, error: Schema.Union([ProgramNotFound, Unavailable]) }),
  Rpc.make("CancelRun", {
    payload: { id: Id.RunId, n: Schema.optionalKey(Schema.Int) },
    success: Cancellation,
    error: Schema.Union([ProgramNotFound, Unavailable])
  }),
  Rpc.make("ResumeRun", {
    payload: ResumptionRequest,
    success: Resumption,
    error: Schema.Union([ProgramNotFound, Unavailable])
  }),
  Rpc.make("Forget", { payload: { subscriptionId: Schema.String } }),
  Rpc.make("Refilter", { payload: { subscriptionId: Id.SubscriptionId } })
]).annotateRpcs(ClusterSchema.Uninterruptible, true)

const webhookError = Schema.Union([Unavailable, WebhookNotFound])

const WebhookEntity = Entity.make("Webhook", [
  WakeRpc,
  Rpc.make("Changed"),
  Rpc.make("Reopen", { payload: { deliveryId: Id.DeliveryId }, success: Reopening, error: webhookError }),
  Rpc.make("Skip", { payload: { deliveryId: Id.DeliveryId }, error: webhookError }),
  Rpc.make("Test", { payload: LoggedEvent, success: TestedAttempt, error: webhookError }),
  Rpc.make("PassAll", { error: webhookError }),
  Rpc.make("Retire"),
  Rpc.make("Forget", { payload: { subscriptionId: Schema.String } }),
  Rpc.make("Refilter", { payload: { subscriptionId: Id.SubscriptionId } })
]).annotateRpcs(ClusterSchema.Uninterruptible, true)

const ConsumerEntity = Entity.make("Consumer", [
  WakeRpc,
  Rpc.make("Read", {
    payload: ReadRequest,
    success: ConsumerPage,
    error: Schema.Union([ConsumerNotFound, LeaseHeld, LeaseLost, Unavailable])
  }).annotate(ClusterSchema.Uninterruptible, false).annotate(ClusterSchema.InterruptOnTermination, true),
  Rpc.make("Commit", {
    payload: CommitRequest,
    success: Schema.NullOr(Lease),
    error: Schema.Union([BadPosition, ConsumerNotFound, LeaseLost, Unavailable])
  }),
  Rpc.make("Seek", { payload: SeekRequest, error: Schema.Union([ConsumerNotFound, Unavailable]) }),
  Rpc.make("Retire")
]).annotateRpcs(ClusterSchema.Uninterruptible, true)

const AccountEntity = Entity.make("Account", [
  WakeRpc
]).annotateRpcs(ClusterSchema.Uninterruptible, true)

/** The time limit of a call to an actor. It exceeds the limits of the hooks that the call runs, or of its answer. */
const callTimeout = "10 seconds"
/** Beyond the time that an endpoint has to answer. */
const testTimeout = "90 seconds"
const changeTimeout = "11 minutes"
const ingestTimeout = "45 seconds"
const seekTimeout = "1 minute"

type ClusterFailure =
  | ClusterError.AlreadyProcessingMessage
  | ClusterError.EntityNotAssignedToRunner
  | ClusterError.MailboxFull
  | ClusterError.PersistenceError

const isClusterFailure = Schema.is(Schema.Union([
  ClusterError.AlreadyProcessingMessage,
  ClusterError.EntityNotAssignedToRunner,
  ClusterError.MailboxFull,
  ClusterError.PersistenceError
]))

const gone = (message: string) => new Unavailable({ message, retryAfterSeconds: 1 })

/** Turns failures of the cluster itself, for an actor that is moving or has too much waiting, into `Unavailable`. */
const reach = <A, E, R>(call: Effect.Effect<A, E | ClusterFailure, R>, timeout: Duration.Input) =>
  call.pipe(
    Effect.catchIf(isClusterFailure, () =>
      Effect.fail(gone("The node that owns this resource can't be reached now. Try again later."))),
    Effect.timeoutOrElse({
      duration: timeout,
      orElse: () =>
        Effect.fail(
          gone("The node that owns this resource did not answer in time. Try again later.")
        )
    })
  ) as Effect.Effect<A, Exclude<E, ClusterFailure> | Unavailable, R>

/** The longest that a hint takes to an actor that is to come into memory for it, in milliseconds. */
const longestHintMs = 10_000

/** The shard group of all actors. */
const shardGroup = "default"

/** The rough size of one actor, in bytes, and the share of the heap that actors may fill. */
const actorBytes = 80_000
const heapShare = 0.5
const mostActors = Math.floor(getHeapStatistics().heap_size_limit * heapShare / actorBytes)

/** The actors that are in this node's memory. */
class LocalActors extends Context.Service<LocalActors, {
  readonly programs: Residents.Residents<ProgramActor.ProgramActor>
  readonly webhooks: Residents.Residents<WebhookActor>
  readonly accounts: Residents.Residents<AccountActor.AccountActor>
  readonly consumers: Residents.Residents<ConsumerActor>
  /** The consumers' ways to be hinted at, which do not keep them awake. */
  readonly consumerHints: Map<string, Pick<Residents.Resident<unknown>, "hint">>
  /** The times since which hints are on their way to actors that are not awake, as time elapses, in milliseconds. */
  readonly hintedAt: Map<string, number>
}>()("@headwater/engine/LocalActors") {
  static readonly layer = Layer.effect(
    LocalActors,
    Effect.gen(function*() {
      const population: Residents.Population = { size: 0, most: mostActors }
      return LocalActors.of({
        programs: yield* Residents.make<ProgramActor.ProgramActor>(population),
        webhooks: yield* Residents.make<WebhookActor>(population),
        accounts: yield* Residents.make<AccountActor.AccountActor>(population),
        consumers: yield* Residents.make<ConsumerActor>(population),
        consumerHints: new Map(),
        hintedAt: new Map()
      })
    })
  )
}

/** Calls an actor that is awake on this node, which stays until the call is over, or else does otherwise. */
const callHere = <A, B, E>(
  resident: Residents.Resident<A> | undefined,
  use: (actor: A) => Effect.Effect<B, E>,
  otherwise: Effect.Effect<B, E>
): Effect.Effect<B, E> =>
  Effect.uninterruptibleMask((restore) => {
    const call = resident?.enter()
    return call === undefined ? restore(otherwise) : Effect.ensuring(restore(use(call.actor)), Effect.sync(call.end))
  })

/** Carries the calls of `ActorCalls` to actors of this node and, through the cluster, of others. */
const layerNoLocal: Layer.Layer<
  ActorCalls,
  never,
  Crossing.Crossing | LocalActors | Sharding.Sharding | Suspensions
> = Layer
  .effect(
    ActorCalls,
    Effect.gen(function*() {
      const local = yield* LocalActors
      const suspensions = yield* Suspensions
      const clock = yield* Clock.Clock
      const program = yield* ProgramEntity.client
      const webhook = yield* WebhookEntity.client
      const account = yield* AccountEntity.client
      const consumer = yield* ConsumerEntity.client

      const localOf = (actorId: string): Pick<Residents.Resident<unknown>, "hint"> | undefined => {
        switch (Id.kindOf(actorId)) {
          case "source":
          case "workflow":
            return local.programs.find(actorId)
          case "webhook":
            return local.webhooks.find(actorId)
          case "account":
            return local.accounts.find(actorId)
          case "consumer":
            return local.consumerHints.get(actorId)
          default:
            return undefined
        }
      }

      const send = (actorId: string, hint: Wake.Wake) => {
        switch (Id.kindOf(actorId)) {
          case "source":
          case "workflow":
            return program(actorId).Wake(hint, { discard: true })
          case "webhook":
            return webhook(actorId).Wake(hint, { discard: true })
          case "account":
            return account(actorId).Wake(hint, { discard: true })
          case "consumer":
            return consumer(actorId).Wake(hint, { discard: true })
          default:
            return Effect.void
        }
      }

      const sendHint = yield* Hints.make(send)

      const sharding = yield* Sharding.Sharding
      const { shardsPerGroup } = ShardingConfig.defaults
      const shards = Array.from({ length: shardsPerGroup }, (_, index) => ShardId.make(shardGroup, index + 1))

      const shardOf = (actorId: string) => sharding.getShardId(EntityId.make(actorId), shardGroup)
      const isHere = (actorId: string) => sharding.hasShardId(shardOf(actorId))

      /** Hands a request over to a program that is awake on this node; answers whether there is one. */
      const ingestHere = (
        actorId: string,
        request: IngestRequest,
        onAnswered: OnAnswered,
        takes: (actor: ProgramActor.ProgramActor) => boolean = () => true
      ): boolean => {
        const call = local.programs.find(actorId)?.enter()
        if (call === undefined) return false
        if (!takes(call.actor)) {
          call.end()
          return false
        }
        call.actor.ingest(request, (exit) => {
          call.end()
          onAnswered(exit)
        })
        return true
      }

      /** Hands a hint over here, or through the cluster. */
      const wake = (actorId: string, hint: Wake.Wake) => {
        // Its work is still there when its account is resumed, and all actors of the account are woken.
        if (suspensions.holds(actorId)) return
        const here = localOf(actorId)
        if (here?.hint(hint) === true) return
        // Nobody reads from it now: the next reader looks for everything first.
        if (here === undefined && Id.kindOf(actorId) === "consumer" && isHere(actorId)) return
        local.hintedAt.set(actorId, RealTime.elapsedUnsafe(clock))
        sendHint(actorId, hint)
      }

      /** True while a hint is on its way; scans find the work again whose hint was lost. */
      const isHintUnderWay = (): boolean => {
        const lostAt = RealTime.elapsedUnsafe(clock) - longestHintMs
        for (const [actorId, at] of local.hintedAt) {
          if (at > lostAt) return true
          local.hintedAt.delete(actorId)
        }
        return false
      }

      const crossing = yield* Crossing.Crossing
      yield* crossing.receive({
        // A frame's answers are without replies.
        ingest: (actorId, request, onAnswered) =>
          ingestHere(actorId, request, onAnswered, (actor) => !actor.awaitsReply(request)),
        wake,
        isHere,
        shardOf: (actorId) => shardOf(actorId).id
      })
      const runFork = Effect.runForkWith(yield* Effect.context())

      return ActorCalls.of({
        // An actor called directly keeps to its own times.
        ingest: (programId, request, onAnswered) => {
          if (ingestHere(programId, request, onAnswered)) return
          const throughCluster = () =>
            runFork(reach(program(programId).Ingest(request), ingestTimeout)).addObserver(onAnswered)
          const isSent = isPlain(request) && crossing.request(programId, request, (exit) => {
            if (exit === undefined) throughCluster()
            else onAnswered(exit)
          })
          if (!isSent) throughCluster()
        },
        deploy: (programId, options) => reach(program(programId).Deploy(options), changeTimeout),
        update: (next) => reach(program(next.id).Update({ program: next }), changeTimeout),
        deleteEvents: (programId, range) => reach(program(programId).DeleteEvents(range), callTimeout),
        cancelRun: (workflowId, id, n) =>
          reach(program(workflowId).CancelRun({ id, ...(n === undefined ? {} : { n }) }), callTimeout),
        resumeRun: (workflowId, request) => reach(program(workflowId).ResumeRun(request), callTimeout),
        retireProgram: (programId) => reach(program(programId).Retire(), changeTimeout),
        retireWebhook: (webhookId) => reach(webhook(webhookId).Retire(), callTimeout),
        webhookChanged: (webhookId) => reach(webhook(webhookId).Changed(), callTimeout),
        reopenDelivery: (webhookId, deliveryId) => reach(webhook(webhookId).Reopen({ deliveryId }), callTimeout),
        skipDelivery: (webhookId, deliveryId) => reach(webhook(webhookId).Skip({ deliveryId }), callTimeout),
        testWebhook: (webhookId, event) => reach(webhook(webhookId).Test(event), testTimeout),
        passWebhook: (webhookId) => reach(webhook(webhookId).PassAll(), changeTimeout),
        readConsumer: (consumerId, request) =>
          callHere(
            local.consumers.find(consumerId),
            (actor) => actor.read(request),
            reach(
              consumer(consumerId).Read(request),
              Duration.sum(Duration.millis(request.waitMs), Duration.fromInputUnsafe(callTimeout))
            )
          ),
        commitConsumer: (consumerId, request) =>
          callHere(
            local.consumers.find(consumerId),
            (actor) => Effect.uninterruptible(actor.commit(request)),
            reach(consumer(consumerId).Commit(request), callTimeout)
          ),
        seekConsumer: (consumerId, request) => reach(consumer(consumerId).Seek(request), seekTimeout),
        retireConsumer: (consumerId) => reach(consumer(consumerId).Retire(), callTimeout),
        forget: (listenerId, subscriptionId) =>
          Id.kindOf(listenerId) === "webhook"
            ? reach(webhook(listenerId).Forget({ subscriptionId }), callTimeout)
            : reach(program(listenerId).Forget({ subscriptionId }), callTimeout),
        refilter: (listenerId, subscriptionId) =>
          Id.kindOf(listenerId) === "webhook"
            ? reach(webhook(listenerId).Refilter({ subscriptionId }), callTimeout)
            : reach(program(listenerId).Refilter({ subscriptionId }), callTimeout),
        wake: (actorId, hint) => {
          if (suspensions.holds(actorId) || localOf(actorId)?.hint(hint) === true) return
          if (!crossing.wake(actorId, hint)) wake(actorId, hint)
        },
        isHere,
        held: Effect.sync(() => ({
          programs: local.programs.size(),
          webhooks: local.webhooks.size(),
          consumers: local.consumers.size(),
          accounts: local.accounts.size()
        })),
        areQuiet: Effect.sync(() =>
          !isHintUnderWay() && local.programs.areQuiet() && local.webhooks.areQuiet() && local.accounts.areQuiet()
        ),
        hasShards: Effect.sync(() => shards.some(sharding.hasShardId))
      })
    })
  )

/**
 * An idle actor leaves memory, and comes back with the next call. Those that are woken now and then are kept by their
 * rest (`Residents`). The cluster looks for idle actors every 5 seconds.
 */
const whileIdle = { concurrency: "unbounded", maxIdleTime: "1 second" } as const

/** Notes that a hint has come to its actor, which takes it in at once. */
const arrived = <A, E, R>({ hintedAt }: LocalActors["Service"], actorId: string, taking: Effect.Effect<A, E, R>) =>
  Effect.andThen(Effect.sync(() => hintedAt.delete(actorId)), taking)

/** Actors go by the time of the engine, also where the cluster between its nodes goes by another. */
const onTimeOf =
  (clock: Clock.Clock) => <A extends object, E, R>(build: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.map(build, (handlers) =>
      Object.fromEntries(
        Object.entries(handlers as Record<string, (request: never) => Effect.Effect<unknown>>).map(([name, handle]) => [
          name,
          (request: never) => Effect.provideService(handle(request), Clock.Clock, clock)
        ])
      ) as A).pipe(Effect.provideService(Clock.Clock, clock))

const layerEntities = Layer.unwrap(Effect.map(Effect.map(Clock.Clock, onTimeOf), (onTime) =>
  Layer.mergeAll(
    ProgramEntity.toLayer(
      Effect.gen(function*() {
        const { entityId } = yield* Entity.CurrentAddress
        const actors = yield* ActorCalls
        const local = yield* LocalActors
        const draining = yield* Draining.ofActor
        const actor = yield* ProgramActor.make(entityId as string as Id.ProgramId, {
          kick: () => actors.wake(entityId, Wake.nothing)
        }).pipe(Effect.provideService(Draining, draining))
        const resident = yield* local.programs.add(entityId, actor, draining.begin)
        return ProgramEntity.of({
          Ingest: ({ payload }) => answerTo((onAnswered) => actor.ingest(payload, onAnswered)),
          Wake: ({ payload }) => arrived(local, entityId, resident.stay(payload)),
          Deploy: ({ payload }) => actor.deploy(payload),
          Update: ({ payload }) => actor.update(payload.program),
          Retire: () => actor.retire,
          DeleteEvents: ({ payload }) => actor.deleteEvents(payload),
          CancelRun: ({ payload }) => actor.cancelRun(payload.id, payload.n),
          ResumeRun: ({ payload }) => actor.resumeRun(payload),
          Forget: ({ payload }) => actor.forget(payload.subscriptionId),
          Refilter: ({ payload }) => actor.refilter(payload.subscriptionId)
        })
      }).pipe(onTime),
      whileIdle
    ),
    WebhookEntity.toLayer(
      Effect.gen(function*() {
        const { entityId } = yield* Entity.CurrentAddress
        const actors = yield* ActorCalls
        const local = yield* LocalActors
        const draining = yield* Draining.ofActor
        const actor = yield* WebhookActor.make(
          entityId as string as Id.WebhookId,
          () => actors.wake(entityId, Wake.nothing)
        ).pipe(Effect.provideService(Draining, draining))
        const resident = yield* local.webhooks.add(entityId, actor, draining.begin)
        return WebhookEntity.of({
          Wake: ({ payload }) => arrived(local, entityId, resident.stay(payload)),
          Changed: () => actor.changed,
          Reopen: ({ payload }) => actor.reopen(payload.deliveryId),
          Skip: ({ payload }) => actor.skip(payload.deliveryId),
          Test: ({ payload }) => actor.test(payload),
          PassAll: () => actor.passAll,
          Retire: () => actor.retire,
          Forget: ({ payload }) => actor.forget(payload.subscriptionId),
          Refilter: ({ payload }) => actor.refilter(payload.subscriptionId)
        })
      }).pipe(onTime),
      whileIdle
    ),
    ConsumerEntity.toLayer(
      Effect.gen(function*() {
        const { entityId } = yield* Entity.CurrentAddress
        const actors = yield* ActorCalls
        const local = yield* LocalActors
        const draining = yield* Draining.ofActor
        const actor = yield* ConsumerActor.make(entityId as string as Id.ConsumerId).pipe(
          Effect.provideService(Draining, draining)
        )
        const resident = yield* local.consumers.add(entityId, actor, draining.begin)
        const hints: Pick<Residents.Resident<unknown>, "hint"> = {
          hint: (wake) => {
            if (!Wake.asksFor(wake)) return resident.hint(wake)
            actor.hint(wake)
            return true
          }
        }
        yield* Effect.acquireRelease(
          Effect.sync(() => local.consumerHints.set(entityId, hints)),
          () =>
            Effect.sync(() => {
              if (local.consumerHints.get(entityId) === hints) local.consumerHints.delete(entityId)
            })
        )
        /** It stays for readers that come back soon. */
        const staying = Effect.sync(() => actors.wake(entityId, Wake.nothing))
        return ConsumerEntity.of({
          Wake: ({ payload }) =>
            arrived(
              local,
              entityId,
              Effect.andThen(Effect.sync(() => actor.hint(payload)), resident.stay(Wake.nothing))
            ),
          Read: ({ payload }) => Effect.andThen(staying, actor.read(payload)),
          Commit: ({ payload }) => Effect.andThen(staying, actor.commit(payload)),
          Seek: ({ payload }) => actor.seek(payload),
          Retire: () => actor.retire
        })
      }).pipe(onTime),
      whileIdle
    ),
    AccountEntity.toLayer(
      Effect.gen(function*() {
        const { entityId } = yield* Entity.CurrentAddress
        const local = yield* LocalActors
        const draining = yield* Draining.ofActor
        const actor = yield* AccountActor.make(entityId).pipe(Effect.provideService(Draining, draining))
        const resident = yield* local.accounts.add(entityId, actor, draining.begin)
        return AccountEntity.of({ Wake: ({ payload }) => arrived(local, entityId, resident.stay(payload)) })
      }).pipe(onTime),
      whileIdle
    )
  )))

/** The actors, and the way to them. */
export const layer = layerEntities.pipe(
  Layer.provideMerge(layerNoLocal),
  Layer.provide(LocalActors.layer)
)

const config = {
  // Actors of this node are called in its own memory: nothing is gained by writing their messages down and up again.
  simulateRemoteSerialization: false,
  entityTerminationTimeout: "10 seconds",
  maxResidentEntities: mostActors
} as const

/** One node by itself. */
export const layerSingleNode: Layer.Layer<Crossing.Crossing | Sharding.Sharding | ShardsAcquired> = Sharding.layer.pipe(
  Layer.provide(Runners.layerNoop),
  Layer.provide([MessageStorage.layerNoop, ShardsAcquired.noting(RunnerStorage.layerMemory), RunnerHealth.layerNoop]),
  Layer.provide(ShardingConfig.layer(config)),
  Layer.provideMerge(Layer.merge(ShardsAcquired.layer, Crossing.Crossing.layerNone))
)

/**
 * The address at which a node of several answers the others. They speak without encryption and keys: a private
 * interface only. If `host` is the absolute path of a folder, all are on one machine and have unix sockets in it.
 */
export interface NodeAddress {
  readonly host: string
  readonly port: number
}

/** Largest message between nodes, in bytes: a wake with all the events it may hand over. */
const maxMessageBytes = 64 * 1024 * 1024

/** Answers the other nodes. */
const layerServing = RpcServer.layer(Runners.Rpcs.merge(Crossing.Rpcs), {
  spanPrefix: "RunnerServer",
  disableTracing: true,
  disableFatalDefects: true
}).pipe(Layer.provide([RunnerServer.layerHandlers, Crossing.layerHandlers]))

/** One node of several that share the database, which holds who has which shard of the actors. */
export const layerNode = (address: NodeAddress) =>
  layerServing.pipe(
    Layer.provideMerge(Sharding.layer),
    Layer.provideMerge(Crossing.layerRunners),
    Layer.provideMerge(Crossing.Crossing.layer),
    Layer.provide(RpcServer.layerProtocolSocketServer),
    Layer.provide([PeerSockets.layer(address), PeerSockets.layerClientProtocol]),
    Layer.provide(RunnerHealth.layerPing.pipe(
      Layer.provide(Runners.layerRpc),
      Layer.provide(PeerSockets.layerClientProtocol)
    )),
    Layer.provide([MessageStorage.layerNoop, ShardsAcquired.noting(SqlRunnerStorage.layer)]),
    Layer.provide(ShardingConfig.layer({
      ...config,
      runnerAddress: Option.some(RunnerAddress.make(address.host, address.port)),
      // The same on every node. The shards of a node that ended without a word are free after the longest of these.
      shardLockRefreshInterval: "2 seconds",
      shardLockExpiration: "8 seconds",
      refreshAssignmentsInterval: "1 second",
      runnerHealthCheckInterval: "3 seconds"
    })),
    Layer.provide(RpcSerialization.layerSchemaBinary({ maxFrameSize: maxMessageBytes })),
    Layer.provideMerge(ShardsAcquired.layer)
  )
