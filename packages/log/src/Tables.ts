import { Layer } from "effect"
import { Accounting } from "./Accounting.ts"
import { Accounts } from "./Accounts.ts"
import { AccountTail } from "./AccountTail.ts"
import { ApiKeys } from "./ApiKeys.ts"
import { AppAccounts } from "./AppAccounts.ts"
import { AuditLog } from "./AuditLog.ts"
import { AutoSubscriptions } from "./AutoSubscriptions.ts"
import { Backlog } from "./Backlog.ts"
import { Components } from "./Components.ts"
import { Consumers } from "./Consumers.ts"
import { DeliveryList } from "./DeliveryList.ts"
import { Deployments } from "./Deployments.ts"
import { DevClocks } from "./DevClocks.ts"
import { EventList } from "./EventList.ts"
import { GroupCommit } from "./GroupCommit.ts"
import { IdempotencyKeys } from "./IdempotencyKeys.ts"
import { Nodes } from "./Nodes.ts"
import { Programs } from "./Programs.ts"
import { ReplayList } from "./ReplayList.ts"
import { SealCheck } from "./SealCheck.ts"
import { Sessions } from "./Sessions.ts"
import { SubscriptionGraph } from "./SubscriptionGraph.ts"
import { Subscriptions } from "./Subscriptions.ts"
import { Webhooks } from "./Webhooks.ts"

/** Every table's service, and the node's one writer to those of the log. */
export const layer = Layer.mergeAll(
  Accounting.layer,
  Accounts.layer,
  AccountTail.layer,
  ApiKeys.layer,
  AppAccounts.layer,
  AuditLog.layer,
  Backlog.layer,
  Components.layer,
  Consumers.layer,
  Deployments.layer,
  DevClocks.layer,
  EventList.layer,
  IdempotencyKeys.layer,
  Nodes.layer,
  Programs.layer,
  SealCheck.layer,
  Sessions.layer,
  SubscriptionGraph.layer,
  Webhooks.layer,
  Layer.merge(DeliveryList.layer, ReplayList.layer).pipe(Layer.provideMerge(GroupCommit.layer))
).pipe(Layer.provideMerge(Subscriptions.layer), Layer.provideMerge(AutoSubscriptions.layer))
