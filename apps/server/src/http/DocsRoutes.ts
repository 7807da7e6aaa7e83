import * as Document from "@headwater/api/Document"
import { EngineConfig } from "@headwater/engine/EngineConfig"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiSwagger, OpenApi } from "effect/http-api"

/** The page has all it needs in itself, and asks this server alone: not Swagger's validator on the web. */
const contentSecurityPolicy = (serverUrl: string): string =>
  [
    "default-src 'none'",
    "script-src 'unsafe-inline'",
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src data:",
    `connect-src 'self' ${new URL(serverUrl).origin}`,
    "base-uri 'none'",
    "frame-ancestors 'none'"
  ].join("; ")

/**
 * `/openapi.json`: the contract as an OpenAPI document. `/docs`: a page to read it and try it out, which loads nothing
 * from elsewhere.
 */
export const layer = Layer.unwrap(
  Effect.map(EngineConfig, ({ publicUrl }) => {
    const document = Document.make(publicUrl)
    const secured = HttpRouter.middleware(
      Effect.map(HttpServerResponse.setHeader("content-security-policy", contentSecurityPolicy(publicUrl)))
    )
    // The page makes its own document of an API; this one stands for the document that is there.
    const api = HttpApi.make("headwater").annotate(OpenApi.Transform, () => document)
    return Layer.merge(
      HttpRouter.add("GET", "/openapi.json", HttpServerResponse.jsonUnsafe(document)),
      HttpApiSwagger.layer(api, { path: "/docs" }).pipe(Layer.provide(secured.layer))
    )
  })
)
