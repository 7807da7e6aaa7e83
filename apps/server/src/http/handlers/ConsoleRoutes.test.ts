import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import { gzipSync } from "node:zlib"
import * as Http from "../../../test/HttpAppFixture.ts"

/** What the first page may weigh, compressed and without the editor, in bytes. */
const maxFirstLoad = 80_000

const namesIn = (page: string): ReadonlyArray<string> =>
  [...page.matchAll(/(?:src|href)="(assets\/[^"]+)"/g)].map(([, name]) => name!)

layer(Http.layer, { excludeTestServices: true })("ConsoleRoutes", (it) => {
  const fetched = Effect.fnUntraced(function*(path: string, init: RequestInit = {}) {
    const { address } = yield* HttpServer.HttpServer
    const response = yield* Effect.promise(() => fetch(`${HttpServer.formatAddress(address)}${path}`, init))
    return { headers: response.headers, status: response.status, text: yield* Effect.promise(() => response.text()) }
  })

  it.effect("serves the page at every path below the console's, with the way back to its root", () =>
    Effect.gen(function*() {
      const bases = [
        ["/console/", "./"],
        ["/console/events", "./"],
        ["/console/events?text=%2F", "./"],
        ["/console/events/", "../"],
        ["/console/events/dc_1/1-0", "../../"],
        ["/console/events/a%2Fb/1-0", "../../"]
      ] as const
      for (const [path, base] of bases) {
        const { headers, status, text } = yield* fetched(path)
        assert.strictEqual(status, 200, path)
        assert.strictEqual(headers.get("content-type"), "text/html; charset=utf-8")
        assert.include(text, `<base href="${base}">`, path)
      }
    }))

  it.effect("leads from its address without a slash to the one with it, wherever a proxy has put it", () =>
    Effect.gen(function*() {
      const { headers, status } = yield* fetched("/console?x=1", { redirect: "manual" })
      assert.strictEqual(status, 307)
      const location = headers.get("location") ?? ""
      assert.strictEqual(new URL(location, "https://proxy.example/engine/console?x=1").pathname, "/engine/console/")
      assert.strictEqual(new URL(location, "https://proxy.example/engine/console?x=1").search, "?x=1")
    }))

  it.effect("lets the page load its own files alone, and run nothing that is written into it", () =>
    Effect.gen(function*() {
      const { headers, text } = yield* fetched("/console/")
      const policy = headers.get("content-security-policy") ?? ""
      assert.include(policy, "default-src 'self'")
      assert.notMatch(policy, /unsafe|https?:|\*/)
      assert.strictEqual(headers.get("cache-control"), "no-cache")
      assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
      assert.notMatch(text, /<script>|<style|style=|\son\w+=/)
      assert.notMatch(text, /(?:src|href)="(?:\/|[a-z]+:)/)
    }))

  it.effect("serves the files under names that change with them, to be kept for good", () =>
    Effect.gen(function*() {
      const { text } = yield* fetched("/console/")
      const names = namesIn(text)
      assert.isAtLeast(names.length, 4)
      for (const name of names) {
        const { headers, status } = yield* fetched(`/console/${name}`)
        assert.strictEqual(status, 200, name)
        assert.strictEqual(headers.get("cache-control"), "public, max-age=31536000, immutable")
        assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
        assert.strictEqual(headers.get("content-encoding"), "gzip")
        assert.match(headers.get("content-type") ?? "", /^(text\/(javascript|css)|image\/svg)/)
        if (name.endsWith(".js")) {
          assert.strictEqual(headers.get("content-security-policy"), "default-src 'none'; script-src 'self'")
        }
      }
      const missing = yield* fetched("/console/assets/main-00000000.js")
      assert.strictEqual(missing.status, 404)
      assert.strictEqual(missing.headers.get("cache-control"), null)
    }))

  it.effect("weighs at most 80 kB until the first page is there", () =>
    Effect.gen(function*() {
      const { text } = yield* fetched("/console/")
      const queue = [...namesIn(text)]
      const seen = new Set<string>()
      let size = gzipSync(text).length
      for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
        if (seen.has(name)) continue
        seen.add(name)
        const file = yield* fetched(`/console/${name}`)
        size += gzipSync(file.text, { level: 9 }).length
        // What a file imports, and of what is imported when it is needed the first page, and what draws its charts.
        for (const [, imported] of file.text.matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g)) {
          queue.push(`assets/${imported}`)
        }
        for (const [, first] of file.text.matchAll(/import\("\.\/((?:OverviewPage|Plot)-[^"]+)"\)/g)) {
          queue.push(`assets/${first}`)
        }
      }
      for (const part of ["OverviewPage", "Plot"]) assert.isTrue([...seen].some((name) => name.includes(part)), part)
      assert.isBelow(size, maxFirstLoad)
    }))
})
