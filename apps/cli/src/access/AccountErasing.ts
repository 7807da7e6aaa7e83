import type { AccountId } from "@headwater/domain/Id"
import { AccountErasure } from "@headwater/engine/AccountErasure"
import { AuditLog } from "@headwater/log/access/AuditLog"
import { IdempotencyKeys } from "@headwater/log/access/IdempotencyKeys"
import { Figures } from "@headwater/log/commit/Figures"
import { Usage } from "@headwater/log/commit/Usage"
import { DedupeMarks } from "@headwater/log/logs/DedupeMarks"
import { EventLog } from "@headwater/log/logs/EventLog"
import { Heads } from "@headwater/log/logs/Heads"
import { ProgramState } from "@headwater/log/logs/ProgramState"
import { AutoSubscriptions } from "@headwater/log/resources/AutoSubscriptions"
import { Components } from "@headwater/log/resources/Components"
import { Consumers } from "@headwater/log/resources/Consumers"
import { DataStores } from "@headwater/log/resources/DataStores"
import { Deployments } from "@headwater/log/resources/Deployments"
import { EnvironmentVariables } from "@headwater/log/resources/EnvironmentVariables"
import { Programs } from "@headwater/log/resources/Programs"
import { StoredFiles } from "@headwater/log/resources/StoredFiles"
import { Subscriptions } from "@headwater/log/resources/Subscriptions"
import { Webhooks } from "@headwater/log/resources/Webhooks"
import { Attempts } from "@headwater/log/work/Attempts"
import { BulkActions } from "@headwater/log/work/BulkActions"
import { Cursors } from "@headwater/log/work/Cursors"
import { Deliveries } from "@headwater/log/work/Deliveries"
import { DueWork } from "@headwater/log/work/DueWork"
import { WorkflowRuns } from "@headwater/log/work/WorkflowRuns"
import { Effect, Layer } from "effect"

/** All parts of an account that are to go with it. */
const layer = AccountErasure.layer.pipe(
  Layer.provide([Consumers.layer, Webhooks.layer]),
  Layer.provide(Subscriptions.layer),
  Layer.provide([
    Attempts.layer,
    AuditLog.layer,
    AutoSubscriptions.layer,
    Components.layer,
    Cursors.layer,
    DedupeMarks.layer,
    Deliveries.layer,
    Deployments.layer,
    BulkActions.layer,
    DueWork.layer,
    DataStores.layer,
    StoredFiles.layer,
    EnvironmentVariables.layer,
    EventLog.layer,
    Figures.layer,
    Heads.layer,
    IdempotencyKeys.layer,
    Programs.layer,
    ProgramState.layer,
    Usage.layer,
    WorkflowRuns.layer
  ])
)

export const erase = (id: AccountId) => Effect.provide(Effect.flatMap(AccountErasure, ({ erase }) => erase(id)), layer)
