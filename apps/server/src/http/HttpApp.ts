import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { ComponentSaving } from "../ComponentSaving.ts"
import { AnswerRoom } from "./answers/AnswerRoom.ts"
import { WaitingAnswers } from "./answers/WaitingAnswers.ts"
import { BodyRoom } from "./conventions/BodyRoom.ts"
import * as Idempotent from "./conventions/Idempotent.ts"
import { JsonThread } from "./conventions/JsonThread.ts"
import * as KeyAuthorization from "./conventions/KeyAuthorization.ts"
import { routerConfig } from "./conventions/KnownPaths.ts"
import * as Projecting from "./conventions/Projecting.ts"
import { RateLimiting } from "./conventions/RateLimiting.ts"
import * as RequestChecking from "./conventions/RequestChecking.ts"
import * as ResponseConventions from "./conventions/ResponseConventions.ts"
import * as Warning from "./conventions/Warning.ts"
import * as WithoutWork from "./conventions/WithoutWork.ts"
import * as EndpointRoute from "./endpoint/EndpointRoute.ts"
import * as AppAccountsHandlers from "./handlers/AppAccountsHandlers.ts"
import * as AuditHandlers from "./handlers/AuditHandlers.ts"
import * as AutoSubscriptionsHandlers from "./handlers/AutoSubscriptionsHandlers.ts"
import * as BulkActionsHandlers from "./handlers/BulkActionsHandlers.ts"
import * as ClockHandlers from "./handlers/ClockHandlers.ts"
import * as CodeHandlers from "./handlers/CodeHandlers.ts"
import * as ComponentsHandlers from "./handlers/ComponentsHandlers.ts"
import * as ConsoleRoutes from "./handlers/ConsoleRoutes.ts"
import * as ConsumersHandlers from "./handlers/ConsumersHandlers.ts"
import * as CourierRoute from "./handlers/CourierRoute.ts"
import * as CouriersHandlers from "./handlers/CouriersHandlers.ts"
import * as DataStoresHandlers from "./handlers/DataStoresHandlers.ts"
import * as DeliveriesHandlers from "./handlers/DeliveriesHandlers.ts"
import * as DiagnosisHandlers from "./handlers/DiagnosisHandlers.ts"
import * as DocsRoutes from "./handlers/DocsRoutes.ts"
import * as EnvironmentHandlers from "./handlers/EnvironmentHandlers.ts"
import * as EventsHandlers from "./handlers/EventsHandlers.ts"
import * as FiguresHandlers from "./handlers/FiguresHandlers.ts"
import * as FileRoutes from "./handlers/FileRoutes.ts"
import * as FilesHandlers from "./handlers/FilesHandlers.ts"
import * as GraphHandlers from "./handlers/GraphHandlers.ts"
import * as GuidePageRoutes from "./handlers/GuidePageRoutes.ts"
import * as GuideRoutes from "./handlers/GuideRoutes.ts"
import * as HealthRoutes from "./handlers/HealthRoutes.ts"
import * as ImportsHandlers from "./handlers/ImportsHandlers.ts"
import * as JourneyHandlers from "./handlers/JourneyHandlers.ts"
import * as KeysHandlers from "./handlers/KeysHandlers.ts"
import * as LogHandlers from "./handlers/LogHandlers.ts"
import * as NodesHandlers from "./handlers/NodesHandlers.ts"
import * as OAuthCallbackRoute from "./handlers/OAuthCallbackRoute.ts"
import * as ProjectsHandlers from "./handlers/ProjectsHandlers.ts"
import * as SessionHandlers from "./handlers/SessionHandlers.ts"
import * as SourcesHandlers from "./handlers/SourcesHandlers.ts"
import * as SubscriptionsHandlers from "./handlers/SubscriptionsHandlers.ts"
import * as UsersHandlers from "./handlers/UsersHandlers.ts"
import * as WebhooksHandlers from "./handlers/WebhooksHandlers.ts"
import * as WorkflowRunsHandlers from "./handlers/WorkflowRunsHandlers.ts"
import * as WorkflowsHandlers from "./handlers/WorkflowsHandlers.ts"

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
    CouriersHandlers.layer,
    DataStoresHandlers.layer,
    ProjectsHandlers.layer,
    DeliveriesHandlers.layer,
    DiagnosisHandlers.layer,
    EnvironmentHandlers.layer,
    EventsHandlers.layer,
    FiguresHandlers.layer,
    FilesHandlers.layer,
    GraphHandlers.layer,
    ImportsHandlers.layer,
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
    RequestChecking.layer,
    Warning.layer
  ])
)

const routes = Layer.mergeAll(
  apiRoutes,
  ConsoleRoutes.layer,
  CourierRoute.layer,
  DocsRoutes.layer,
  EndpointRoute.layer,
  FileRoutes.layer,
  GuidePageRoutes.layer,
  GuideRoutes.layer,
  HealthRoutes.layer,
  OAuthCallbackRoute.layer
).pipe(
  Layer.provide([AnswerRoom.layer, BodyRoom.layer, JsonThread.layer, RateLimiting.layer, WaitingAnswers.layer])
)

/** Everything this server answers to over HTTP, served on the `HttpServer`. */
export const layer = Layer.unwrap(
  Effect.gen(function*() {
    const handle = yield* Effect.provideService(HttpRouter.toHttpEffect(routes), HttpRouter.RouterConfig, routerConfig)
    const unlessWithoutWork = yield* WithoutWork.make
    return HttpServer.serve(ResponseConventions.apply(unlessWithoutWork(handle)))
  })
)
