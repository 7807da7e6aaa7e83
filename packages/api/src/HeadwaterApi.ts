import { HttpApi, OpenApi } from "effect/http-api"
import { ComponentsApi } from "./ComponentsApi.ts"
import { EventsApi } from "./EventsApi.ts"
import { SourcesApi } from "./SourcesApi.ts"
import { SubscriptionsApi } from "./SubscriptionsApi.ts"
import { UsersApi } from "./UsersApi.ts"
import { WebhooksApi } from "./WebhooksApi.ts"

/** The whole HTTP contract: routes, the typed client and the OpenAPI document come from it. */
export class HeadwaterApi extends HttpApi.make("headwater")
  .add(ComponentsApi)
  .add(SourcesApi)
  .add(EventsApi)
  .add(SubscriptionsApi)
  .add(WebhooksApi)
  .add(UsersApi)
  .prefix("/v1")
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotateMerge(OpenApi.annotations({
    title: "Headwater",
    description: "Event sources, and the routing of what they emit to listeners."
  }))
{}
