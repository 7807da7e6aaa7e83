import * as Document from "@headwater/api/Document"
import { EngineConfig } from "@headwater/engine/EngineConfig"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiSwagger, OpenApi } from "effect/http-api"
import * as CompressedText from "./CompressedText.ts"

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

const elementOfPage = "dom_id: \"#swagger-ui\","

/** The framework's page over a document, with the one setting that it does not offer: `/docs#/<tag>/<operation>` opens there. */
const pageOf = Effect.fnUntraced(function*(document: Document.OpenApiDocument) {
  // The page makes its own document of an API; this one stands for the document that is there.
  const api = HttpApi.make("headwater").annotate(OpenApi.Transform, () => document)
  const { dispose, handler } = HttpRouter.toWebHandler(HttpApiSwagger.layer(api, { path: "/docs" }), {
    disableLogger: true
  })
  const response = yield* Effect.promise(() => handler(new Request("http://localhost/docs")))
  const text = yield* Effect.promise(() => response.text())
  yield* Effect.promise(dispose)
  if (!text.includes(elementOfPage)) return yield* Effect.die(new Error("Swagger's page has another form"))
  return text.replace(elementOfPage, `${elementOfPage} deepLinking: true,`)
})

/**
 * `/openapi.json`: the contract as an OpenAPI document. `/docs`: a page to read it and try it out, which loads nothing
 * from elsewhere.
 */
export const layer = Layer.unwrap(Effect.gen(function*() {
  const { publicUrl } = yield* EngineConfig
  // Each is made when it is first asked for, so that no start waits for it, and to its end, so that nobody else finds it
  // cut off.
  const once = <A>(made: Effect.Effect<A>) => Effect.cached(Effect.uninterruptible(made))
  const document = yield* once(Effect.sync(() => Document.make(publicUrl)))
  const page = yield* once(
    document.pipe(
      Effect.flatMap(pageOf),
      Effect.flatMap((text) => CompressedText.make(text, "text/html; charset=utf-8"))
    )
  )
  const json = yield* once(
    Effect.flatMap(document, (document) => CompressedText.make(JSON.stringify(document), "application/json"))
  )
  const policy = contentSecurityPolicy(publicUrl)
  return Layer.merge(
    HttpRouter.add("GET", "/openapi.json", Effect.flatMap(json, ({ answer }) => answer)),
    HttpRouter.add(
      "GET",
      "/docs",
      Effect.flatMap(page, ({ answer }) => answer).pipe(
        Effect.map(HttpServerResponse.setHeader("content-security-policy", policy))
      )
    )
  )
}))
