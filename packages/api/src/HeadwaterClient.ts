import { Context, Layer, type Redacted } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient, HttpApiMiddleware } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { HeadwaterApi } from "./HeadwaterApi.ts"
import * as RequestRetries from "./RequestRetries.ts"

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
      HttpApiClient.make(HeadwaterApi, {
        transformClient: (client) => {
          const here = HttpClient.mapRequest(client, HttpClientRequest.prependUrl(options.url))
          return options.retry === undefined ? here : RequestRetries.repeating(options.retry)(here)
        }
      })
    ).pipe(
      Layer.provide(HttpApiMiddleware.layerClient(
        Authorization,
        ({ next, request }) => next(HttpClientRequest.bearerToken(request, options.apiKey))
      ))
    )
}
