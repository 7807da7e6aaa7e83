import * as OldestSnapshot from "@headwater/log/database/OldestSnapshot"
import { Layer, Option } from "effect"
import { AccountStanding } from "./AccountStanding.ts"
import * as BacklogSamples from "./BacklogSamples.ts"
import { BulkControl } from "./bulk/BulkControl.ts"
import { ConsumerLifecycle } from "./consumer/ConsumerLifecycle.ts"
import { DevClock } from "./DevClock.ts"
import { EventJourney } from "./EventJourney.ts"
import { EventTrace } from "./EventTrace.ts"
import * as FileMoving from "./FileMoving.ts"
import * as Gauges from "./Gauges.ts"
import { Draining } from "./ground/Draining.ts"
import { Environments } from "./ground/Environments.ts"
import { ShardsAcquired } from "./ground/ShardsAcquired.ts"
import { Suspensions } from "./ground/Suspensions.ts"
import { LogTail } from "./LogTail.ts"
import { AccountConnections } from "./oauth/AccountConnections.ts"
import { AccountTokens } from "./oauth/AccountTokens.ts"
import { TokenEndpoint } from "./oauth/TokenEndpoint.ts"
import * as Actors from "./placement/Actors.ts"
import * as Cluster from "./placement/Cluster.ts"
import * as NoActors from "./placement/NoActors.ts"
import * as NodePresence from "./placement/NodePresence.ts"
import * as AbandonedPrograms from "./program/AbandonedPrograms.ts"
import { ComponentConfiguration } from "./program/ComponentConfiguration.ts"
import { EventFiles } from "./program/EventFiles.ts"
import { Ingest } from "./program/Ingest.ts"
import { Invocations } from "./program/Invocations.ts"
import { TicksAhead } from "./program/ProgramDueWork.ts"
import { ProgramLifecycle } from "./program/ProgramLifecycle.ts"
import { Quotas } from "./program/Quotas.ts"
import * as RunScanner from "./program/RunScanner.ts"
import { RunTurns } from "./program/RunTurns.ts"
import { StoreRoom } from "./program/StoreRoom.ts"
import { TrialRuns } from "./program/TrialRuns.ts"
import * as Retention from "./Retention.ts"
import * as DueScanner from "./routing/DueScanner.ts"
import { FeedReader } from "./routing/Feed.ts"
import { Router } from "./routing/Router.ts"
import { SubscriptionLifecycle } from "./routing/SubscriptionLifecycle.ts"
import { DeliveryControl } from "./webhook/DeliveryControl.ts"
import { TestSend } from "./webhook/TestSend.ts"
import { WebhookLifecycle } from "./webhook/WebhookLifecycle.ts"

/** The services by which the rest of the program speaks to the actors. */
const services = Layer.mergeAll(
  AccountStanding.layer,
  BulkControl.layer,
  DeliveryControl.layer,
  TestSend.layer,
  ConsumerLifecycle.layer,
  EventJourney.layer.pipe(Layer.provideMerge(EventTrace.layer)),
  LogTail.layer,
  EventFiles.layer,
  Ingest.layer,
  Invocations.layer,
  ProgramLifecycle.layer,
  TrialRuns.layer,
  SubscriptionLifecycle.layer
).pipe(
  Layer.provideMerge(WebhookLifecycle.layer),
  Layer.provideMerge(ComponentConfiguration.layer),
  Layer.provideMerge(Router.layer)
)

/** Wakes actors for what is due or was left standing. */
const waking = Layer.mergeAll(AccountTokens.layerRecurring, DueScanner.layer, Suspensions.layerWaking, RunScanner.layer)

/** The ground of the actors and the services. */
const ground = Quotas.layer.pipe(
  Layer.provideMerge(StoreRoom.layer),
  Layer.provideMerge(AccountConnections.layer),
  Layer.provideMerge(AccountTokens.layer),
  Layer.provideMerge(TokenEndpoint.layer),
  Layer.provideMerge(Suspensions.layer),
  Layer.provideMerge(Environments.layer),
  Layer.provideMerge(RunTurns.layer),
  Layer.provideMerge(Draining.layer)
)

/** The engine's actors, what wakes them, and the services by which the rest of the program speaks to them. */
export const onCluster = Layer.merge(services, waking).pipe(
  Layer.provideMerge(Actors.layer),
  Layer.provide(FeedReader.layer),
  Layer.provideMerge(ground)
)

/** The engine of a server that only shows what is there: no actor ever wakes, and nothing is done beside requests. */
export const layerWithoutWork = services.pipe(
  Layer.provideMerge(NoActors.layer),
  Layer.provide([FeedReader.layer, ShardsAcquired.layer]),
  Layer.provideMerge(ground)
)

/** The engine on one node by itself, doing nothing but what it is asked to. */
export const layer = onCluster.pipe(Layer.provide(Cluster.layerSingleNode))

const retention = ({ auditDays, retentionDays }: { readonly retentionDays: number; readonly auditDays: number }) =>
  Retention.layer({ defaultDays: retentionDays, auditDays })

const devClock = ({ auditDays, retentionDays }: { readonly retentionDays: number; readonly auditDays: number }) =>
  DevClock.layer({ defaultDays: retentionDays, auditDays })

const measuring = Layer.merge(
  Gauges.layer,
  OldestSnapshot.layerWatch.pipe(Layer.provide(OldestSnapshot.OldestSnapshot.layer))
)

/** The engine of one of a machine's workers. */
export const layerWorker = (options: {
  readonly retentionDays: number
  readonly auditDays: number
  readonly node: Cluster.NodeAddress
  /** Its number among the machine's workers. */
  readonly worker: number
  /** Has this worker, for all of the machine, measure the database and take down these programs that a crash left. */
  readonly firstWithAbandoned: Option.Option<ReadonlyArray<string>>
}) =>
  Layer.mergeAll(
    retention(options),
    FileMoving.layer,
    BacklogSamples.layer,
    AbandonedPrograms.layerWhileRunning,
    NodePresence.layer({ worker: options.worker }),
    Option.match(options.firstWithAbandoned, {
      onNone: () => Layer.empty,
      onSome: (ids) => Layer.merge(measuring, AbandonedPrograms.layerNamed(ids))
    })
  ).pipe(Layer.provideMerge(onCluster), Layer.provide(Cluster.layerNode(options.node)))

/**
 * A server's engine: what is beyond its retention goes, what the database alone knows is measured, and other nodes may
 * share the database.
 */
export const layerServer = (options: {
  /** Days that events are kept for, for accounts without a retention of their own. */
  readonly retentionDays: number
  /** Days that the audit log is kept for. */
  readonly auditDays: number
  /** The address at which this node answers the others; none if it is the only one. */
  readonly node: Option.Option<Cluster.NodeAddress>
  /** The clock of the surroundings is a virtual one, and can be moved. */
  readonly hasDevClock: boolean
}) =>
  Layer.mergeAll(
    retention(options),
    FileMoving.layer,
    options.hasDevClock ? devClock(options) : Layer.empty,
    BacklogSamples.layer,
    measuring,
    NodePresence.layer({ worker: null }),
    Option.isNone(options.node) ? AbandonedPrograms.layerAtStart : AbandonedPrograms.layerWhileRunning
  ).pipe(
    Layer.provideMerge(onCluster),
    Layer.provide(options.hasDevClock ? Layer.succeed(TicksAhead, { grant: undefined }) : Layer.empty),
    Layer.provide(Option.match(options.node, { onNone: () => Cluster.layerSingleNode, onSome: Cluster.layerNode }))
  )
