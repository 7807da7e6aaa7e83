import * as Problem from "@headwater/api/Problem"
import { EngineConfig } from "@headwater/engine/EngineConfig"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Path from "node:path"
import { problemResponse } from "../conventions/ProblemResponse.ts"
import { folders, pictures, readAll, readPicture, rootFiles } from "../guide/GuideFiles.ts"
import * as CompressedText from "./CompressedText.ts"
import * as Revalidated from "./Revalidated.ts"

export const index = "/llms.txt"

/** The path at which clients look for the instructions for writing components, and the path where they are. */
const instructions = { asked: "/AGENTS.md", path: "docs/AGENTS.md" } as const

/** The paths of the routes. There is nothing at the path of a missing file. */
export const paths = [
  index,
  instructions.asked,
  ...rootFiles.map((name) => `/${name}` as const),
  ...Object.keys(folders).map((folder) => `/${folder}/:name` as const),
  `/${pictures}/:name`
] as const

const contentTypes: Readonly<Record<string, string>> = {
  ".md": "text/markdown; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8"
}

const textType = "text/plain; charset=utf-8"

/** A client that has a page asks whether it has changed, since a newer server serves newer pages. */
const revalidated = "public, no-cache"

/** For those who want to know how Headwater itself is built. */
const optional = new Set(["docs/architecture.md", "docs/durability.md", "docs/performance.md", "docs/security.md"])

const withoutLinks = (markdown: string): string => markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")

const paragraphs = (markdown: string): ReadonlyArray<string> =>
  markdown.split(/\n\s*\n/).map((text) => withoutLinks(text).replace(/\s+/g, " ").trim())

const firstSentence = (text: string): string => /^.*?[.:](?= |$)/.exec(text)?.[0].replace(/:$/, ".") ?? text

/** A page in the list: what it is called, and what its first sentence says. */
const lineOf = (base: string, path: string, markdown: string): string => {
  const [heading = "", introduction = ""] = paragraphs(markdown)
  return `- [${heading.replace(/^#+ /, "")}](${base}/${path}): ${firstSentence(introduction)}`
}

/** The list of the pages, in the form that llmstxt.org describes. */
const listOf = (base: string, files: ReadonlyMap<string, string>): string => {
  const pages = [...files].filter(([path]) => path.startsWith("docs/"))
  const lines = (isOptional: boolean) =>
    pages
      .filter(([path]) => optional.has(path) === isOptional)
      .toSorted(([a], [b]) => Number(b === instructions.path) - Number(a === instructions.path))
      .map(([path, text]) => lineOf(base, path, text))
  const [heading = "# Headwater", introduction = ""] = paragraphs(files.get("README.md") ?? "")
  return [
    heading,
    "",
    `> ${introduction}`,
    "",
    `The HTTP API is at ${base}/v1 and takes \`Authorization: Bearer <API key>\`. Its errors are problem documents ` +
    "(RFC 9457), of which `detail` says what to do next. These pages need no key.",
    "",
    "## Docs",
    "",
    ...lines(false),
    "",
    "## API",
    "",
    `- [OpenAPI document](${base}/openapi.json): Every operation with its parameters, answers and errors, as OpenAPI 3.1.`,
    `- [API page](${base}/docs): The same for people, to read and to try out.`,
    "",
    "## Examples",
    "",
    ...[...files.keys()].filter((path) => path.startsWith("examples/")).map((path) =>
      `- [${Path.basename(path)}](${base}/${path})`
    ),
    "",
    "## Optional",
    "",
    ...(files.has("README.md")
      ? [`- [Starting a server](${base}/README.md): A first walk-through, and the settings.`]
      : []),
    ...lines(true),
    ""
  ].join("\n")
}

const page = (path: string, text: string) =>
  Effect.map(
    CompressedText.make(text, contentTypes[Path.extname(path)] ?? textType),
    ({ answer }) => Effect.map(answer, HttpServerResponse.setHeader("cache-control", revalidated))
  )

const notThere = (path: string) =>
  problemResponse(
    new Problem.NotFound(Problem.because(`There is nothing at ${path}. The pages are listed at ${index}.`))
  )

const picture = Effect.fnUntraced(function*(path: string) {
  const bytes = yield* Effect.promise(() => readPicture(Path.basename(path)))
  if (bytes === undefined) return yield* notThere(path)
  return yield* Revalidated.make(bytes, { "cache-control": "public, max-age=3600" })(
    Effect.succeed(HttpServerResponse.uint8Array(bytes, { contentType: "image/png" }))
  )
})

/**
 * The documentation as it is written, for programs and people who read Markdown: `/docs/<page>.md`, what the pages link
 * to, and `/llms.txt`, which lists them. The files are read when they are first asked for, so that no start waits for
 * it; a path names one of them or nothing.
 */
export const layer = Layer.unwrap(Effect.gen(function*() {
  const { publicUrl } = yield* EngineConfig
  const pages = yield* Effect.cached(Effect.uninterruptible(Effect.gen(function*() {
    const files = yield* Effect.promise(readAll)
    const all = [...files, [index.slice(1), listOf(publicUrl, files)] as const]
    return new Map(
      yield* Effect.forEach(
        all,
        ([path, text]) => Effect.map(page(path, text), (answer) => [path, answer] as const)
      )
    )
  })))
  const answer = Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    const path = request.url.split("?", 1)[0]!
    if (path === instructions.asked) return HttpServerResponse.redirect(instructions.path, { status: 307 })
    if (path.startsWith(`/${pictures}/`)) return yield* picture(path)
    const found = (yield* pages).get(path.slice(1).replace(/\/$/, ""))
    return found === undefined ? yield* notThere(path) : yield* found
  })
  return HttpRouter.use((router) => Effect.forEach(paths, (path) => router.add("GET", path, answer), { discard: true }))
}))
