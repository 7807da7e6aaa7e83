import { assert, layer } from "@effect/vitest"
import * as EgressAllowList from "@headwater/egress/EgressAllowList"
import { EgressGuard } from "@headwater/egress/EgressGuard"
import { EgressHttp } from "@headwater/egress/EgressHttp"
import * as ModuleServer from "@headwater/fixtures/ModuleServer"
import { Effect, Layer } from "effect"
import type { ModulePosition } from "./BundlerProtocol.ts"
import { RemoteModules } from "./RemoteModules.ts"

const maxBytes = 100_000

const remoteModules = RemoteModules.layer({ fetchMillis: 1_000, maxFiles: 4 }).pipe(
  Layer.provide(EgressHttp.layer()),
  Layer.provide(EgressGuard.layer(EgressAllowList.loopback))
)

const load = Effect.fnUntraced(function*(url: string) {
  return yield* (yield* RemoteModules).load({ accountId: "u_1", url, maxBytes, userAgent: "Test/1" })
})

/** Loads `/dir/app.mjs` from a server with these files. */
const loadFrom = Effect.fnUntraced(function*(files: Record<string, ModuleServer.Served>) {
  const server = yield* ModuleServer.make(files)
  return { ...yield* load(`${server.origin}/dir/app.mjs`), asked: server.asked }
})

/** What a module's code exports, run here: the code of these tests does no harm. */
const run = (code: string) =>
  Effect.promise<Record<string, unknown>>(() => import(`data:text/javascript,${encodeURIComponent(code)}`))

/** The place in the bundle of some text that is there once. */
const positionOf = (code: string, text: string): readonly [line: number, column: number] => {
  const before = code.slice(0, code.indexOf(text)).split("\n")
  return [before.length, before.at(-1)!.length + 1]
}

