import { assert, layer } from "@effect/vitest"
import * as PackageRegistry from "@headwater/fixtures/PackageRegistry"
import { hashOf, realSandbox, runCode } from "@headwater/fixtures/RealSandbox"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Effect, Layer, Option } from "effect"
import * as Fs from "node:fs/promises"
import * as LargeImports from "./LargeImports.ts"
import { type LinkOptions, ModuleLinker } from "./ModuleLinker.ts"
import type { RunRequest } from "./Run.ts"
import { Sandbox } from "./Sandbox.ts"

const alone: LinkOptions<never> = { previous: undefined, componentOf: () => Effect.succeedNone }

const moduleOf = Effect.fnUntraced(function*(text: string) {
  const linked = yield* (yield* ModuleLinker).link(text, alone)
  return Option.match(linked, {
    onNone: () => ({ code: text, hash: hashOf(text) }),
    onSome: ({ code, map }) => ({ code, map: Effect.succeed(map), hash: hashOf(code) })
  })
})

const run = Effect.fnUntraced(function*(text: string, request: Partial<RunRequest> = {}) {
  return yield* runCode(text, { module: yield* moduleOf(text), ...request })
})

const emitted = (text: string, request?: Partial<RunRequest>) =>
  Effect.map(run(text, request), (result) => {
    assert.strictEqual(result.error?.stack, undefined)
    return result.emits.map(({ payload }) => JSON.parse(payload))
  })

const inspected = Effect.fnUntraced(function*(text: string) {
  const sandbox = yield* Sandbox
  return yield* sandbox.inspect({ accountId: "u_test", module: yield* moduleOf(text) })
})

const linker = ModuleLinker.layer.pipe(
  Layer.provide(PackageRegistry.packages),
  Layer.provideMerge(PackageRegistry.PackageRegistry.layer)
)

