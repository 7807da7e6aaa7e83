import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as Http from "../../../test/HttpAppFixture.ts"

const root = Path.resolve(import.meta.dirname, "../../../../..")

const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }

layer(Http.layer, { excludeTestServices: true })("GuidePageRoutes", (it) => {
  const fetched = Effect.fnUntraced(function*(path: string, headers: Record<string, string> = {}) {
    const { address } = yield* HttpServer.HttpServer
    const answer = yield* Effect.promise(() =>
      fetch(`${HttpServer.formatAddress(address)}${path}`, { headers, redirect: "manual" })
    )
    return { headers: answer.headers, status: answer.status, text: yield* Effect.promise(() => answer.text()) }
  })

  it.effect("serves each page of the documentation, with links, anchors, pictures and files that are there", () =>
    Effect.gen(function*() {
      const names = (yield* Effect.promise(() => Fs.readdir(Path.join(root, "docs")))).filter((name) =>
        name.endsWith(".md")
      )
      const known = new Map<string, string>()
      const visit = Effect.fnUntraced(function*(path: string, from: string) {
        const before = known.get(path)
        if (before !== undefined) return before
        const { headers, status, text } = yield* fetched(path)
        assert.strictEqual(status, 200, `${from} leads to ${path}`)
        known.set(path, headers.get("content-type")?.startsWith("text/html") ? text : "")
        return text
      })
      for (const name of ["README.md", ...names]) {
        const page = `/console/docs/${name.slice(0, -3)}`
        const { headers, status, text } = yield* fetched(page)
        assert.strictEqual(status, 200, page)
        // The keyboard comes to whatever scrolls.
        assert.notMatch(text, /<(pre|table)>|<th><\/th>/, page)
        const markdown = yield* fetched(name === "README.md" ? "/README.md" : `/docs/${name}`)
        assert.include(text, `<title>${/^# (.*)$/m.exec(markdown.text)?.[1]} · Headwater</title>`)
        const policy = headers.get("content-security-policy") ?? ""
        assert.notMatch(policy, /unsafe|https?:|\*/)
        assert.notMatch(text, /<script>|<style|style=|\son\w+=/, page)
        for (const [, target] of text.matchAll(/\b(?:href|src|srcset)="([^"]+)"/g)) {
          const url = new URL(target!, `http://localhost${page}`)
          // The page itself asks who is there.
          if (url.origin !== "http://localhost" || /^\/(console|docs)\/?$/.test(url.pathname)) continue
          const there = yield* visit(url.pathname, page)
          const anchor = decodeURIComponent(url.hash.slice(1))
          if (anchor !== "" && there.startsWith("<!doctype")) {
            assert.include(there, ` id="${anchor}"`, `${page}: ${target}`)
          }
        }
      }
      assert.isAbove([...known.keys()].filter((path) => path.endsWith(".png")).length, 20)
      assert.strictEqual((yield* fetched("/console/docs/none")).status, 404)
      assert.strictEqual((yield* fetched("/docs/images/console/..%2f..%2fapi.md")).status, 404)
    }))

  it.effect("finds sections by their words, and shows a query as text", () =>
    Effect.gen(function*() {
      const { text } = yield* fetched("/console/docs/search?q=retry%20schedule")
      assert.match(text, /<h2 class="found"><a href="[a-z]+#[\w-]+">/)
      assert.include(text, "<mark>retry</mark>")
      const hostile = yield* fetched(`/console/docs/search?q=${encodeURIComponent("\"><script>alert(1)</script>")}`)
      assert.strictEqual(hostile.status, 200)
      assert.notInclude(hostile.text, "<script>alert")
    }))

  it.effect("leads a browser from / to the console, and says to others what it did", () =>
    Effect.gen(function*() {
      const led = yield* fetched("/", browser)
      assert.deepStrictEqual([led.status, led.headers.get("location")], [307, "console/"])
      for (const accept of ["application/json", "*/*"]) {
        const { status, text } = yield* fetched("/", { accept })
        assert.strictEqual(status, 404)
        assert.include(text, "There is nothing at /. The API is below /v1, and /llms.txt lists its documentation.")
      }
      const icon = yield* fetched("/favicon.ico")
      assert.deepStrictEqual([icon.status, icon.headers.get("content-type")], [200, "image/svg+xml"])
      const leads = [
        ["/console/docs", "/console/docs/README"],
        ["/console/docs/", "/console/docs/README"],
        ["/console/docs/api/", "/console/docs/api"],
        ["/console/docs/search/?q=a%20b", "/console/docs/search?q=a%20b"]
      ] as const
      for (const [path, to] of leads) {
        const { headers } = yield* fetched(path)
        assert.strictEqual(
          new URL(headers.get("location") ?? "", `http://localhost${path}`).href,
          `http://localhost${to}`
        )
      }
    }))
})
