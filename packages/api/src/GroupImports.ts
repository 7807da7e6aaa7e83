/** The groups of the API by their names, each loaded when it is needed: all of them take longer than most calls. */
import type { HeadwaterApi } from "./HeadwaterApi.ts"

export type Groups = (typeof HeadwaterApi)["groups"]

export const imports = {
  appAccounts: async () => (await import("./AppAccountsApi.ts")).AppAccountsApi,
  audit: async () => (await import("./AuditApi.ts")).AuditApi,
  autoSubscriptions: async () => (await import("./AutoSubscriptionsApi.ts")).AutoSubscriptionsApi,
  bulkActions: async () => (await import("./BulkActionsApi.ts")).BulkActionsApi,
  clock: async () => (await import("./ClockApi.ts")).ClockApi,
  code: async () => (await import("./CodeApi.ts")).CodeApi,
  components: async () => (await import("./ComponentsApi.ts")).ComponentsApi,
  consumers: async () => (await import("./ConsumersApi.ts")).ConsumersApi,
  couriers: async () => (await import("./CouriersApi.ts")).CouriersApi,
  dataStores: async () => (await import("./DataStoresApi.ts")).DataStoresApi,
  deliveries: async () => (await import("./DeliveriesApi.ts")).DeliveriesApi,
  diagnosis: async () => (await import("./DiagnosisApi.ts")).DiagnosisApi,
  environment: async () => (await import("./EnvironmentApi.ts")).EnvironmentApi,
  events: async () => (await import("./EventsApi.ts")).EventsApi,
  figures: async () => (await import("./FiguresApi.ts")).FiguresApi,
  files: async () => (await import("./FilesApi.ts")).FilesApi,
  graph: async () => (await import("./GraphApi.ts")).GraphApi,
  imports: async () => (await import("./ImportsApi.ts")).ImportsApi,
  journey: async () => (await import("./JourneyApi.ts")).JourneyApi,
  keys: async () => (await import("./KeysApi.ts")).KeysApi,
  log: async () => (await import("./LogApi.ts")).LogApi,
  nodes: async () => (await import("./NodesApi.ts")).NodesApi,
  projects: async () => (await import("./ProjectsApi.ts")).ProjectsApi,
  session: async () => (await import("./SessionApi.ts")).SessionApi,
  sources: async () => (await import("./SourcesApi.ts")).SourcesApi,
  subscriptions: async () => (await import("./SubscriptionsApi.ts")).SubscriptionsApi,
  users: async () => (await import("./UsersApi.ts")).UsersApi,
  webhooks: async () => (await import("./WebhooksApi.ts")).WebhooksApi,
  workflowRuns: async () => (await import("./WorkflowRunsApi.ts")).WorkflowRunsApi,
  workflows: async () => (await import("./WorkflowsApi.ts")).WorkflowsApi
} satisfies { readonly [Name in keyof Groups]: () => Promise<{ readonly identifier: Name }> }
