import { Context, Layer, type Redacted } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient, HttpApiMiddleware } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { HeadwaterApi } from "./HeadwaterApi.ts"

/** A typed client of a Headwater server. */
export class HeadwaterClient extends Context.Service<HeadwaterClient, HttpApiClient.ForApi<typeof HeadwaterApi>>()(
  "@headwater/api/HeadwaterClient"
) {
  /** @param options the server's base URL without `/v1`, and the account's API key */
  static readonly layer = (options: {
    readonly url: string
    readonly apiKey: Redacted.Redacted
  }): Layer.Layer<HeadwaterClient, never, HttpClient.HttpClient> =>
    Layer.effect(
      HeadwaterClient,
      HttpApiClient.make(HeadwaterApi, {
        transformClient: HttpClient.mapRequest(HttpClientRequest.prependUrl(options.url))
      })
    ).pipe(
      Layer.provide(HttpApiMiddleware.layerClient(
        Authorization,
        ({ next, request }) => next(HttpClientRequest.bearerToken(request, options.apiKey))
      ))
    )
}
