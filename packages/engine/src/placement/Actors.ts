import * as Id from "@headwater/domain/Id"
import { Context, Duration, Effect, Layer, Schema, Scope } from "effect"
import { ClusterError, Entity, EntityId, ShardId, Sharding, ShardingConfig } from "effect/cluster"
import { ConsumerActor } from "../consumer/ConsumerActor.ts"
import { ActorCalls, answerTo, type IngestRequest, isPlain, type OnAnswered, placeAfter } from "../ground/ActorCalls.ts"
import { Draining } from "../ground/Draining.ts"
import { Suspensions } from "../ground/Suspensions.ts"
import { Unavailable } from "../ground/Unavailable.ts"
import * as Wake from "../ground/Wake.ts"
import * as ProgramActor from "../program/ProgramActor.ts"
import * as Hints from "../routing/Hints.ts"
import { WebhookActor } from "../webhook/WebhookActor.ts"
import * as AccountActor from "./AccountActor.ts"
import { AccountEntity, ConsumerEntity, ProgramEntity, WebhookEntity } from "./ActorEntities.ts"
import { lean } from "./Cluster.ts"
import * as Crossing from "./Crossing.ts"
import { hintedOf, LocalActors } from "./LocalActors.ts"
import type * as Residents from "./Residents.ts"

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

/** The shard group of all actors. */
const shardGroup = "default"

/** The shards of all actors, of which this node has some. */
const makeShards = Effect.map(Sharding.Sharding, (sharding) => {
  const { shardsPerGroup } = ShardingConfig.defaults
  const all = Array.from({ length: shardsPerGroup }, (_, index) => ShardId.make(shardGroup, index + 1))
  const of = (actorId: string) => sharding.getShardId(EntityId.make(actorId), shardGroup)
  return {
    of,
    isHere: (actorId: string) => sharding.hasShardId(of(actorId)),
    hasAny: () => all.some(sharding.hasShardId)
  }
})

/** The ways to actors through the cluster. */
const makeClients = Effect.gen(function*() {
  return {
    program: yield* ProgramEntity.client,
    webhook: yield* WebhookEntity.client,
    account: yield* AccountEntity.client,
    consumer: yield* ConsumerEntity.client
  }
})

/** Wakes an actor through the cluster. */
const waking = ({ account, consumer, program, webhook }: Effect.Success<typeof makeClients>) =>
(
  actorId: string,
  hint: Wake.Wake
) => {
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

/** Hands a request over to a program that is awake on this node; answers whether there is one. */
const ingestHere = (
  resident: Residents.Resident<ProgramActor.ProgramActor> | undefined,
  request: IngestRequest,
  onAnswered: OnAnswered,
  takes: (actor: ProgramActor.ProgramActor) => boolean = () => true
): boolean => {
  const call = resident?.enter()
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
      const clients = yield* makeClients
      const { consumer, program, webhook } = clients
      const sendHint = yield* Hints.make(waking(clients))
      const shards = yield* makeShards
      const { isHere } = shards

      /** Hands a hint over here, or through the cluster. */
      const wake = (actorId: string, hint: Wake.Wake) => {
        // Its work is still there when its account is resumed, and all actors of the account are woken.
        if (suspensions.holds(actorId)) return
        const here = hintedOf(local, actorId)
        if (here?.hint(hint) === true) return
        // Nobody reads from it now: the next reader looks for everything first.
        if (here === undefined && Id.kindOf(actorId) === "consumer" && isHere(actorId)) return
        local.hintsUnderWay.sent(actorId)
        sendHint(actorId, hint)
      }

      const crossing = yield* Crossing.Crossing
      yield* crossing.receive({
        // A frame's answers are without replies.
        ingest: (actorId, request, onAnswered) =>
          ingestHere(local.programs.find(actorId), request, onAnswered, (actor) => !actor.awaitsReply(request)),
        wake,
        isHere,
        shardOf: (actorId) => shards.of(actorId).id
      })
      const runFork = Effect.runForkWith(yield* Effect.context())

      return ActorCalls.of({
        // An actor called directly keeps to its own times.
        ingest: (programId, request, onAnswered) => {
          if (ingestHere(local.programs.find(programId), request, onAnswered)) return
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
        cancelRun: (workflowId, id, after) => reach(program(workflowId).CancelRun({ id, ...after }), callTimeout),
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
          if (suspensions.holds(actorId) || hintedOf(local, actorId)?.hint(hint) === true) return
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
          local.hintsUnderWay.isEmpty() && local.programs.areQuiet() && local.webhooks.areQuiet() &&
          local.accounts.areQuiet()
        ),
        hasShards: Effect.sync(shards.hasAny)
      })
    })
  )

