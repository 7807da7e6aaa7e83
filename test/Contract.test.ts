import { layer } from "@effect/vitest"
import * as Actions from "./contract/ActionsContract.ts"
import * as AppAccounts from "./contract/AppAccountsContract.ts"
import * as Code from "./contract/CodeContract.ts"
import * as Components from "./contract/ComponentsContract.ts"
import * as Configuration from "./contract/ConfigurationContract.ts"
import * as Consumers from "./contract/ConsumersContract.ts"
import { ContractServer } from "./contract/ContractServer.ts"
import * as Couriers from "./contract/CouriersContract.ts"
import * as DataStores from "./contract/DataStoresContract.ts"
import * as DeliveryActions from "./contract/DeliveryActionsContract.ts"
import * as Environment from "./contract/EnvironmentContract.ts"
import * as Errors from "./contract/ErrorsContract.ts"
import * as Events from "./contract/EventsContract.ts"
import * as Files from "./contract/FilesContract.ts"
import * as Imports from "./contract/ImportsContract.ts"
import * as Log from "./contract/LogContract.ts"
import * as Pagination from "./contract/PaginationContract.ts"
import * as Projects from "./contract/ProjectsContract.ts"
import * as Session from "./contract/SessionContract.ts"
import * as Sources from "./contract/SourcesContract.ts"
import * as Subscriptions from "./contract/SubscriptionsContract.ts"
import * as Users from "./contract/UsersContract.ts"
import * as Webhooks from "./contract/WebhooksContract.ts"
import * as Workflows from "./contract/WorkflowsContract.ts"

layer(ContractServer.layer, { excludeTestServices: true })("the contract", (it) => {
  Components.rows(it)
  Configuration.rows(it)
  Code.rows(it)
  Actions.rows(it)
  Sources.rows(it)
  Events.rows(it)
  Log.rows(it)
  Subscriptions.rows(it)
  Webhooks.rows(it)
  DeliveryActions.rows(it)
  Consumers.rows(it)
  Users.rows(it)
  Session.rows(it)
  AppAccounts.rows(it)
  Projects.rows(it)
  Couriers.rows(it)
  Environment.rows(it)
  DataStores.rows(it)
  Files.rows(it)
  Imports.rows(it)
  Workflows.rows(it)
  Pagination.rows(it)
  Errors.rows(it)
})
