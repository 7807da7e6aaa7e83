import { HttpApi, OpenApi } from "effect/http-api"
import { framed } from "./ApiFrame.ts"
import { AppAccountsApi } from "./AppAccountsApi.ts"
import { AuditApi } from "./AuditApi.ts"
import { AutoSubscriptionsApi } from "./AutoSubscriptionsApi.ts"
import { BulkActionsApi } from "./BulkActionsApi.ts"
import { ClockApi } from "./ClockApi.ts"
import { CodeApi } from "./CodeApi.ts"
import { ComponentsApi } from "./ComponentsApi.ts"
import { ConsumersApi } from "./ConsumersApi.ts"
import { CouriersApi } from "./CouriersApi.ts"
import { DataStoresApi } from "./DataStoresApi.ts"
import { DeliveriesApi } from "./DeliveriesApi.ts"
import { DiagnosisApi } from "./DiagnosisApi.ts"
import * as DocumentBeside from "./DocumentBeside.ts"
import * as DocumentWebhooks from "./DocumentWebhooks.ts"
import { EnvironmentApi } from "./EnvironmentApi.ts"
import { EventsApi } from "./EventsApi.ts"
import { FiguresApi } from "./FiguresApi.ts"
import { FilesApi } from "./FilesApi.ts"
import { GraphApi } from "./GraphApi.ts"
import { ImportsApi } from "./ImportsApi.ts"
import { JourneyApi } from "./JourneyApi.ts"
import { KeysApi } from "./KeysApi.ts"
import { LogApi } from "./LogApi.ts"
import { NodesApi } from "./NodesApi.ts"
import { ProjectsApi } from "./ProjectsApi.ts"
import { SessionApi } from "./SessionApi.ts"
import { SourcesApi } from "./SourcesApi.ts"
import { SubscriptionsApi } from "./SubscriptionsApi.ts"
import { UsersApi } from "./UsersApi.ts"
import { WebhooksApi } from "./WebhooksApi.ts"
import { WorkflowRunsApi } from "./WorkflowRunsApi.ts"
import { WorkflowsApi } from "./WorkflowsApi.ts"

/** The whole HTTP contract: routes, the typed client and the OpenAPI document come from it. */
export class HeadwaterApi extends framed(
  HttpApi.make("headwater")
    .add(ComponentsApi)
    .add(SourcesApi)
    .add(EventsApi)
    // Before the log: its stream of summaries takes their name in the document otherwise.
    .add(ConsumersApi)
    .add(LogApi)
    .add(JourneyApi)
    .add(FiguresApi)
    .add(GraphApi)
    .add(NodesApi)
    .add(DiagnosisApi)
    .add(ClockApi)
    .add(SubscriptionsApi)
    .add(AutoSubscriptionsApi)
    .add(WebhooksApi)
    .add(DeliveriesApi)
    .add(BulkActionsApi)
    .add(UsersApi)
    .add(KeysApi)
    .add(SessionApi)
    .add(AuditApi)
    .add(AppAccountsApi)
    .add(ProjectsApi)
    .add(EnvironmentApi)
    .add(DataStoresApi)
    .add(ImportsApi)
    .add(FilesApi)
    .add(CouriersApi)
    .add(WorkflowsApi)
    .add(WorkflowRunsApi)
    .add(CodeApi)
)
  .annotate(HttpApi.AdditionalSchemas, [...DocumentBeside.problems, ...DocumentWebhooks.schemas])
  .annotateMerge(OpenApi.annotations({ title: "Headwater" }))
{}
