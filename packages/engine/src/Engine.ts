import { Layer } from "effect"
import { Actors, layerEntities, layerSingleNode } from "./Actors.ts"
import { Draining } from "./Draining.ts"
import * as DueScanner from "./DueScanner.ts"
import { EventDeletion } from "./EventDeletion.ts"
import { FeedReader } from "./Feed.ts"
import { Ingest } from "./Ingest.ts"
import { Router } from "./Router.ts"
import { SourceLifecycle } from "./SourceLifecycle.ts"
import { SubscriptionLifecycle } from "./SubscriptionLifecycle.ts"
import { WebhookLifecycle } from "./WebhookLifecycle.ts"

/** The actors, what wakes them, and the services by which the rest of the program speaks to them. */
const onCluster = Layer.mergeAll(
  EventDeletion.layer,
  Ingest.layer,
  SourceLifecycle.layer,
  SubscriptionLifecycle.layer,
  WebhookLifecycle.layer,
  DueScanner.layer
).pipe(
  Layer.provideMerge(Router.layer),
  Layer.provideMerge(layerEntities),
  Layer.provideMerge(Actors.layer),
  Layer.provide(FeedReader.layer),
  Layer.provideMerge(Draining.layer)
)

/** The engine on one node by itself. */
export const layer = onCluster.pipe(Layer.provide(layerSingleNode))
