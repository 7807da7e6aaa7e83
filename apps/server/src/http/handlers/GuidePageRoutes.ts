import * as Problem from "@headwater/api/Problem"
import * as ConsoleBuild from "@headwater/console/ConsoleBuild"
import { Duration, Effect, Exit, Layer } from "effect"
import { HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { problemResponse } from "../conventions/ProblemResponse.ts"
import { readAll } from "../guide/GuideFiles.ts"
import * as GuideFrame from "../guide/GuideFrame.ts"
import * as GuidePage from "../guide/GuidePage.ts"
import * as GuideSearch from "../guide/GuideSearch.ts"
import * as CompressedText from "./CompressedText.ts"
import * as Revalidated from "./Revalidated.ts"

const html = "text/html; charset=utf-8"

/** A page loads its own style and pictures, runs the one script that chooses its colours, and asks this server alone. */
const pageHeaders = {
  "cache-control": "no-cache",
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'"
  ].join("; "),
  "referrer-policy": "no-referrer"
}

/** The order of the pages: that in which the README lists them, with what it does not list at the end. */
const inOrder = (files: ReadonlyMap<string, string>): ReadonlyArray<string> => {
  const readme = "README.md"
  const listed = [...(files.get(readme) ?? "").matchAll(/^- \[`[^`]+`\]\((docs\/[^)]+)\)/gm)].map(([, path]) => path!)
  const others = [...files.keys()].filter((path) => path !== readme && GuidePage.nameOf(path) !== undefined)
  return [...new Set([readme, ...listed, ...others])].filter((path) => files.has(path))
}

const load = Effect.gen(function*() {
  const built = yield* Effect.tryPromise(() => ConsoleBuild.files())
  const asset = (entry: "theme" | "guide" | "icon") =>
    `../${ConsoleBuild.assetsPath}/${ConsoleBuild.named(built, entry)}`
  const assets = { theme: asset("theme"), style: asset("guide"), icon: asset("icon") }
  const files = yield* Effect.promise(readAll)
  const pages = inOrder(files).map((path) => GuidePage.make(path, files.get(path)!))
  const frame = (framed: Parameters<typeof GuideFrame.make>[2]) => GuideFrame.make(pages, assets, framed)
  const answers = new Map(
    yield* Effect.forEach(pages, (page) =>
      Effect.map(
        CompressedText.make(frame({ title: page.title, body: page.html, page }), html),
        ({ answer }) => [page.name, answer] as const
      ))
  )
  const icon = yield* Effect.tryPromise(() =>
    Fs.readFile(Path.join(built.directory, ConsoleBuild.assetsPath, ConsoleBuild.named(built, "icon")))
  )
  const search = (query: string) =>
    frame({ title: "Search", body: GuideFrame.resultsOf(GuideSearch.find(pages, query), query), query })
  return { answers, icon, search }
})

const takesHtml = (accept: string | undefined): boolean => /\btext\/html\b/.test(accept ?? "")

/**
 * `/console/docs/<page>`: the documentation as pages, made of the same Markdown, when they are first asked for. `/` leads
 * people to the console; `/favicon.ico` is its picture.
 */
export const layer = Layer.unwrap(Effect.gen(function*() {
  const loaded = yield* Effect.cachedWithTTL(
    Effect.uninterruptible(load).pipe(Effect.tapError((error) => Effect.logError("The pages can't be made", error))),
    (exit) => Exit.isSuccess(exit) ? Duration.infinity : Duration.zero
  )
  const unlessBroken = Effect.catch(() =>
    problemResponse(Problem.unavailable("The pages can't be made; the server's log says why.", 10))
  )
  const page = Effect.gen(function*() {
    const { url } = yield* HttpServerRequest.HttpServerRequest
    const { pathname, search: query, searchParams } = new URL(url, "http://localhost")
    // The links of a page hold from its own address alone.
    if (pathname.endsWith("/")) {
      return HttpServerResponse.redirect(`../${pathname.split("/").at(-2)}${query}`, { status: 307 })
    }
    const name = pathname.slice("/console/docs/".length)
    const { answers, search } = yield* loaded
    if (name === "search") {
      return HttpServerResponse.text(search(searchParams.get("q") ?? ""), { contentType: html, headers: pageHeaders })
    }
    const answer = answers.get(name)
    return answer === undefined
      ? yield* problemResponse(new Problem.NotFound(Problem.because(`There is no page ${pathname}.`)))
      : HttpServerResponse.setHeaders(yield* answer, pageHeaders)
  }).pipe(unlessBroken)
  const icon = Effect.flatMap(
    loaded,
    ({ icon }) =>
      Revalidated.make(icon, { "cache-control": "public, max-age=86400" })(
        Effect.succeed(HttpServerResponse.uint8Array(icon, { contentType: "image/svg+xml" }))
      )
  ).pipe(unlessBroken)
  const root = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
    takesHtml(request.headers["accept"])
      ? Effect.succeed(HttpServerResponse.redirect("console/", { status: 307, headers: { vary: "accept" } }))
      : Effect.fail(
        new HttpServerError.HttpServerError({ reason: new HttpServerError.RouteNotFound({ request }) })
      ))
  // Relative, since proxies may have put something before the path.
  const first = Effect.map(
    HttpServerRequest.HttpServerRequest,
    ({ url }) => HttpServerResponse.redirect(/\/(\?|$)/.test(url) ? "README" : "docs/README", { status: 307 })
  )
  return Layer.mergeAll(
    HttpRouter.add("GET", "/", root),
    HttpRouter.add("GET", "/favicon.ico", icon),
    HttpRouter.add("GET", "/console/docs", first),
    HttpRouter.add("GET", "/console/docs/:page", page)
  )
}))
