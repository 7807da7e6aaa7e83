import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as Http from "../../../test/HttpAppFixture.ts"

const root = Path.resolve(import.meta.dirname, "../../../../..")

/** The targets of a page's links, without those to other hosts. */
const linksOf = (markdown: string): ReadonlyArray<string> =>
  [...markdown.replace(/^```[^]*?^```$/gm, "").matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!)
    .filter((target) => !/^[a-z]+:/.test(target) || target.startsWith(`${Http.publicUrl}/`))

/** How a heading is named in a link. */
const anchorsOf = (markdown: string): ReadonlySet<string> =>
  new Set(
    [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
      heading!.toLowerCase().replace(/[^\p{L}\p{N}_\- ]/gu, "").replaceAll(" ", "-")
    )
  )

layer(Http.layer, { excludeTestServices: true })("GuideRoutes", (it) => {
  it.effect(
    "serves every page of the documentation as Markdown, in which every link leads somewhere",
    () =>
      Effect.gen(function*() {
        const http = yield* Http.tenant()
        const get = (path: string) => http.request("GET", path, { key: null })
        const list = yield* get("/llms.txt")
        assert.strictEqual(list.headers.get("content-type"), "text/plain; charset=utf-8")
        assert.match(list.text, /^# Headwater\n\n> [^\n]+\n\n[^#]+\n## Docs\n\n- \[For agents[^\n]+\n/)
        assert.match(
          list.text,
          /^- \[[^\]]+\]\(https:\/\/events\.example\.com\/docs\/components\.md\): A component is .*\.$/m
        )
        const names = (yield* Effect.promise(() => Fs.readdir(Path.join(root, "docs")))).filter((name) =>
          name.endsWith(".md")
        )
        for (const name of names) {
          assert.include(list.text, `](${Http.publicUrl}/docs/${name})`)
          const { headers, status, text } = yield* get(`/docs/${name}`)
          assert.strictEqual(status, 200)
          assert.strictEqual(headers.get("content-type"), "text/markdown; charset=utf-8")
          assert.strictEqual(text, yield* Effect.promise(() => Fs.readFile(Path.join(root, "docs", name), "utf8")))
        }

        const texts = new Map<string, string>()
        const visit = Effect.fnUntraced(function*(path: string, from: string) {
          const known = texts.get(path)
          if (known !== undefined) return known
          const { status, text } = yield* get(path)
          assert.strictEqual(status, 200, `${from} links to ${path}`)
          texts.set(path, text)
          return text
        })
        const waiting = ["/llms.txt"]
        const seen = new Set(waiting)
        for (let page = waiting.shift(); page !== undefined; page = waiting.shift()) {
          for (const link of linksOf(yield* visit(page, "the list"))) {
            const { hash, pathname } = new URL(link, `${Http.publicUrl}${page}`)
            const text = yield* visit(pathname, page)
            if (hash !== "" && pathname.endsWith(".md")) {
              assert.include([...anchorsOf(text)], decodeURIComponent(hash.slice(1)), `${page} links to ${link}`)
            }
            if (!pathname.endsWith(".md") || seen.has(pathname)) continue
            seen.add(pathname)
            waiting.push(pathname)
          }
        }
        assert.includeMembers([...seen], ["/README.md", "/docs/AGENTS.md", "/docs/api.md"])
      })
  )

  it.effect("answers a client that has something already without it, and one that has another with it", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      for (
        const path of [
          "/docs/api.md",
          "/llms.txt",
          "/docs/images/console/overview-light.png",
          "/docs",
          "/openapi.json",
          "/console/",
          "/console/events/dc_1/1-0",
          "/console/docs/delivery",
          "/favicon.ico"
        ]
      ) {
        const get = (headers: Record<string, string>) => http.request("GET", path, { key: null, headers })
        const first = yield* get({})
        assert.strictEqual(first.status, 200, path)
        const etag = first.headers.get("etag") ?? ""
        assert.match(etag, /^W\/"/, "one for all encodings")
        for (const known of [etag, `"x", ${etag}`, etag.slice(2), "*"]) {
          const again = yield* get({ "if-none-match": known })
          assert.deepStrictEqual([again.status, again.text, again.headers.get("etag")], [304, "", etag], path)
          assert.strictEqual(again.headers.get("cache-control"), first.headers.get("cache-control"), path)
        }
        assert.strictEqual((yield* get({ "if-none-match": "\"x\"" })).text, first.text)
      }
      const page = yield* http.request("GET", "/docs/api.md", { key: null })
      assert.strictEqual(page.headers.get("cache-control"), "public, no-cache")
    }))

  it.effect("serves nothing else, wherever a path points", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      for (
        const path of [
          "/docs/../package.json",
          "/docs/..%2fpackage.json",
          "/docs/%2e%2e/package.json",
          "/docs/....//package.json",
          "/docs/api.md/x",
          "/docs/%00",
          "/examples/",
          "/package.json"
        ]
      ) {
        Http.assertProblem(yield* http.request("GET", path, { key: null }), 404, "not_found")
      }
      const posted = yield* http.request("POST", "/docs/api.md", { key: null })
      Http.assertProblem(posted, 405, "method_not_allowed")
      const redirected = yield* http.request("GET", "/AGENTS.md", { key: null })
      assert.deepStrictEqual([redirected.status, redirected.headers.get("location")], [307, "docs/AGENTS.md"])
    }))
})
