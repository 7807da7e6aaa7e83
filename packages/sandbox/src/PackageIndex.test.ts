import { assert, it } from "@effect/vitest"
import * as EgressAllowList from "@headwater/egress/EgressAllowList"
import { EgressGuard } from "@headwater/egress/EgressGuard"
import { EgressHttp } from "@headwater/egress/EgressHttp"
import * as Loopback from "@headwater/fixtures/Loopback"
import { Effect, Layer } from "effect"
import { createHash } from "node:crypto"
import * as PackageIndex from "./PackageIndex.ts"

interface Page {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** A server on loopback that has these pages, with the paths that it was asked for. */
const serverOf = (pages: Record<string, Page>) =>
  Effect.gen(function*() {
    const asked: Array<string> = []
    const url = yield* Loopback.serve(({ url = "" }, response) => {
      asked.push(url)
      const { body = "", headers = {}, status = 200 } = pages[url] ?? { status: 404 }
      response.writeHead(status, headers).end(body)
    })
    return { asked, pages, url }
  })

const surroundings = (allow: EgressAllowList.EgressAllowList) =>
  EgressHttp.layer().pipe(Layer.provide(EgressGuard.layer(allow)))

const indexAt = (url: string, allow = EgressAllowList.empty) =>
  Effect.flatMap(
    Layer.build(surroundings(allow)),
    (around) => Effect.provideContext(PackageIndex.make({ url: `${url}/simple/` }), around)
  )

const json = { "content-type": "application/vnd.pypi.simple.v1+json" }
const filename = "a-1.0-py3-none-any.whl"
const sha256 = createHash("sha256").update("wheel").digest("hex")

const listing = (url: string): Page => ({
  headers: json,
  body: JSON.stringify({ files: [{ filename, url, hashes: { sha256 } }] })
})

const failureOf = <A>(effect: Effect.Effect<A, PackageIndex.IndexFailure>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)

it.live("the index may be where nobody is let, and what it leads to elsewhere may not", () =>
  Effect.gen(function*() {
    const elsewhere = yield* serverOf({ "/a/": listing(filename), "/a.whl": { body: "wheel" } })
    const server = yield* serverOf({
      "/simple/own/": { status: 301, headers: { location: "/own/" } },
      "/own/": listing("../own.whl"),
      "/own.whl": { status: 302, headers: { location: "kept.whl" } },
      "/kept.whl": { body: "wheel" },
      "/simple/moved/": { status: 302, headers: { location: `${elsewhere.url}/a/` } },
      "/simple/linked/": listing(`${elsewhere.url}/a.whl`),
      "/simple/local/": listing("file:///etc/hostname")
    })
    const index = yield* indexAt(server.url)
    const [own] = (yield* index.filesOf("own"))!
    assert.strictEqual(own?.url, `${server.url}/own.whl`)
    assert.strictEqual((yield* index.download(own!)).toString(), "wheel")
    assert.include(yield* failureOf(index.filesOf("moved")), "The egress guard refused 127.0.0.1")
    const [linked] = (yield* index.filesOf("linked"))!
    assert.include(yield* failureOf(index.download(linked!)), "The egress guard refused 127.0.0.1")
    const [local] = (yield* index.filesOf("local"))!
    assert.include(yield* failureOf(index.download(local!)), "Only http and https URLs are allowed")
    assert.deepStrictEqual(elsewhere.asked, [])

    const allowed = yield* indexAt(server.url, EgressAllowList.loopback)
    assert.strictEqual((yield* allowed.filesOf("moved"))?.[0]?.url, `${elsewhere.url}/a/${filename}`)
    assert.strictEqual((yield* allowed.download(linked!)).toString(), "wheel")
  }))

it.live("an answer that can't be read is a failure of the index", () =>
  Effect.gen(function*() {
    const server = yield* serverOf({
      "/simple/astray/": { status: 302, headers: { location: "http://[" } },
      "/simple/around/": { status: 302, headers: { location: "/simple/around/" } },
      "/simple/broken/": { headers: json, body: "{" },
      "/simple/strange/": { headers: json, body: `{"files":[{"filename":1,"url":{}}]}` },
      "/simple/empty/": { headers: json, body: "null" },
      "/simple/unlinked/": listing("http://[")
    })
    const index = yield* indexAt(server.url)
    assert.strictEqual(yield* failureOf(index.filesOf("astray")), "the index redirects to what is no URL")
    assert.strictEqual(yield* failureOf(index.filesOf("around")), "the index answered 302")
    for (const name of ["broken", "strange", "empty"]) {
      assert.strictEqual(yield* failureOf(index.filesOf(name)), `what the index says of ${name} can't be read`)
    }
    assert.deepStrictEqual(yield* index.filesOf("unlinked"), [])
    assert.isUndefined(yield* index.filesOf("none"))
  }))

it.live("a page in HTML takes no longer to read for what is unfinished in it", () =>
  Effect.gen(function*() {
    const link = `<a href="a.whl#sha256=${sha256}">${filename}</a>`
    const html = { "content-type": "text/html" }
    const server = yield* serverOf(Object.fromEntries(
      ["<a ", "<a", "<a>", `<a href="`, "<a href", "<a href=x ", "-"].map((part, at) => [
        `/simple/p${at}/`,
        { headers: html, body: `${part.repeat(200_000)}>${link}` }
      ])
    ))
    const index = yield* indexAt(server.url)
    for (const at of Object.keys(server.pages).keys()) {
      assert.deepStrictEqual((yield* index.filesOf(`p${at}`))?.map(({ sha256 }) => sha256), [sha256])
    }
  }))

it.live("a checksum that a file does not have, or that it lacks, is no proof", () =>
  Effect.gen(function*() {
    const server = yield* serverOf({ "/a.whl": { body: "wheel" } })
    const index = yield* indexAt(server.url)
    const file = { filename, version: "1.0", url: `${server.url}/a.whl`, requiresPython: "" }
    assert.strictEqual((yield* index.download({ ...file, sha256 })).toString(), "wheel")
    for (const other of ["0".repeat(64), "", undefined]) {
      assert.include(yield* failureOf(index.download({ ...file, sha256: other })), "does not have the checksum")
    }
  }))
