import type { ComponentType } from "preact"

/** The parts of the address that a page gets: the segments for which its path has names. */
export type Params = Readonly<Record<string, string>>

export type PageComponent = ComponentType<{ readonly params: Params }>

/** A page and its path. A segment that begins with `:` matches any segment, and gives it that name. */
export interface Route {
  readonly path: ReadonlyArray<string>
  readonly title: string
  readonly load: () => Promise<{ readonly default: PageComponent }>
}

/** All pages. To add one, add it here, and to `places` if the navigation is to show it. */
export const routes: ReadonlyArray<Route> = [
  { path: ["overview"], title: "Overview", load: () => import("./pages/OverviewPage.tsx") },
  { path: ["events"], title: "Events", load: () => import("./pages/EventsPage.tsx") },
  { path: ["events", ":emitter", ":event"], title: "Event", load: () => import("./pages/EventPage.tsx") },
  { path: ["graph"], title: "Graph", load: () => import("./pages/GraphPage.tsx") },
  { path: ["deliveries"], title: "Deliveries", load: () => import("./pages/DeliveriesPage.tsx") },
  { path: ["deliveries", ":delivery"], title: "Delivery", load: () => import("./pages/DeliveryPage.tsx") },
  { path: ["webhooks"], title: "Webhooks", load: () => import("./pages/WebhooksPage.tsx") },
  { path: ["webhooks", ":webhook"], title: "Webhook", load: () => import("./pages/WebhookPage.tsx") },
  { path: ["subscriptions"], title: "Subscriptions", load: () => import("./pages/SubscriptionsPage.tsx") },
  { path: ["sources"], title: "Sources", load: () => import("./pages/SourcesPage.tsx") },
  { path: ["sources", "new"], title: "New source", load: () => import("./pages/NewSourcePage.tsx") },
  { path: ["sources", ":source"], title: "Source", load: () => import("./pages/SourcePage.tsx") },
  { path: ["sources", ":source", "code"], title: "Code", load: () => import("./pages/SourceCodePage.tsx") },
  { path: ["workflows"], title: "Workflows", load: () => import("./pages/WorkflowsPage.tsx") },
  { path: ["workflows", "new"], title: "New workflow", load: () => import("./pages/NewWorkflowPage.tsx") },
  { path: ["workflows", ":workflow"], title: "Workflow", load: () => import("./pages/WorkflowPage.tsx") },
  { path: ["workflows", ":workflow", "code"], title: "Code", load: () => import("./pages/WorkflowCodePage.tsx") },
  { path: ["workflows", ":workflow", "runs"], title: "Runs", load: () => import("./pages/RunsPage.tsx") },
  { path: ["workflows", ":workflow", "runs", ":run"], title: "Run", load: () => import("./pages/RunPage.tsx") },
  { path: ["components", ":version"], title: "Component", load: () => import("./pages/ComponentPage.tsx") },
  { path: ["consumers"], title: "Consumers", load: () => import("./pages/ConsumersPage.tsx") },
  { path: ["consumers", ":consumer"], title: "Consumer", load: () => import("./pages/ConsumerPage.tsx") },
  { path: ["accounts"], title: "App accounts", load: () => import("./pages/AccountsPage.tsx") },
  { path: ["accounts", ":account"], title: "App account", load: () => import("./pages/AccountPage.tsx") },
  { path: ["variables"], title: "Variables", load: () => import("./pages/VariablesPage.tsx") },
  { path: ["data-stores"], title: "Data stores", load: () => import("./pages/DataStoresPage.tsx") },
  { path: ["data-stores", ":store"], title: "Data store", load: () => import("./pages/DataStorePage.tsx") },
  { path: ["files"], title: "Files", load: () => import("./pages/FilesPage.tsx") },
  { path: ["registry"], title: "Registry", load: () => import("./pages/RegistryPage.tsx") },
  { path: ["registry", ":component"], title: "Component", load: () => import("./pages/RegistryComponentPage.tsx") },
  { path: ["keys"], title: "Keys", load: () => import("./pages/KeysPage.tsx") },
  { path: ["audit"], title: "Audit log", load: () => import("./pages/AuditPage.tsx") },
  { path: ["account"], title: "Account", load: () => import("./pages/OwnAccountPage.tsx") },
  { path: ["server"], title: "Server", load: () => import("./pages/ServerPage.tsx") },
  { path: ["moving-in"], title: "Moving in", load: () => import("./pages/MovingInPage.tsx") },
  { path: ["bulk-actions"], title: "Bulk actions", load: () => import("./pages/BulkActionsPage.tsx") },
  { path: ["bulk-actions", ":action"], title: "Bulk action", load: () => import("./pages/BulkActionPage.tsx") }
]

/** The path of the page for a reader who names none. */
export const first: ReadonlyArray<string> = ["overview"]

/** The entries of the navigation, by the first segment of their paths. */
export const places: ReadonlyArray<{ readonly path: string; readonly name: string }> = [
  { path: "overview", name: "Overview" },
  { path: "events", name: "Events" },
  { path: "graph", name: "Graph" },
  { path: "deliveries", name: "Deliveries" },
  { path: "webhooks", name: "Webhooks" },
  { path: "subscriptions", name: "Subscriptions" },
  { path: "sources", name: "Sources" },
  { path: "workflows", name: "Workflows" },
  { path: "consumers", name: "Consumers" },
  { path: "accounts", name: "App accounts" },
  { path: "variables", name: "Variables" },
  { path: "data-stores", name: "Data stores" },
  { path: "files", name: "Files" },
  { path: "registry", name: "Registry" },
  { path: "bulk-actions", name: "Bulk actions" },
  { path: "keys", name: "Keys" },
  { path: "audit", name: "Audit log" },
  { path: "account", name: "Account" },
  { path: "server", name: "Server" }
]

/** The entry that is there for an account which something was moved into. */
export const movingIn = { path: "moving-in", name: "Moving in" } as const

/** The route of a path, and its params. */
export const find = (path: ReadonlyArray<string>): { readonly route: Route; readonly params: Params } | undefined => {
  for (const route of routes) {
    if (route.path.length !== path.length) continue
    const params: Record<string, string> = {}
    const fits = route.path.every((segment, index) => {
      if (!segment.startsWith(":")) return segment === path[index]
      params[segment.slice(1)] = path[index]!
      return true
    })
    if (fits) return { route, params }
  }
  return undefined
}
