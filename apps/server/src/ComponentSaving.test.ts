import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as ModuleServer from "@headwater/fixtures/ModuleServer"
import { PackageRegistry } from "@headwater/fixtures/PackageRegistry"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import * as Http from "../test/HttpAppFixture.ts"

const componentsOf = Effect.fnUntraced(function*(accountId: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ id: string; url: string | null }>`
    SELECT id, url FROM components WHERE account_id = ${accountId} ORDER BY id`
})

/** A component of several files: what it greets with is in another one, which imports the first. */
const greeting = {
  "/hello/app.mjs": `import { greet } from "../greet.mjs"
import { basename } from "node:path"
export const end = basename("/a/!")
export default {
  name: "Hello", key: "hello", version: "0.1.0",
  props: { http: "$.interface.http", who: "string" },
  hooks: { deploy() { if (this.who === "nobody") greet() } },
  async run() { this.$emit(greet(this.who)) }
}
`,
  "/greet.mjs": `import { end } from "./hello/app.mjs"
export const greet = (who) => {
  if (who === undefined) throw new Error("whom?")
  return "Hello " + who + end
}
`
}

layer(Http.layer, { excludeTestServices: true })("components by URL", (it) => {
  it.effect("that import a package which can't be used are told its file and the line there", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const registry = yield* PackageRegistry
      const addon = "\n  try { require(`./build/addon-${process.arch}.node`) } catch {}"
      registry.publish({ name: "platforms", version: "1.0.0", files: { "index.js": addon } })
      registry.publish({ name: "nameless", version: "1.0.0", files: { "index.js": "export const one = 1" } })
      const refused = (name: string) =>
        http.request("POST", "/v1/components", {
          body: { component_code: `import it from "${name}"\n${Http.httpCode("this.$emit(it)")}` }
        })
      const native = yield* refused("platforms")
      Http.assertProblem(native, 422, "component_invalid")
      Json.assertHolds(native.json["details"]!, {
        message: "platforms/index.js is of a native addon, which components can't load",
        file: "platforms/index.js",
        line: 2
      })
      const lacking = yield* refused("nameless")
      Json.assertHolds(lacking.json["details"]!, {
        message: `No matching export in "nameless/index.js" for import "default"`,
        file: "component.mjs",
        line: 1
      })
    }))

  it.effect("that import npm packages keep their versions, for the same code and for the source that has it", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const registry = yield* PackageRegistry
      const publish = (version: string) =>
        registry.publish({ name: "edition", version, files: { "index.js": `module.exports = "${version}"` } })
      const codeOf = (comment: string) =>
        Http.httpCode(`this.$emit(edition)`, `// ${comment}`).replace(
          /^/,
          `import edition from "edition"\n`
        )
      publish("1.0.0")
      const source = yield* http.created("/v1/sources", { component_code: codeOf("first") })
      const path = `/v1/sources/${source.id}`
      const emitted = Effect.fnUntraced(function*(of: Json.Json, count: number) {
        yield* http.request("POST", Http.endpointOf(of), { key: null })
        const [newest] = yield* http.summaries(
          `/v1/sources/${Json.textOf(of["id"])}/event_summaries?expand=event`,
          count
        )
        return newest?.["event"]?.["raw_event"]
      })
      assert.strictEqual<unknown>(yield* emitted(source, 1), "1.0.0")

      publish("1.1.0")
      const update = { component_code: codeOf("edited") }
      assert.strictEqual((yield* http.request("PUT", path, { body: update })).status, 200)
      assert.strictEqual<unknown>(yield* emitted(source, 2), "1.0.0")
      const other = yield* http.created("/v1/sources", { component_code: codeOf("another") })
      assert.strictEqual<unknown>(yield* emitted(other, 1), "1.1.0")

      registry.up = false
      const again = yield* http.created("/v1/sources", { component_code: codeOf("first") })
      assert.strictEqual<unknown>(yield* emitted(again, 1), "1.0.0")
      const refused = yield* http.request("POST", "/v1/components", { body: { component_code: codeOf("offline") } })
      Http.assertProblem(refused, 503, "unavailable")
      assert.isNotNull(refused.headers.get("retry-after"))
    }).pipe(Effect.ensuring(Effect.map(PackageRegistry, (registry) => {
      registry.up = true
    }))))

  it.effect("that are saved after a check are what the check has read, for this account alone", () =>
    Effect.gen(function*() {
      const registry = yield* PackageRegistry
      const publish = (version: string) =>
        registry.publish({ name: "checked", version, files: { "index.js": `module.exports = "${version}"` } })
      const component_code = `import checked from "checked"\n${
        Http.httpCode("this.$emit(checked)", "name: `of ${checked}`,")
      }`
      const one = yield* Http.tenant()
      const other = yield* Http.tenant()
      publish("1.0.0")
      const checked = yield* one.request("POST", "/v1/code/check", { body: { component_code } })
      Json.assertHolds(checked.json["data"]!, { valid: true, name: "of 1.0.0" })
      publish("2.0.0")
      const saved = yield* one.created("/v1/components", { component_code })
      assert.strictEqual<unknown>(saved["name"], "of 1.0.0")
      const others = yield* other.created("/v1/components", { component_code })
      assert.strictEqual<unknown>(others["name"], "of 2.0.0")
    }))

  it.effect("may be several CommonJS files, which require npm packages", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const registry = yield* PackageRegistry
      registry.publish({
        name: "shout",
        version: "1.0.0",
        files: { "index.js": "module.exports = (text) => text + '!'" }
      })
      const server = yield* ModuleServer.make({
        "/index.js": `
          const { greet } = require("./greet.js")
          module.exports = { props: { http: "$.interface.http" }, run() { this.$emit(greet("you")) } }`,
        "/greet.js": `
          const { join } = require("path")
          const shout = require("shout@1")
          exports.greet = (who) => shout(join("Hello", who))`
      })
      const source = yield* http.created("/v1/sources", { name: "common", component_url: `${server.origin}/index.js` })
      yield* http.request("POST", Http.endpointOf(source), { key: null })
      const [summary] = yield* http.summaries("/v1/sources/common/event_summaries", 1)
      assert.strictEqual<unknown>(summary!["event"]!["raw_event"], "Hello/you!")
    }))

  it.effect("may be of npm packages, in the version that is the newest, and a fault names the import", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const registry = yield* PackageRegistry
      registry.publish({
        name: "@shop/sources",
        version: "0.4.2",
        manifest: { type: "module" },
        files: {
          "sources/orders.mjs":
            `import app from "../app.mjs"\nexport default { key: "orders", props: { app }, run() {} }`,
          "app.mjs": `export default { type: "app", app: "shop" }`
        }
      })
      const component = yield* http.created("/v1/components", {
        component_url: "npm:@shop/sources/sources/orders.mjs"
      })
      assert.strictEqual<unknown>(
        component["code"],
        `export { default } from "npm:@shop/sources@0.4.2/sources/orders.mjs"\n`
      )
      assert.deepStrictEqual<unknown>(component["configurable_props"], [
        { name: "app", type: "app", app: "shop", optional: true }
      ])
      const fault = Effect.fnUntraced(function*(body: unknown) {
        const answer = yield* http.request("POST", "/v1/components", { body })
        Http.assertProblem(answer, 422, "component_invalid")
        return answer.json["details"]!
      })
      const named = yield* fault({
        component_code: `\nimport absent from "absent-package"\nexport default { run() {} }`
      })
      Json.assertHolds(named, { file: "component.mjs", line: 2 })
      assert.match(Json.textOf(named["message"]), /"absent-package" can't be installed/)
      const absent = yield* fault({ component_url: "npm:@shop/sources/sources/returns.mjs" })
      assert.match(
        Json.textOf(absent["message"]),
        /@shop\/sources@0\.4\.2\/sources\/returns\.mjs" is not in its package/
      )
      assert.match(Json.textOf((yield* fault({ component_url: "npm:@shop/nothing" }))["message"]), /@shop\/nothing/)
      const odd = yield* http.request("POST", "/v1/components", { body: { component_url: "npm:../x" } })
      Http.assertProblem(odd, 400, "invalid_request")
      assert.deepStrictEqual(Http.issuePaths(odd), ["component_url"])
    }))

  it.effect("are fetched with what they import, saved as one module and run", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const server = yield* ModuleServer.make(greeting)
      const component_url = `${server.origin}/hello/app.mjs`
      const component = yield* http.created("/v1/components", { component_url })
      const code = Json.textOf(component["code"])
      Json.assertHolds(component, {
        name: "Hello",
        version: "0.1.0",
        code_hash: createHash("sha256").update(code).digest("hex"),
        configurable_props: [{ name: "http", type: "$.interface.http" }, { name: "who", type: "string" }]
      })
      assert.notMatch(code, /from ".*greet\.mjs"/)
      assert.deepStrictEqual(yield* componentsOf(http.accountId), [{ id: component.id, url: component_url }])
      const source = yield* http.created("/v1/sources", { component_url, configured_props: { who: "you" } })
      assert.strictEqual((yield* http.request("POST", Http.endpointOf(source))).status, 200)
      const [summary] = yield* http.summaries("/v1/sources/hello/event_summaries", 1)
      assert.strictEqual<unknown>(summary!["event"]!["raw_event"], "Hello you!")
    }))

  it.effect("may be in TypeScript, each of their files", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const server = yield* ModuleServer.make({
        "/orders.ts": `import { total } from "./total.ts"
export default { name: "Orders", props: { http: "$.interface.http" }, run({ body }: { body: Array<number> }) {
  this.$emit(total(body))
} }`,
        "/total.ts":
          "export const total = (prices: ReadonlyArray<number>): number => prices.reduce((a, b) => a + b, 0)",
        "/alone.ts": "interface A {}\nexport default { name: \"Alone\", run(): void {} }"
      })
      const source = yield* http.created("/v1/sources", { component_url: `${server.origin}/orders.ts` })
      yield* http.request("POST", Http.endpointOf(source), { body: [1, 2] })
      const [summary] = yield* http.summaries("/v1/sources/orders/event_summaries", 1)
      assert.strictEqual<unknown>(summary!["event"]!["raw_event"], 3)
      yield* http.created("/v1/components", { component_url: `${server.origin}/alone.ts` })
    }))

  it.effect("are fetched anew where a source is changed", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const files: Record<string, string> = { "/feed.mjs": Http.code("feed", { a: "string" }) }
      const server = yield* ModuleServer.make(files)
      const body = { component_url: `${server.origin}/feed.mjs`, configured_props: { a: "1" } }
      const source = yield* http.created("/v1/sources", body)
      files["/feed.mjs"] = Http.code("feed", { b: "string" })
      const changed = yield* http.request("PUT", `/v1/sources/${source.id}`, {
        body: { ...body, configured_props: { b: "2" } }
      })
      assert.deepStrictEqual<unknown>(changed.json["data"]?.["configured_props"], { b: "2" }, changed.text)
      const shown = yield* http.request("GET", "/v1/components/feed")
      assert.strictEqual<unknown>(shown.json["data"]!["code"], files["/feed.mjs"])
      assert.strictEqual<unknown>(shown.json["data"]!["id"], changed.json["data"]!["component_id"])
    }))

  it.effect("are not fetched where the code or the id of a component comes along, and id wins over code over URL", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const server = yield* ModuleServer.make({ "/url.mjs": Http.code("by-url") })
      const component_url = `${server.origin}/url.mjs`
      const component_code = Http.code("by-code")
      const saved = yield* http.created("/v1/components", { component_code, component_url })
      assert.strictEqual<unknown>(saved["code"], component_code)
      const all = { component_id: saved.id, component_code: Http.code("other"), component_url, key: "nothing" }
      const byId = yield* http.created("/v1/sources", all)
      assert.strictEqual<unknown>(byId["component_id"], saved.id)
      const { component_id: _, ...rest } = all
      const byCode = yield* http.created("/v1/sources", rest)
      const { json } = yield* http.request("GET", `/v1/components/${Json.textOf(byCode["component_id"])}`)
      assert.strictEqual<unknown>(json["data"]!["code"], all.component_code)
      assert.deepStrictEqual(server.asked, [])
      const byUrl = yield* http.created("/v1/sources", { component_url, key: "nothing" })
      assert.deepStrictEqual(server.asked, ["/url.mjs"])
      assert.notStrictEqual<unknown>(byUrl["component_id"], saved.id)
      assert.deepStrictEqual((yield* componentsOf(http.accountId)).map(({ url }) => url), Array(3).fill(component_url))
    }))

  it.effect("of what may not be fetched are refused with the field's name", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const refused = [
        "",
        "/feed.mjs",
        "ftp://example.com/feed.mjs",
        "file:///etc/passwd",
        "http://",
        "http://10.0.0.1/feed.mjs",
        "http://0x0a.1/feed.mjs",
        "https://[fd00::1]/feed.mjs",
        "http://169.254.169.254/latest"
      ]
      for (const component_url of refused) {
        for (const path of ["/v1/components", "/v1/sources"]) {
          const answer = yield* http.request("POST", path, { body: { component_url } })
          Http.assertProblem(answer, 400, "invalid_request")
          assert.deepStrictEqual(Http.issuePaths(answer), ["component_url"], component_url)
        }
      }
    }))

  it.effect("may ask for lists of events as they are documented, and in no other way", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const save = (batch: string) =>
        http.request("POST", "/v1/components", {
          body: { component_code: `export default { key: "k", name: "k", version: "1", batch: ${batch}, run() {} }` }
        })
      for (const batch of ["true", "false", "{}", "{ maxEvents: 1000, maxWaitMs: 0 }", "{ maxBytes: 1024 }"]) {
        assert.isBelow((yield* save(batch)).status, 300, batch)
      }
      const refused = {
        "{ maxEvents: 0 }": /maxEvents/,
        "{ maxWaitMs: 3600001 }": /maxWaitMs/,
        "{ maxBytes: 4194305 }": /maxBytes/,
        "{ size: 5 }": /no field "size"/,
        "() => 5": /batch must be true or an object/,
        "\"yes\"": /batch must be true or an object/
      }
      for (const [batch, reason] of Object.entries(refused)) {
        const answer = yield* save(batch)
        Http.assertProblem(answer, 422, "component_invalid")
        assert.match(Json.textOf(answer.json["detail"]), reason)
      }
    }))

  it.effect("that can't be had or used are refused with file and place, and nothing is left behind", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const server = yield* ModuleServer.make({
        "/gone.mjs": `import "./missing.mjs"\nexport default { run() {} }`,
        "/away.mjs": { status: 302, headers: { location: "/fine.mjs" } },
        "/broken.mjs": `import "./sub/broken.mjs"`,
        "/sub/broken.mjs": `export const a = 1\n\nconst b = = 2`,
        "/throws.mjs": `import { fail } from "./sub/throws.mjs"\nexport default { run() {}, name: fail() }`,
        "/sub/throws.mjs": `export const fail = () => {\n  throw new TypeError("boom")\n}`,
        "/alone.mjs": `// alone\nthrow new TypeError("boom")`,
        "/empty.mjs": "",
        "/bare.mjs": `import "./sub/bare.mjs"\nexport default { run() {} }`,
        "/sub/bare.mjs": `\n  import "nosuch"`,
        "/fine.mjs": Http.code("fine")
      })
      const faults: ReadonlyArray<readonly [string, RegExp, string, number, number]> = [
        ["/missing.mjs", /^http:\S+\/missing\.mjs can't be fetched: it answered 404$/, "/missing.mjs", 1, 1],
        [
          "/gone.mjs",
          /^"\.\/missing\.mjs" can't be fetched from http:\S+\/missing\.mjs: it answered 404$/,
          "/gone.mjs",
          1,
          8
        ],
        ["/away.mjs", /302, and redirects are not followed/, "/away.mjs", 1, 1],
        ["/broken.mjs", /Unexpected "="/, "/sub/broken.mjs", 3, 11],
        ["/throws.mjs", /^TypeError: boom$/, "/sub/throws.mjs", 2, 9],
        ["/alone.mjs", /^TypeError: boom$/, "/alone.mjs", 2, 7],
        ["/empty.mjs", /no default export/, "/empty.mjs", 1, 1],
        ["/bare.mjs", /nosuch/, "/sub/bare.mjs", 2, 10]
      ]
      for (const [path, message, file, line, column] of faults) {
        const answer = yield* http.request("POST", "/v1/sources", { body: { component_url: server.origin + path } })
        Http.assertProblem(answer, 422, "component_invalid")
        assert.match(Json.textOf(answer.json["details"]!["message"]), message)
        Json.assertHolds(answer.json["details"], { file, line, column }, path)
      }
      assert.deepStrictEqual(yield* componentsOf(http.accountId), [])
    }))

  it.effect("in TypeScript, with the helper modules, run as they were sent and err in their own lines", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const component_code = `import { ConfigurationError } from "@pipedream/platform"
import crypto from "crypto"

interface Order { total: number }

export default {
  name: "Orders",
  props: { http: "$.interface.http" },
  async run({ body }: { body: Order }) {
    if (body.total < 0) throw new ConfigurationError("no such total")
    this.$emit({ total: body.total, id: typeof crypto.randomUUID() })
  }
}
`
      const source = yield* http.created("/v1/sources", { component_code })
      const shown = yield* http.request("GET", `/v1/components/${Json.textOf(source["component_id"])}`)
      assert.strictEqual<unknown>(shown.json["data"]!["code"], component_code)
      const endpoint = Http.endpointOf(source)
      yield* http.request("POST", endpoint, { body: { total: 5 } })
      yield* http.request("POST", endpoint, { body: { total: -1 } })
      const [emitted] = yield* http.summaries("/v1/sources/orders/event_summaries", 1)
      const [failure] = yield* http.summaries("/v1/sources/orders/$errors/event_summaries?expand=event", 1)
      assert.deepStrictEqual<unknown>(emitted!["event"]!["raw_event"], { total: 5, id: "string" })
      const error = failure!["event"]!["error"]!
      Json.assertHolds(error, { code: "ConfigurationError", message: "no such total" })
      assert.match(Json.textOf(error["stack"]), /component\.mjs:10:31\)$/m)
    }))

  it.effect("that use what a helper module lacks as they load are refused at its place", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const component_code = `import { axois } from "@pipedream/platform"\nexport default { run: axois.get }`
      const answer = yield* http.request("POST", "/v1/components", { body: { component_code } })
      Http.assertProblem(answer, 422, "component_invalid")
      Json.assertHolds(answer.json["details"]!, { file: "component.mjs", line: 2, column: 29 })
      assert.match(answer.text, /axois/)
      assert.notMatch(answer.text, /standins|node_modules/)
    }))

  it.effect("whose hook fails say where in their files, and nothing is left behind", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const server = yield* ModuleServer.make(greeting)
      const answer = yield* http.request("POST", "/v1/sources", {
        body: { component_url: `${server.origin}/hello/app.mjs`, configured_props: { who: "nobody" } }
      })
      Http.assertProblem(answer, 422, "hook_failed")
      assert.deepStrictEqual<unknown>(answer.json["details"], {
        hook: "deploy",
        message: "whom?",
        file: "/greet.mjs",
        line: 3,
        column: 32
      })
      assert.deepStrictEqual(yield* componentsOf(http.accountId), [])
    }))

  it.effect("of code over its limit, or of files over four times that, are too large", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const used = `export const text = "${"x".repeat(600_000)}"`
      const server = yield* ModuleServer.make({
        "/code.mjs": `import * as a from "./a.mjs"; import * as b from "./b.mjs"
          export default { run() { return a.text + b.text } }`,
        "/a.mjs": used,
        "/b.mjs": used,
        "/files.mjs": `// ${"x".repeat(4 * 1024 * 1024)}`,
        "/comment.mjs": `import "./note.mjs"; export default { run() {} }`,
        "/note.mjs": `// ${"x".repeat(2 * 1024 * 1024)}`
      })
      const post = (path: string) =>
        http.request("POST", "/v1/components", { body: { component_url: server.origin + path } })
      const code = yield* post("/code.mjs")
      Http.assertProblem(code, 413, "payload_too_large")
      assert.deepStrictEqual<unknown>(code.json["details"], { limit_bytes: 1024 * 1024 })
      const files = yield* post("/files.mjs")
      Http.assertProblem(files, 413, "payload_too_large")
      assert.deepStrictEqual<unknown>(files.json["details"], { limit_bytes: 4 * 1024 * 1024 })
      assert.strictEqual((yield* post("/comment.mjs")).status, 200)
    }))
})