layer(Layer.merge(realSandbox({ allow: "loopback" }), linker), {
  excludeTestServices: true,
  timeout: "60 seconds"
})("a component's module", (it) => {
  it.effect("stays as it is where the sandbox understands all of it", () =>
    Effect.gen(function*() {
      const linker = yield* ModuleLinker
      const text = `import { createHmac } from "node:crypto"\nexport default { run() { createHmac("sha1", "") } }\n`
      assert.isTrue(Option.isNone(yield* linker.link(text, alone)))
    }))

  it.effect("may be CommonJS, by itself or compiled from an ES module", () =>
    Effect.gen(function*() {
      const plain = `
        // To export orders:
        const { createHash } = require("crypto")
        const EventEmitter = require("node:events")
        module.exports = {
          run() { this.$emit([createHash("md5").update("a").digest("hex"), new EventEmitter().listenerCount("x")]) }
        }`
      assert.deepStrictEqual(yield* emitted(plain), [["0cc175b9c0f1b6a831c399e269772661", 0]])
      const compiled = `
        "use strict"
        Object.defineProperty(exports, "__esModule", { value: true })
        exports.default = { run() { this.$emit("compiled") } }`
      assert.deepStrictEqual(yield* emitted(compiled), ["compiled"])
    }))

  it.effect("may name Node's modules without saying that they are", () =>
    Effect.gen(function*() {
      const text = `
        import { createHash } from "crypto"
        import * as fs from "fs/promises"
        export default { async run() { this.$emit([typeof createHash, typeof fs.readFile]) } }`
      assert.deepStrictEqual(yield* emitted(text), [["function", "function"]])
    }))

  it.effect("is told nothing of the host by Node's modules, however they are imported", () =>
    Effect.gen(function*() {
      const text = `
        import { hostname, release } from "node:os"
        import * as os from "os"
        const required = require("node:os")
        export default { run() {
          this.$emit([hostname(), release(), os.hostname(), required.cpus().length, process.getuid()])
        } }`
      assert.deepStrictEqual(yield* emitted(text), [["component", "0.0.0", "component", 1, 65_534]])
    }))

  it.effect("may be TypeScript, and tells errors in its own lines", () =>
    Effect.gen(function*() {
      const text = `interface Order {
  readonly total: number
}
//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbImEudHMiXSwibWFwcGluZ3MiOiJBQUFBIn0=

enum State { Open, Done }

export default {
  run(this: any, order: Order) {
    this.$emit(State.Done satisfies number)
    fail(order as never)
  }
}

function fail(_: string): never {
  throw new Error("no such order")
}
`
      const { emits, error } = yield* run(text)
      assert.deepStrictEqual(emits.map(({ payload }) => payload), ["1"])
      assert.deepInclude({ ...error }, { message: "no such order", line: 16, column: 9 })
      assert.match(error?.stack ?? "", /at fail \(component\.mjs:16:9\)\n.*at .*run \(component\.mjs:11:5\)/)
    }))

  it.effect("what is neither is left to whoever loads it", () =>
    Effect.gen(function*() {
      const fault = yield* Effect.flip(inspected("export default {\n  run( {\n}"))
      assert.deepInclude({ ...fault }, { reason: "syntax" })
    }))

  it.effect("what the parser breaks on is said to be unread, and not to be faulty", () =>
    Effect.gen(function*() {
      const fault = yield* Effect.flip(moduleOf(`export default { run() { return ${"(".repeat(400_000)} } }`))
      assert.strictEqual(fault._tag, "ModuleUnread")
    }))

  it.effect("has the helper modules under the names that components know", () =>
    Effect.gen(function*() {
      const sink = yield* WebhookSink.make(() => ({ status: 201, body: JSON.stringify({ id: 7 }) }))
      const text = `
        import { axios, ConfigurationError, DEFAULT_POLLING_SOURCE_TIMER_INTERVAL } from "@pipedream/platform"
        import { defineComponent, defineSource } from "@pipedream/types"
        export default defineSource({
          methods: defineComponent({}),
          props: { timer: { type: "$.interface.timer", default: { intervalSeconds: DEFAULT_POLLING_SOURCE_TIMER_INTERVAL } } },
          async run() {
            const request = { method: "POST", url: ${
        JSON.stringify(sink.url)
      }, data: { a: 1 }, headers: { "x-b": "c" } }
            this.$emit(await axios(this, request))
            const { data, status } = await axios(this, { ...request, returnFullResponse: true })
            this.$emit({ data, status })
            this.$emit([new ConfigurationError("x") instanceof Error, new ConfigurationError("no").name])
          }
        })`
      const { props } = yield* inspected(text)
      assert.deepStrictEqual(props, [
        { name: "timer", type: "$.interface.timer", default: { intervalSeconds: 900 } }
      ])
      assert.deepStrictEqual(yield* emitted(text), [
        { id: 7 },
        { data: { id: 7 }, status: 201 },
        [true, "ConfigurationError"]
      ])
      assert.deepStrictEqual(sink.received.map(({ body, headers }) => [body, headers["x-b"]]), [
        [`{"a":1}`, "c"],
        [`{"a":1}`, "c"]
      ])
    }))

  it.effect("gets files as streams", () =>
    Effect.gen(function*() {
      const sink = yield* WebhookSink.make(() => ({ status: 200, body: "contents" }))
      const text = `
        import { getFileStream, getFileStreamAndMetadata } from "@pipedream/platform"
        import { text } from "node:stream/consumers"
        export default { async run() {
          const url = ${JSON.stringify(`${sink.url}/a%20b.txt?c=d`)}
          const { metadata, stream } = await getFileStreamAndMetadata(url)
          this.$emit([await text(stream), metadata.name, metadata.size ?? null])
          this.$emit(await text(await getFileStream(url)))
        } }`
      const [[contents, name], again] = yield* emitted(text)
      assert.deepStrictEqual([contents, name, again], ["contents", "a b.txt", "contents"])
    }))

  it.effect("a package of browsers is refused by name, with what to do", () =>
    Effect.gen(function*() {
      const linker = yield* ModuleLinker
      const text = `\nimport { playwright } from "@pipedream/browsers@0.1.0"\nexport default { run() {} }`
      const fault = yield* Effect.flip(Effect.catchTag(linker.link(text, alone), "PackagesUnreachable", Effect.die))
      assert.match(fault.message, /^"@pipedream\/browsers@0.1.0" can't be used: it starts a browser, .* elsewhere/)
      assert.deepStrictEqual(fault.at, { file: "component.mjs", line: 2, column: 28 })
    }))

  it.effect("a member that a helper module lacks loads, and throws an error that names it where it is used", () =>
    Effect.gen(function*() {
      const { emits, error } = yield* run(`
        import platform, { axios, nothing, sqlProxy, Nowhere as Somewhere } from "@pipedream/platform"
        import * as all from "@pipedream/platform"
        import { defineNothing } from "@pipedream/types"
        const uses = [
          () => nothing(), () => new Somewhere(), () => nothing.member, () => defineNothing({}), () => sqlProxy.member,
          () => platform.nobody, () => all.noone(), () => axios.patchwork()
        ]
        export default { run() {
          for (const use of uses) {
            try { this.$emit(use()) } catch (error) { this.$emit(error.message) }
          }
          nothing()
        } }`)
      assert.deepStrictEqual(emits.map(({ payload }) => JSON.parse(payload)), [
        ...["nothing", "Nowhere", "nothing"].map((name) => `@pipedream/platform has no ${name} here`),
        "@pipedream/types has no defineNothing here",
        ...["sqlProxy.member", "nobody", "noone", "axios.patchwork"].map((name) =>
          `@pipedream/platform has no ${name} here`
        )
      ])
      assert.deepInclude({ ...error }, { line: 13, column: 11 })
    }))

  it.effect("a helper's request that is refused has what was answered as its message, as JSON", () =>
    Effect.gen(function*() {
      const answers = [
        { status: 401, headers: { "content-type": "application/json" }, body: `{"why": "no key"}` },
        { status: 500, body: "down" },
        { status: 404 }
      ]
      const sink = yield* WebhookSink.make((count) => answers[count] ?? { status: 418 })
      const text = `
        import { axios } from "@pipedream/platform"
        const attempt = (config) => axios({}, { url: ${JSON.stringify(sink.url)}, ...config }).catch((error) => error)
        export default { async run() {
          const { message, response, stack } = await attempt()
          this.$emit([JSON.parse(message), response.status, stack.split("\\n")[0]])
          for (const config of [{}, {}, { responseType: "stream" }]) this.$emit((await attempt(config)).message)
        } }`
      assert.deepStrictEqual(yield* emitted(text), [
        [{ why: "no key" }, 401, "AxiosError: Request failed with status code 401"],
        `"down"`,
        "Request failed with status code 404",
        "Request failed with status code 418"
      ])
    }))

  it.effect("a helper's requests can be signed, and made by an instance of their own", () =>
    Effect.gen(function*() {
      const signer = yield* WebhookSink.make(() => ({ status: 200, body: `OAuth oauth_signature="s"` }))
      const sink = yield* WebhookSink.make((count) => ({
        status: count === 2 ? 400 : 200,
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ count })
      }))
      const text = `
        import { axios } from "@pipedream/platform"
        export default { async run() {
          const token = { key: "k", secret: "t" }
          const signing = { token, oauthSignerUri: ${JSON.stringify(signer.url)} }
          const url = ${JSON.stringify(`${sink.url}?z=(1)`)}
          const form = { headers: { "Content-Type": "application/x-www-form-urlencoded" }, data: "f=1&g=a%20b" }
          this.$emit(await axios(this, { url, params: { a: "b c+!" } }, signing))
          this.$emit(await axios(this, { url, method: "POST", ...form }, signing))
          const client = axios.create({ baseURL: url, headers: { "x-own": "1" } }, signing)
          this.$emit(await client.get("").catch((error) => JSON.parse(error.message)))
          this.$emit((await client.post("", { j: 1 }, { returnFullResponse: true })).status)
          this.$emit(await axios(this, { url }, { token }).catch((error) => error.name + ": " + error.message))
        } }`
      assert.deepStrictEqual(yield* emitted(text), [
        { count: 0 },
        { count: 1 },
        { count: 2 },
        200,
        "ConfigurationError: the third argument of axios needs an oauthSignerUri, which apps take from the account's " +
        "credentials, mostly as oauth_signer_uri"
      ])
      const query = "?z=%281%29"
      const token = { key: "k", secret: "t" }
      assert.deepStrictEqual(signer.received.map(({ body }) => JSON.parse(body)), [
        { requestData: { method: "GET", url: `${sink.url}${query}&a=b%20c%2B%21` }, token },
        { requestData: { method: "POST", url: `${sink.url}${query}`, data: { f: "1", g: "a b" } }, token },
        { requestData: { method: "GET", url: `${sink.url}${query}` }, token },
        { requestData: { method: "POST", url: `${sink.url}${query}` }, token }
      ])
      assert.deepStrictEqual(sink.received.map(({ body, headers, path }) => [path, headers["authorization"], body]), [
        [`/hook${query}&a=b%20c%2B%21`, `OAuth oauth_signature="s"`, ""],
        [`/hook${query}`, `OAuth oauth_signature="s"`, "f=1&g=a%20b"],
        [`/hook${query}`, `OAuth oauth_signature="s"`, ""],
        [`/hook${query}`, `OAuth oauth_signature="s"`, `{"j":1}`]
      ])
      assert.strictEqual(sink.received[2]?.headers["x-own"], "1")
    }))

  it.effect("errors of a helper's dependency name the package and no path of the machine", () =>
    Effect.gen(function*() {
      const { error } = yield* run(`
        import { axios } from "@pipedream/platform"
        export default { async run() { await axios(this, { url: "http://127.0.0.1:1/" }) } }`)
      assert.match(error?.stack ?? "", /\baxios\/lib\//)
      assert.notMatch(error?.stack ?? "", /node_modules|\/packages\//)
    }))

  it.effect("imports npm packages, those of theirs, and several versions of one", () =>
    Effect.gen(function*() {
      const { asked, publish } = yield* PackageRegistry.PackageRegistry
      const esm = { type: "module", exports: { ".": "./main.js", "./sub/*": "./sub/*.js" } }
      publish({
        name: "units",
        version: "1.0.0",
        files: {
          "index.js": `exports.metre = () => "m" + require(__dirname + "/sub.js")`,
          "sub.js": "module.exports = 1"
        }
      })
      publish({ name: "units", version: "2.0.0", files: { "index.js": `exports.metre = () => "metre"` } })
      publish({
        name: "@some/lengths",
        version: "1.2.3",
        manifest: { ...esm, dependencies: { units: "^1.0.0", "@pipedream/platform": "^1.0.0" } },
        files: {
          "main.js": `
            import { metre } from "units"
            import { ConfigurationError } from "@pipedream/platform"
            export const length = (n) => {
              if (n < 0) throw new ConfigurationError("no length")
              return n + metre()
            }`,
          "sub/area.js": `export default (n) => n + "m2"`
        }
      })
      const text = `
        import { length } from "@some/lengths"
        import area from "npm:@some/lengths@^1.2/sub/area"
        import units, { metre } from "units"
        import old from "units@1"
        export default { run(n) { this.$emit([length(n), area(n), metre(), typeof units.metre, old.metre()]) } }`
      assert.deepStrictEqual(yield* emitted(text, { call: { _tag: "Run", eventsJson: ["3"] } }), [
        ["3m1", "3m2", "metre", "function", "m1"]
      ])
      assert.notInclude(asked, "@pipedream/platform")
      const { error } = yield* run(text, { call: { _tag: "Run", eventsJson: ["-1"] } })
      assert.strictEqual(error?.name, "ConfigurationError")
      assert.match(error?.stack ?? "", /at length \(@some\/lengths\/main\.js:5:\d+\)\n.*at .*run \(component\.mjs:6:/)
    }))

  it.effect("has what packages ask for by a require that they make, and knows the names of their files", () =>
    Effect.gen(function*() {
      const { publish } = yield* PackageRegistry.PackageRegistry
      publish({ name: "made-data", version: "1.0.0", files: { "index.js": `module.exports = "from another package"` } })
      publish({
        name: "maker",
        version: "1.0.0",
        manifest: { type: "module", dependencies: { "made-data": "1.0.0" } },
        files: {
          "lib/data.json": `{"own": true}`,
          "index.js": `
            import { createRequire } from "module"
            import nodeModule, { createRequire as makeRequire } from "node:module"
            const require = createRequire(import.meta.url)
            const load = makeRequire(import.meta.url)
            const codeOf = (ask) => { try { return ask() } catch (error) { return error.code } }
            export default [
              require("./lib/data.json"),
              load("made-data"),
              createRequire(import.meta.url)("./lib/data.json").own,
              nodeModule.createRequire(import.meta.url)("made-data"),
              require.resolve("./lib/data.json"),
              load(["node", "path"].join(":")).sep,
              codeOf(() => require(["made", "up"].join("-"))),
              codeOf(() => require.resolve("made-up")),
              makeRequire(new URL("./lib/", import.meta.url))("node:path").sep
            ]`
        }
      })
      publish({
        name: "resolver",
        version: "1.0.0",
        files: {
          "index.js":
            `module.exports = [require.resolve("./worker.js"), require.resolve(["f", "s"].join("")), require.main]`,
          "worker.js": ""
        }
      })
      const text = `import made from "maker"; import resolved from "resolver"
        export default { run() { this.$emit(made); this.$emit(resolved) } }`
      const [made, resolved] = yield* emitted(text)
      const another = "from another package"
      assert.deepStrictEqual(made, [
        { own: true },
        another,
        true,
        another,
        "/package/lib/data.json",
        "/",
        "MODULE_NOT_FOUND",
        "MODULE_NOT_FOUND",
        "/"
      ])
      assert.deepStrictEqual(resolved, ["/package/worker.js", "fs", null])
    }))

  it.effect("may have packages, and code, that give the names of globals to things of their own", () =>
    Effect.gen(function*() {
      const { publish } = yield* PackageRegistry.PackageRegistry
      const names = ["process", "require", "createRequire", "globalThis", "Object", "URL", "module", "exports"]
      const declared = names.map((name) => `function ${name}() { return "its own ${name}" }`).join("\n")
      publish({
        name: "shadows",
        version: "1.0.0",
        manifest: { type: "module" },
        files: {
          "index.js": `${declared}\nexport { ${names.join()} }`,
          "sep.cjs": `module.exports = require(["node", "path"].join(":")).sep`
        }
      })
      const called = names.map((name) => `${name}()`).join()
      const text = `import * as shadows from "shadows"; import sep from "shadows/sep.cjs"
        ${declared}
        export default { run() { this.$emit([${called}, shadows.process(), sep]) } }`
      const owns = names.map((name) => `its own ${name}`)
      assert.deepStrictEqual(yield* emitted(text), [[...owns, "its own process", "/"]])
    }))

  it.effect("has packages that a package imports without saying so, since some rely on it", () =>
    Effect.gen(function*() {
      const { publish } = yield* PackageRegistry.PackageRegistry
      const files = { "index.js": `export default "relied on"` }
      publish({ name: "relied-on", version: "1.0.0", manifest: { type: "module" }, files })
      publish({
        name: "careless",
        version: "1.0.0",
        manifest: { type: "module" },
        files: { "index.js": `export { default } from "relied-on"` }
      })
      const text = `import found from "careless"; export default { run() { this.$emit(found) } }`
      assert.deepStrictEqual(yield* emitted(text), ["relied on"])
    }))

  it.effect("never runs the scripts of a package, and reads nothing that lies outside of it", () =>
    Effect.gen(function*() {
      const { publish } = yield* PackageRegistry.PackageRegistry
      const directory = yield* TemporaryDirectory.make("outside")
      const secret = `${directory}/secret.json`
      yield* Effect.promise(() => Fs.writeFile(secret, `"secret"`))
      publish({
        name: "sly",
        version: "1.0.0",
        manifest: { scripts: { preinstall: `touch ${directory}/ran`, postinstall: `touch ${directory}/ran` } },
        files: {
          "index.js": `
            const attempt = (read) => { try { return read() } catch (error) { return error.code } }
            module.exports = [
              attempt(() => require(${JSON.stringify(secret)})),
              attempt(() => require(${JSON.stringify("../".repeat(30) + secret.slice(1))})),
              attempt(() => require("./link.json"))
            ]`
        },
        links: { "link.json": secret }
      })
      publish({ name: "slyer", version: "1.0.0", manifest: { main: secret }, files: {} })
      assert.deepStrictEqual(yield* emitted(`import sly from "sly"; export default { run() { this.$emit(sly) } }`), [
        ["MODULE_NOT_FOUND", "MODULE_NOT_FOUND", "MODULE_NOT_FOUND"]
      ])
      const fault = yield* Effect.flip(moduleOf(`import sly from "slyer"; export default { run() {} }`))
      assert.match(fault.message, /"slyer" is not in its package/)
      assert.deepStrictEqual(yield* Effect.promise(() => Fs.readdir(directory)), ["secret.json"])
    }))

  it.effect("reads no file of the server, and does not say whether there is one, by whatever an import leads there", () =>
    Effect.gen(function*() {
      const { publish } = yield* PackageRegistry.PackageRegistry
      const linker = yield* ModuleLinker
      const directory = yield* TemporaryDirectory.make("outside")
      for (const [name, text] of [["secret.json", `{"a":"SECRET"}`], ["secret.txt", "SECRET"], ["secret", "SECRET"]]) {
        yield* Effect.promise(() => Fs.writeFile(`${directory}/${name}`, text!))
      }
      const up = "../".repeat(30)
      let published = 0
      const packageOf = (index: string, main = "") => {
        const name = `astray-${published++}`
        const files = { "index.js": index, "folder/package.json": JSON.stringify({ main }) }
        publish({ name, version: "1.0.0", files })
        return `import astray from "${name}"; export default { run() { this.$emit(astray) } }`
      }
      const lead = (path: string) => [
        `export default { run(n) { return import("${up}${path}" + n) } }`,
        `export default { run(n) { return import(\`${up}${path}\${n}.json\`) } }`,
        `module.exports = { run(n) { return require("./a/${up}${path}" + n + ".txt") } }`,
        packageOf(`exports.get = (n) => require("${up}${path}" + n)`),
        packageOf(`exports.get = (n) => import("./a/${up}${path}" + n + ".json")`),
        ...["", ".json", ".txt"].map((extension) => packageOf(`require("./folder")`, up + path + extension))
      ]
      const told = (text: string) =>
        linker.link(text, alone).pipe(
          Effect.map(Option.match({ onNone: () => "as it is", onSome: ({ code }) => code })),
          Effect.catch(({ message }) => Effect.succeed(message)),
          Effect.map((answer) => answer.replaceAll(/installing-\w+|astray[-_]\d+/g, ""))
        )
      const there = lead(`${directory.slice(1)}/secret`)
      const nowhere = lead(`${directory.slice(1)}/nothing`)
      for (const [index, text] of there.entries()) {
        const answer = yield* told(text)
        assert.notInclude(answer, "SECRET", text)
        assert.strictEqual(answer, yield* told(nowhere[index]!), text)
      }
    }))

  it.effect("has of packages no more text than it takes to run them, and names the one that is too large all the same", () =>
    Effect.gen(function*() {
      const { publish } = yield* PackageRegistry.PackageRegistry
      const large = 17 * 1024 * 1024
      publish({
        name: "talkative",
        version: "1.0.0",
        files: { "index.js": `/*! ${"licence ".repeat(large / 8)} */\nmodule.exports = "sözcük"` }
      })
      publish({
        name: "googleapis",
        version: "1.0.0",
        files: { "index.js": `module.exports = ${JSON.stringify("x".repeat(large))}` }
      })
      const importing = (name: string) => `import it from "${name}"; export default { run() { this.$emit(it) } }`
      assert.isBelow((yield* moduleOf(importing("talkative"))).code.length, 10_000)
      assert.deepStrictEqual(yield* emitted(importing("talkative")), ["sözcük"])
      const fault = yield* Effect.flip(moduleOf(importing("googleapis")))
      assert.match(
        fault.message,
        /^The component, with its imports, has 17,82\d,\d{3} characters of code, over the limit of 16,777,216\. The package "googleapis" takes 17,82\d,\d{3} of them: instead import @googleapis\/<api>, such as @googleapis\/drive$/
      )
    }))

  it.effect("has packages of the scope @jsr from the registry alone, as all others", () =>
    Effect.gen(function*() {
      const registry = yield* PackageRegistry.PackageRegistry
      registry.publish({ name: "@jsr/std__case", version: "1.0.0", files: { "index.js": `module.exports = "own"` } })
      registry.publish({
        name: "casing",
        version: "1.0.0",
        manifest: { dependencies: { "@jsr/std__case": "1.0.0" } },
        files: { "index.js": `module.exports = require("@jsr/std__case") + " too"` }
      })
      const codeOf = (name: string) => `import it from "${name}"; export default { run() { this.$emit(it) } }`
      assert.deepStrictEqual(yield* emitted(codeOf("@jsr/std__case")), ["own"])
      assert.deepStrictEqual(yield* emitted(codeOf("casing")), ["own too"])
      registry.publish({
        name: "stray",
        version: "1.0.0",
        manifest: { dependencies: { text: "jsr:@std/text@1" } },
        files: { "index.js": `module.exports = require("text")` }
      })
      const fault = yield* Effect.flip(moduleOf(codeOf("stray")))
      assert.include(fault.message, "stray")
    }))

  it.effect("names the import that can't be had, where it stands", () =>
    Effect.gen(function*() {
      const { publish } = yield* PackageRegistry.PackageRegistry
      publish({ name: "there", version: "1.0.0", files: { "index.js": "" } })
      publish({
        name: "roundabout",
        version: "1.0.0",
        manifest: { dependencies: { elsewhere: "http://127.0.0.1:1/elsewhere.tgz" } },
        files: { "index.js": `require("elsewhere")` }
      })
      publish({ name: "compiled", version: "1.0.0", files: { "index.js": "", "binding.gyp": "{}" } })
      publish({
        name: "prebuilt",
        version: "1.0.0",
        files: { "index.js": `require("./addon.node")`, "addon.node": "" }
      })
      publish({
        name: "platforms",
        version: "1.0.0",
        files: {
          "index.js":
            "let addon\ntry { addon = require(`./build/addon-${process.arch}.node`) } catch {}\nmodule.exports = addon"
        }
      })
      const faultOf = (specifier: string) =>
        inspected(`import there from "there"\n  import "${specifier}"\nexport default { run() {} }`).pipe(
          Effect.flip,
          Effect.map((fault) => ({
            message: fault.message,
            line: fault._tag === "ModuleFaulty" ? fault.at.line : undefined
          }))
        )
      const absent = yield* faultOf("nowhere")
      assert.strictEqual(absent.line, 2)
      assert.match(absent.message, /^"nowhere" can't be installed: .*'nowhere'/)
      assert.match((yield* faultOf("there@^2")).message, /^"there@\^2" can't be installed: .*'there'/)
      assert.match((yield* faultOf("there@beta/file.js")).message, /^"there@beta\/file\.js" can't be installed/)
      const inside = yield* faultOf("there/nothing.js")
      assert.deepStrictEqual(inside, { message: `"there/nothing.js" is not in its package`, line: 2 })
      assert.match((yield* faultOf("roundabout")).message, /elsewhere/)
      assert.match((yield* faultOf("compiled")).message, /compiled\/index\.js is of a native addon/)
      assert.match((yield* faultOf("prebuilt")).message, /addon\.node is of a native addon/)
      assert.match((yield* faultOf("platforms")).message, /^platforms\/index\.js is of a native addon/)
    }))

  it.effect("keeps the versions of a lock, and gets them without the registry", () =>
    Effect.gen(function*() {
      const registry = yield* PackageRegistry.PackageRegistry
      const linker = yield* ModuleLinker
      registry.publish({ name: "steady", version: "1.0.0", files: { "index.js": "module.exports = 'one'" } })
      const text = `import steady from "steady"; export default { run() { this.$emit(steady) } }`
      const first = Option.getOrThrow(yield* linker.link(text, alone))
      registry.publish({ name: "steady", version: "1.1.0", files: { "index.js": "module.exports = 'two'" } })
      assert.match(Option.getOrThrow(yield* linker.link(text, alone)).code, /= ?['"]two/)
      assert.match(Option.getOrThrow(yield* linker.link(`${text}\n`, { ...alone, previous: first })).code, /= ?['"]one/)
      registry.up = false
      assert.match(Option.getOrThrow(yield* linker.link(`${text}\n`, { ...alone, previous: first })).code, /= ?['"]one/)
      const { _tag } = yield* Effect.flip(linker.link(text, alone))
      assert.strictEqual(_tag, "PackagesUnreachable")
    }).pipe(Effect.ensuring(Effect.map(PackageRegistry.PackageRegistry, (registry) => {
      registry.up = true
    }))))

  it.effect("imports a saved component in the version that it had, or in the newest where that is gone", () =>
    Effect.gen(function*() {
      const linker = yield* ModuleLinker
      const text = `import say from "registry:say"\nexport default { run() { this.$emit(say) } }`
      const saved = new Map([["1", "export default 'first'"], ["2", "export default 'second'"]])
      const componentOf: LinkOptions<never>["componentOf"] = ({ version = "2" }) =>
        Effect.succeed(Option.map(Option.fromUndefinedOr(saved.get(version)), (code) => ({ code, version })))
      const link = (components: ReadonlyArray<string>) =>
        Effect.map(linker.link(text, { previous: { components }, componentOf }), Option.getOrThrow)
      const kept = yield* link(["registry:say@1"])
      assert.deepStrictEqual(kept.components, ["registry:say@1"])
      assert.match(kept.code, /first/)
      saved.delete("1")
      const newer = yield* link(["registry:say@1"])
      assert.deepStrictEqual(newer.components, ["registry:say@2"])
      assert.match(newer.code, /second/)
    }))

  it.effect("refuses saved components that are too large together, where the first that is too much is imported", () =>
    Effect.gen(function*() {
      const linker = yield* ModuleLinker
      const code = `export default ${JSON.stringify("x".repeat(LargeImports.maxCharacters / 2))}`
      const text =
        `import a from "registry:a"\nimport b from "registry:b"\nexport default { run() { this.$emit([a, b]) } }`
      const componentOf = () => Effect.succeedSome({ code, version: "1" })
      const fault = yield* Effect.flip(linker.link(text, { previous: undefined, componentOf }))
      assert.strictEqual(fault._tag, "ModuleFaulty")
      assert.match(fault.message, /^"registry:b" is too large/)
    }))
})
