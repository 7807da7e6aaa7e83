import { Context, Effect, Layer, type Redacted, Struct } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient, type HttpApiGroup, HttpApiMiddleware } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { HeadwaterApi } from "./HeadwaterApi.ts"
import * as RequestRetries from "./RequestRetries.ts"

type Client = HttpApiClient.ForApi<typeof HeadwaterApi>

type Groups = (typeof HeadwaterApi)["groups"]
type Middleware = HttpApiGroup.MiddlewareClient<Groups[keyof Groups]>

/** Each group of the client is made when it is first used: to make all of them takes a command longer than most calls. */
const byGroup = (httpClient: HttpClient.HttpClient, context: Context.Context<Middleware>): Client => {
  const client = {}
  for (const group of Struct.keys(HeadwaterApi.groups)) {
    let made: unknown
    const get = () => made ??= Effect.runSyncWith(context)(HttpApiClient.group(HeadwaterApi, { group, httpClient }))
    Object.defineProperty(client, group, { enumerable: true, get })
  }
  return client as Client
}

/** A typed client of a Headwater server. */
export class HeadwaterClient extends Context.Service<HeadwaterClient, HttpApiClient.ForApi<typeof HeadwaterApi>>()(
  "@headwater/api/HeadwaterClient"
) {
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
