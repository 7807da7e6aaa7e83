import { Layer } from "effect"
import { Accounts } from "./access/Accounts.ts"
import { ApiKeys } from "./access/ApiKeys.ts"
import { AppAccounts } from "./access/AppAccounts.ts"
import { AuditLog } from "./access/AuditLog.ts"
import { FileSecret } from "./access/FileSecret.ts"
import { IdempotencyKeys } from "./access/IdempotencyKeys.ts"
import { OAuthAccounts } from "./access/OAuthAccounts.ts"
import { OAuthConnections } from "./access/OAuthConnections.ts"
import { RunSecrets } from "./access/RunSecrets.ts"
import { SealCheck } from "./access/SealCheck.ts"
import { Sessions } from "./access/Sessions.ts"
import { GroupCommit } from "./commit/GroupCommit.ts"
import { Nodes } from "./database/Nodes.ts"
import { AccountTail } from "./lists/AccountTail.ts"
import { DeliveryList } from "./lists/DeliveryList.ts"
import { EventList } from "./lists/EventList.ts"
import { ReplayList } from "./lists/ReplayList.ts"
import { SubscriptionGraph } from "./lists/SubscriptionGraph.ts"
import { AutoSubscriptions } from "./resources/AutoSubscriptions.ts"
import { Components } from "./resources/Components.ts"
import { Consumers } from "./resources/Consumers.ts"
import { Couriers } from "./resources/Couriers.ts"
import { DataStores } from "./resources/DataStores.ts"
import { Deployments } from "./resources/Deployments.ts"
import { EnvironmentVariables } from "./resources/EnvironmentVariables.ts"
import { ImportReports } from "./resources/ImportReports.ts"
import { Programs } from "./resources/Programs.ts"
import { Projects } from "./resources/Projects.ts"
import { StoredFiles } from "./resources/StoredFiles.ts"
import { Subscriptions } from "./resources/Subscriptions.ts"
import { UnwantedObjects } from "./resources/UnwantedObjects.ts"
import { Webhooks } from "./resources/Webhooks.ts"
import { Accounting } from "./work/Accounting.ts"
import { Backlog } from "./work/Backlog.ts"
import { DevClocks } from "./work/DevClocks.ts"
import { DueWork } from "./work/DueWork.ts"
import { RunBooks } from "./work/RunBooks.ts"
import { WorkflowFiles } from "./work/WorkflowFiles.ts"

/** Every table's service, and the node's one writer to those of the log. */
export const layer = Layer.mergeAll(
  Accounting.layer,
  Accounts.layer,
  AccountTail.layer,
  ApiKeys.layer,
  OAuthAccounts.layer.pipe(Layer.provideMerge(AppAccounts.layer), Layer.provide(DueWork.layer)),
  AuditLog.layer,
  Backlog.layer,
  Components.layer,
  Consumers.layer,
  Couriers.layer,
  DataStores.layer,
  Deployments.layer,
  DevClocks.layer,
  EnvironmentVariables.layer,
  EventList.layer,
  FileSecret.layer,
  IdempotencyKeys.layer,
  ImportReports.layer,
  Nodes.layer,
  RunBooks.layer,
  OAuthConnections.layer,
  Programs.layer,
  Projects.layer,
  RunSecrets.layer,
  SealCheck.layer,
  Sessions.layer,
  StoredFiles.layer,
  UnwantedObjects.layer,
  SubscriptionGraph.layer,
  Webhooks.layer,
  WorkflowFiles.layer,
  Layer.merge(DeliveryList.layer, ReplayList.layer).pipe(Layer.provideMerge(GroupCommit.layer))
).pipe(Layer.provideMerge(Subscriptions.layer), Layer.provideMerge(AutoSubscriptions.layer))
