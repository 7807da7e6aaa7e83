import * as DatabaseClaim from "@headwater/log/DatabaseClaim"
import { Layer, Option } from "effect"
import * as AbandonedPrograms from "./AbandonedPrograms.ts"
import * as Actors from "./Actors.ts"
import { ComponentConfiguration } from "./ComponentConfiguration.ts"
import { Draining } from "./Draining.ts"
import * as DueScanner from "./DueScanner.ts"
import { EventDeletion } from "./EventDeletion.ts"
import { EventTrace } from "./EventTrace.ts"
import { FeedReader } from "./Feed.ts"
import * as Gauges from "./Gauges.ts"
import { Ingest } from "./Ingest.ts"
import { Invocations } from "./Invocations.ts"
import { LogTail } from "./LogTail.ts"
import { ProgramLifecycle } from "./ProgramLifecycle.ts"
import { Quotas } from "./Quotas.ts"
import * as Resumption from "./Resumption.ts"
import * as Retention from "./Retention.ts"
import { Router } from "./Router.ts"
import * as RunScanner from "./RunScanner.ts"
import { RunTurns } from "./RunTurns.ts"
import { SubscriptionLifecycle } from "./SubscriptionLifecycle.ts"
import { Suspensions } from "./Suspensions.ts"
import { WebhookLifecycle } from "./WebhookLifecycle.ts"

/** The actors, what wakes them, and the services by which the rest of the program speaks to them. */
const onCluster = Layer.mergeAll(
  EventDeletion.layer,
  EventTrace.layer,
  LogTail.layer,
  Ingest.layer,
  Invocations.layer,
  ProgramLifecycle.layer,
  SubscriptionLifecycle.layer,
  DueScanner.layer,
  Resumption.layer,
  RunScanner.layer
).pipe(
  Layer.provideMerge(WebhookLifecycle.layer),
  Layer.provideMerge(ComponentConfiguration.layer),
  Layer.provideMerge(Router.layer),
  Layer.provideMerge(Actors.layer),
  Layer.provide(FeedReader.layer),
  Layer.provideMerge(Quotas.layer),
  Layer.provideMerge(Suspensions.layer),
  Layer.provide(RunTurns.layer),
  Layer.provideMerge(Draining.layer)
)

/** The engine on one node by itself, doing nothing but what it is asked to. */
export const layer = onCluster.pipe(Layer.provide(Actors.layerSingleNode))

/**
 * A server's engine: what is beyond its retention goes, what the database alone knows is measured, and other nodes may
 * share the database.
 */
export const layerServer = (options: {
  /** Days that events are kept for, for accounts without a retention of their own. */
  readonly retentionDays: number
  /** Where this node answers the others; none where it is the only one. */
  readonly node: Option.Option<Actors.NodeAddress>
}) =>
  Layer.mergeAll(
    Retention.layer({ defaultDays: options.retentionDays }),
    Gauges.layer,
    Option.isNone(options.node) ? AbandonedPrograms.layerAtStart : AbandonedPrograms.layerWhileRunning
  ).pipe(
    Layer.provideMerge(onCluster),
    Layer.provide(Option.match(options.node, { onNone: () => Actors.layerSingleNode, onSome: Actors.layerNode })),
    Layer.provide(DatabaseClaim.layer({ shared: Option.isSome(options.node) }))
  )