/**
 * An idle actor leaves memory, and comes back with the next call. Those that are woken now and then are kept by their
 * rest (`Residents`). The cluster looks for idle actors every 5 seconds.
 */
const whileIdle = { concurrency: "unbounded", maxIdleTime: "1 second" } as const

/** Notes that a hint has come to its actor, which takes it in at once. */
const arrived = <A, E, R>(local: LocalActors["Service"], actorId: string, taking: Effect.Effect<A, E, R>) =>
  Effect.andThen(Effect.sync(() => local.hintsUnderWay.arrived(actorId)), taking)

const programHandlers = Effect.gen(function*() {
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
    CancelRun: ({ payload }) => actor.cancelRun(payload.id, placeAfter(payload)),
    ResumeRun: ({ payload }) => actor.resumeRun(payload),
    Forget: ({ payload }) => actor.forget(payload.subscriptionId),
    Refilter: ({ payload }) => actor.refilter(payload.subscriptionId)
  })
})

const webhookHandlers = Effect.gen(function*() {
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
})

const consumerHandlers = Effect.gen(function*() {
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
})

const accountHandlers = Effect.gen(function*() {
  const { entityId } = yield* Entity.CurrentAddress
  const local = yield* LocalActors
  const draining = yield* Draining.ofActor
  const actor = yield* AccountActor.make(entityId).pipe(Effect.provideService(Draining, draining))
  const resident = yield* local.accounts.add(entityId, actor, draining.begin)
  return AccountEntity.of({ Wake: ({ payload }) => arrived(local, entityId, resident.stay(payload)) })
})

/** The services that an actor has of its own. */
type ActorsOwn = Entity.CurrentAddress | Scope.Scope

type EngineServices = Exclude<
  Effect.Services<
    typeof accountHandlers | typeof consumerHandlers | typeof programHandlers | typeof webhookHandlers
  >,
  ActorsOwn
>

/**
 * Builds actors, and has them answer calls, with the services of the engine, of which the cluster has few (`lean`). So they
 * go by the engine's time too, also where the cluster between its nodes goes by another.
 */
const inEngine =
  (engine: Context.Context<EngineServices>) =>
  <A extends object, E>(build: Effect.Effect<A, E, ActorsOwn | EngineServices>): Effect.Effect<A, E, ActorsOwn> =>
    Effect.map(build, (handlers) =>
      Object.fromEntries(
        Object.entries(handlers as Record<string, (request: never) => Effect.Effect<unknown>>).map(([name, handle]) => [
          name,
          (request: never) => Effect.setContext(handle(request), engine)
        ])
      ) as A).pipe(
        Effect.updateContext((own: Context.Context<ActorsOwn>) =>
          engine.pipe(
            Context.add(Entity.CurrentAddress, Context.get(own, Entity.CurrentAddress)),
            Context.add(Scope.Scope, Context.get(own, Scope.Scope))
          )
        )
      )

const layerEntities = Layer.unwrap(Effect.map(Effect.context<EngineServices>(), (engine) => {
  const built = inEngine(engine)
  return lean(Layer.mergeAll(
    ProgramEntity.toLayer(built(programHandlers), whileIdle),
    WebhookEntity.toLayer(built(webhookHandlers), whileIdle),
    ConsumerEntity.toLayer(built(consumerHandlers), whileIdle),
    AccountEntity.toLayer(built(accountHandlers), whileIdle)
  ))
}))

/** The actors, and the way to them. */
export const layer = layerEntities.pipe(
  Layer.provideMerge(layerNoLocal),
  Layer.provide(LocalActors.layer)
)
