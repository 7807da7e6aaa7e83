import * as Part from "@headwater/domain/Part"
import { Context, Effect, Layer, Predicate, Record, type Redacted } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient, type HttpApiGroup, HttpApiMiddleware } from "effect/http-api"
import * as ApiFrame from "./ApiFrame.ts"
import { Authorization } from "./Authorization.ts"
import * as GroupImports from "./GroupImports.ts"
import type { HeadwaterApi } from "./HeadwaterApi.ts"
import * as RequestRetries from "./RequestRetries.ts"

type Client = HttpApiClient.ForApi<typeof HeadwaterApi>

type Middleware = HttpApiGroup.MiddlewareClient<GroupImports.Groups[keyof GroupImports.Groups]>

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
  const load = Effect.fnUntraced(function*(name: keyof GroupImports.Groups) {
    const group = yield* Part.load<HttpApiGroup.Constraint>(GroupImports.imports[name])
    return yield* HttpApiClient.group(ApiFrame.alone(group as HttpApiGroup.Top), { group: name, httpClient })
  }, Effect.provideContext(context))
  return Record.map(GroupImports.imports, (_, name) => groupOf(load(name))) as unknown as Client
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
