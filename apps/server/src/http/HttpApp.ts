import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { AnswerRoom } from "./AnswerRoom.ts"
import * as AppAccountsHandlers from "./AppAccountsHandlers.ts"
import * as AuditHandlers from "./AuditHandlers.ts"
import * as AutoSubscriptionsHandlers from "./AutoSubscriptionsHandlers.ts"
import { BodyRoom } from "./BodyRoom.ts"
import * as BulkActionsHandlers from "./BulkActionsHandlers.ts"
import * as ClockHandlers from "./ClockHandlers.ts"
import * as CodeHandlers from "./CodeHandlers.ts"
import { ComponentSaving } from "./ComponentSaving.ts"
import * as ComponentsHandlers from "./ComponentsHandlers.ts"
import * as ConsoleRoutes from "./ConsoleRoutes.ts"
import * as ConsumersHandlers from "./ConsumersHandlers.ts"
import * as DeliveriesHandlers from "./DeliveriesHandlers.ts"
import * as DiagnosisHandlers from "./DiagnosisHandlers.ts"
import * as DocsRoutes from "./DocsRoutes.ts"
import * as EndpointFastPath from "./EndpointFastPath.ts"
import * as EndpointRoute from "./EndpointRoute.ts"
import * as EventsHandlers from "./EventsHandlers.ts"
import * as FiguresHandlers from "./FiguresHandlers.ts"
import * as GraphHandlers from "./GraphHandlers.ts"
import * as GuideRoutes from "./GuideRoutes.ts"
import * as HealthRoutes from "./HealthRoutes.ts"
import * as Idempotent from "./Idempotent.ts"
import * as JourneyHandlers from "./JourneyHandlers.ts"
import { JsonThread } from "./JsonThread.ts"
import * as KeyAuthorization from "./KeyAuthorization.ts"
import * as KeysHandlers from "./KeysHandlers.ts"
import { routerConfig } from "./KnownPaths.ts"
import * as LogHandlers from "./LogHandlers.ts"
import * as NodesHandlers from "./NodesHandlers.ts"
import * as Projecting from "./Projecting.ts"
import { RateLimiting } from "./RateLimiting.ts"
import * as RequestChecking from "./RequestChecking.ts"
import * as ResponseConventions from "./ResponseConventions.ts"
import * as SessionHandlers from "./SessionHandlers.ts"
import * as SourcesHandlers from "./SourcesHandlers.ts"
import * as SubscriptionsHandlers from "./SubscriptionsHandlers.ts"
import * as UsersHandlers from "./UsersHandlers.ts"
import { WaitingAnswers } from "./WaitingAnswers.ts"
import * as WebhooksHandlers from "./WebhooksHandlers.ts"
import * as WorkflowRunsHandlers from "./WorkflowRunsHandlers.ts"
import * as WorkflowsHandlers from "./WorkflowsHandlers.ts"

const apiRoutes = HttpApiBuilder.layer(HeadwaterApi).pipe(
  Layer.provide([
    AppAccountsHandlers.layer,
    AuditHandlers.layer,
    AutoSubscriptionsHandlers.layer,
    BulkActionsHandlers.layer,
    CodeHandlers.layer,
    ClockHandlers.layer,
    ComponentsHandlers.layer,
    ConsumersHandlers.layer,
    DeliveriesHandlers.layer,
    DiagnosisHandlers.layer,
    EventsHandlers.layer,
    FiguresHandlers.layer,
    GraphHandlers.layer,
    JourneyHandlers.layer,
    KeysHandlers.layer,
    LogHandlers.layer,
    SessionHandlers.layer,
    NodesHandlers.layer,
    SourcesHandlers.layer,
    SubscriptionsHandlers.layer,
    UsersHandlers.layer,
    WebhooksHandlers.layer,
    WorkflowRunsHandlers.layer,
    WorkflowsHandlers.layer
  ]),
  Layer.provide([
    ComponentSaving.layer,
    Idempotent.layer,
    KeyAuthorization.layer,
    Projecting.layer,
    RequestChecking.layer
  ])
)

const routes = Layer.mergeAll(
  apiRoutes,
  ConsoleRoutes.layer,
  DocsRoutes.layer,
  EndpointFastPath.layer,
  EndpointRoute.layer,
  GuideRoutes.layer,
  HealthRoutes.layer
).pipe(
  Layer.provide([AnswerRoom.layer, BodyRoom.layer, JsonThread.layer, RateLimiting.layer, WaitingAnswers.layer])
)

/** Everything this server answers to over HTTP, served on the `HttpServer`. */
export const layer = Layer.unwrap(
  Effect.map(
    HttpRouter.toHttpEffect(routes).pipe(
      Effect.provideService(HttpRouter.RouterConfig, routerConfig)
    ),
    (handle) => HttpServer.serve(ResponseConventions.apply(handle))
  )
)
