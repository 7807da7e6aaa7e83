import * as Problem from "@headwater/api/Problem"
import * as ConsoleBuild from "@headwater/console/ConsoleBuild"
import { Duration, Effect, Exit, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as OwnHost from "../conventions/OwnHost.ts"
import { problemResponse } from "../conventions/ProblemResponse.ts"
import * as CompressedText from "./CompressedText.ts"
import * as Revalidated from "./Revalidated.ts"

const root = "/console/"
const assets = `${root}${ConsoleBuild.assetsPath}/`

/** The page loads its own files and asks its own server, and nobody else. */
const pageHeaders = {
  "cache-control": "no-cache",
  "content-security-policy": [
    "default-src 'self'",
    "base-uri 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "object-src 'none'",
    "require-trusted-types-for 'script'"
  ].join("; "),
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer"
}

/** A name changes with what is in the file. */
const assetHeaders = { "cache-control": "public, max-age=31536000, immutable" }

/** The policy of a script that runs as a worker, where the page's policy does not hold. */
const scriptHeaders = { ...assetHeaders, "content-security-policy": "default-src 'none'; script-src 'self'" }

const contentTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml"
}

const pathOf = (url: string): string => url.split("?", 1)[0]!

/** The way from a path of the console's to its root: what proxies have put before the path is none of our business. */
const baseOf = (path: string): string => "../".repeat(path.slice(root.length).split("/").length - 1) || "./"

const load = Effect.gen(function*() {
  const { directory, names, page } = yield* Effect.tryPromise(() => ConsoleBuild.files())
  const files = yield* Effect.forEach(names, (name) =>
    Effect.gen(function*() {
      const text = yield* Effect.tryPromise(() =>
        Fs.readFile(Path.join(directory, ConsoleBuild.assetsPath, name), "utf8")
      )
      const type = contentTypes[Path.extname(name)] ?? "application/octet-stream"
      return [name, yield* CompressedText.make(text, type)] as const
    }), { concurrency: 4 })
  return { files: new Map(files), page }
})

const notThere = (path: string) =>
  problemResponse(new Problem.NotFound(Problem.because(`There is nothing at ${path}.`)))

/**
 * `/console`: the page on which an operator sees the engine at work, and the files that it loads. They are read, and built
 * where they are not, when they are first asked for, so that no start waits for it.
 */
export const layer = Layer.unwrap(Effect.gen(function*() {
  // The next request tries again after a build that failed.
  const loaded = yield* Effect.cachedWithTTL(
    Effect.uninterruptible(load).pipe(Effect.tapError((error) => Effect.logError("The console can't be built", error))),
    (exit) => Exit.isSuccess(exit) ? Duration.infinity : Duration.zero
  )
  const answer = Effect.gen(function*() {
    const { url } = yield* HttpServerRequest.HttpServerRequest
    const path = pathOf(url)
    // The page's own addresses begin below the root, so it needs the slash.
    if (`${path}/` === root) return HttpServerResponse.redirect(`console/${url.slice(path.length)}`, { status: 307 })
    const { files, page } = yield* loaded
    if (!path.startsWith(assets)) {
      const text = page.replace(ConsoleBuild.basePlaceholder, baseOf(path))
      return yield* Revalidated.make(text, pageHeaders)(
        Effect.succeed(HttpServerResponse.text(text, { contentType: "text/html; charset=utf-8" }))
      )
    }
    const file = files.get(path.slice(assets.length))
    if (file === undefined) return yield* notThere(path)
    return HttpServerResponse.setHeaders(yield* file.answer, path.endsWith(".js") ? scriptHeaders : assetHeaders)
  }).pipe(
    Effect.catch(() =>
      problemResponse(Problem.unavailable("The console can't be built; the server's log says why.", 10))
    )
  )
  // The router takes this for the root itself too.
  return HttpRouter.add("GET", "/console/*", (yield* OwnHost.make)(answer))
}))
