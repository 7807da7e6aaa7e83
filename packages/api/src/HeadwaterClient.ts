import * as Part from "@headwater/domain/Part"
import { Context, Effect, Layer, Predicate, Record, type Redacted } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient, type HttpApiGroup, HttpApiMiddleware } from "effect/http-api"
import * as ApiFrame from "./ApiFrame.ts"
import { Authorization } from "./Authorization.ts"
import type { HeadwaterApi } from "./HeadwaterApi.ts"
import * as RequestRetries from "./RequestRetries.ts"

type Client = HttpApiClient.ForApi<typeof HeadwaterApi>

type Groups = (typeof HeadwaterApi)["groups"]

/** Each group is loaded when it is needed: all of them take longer than most calls. */
const imports = {
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

type Middleware = HttpApiGroup.MiddlewareClient<Groups[keyof Groups]>

type Endpoint = (request: unknown) => Effect.Effect<unknown, unknown>

type Endpoints = Readonly<Record<string, Endpoint>>

/** A group of the client, which is loaded when an endpoint of it is first called. */
const groupOf = (load: Effect.Effect<Endpoints, Part.PartMissing>): Endpoints => {
  let loaded: Endpoints | undefined
  const group = Effect.suspend(() =>
    loaded === undefined ? Effect.tap(load, (group) => Effect.sync(() => loaded = group)) : Effect.succeed(loaded)
  )
  return new Proxy({}, {
    // A promise takes what has `then` for another promise.
    get: (_, name) =>
      Predicate.isString(name) && name !== "then"
        ? (request: unknown) => Effect.flatMap(group, (group) => group[name]!(request))
        : undefined
  })
}

const byGroup = (httpClient: HttpClient.HttpClient, context: Context.Context<Middleware>): Client => {
  const load = Effect.fnUntraced(function*(name: keyof Groups) {
    const group = yield* Part.load<HttpApiGroup.Constraint>(imports[name])
    return yield* HttpApiClient.group(ApiFrame.alone(group as HttpApiGroup.Top), { group: name, httpClient })
  }, Effect.provideContext(context))
  return Record.map(imports, (_, name) => groupOf(load(name))) as unknown as Client
}

/** A typed client of a Headwater server. A call whose group of endpoints can't be loaded fails with `PartMissing`. */
export class HeadwaterClient extends Context.Service<HeadwaterClient, Client>()("@headwater/api/HeadwaterClient") {
  /**
   * @param options the server's base URL without `/v1`, the account's API key, and whether requests are repeated that the
   * server could not take
   */
  static readonly layer = (options: {
    readonly url: string
    readonly apiKey: Redacted.Redacted
    /** `{}` for the defaults. Without it nothing is repeated. */
    readonly retry?: RequestRetries.RetryOptions
  }): Layer.Layer<HeadwaterClient, never, HttpClient.HttpClient> =>
    Layer.effect(
      HeadwaterClient,
      Effect.gen(function*() {
        const here = HttpClient.mapRequest(yield* HttpClient.HttpClient, HttpClientRequest.prependUrl(options.url))
        const client = options.retry === undefined ? here : RequestRetries.repeating(options.retry)(here)
        return byGroup(client, yield* Effect.context<Middleware>())
      })
    ).pipe(
      Layer.provide(HttpApiMiddleware.layerClient(
        Authorization,
        ({ next, request }) => next(HttpClientRequest.bearerToken(request, options.apiKey))
      ))
    )
}