layer(remoteModules, { excludeTestServices: true, timeout: "60 seconds" })("RemoteModules", (it) => {
  it.effect("a module without imports from its origin comes byte for byte", () =>
    Effect.gen(function*() {
      const text =
        `\ufeff// ü\r\nimport "node:fs"; import x from "lodash@4/x.js"; import y from "npm:y"\r\n\r\nexport default x  `
      const module = yield* loadFrom({ "/dir/app.mjs": text })
      assert.strictEqual(module.code, text)
      assert.deepStrictEqual(module.place(3, 5), { file: "/dir/app.mjs", line: 3, column: 5 })
      assert.deepStrictEqual(module.asked, ["/dir/app.mjs"])
    }))

  it.effect("modules that import each other become one that does the same, each fetched once", () =>
    Effect.gen(function*() {
      const files: Record<string, ModuleServer.Served> = {
        "/lib/words.mjs?v=1":
          `import app, { end } from "../dir/app.mjs"\nexport const word = "ü"\nexport const say = () => word + end + app.name`,
        "/lib/words.mjs?v=2": `export const word = "other"`,
        "/data.json": `{"from": "json"}`
      }
      const server = yield* ModuleServer.make(files)
      files["/dir/app.mjs"] = `
        import { join } from "node:path"
        import { say } from "../lib/words.mjs?v=1"
        import * as other from "/lib/words.mjs?v=2"
        import { say as again } from "${server.origin}/lib/words.mjs?v=1#fragment"
        import data from "/data.json" with { type: "json" }
        export const end = "!"
        export default { name: "app", all: () => [say(), again === say, other.word, data.from, join("a", "b")] }`
      const { code } = yield* load(`${server.origin}/dir/app.mjs`)
      const exported = yield* run(code)
      const app = exported["default"]
      assert.isTrue(typeof app === "object" && app !== null && "all" in app && typeof app.all === "function")
      if (typeof app !== "object" || app === null || !("all" in app) || typeof app.all !== "function") return
      assert.deepStrictEqual<unknown>(app.all(), ["ü!app", true, "other", "json", "a/b"])
      assert.strictEqual(exported["end"], "!")
      assert.deepStrictEqual(server.asked.toSorted(), [
        "/data.json",
        "/dir/app.mjs",
        "/lib/words.mjs?v=1",
        "/lib/words.mjs?v=2"
      ])
    }))

  it.effect("imports without an extension are found as TypeScript finds them, each module once", () =>
    Effect.gen(function*() {
      const module = yield* loadFrom({
        "/dir/app.mjs": `import "../lib/feed.app"\nexport { seen } from "../lib/feed.app.js"`,
        "/lib/feed.app.ts": `import { seen } from "./seen"\nseen.push("once" as string)\nexport { seen }`,
        "/lib/seen/index.ts": `export const seen: Array<string> = []`
      })
      assert.deepStrictEqual((yield* run(module.code))["seen"], ["once"])
    }))

  it.effect("a place in the one module is told as the place in the file", () =>
    Effect.gen(function*() {
      const { code, place } = yield* loadFrom({
        "/dir/app.mjs": `import { fail } from "./fail.mjs"\nexport default { run() { fail() } }`,
        "/dir/fail.mjs": `// ä\nexport const fail = () => {\n  throw new Error("here")\n}`
      })
      assert.deepStrictEqual(place(...positionOf(code, "new Error(")), { file: "/dir/fail.mjs", line: 3, column: 9 })
      assert.deepStrictEqual(place(...positionOf(code, "run()")), { file: "/dir/app.mjs", line: 2, column: 18 })
    }))

  const app = (code: string): Record<string, ModuleServer.Served> => ({ "/dir/app.mjs": code })
  const importing = (specifier: string) => app(`// ü\nimport "./b.mjs"; import x from "${specifier}"\nexport default x`)
  const second = { "/dir/b.mjs": "" }
  const inApp = { file: "/dir/app.mjs", line: 2, column: 33 }
  const atStart = (file: string): ModulePosition => ({ file, line: 1, column: 1 })

  const faults: ReadonlyArray<readonly [string, Record<string, ModuleServer.Served>, RegExp, ModulePosition]> = [
    [
      "is not there",
      {},
      /^http:\/\/127\.0\.0\.1:\d+\/dir\/app\.mjs can't be fetched: it answered 404$/,
      atStart("/dir/app.mjs")
    ],
    [
      "redirects",
      { "/dir/app.mjs": { status: 302, headers: { location: "/dir/b.mjs" } }, ...second },
      /answered 302, and redirects are not followed/,
      atStart("/dir/app.mjs")
    ],
    ["imports what is not there", { ...importing("./c.mjs"), ...second }, /^"\.\/c\.mjs" can't .* 404$/, inApp],
    [
      "imports what redirects",
      { ...importing("/c.mjs"), ...second, "/c.mjs": { status: 301, headers: { location: "/dir/b.mjs" } } },
      /^"\/c\.mjs" can't .* 301, and redirects/,
      inApp
    ],
    [
      "imports from another origin",
      { ...importing("//example.com/c.mjs"), ...second },
      /^"\/\/example\.com\/c\.mjs" leaves the origin http:\/\/127\.0\.0\.1:\d+$/,
      inApp
    ],
    [
      "imports from another origin by its URL",
      { ...importing("https://127.0.0.1/c.mjs"), ...second },
      /leaves the origin/,
      inApp
    ],
    [
      "imports what can't be a URL",
      { ...importing("http://[/c.mjs"), ...second },
      /^"http:\/\/\[\/c\.mjs" is not a valid URL$/,
      inApp
    ],
    [
      "imports what does not parse",
      { ...app(`import "./b.mjs"`), "/dir/b.mjs": `const ü = 1\nconst b = "ü" ü` },
      /^Expected ";" but found "ü"$/,
      { file: "/dir/b.mjs", line: 2, column: 15 }
    ],
    [
      "imports a name that is not exported",
      { ...app(`import { a } from "./b.mjs"\nexport default a`), "/dir/b.mjs": "export {}" },
      /^No matching export in "\/dir\/b\.mjs" for import "a"$/,
      { file: "/dir/app.mjs", line: 1, column: 10 }
    ],
    [
      "is not UTF-8",
      { "/dir/app.mjs": new Uint8Array([0x2f, 0x2f, 0xff]) },
      /not UTF-8/,
      atStart("/dir/app.mjs")
    ],
    [
      "imports what holds NUL",
      { ...app(`import "./b.mjs"`), "/dir/b.mjs": `// b\nconst b = "\u0000"` },
      /NUL/,
      { file: "/dir/b.mjs", line: 2, column: 12 }
    ],
    [
      "comes compressed",
      { "/dir/app.mjs": { headers: { "content-encoding": "gzip" }, body: "x" } },
      /encoding "gzip"/,
      atStart("/dir/app.mjs")
    ],
    [
      "imports what does not come in time",
      { ...importing("./slow.mjs"), ...second, "/dir/slow.mjs": { afterMillis: 10_000, body: "export default 1" } },
      /^"\.\/slow\.mjs" can't be fetched from http:\S+\/dir\/slow\.mjs: not all files arrived within 1000 ms$/,
      inApp
    ],
    [
      "imports more files than it may",
      app([1, 2, 3, 4].map((n) => `import "./${n}.mjs"`).join("\n")),
      /over 4 files/,
      { file: "/dir/app.mjs", line: 4, column: 8 }
    ]
  ]

  for (const [what, files, message, at] of faults) {
    it.effect(`a module that ${what} is refused, and the message names file and place`, () =>
      Effect.gen(function*() {
        const fault = yield* Effect.flip(loadFrom(files))
        assert.strictEqual(fault._tag, "ModuleFaulty")
        assert.match(fault.message, message)
        assert.deepInclude({ ...fault }, { at })
      }))
  }

  it.effect("files that come to more bytes than they may are too large, one or many", () =>
    Effect.gen(function*() {
      const half = `// ${"x".repeat(maxBytes / 2)}`
      const one = yield* Effect.flip(loadFrom(app(half + half)))
      assert.deepInclude({ ...one }, { _tag: "RemoteModulesTooLarge", limitBytes: maxBytes })
      const many = yield* Effect.flip(loadFrom({ ...app(`import "./b.mjs"\n${half}`), "/dir/b.mjs": half }))
      assert.strictEqual(many._tag, "RemoteModulesTooLarge")
      yield* loadFrom(app(half))
    }))

  it.effect("what is no URL, or an address that the guard refuses, is not fetched", () =>
    Effect.gen(function*() {
      for (
        const url of ["/app.mjs", "ftp://example.com/app.mjs", "http://10.0.0.1/app.mjs", "http://[::ffff:a00:1]/"]
      ) {
        assert.strictEqual((yield* Effect.flip(load(url)))._tag, "RemoteUrlRefused", url)
      }
    }))
})
