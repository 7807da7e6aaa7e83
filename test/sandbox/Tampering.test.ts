import { assert, layer } from "@effect/vitest"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { type Account, canary, componentOf, HostileServer } from "./HostileServer.ts"

/** Where nothing may come to lie, with a file that nothing may read. */
const forbiddenDirectory = Effect.gen(function*() {
  const directory = yield* TemporaryDirectory.make("forbidden")
  const secret = Path.join(directory, "secret.json")
  yield* Effect.promise(() => Fs.writeFile(secret, JSON.stringify(canary)))
  return { directory, secret }
})

const filesBelow = (directory: string) => Effect.promise(() => Fs.readdir(directory, { recursive: true }))

layer(HostileServer.layer, { excludeTestServices: true })(
  "Hostile packages and modules",
  (it) => {
    /** What a component says that emits what it imports as `found`. */
    const foundBy = Effect.fnUntraced(function*(account: Account, imports: string) {
      const { status, json, text } = yield* account.send("POST", "/sources", {
        component_code: `${imports}
        export default { name: String(found), props: { http: "$.interface.http" }, run() {} }`
      })
      assert.strictEqual(status, 200, text)
      return json["data"]!["name"]
    })

    it.effect("a package runs no script, unpacks to nowhere but its folder, and links to no file of the machine", () =>
      Effect.gen(function*() {
        const { dataDirectory, neighbour, registry, run } = yield* HostileServer
        const { directory, secret } = yield* forbiddenDirectory
        const touch = `touch ${directory}/ran`
        registry.publish({
          name: "sly",
          version: "1.0.0",
          manifest: { scripts: { preinstall: touch, install: touch, postinstall: touch, prepare: touch } },
          files: {
            "index.js": `
            const attempt = (read) => { try { return read() } catch (error) { return error.code } }
            module.exports = [
              attempt(() => require(${JSON.stringify(secret)})),
              attempt(() => require("./link.json")),
              attempt(() => require("./up/secret.json"))
            ]`
          },
          links: { "link.json": secret, "up": directory }
        })
        const { emitted } = yield* run(`import sly from "sly"\n${componentOf(`this.$emit(sly)`)}`)
        assert.deepStrictEqual<unknown>(emitted, [["MODULE_NOT_FOUND", "MODULE_NOT_FOUND", "MODULE_NOT_FOUND"]])

        registry.publish({
          name: "astray",
          version: "1.0.0",
          files: { "index.js": "module.exports = 1" },
          strays: {
            [`${directory}/absolute.js`]: "astray",
            [`package/${"../".repeat(12)}${directory.slice(1)}/upwards.js`]: "astray",
            "package/../../../beside.js": "astray"
          }
        })
        yield* neighbour.account.send("POST", "/sources", {
          component_code: `import astray from "astray"; export default { name: String(astray), run() {}, props: {} }`
        })
        assert.deepStrictEqual(yield* filesBelow(directory), ["secret.json"])
        const below = yield* filesBelow(Path.join(dataDirectory, "packages"))
        const beside = below.filter((path) =>
          path.endsWith("beside.js") && !path.includes(Path.join("astray", "1.0.0"))
        )
        assert.deepStrictEqual(beside, [])
        yield* neighbour.undisturbed
      }))

    it.effect("a package whose archive is not the one that its registry told of is refused, and so are native addons", () =>
      Effect.gen(function*() {
        const { neighbour, refusal, registry } = yield* HostileServer
        const files = { "index.js": "module.exports = 'swapped'" }
        const integrity = `sha512-${createHash("sha512").update("another").digest("base64")}`
        registry.publish({ name: "swapped", version: "1.0.0", files, integrity })
        registry.publish({ name: "compiled", version: "1.0.0", files: { ...files, "binding.gyp": "{}" } })
        for (const [name, why] of [["swapped", /integrity|checksum/i], ["compiled", /native/i]] as const) {
          const reason = yield* refusal(`import found from "${name}"; export default { props: {}, run() {} }`)
          assert.include(reason, name)
          assert.match(reason, why)
        }
        yield* neighbour.undisturbed
      }))

    it.effect("a module reads no file of the server's, nor learns whether there is one", () =>
      Effect.gen(function*() {
        const { dataDirectory, hostile, neighbour, refusal } = yield* HostileServer
        const { secret } = yield* forbiddenDirectory
        const server = Path.resolve(import.meta.dirname, "../../apps/server/src/Server.ts")
        for (const path of [secret, `${dataDirectory}/secret-key`, server]) {
          for (
            const importing of [
              (target: string) => `import found from ${JSON.stringify(target)}`,
              (target: string) => `import found from ${JSON.stringify(target)} with { type: "text" }`,
              (target: string) => `import found from ${JSON.stringify("file://" + target)}`,
              (target: string) => `import found from ${JSON.stringify("../".repeat(12) + target.slice(1))}`,
              (target: string) => `const found = require(${JSON.stringify(target)})`
            ]
          ) {
            const told = yield* Effect.forEach([path, `${path}-absent`], (target) =>
              Effect.map(
                hostile.send("POST", "/sources", {
                  component_code: `${importing(target)}\nexport default { name: String(found), props: {}, run() {} }`
                }),
                ({ status, text }) =>
                  `${status} ${
                    text.replaceAll(target, "it").replaceAll(target.slice(1), "it").replace(/"request_id":"[^"]*"/, "")
                  }`
              ))
            assert.match(told[0]!, /^422 /)
            assert.notInclude(told[0]!, canary)
            assert.strictEqual(told[0], told[1])
          }
        }
        assert.notInclude(yield* refusal(`import "${secret}"`), canary)
        yield* neighbour.undisturbed
      }))

    it.effect("what one account installs, or changes of a package as it runs, is not what another gets", () =>
      Effect.gen(function*() {
        const { hostile, neighbour, registry } = yield* HostileServer
        const asked = `import found from "shared"`
        registry.publish({ name: "shared", version: "1.0.0", files: { "index.js": `module.exports = ["good"]` } })
        registry.publish({
          name: "impostor",
          version: "1.0.0",
          manifest: { name: "shared", bundledDependencies: ["shared"] },
          files: {
            "index.js": `module.exports = ["impostor"]`,
            "node_modules/shared/package.json": `{"name":"shared","version":"1.0.0"}`,
            "node_modules/shared/index.js": `module.exports = ["bundled"]`
          }
        })
        registry.publish({
          name: "dependent",
          version: "1.0.0",
          manifest: { dependencies: { shared: "npm:impostor@1.0.0" } },
          files: { "index.js": `module.exports = require("shared")` }
        })
        assert.strictEqual<unknown>(yield* foundBy(hostile, `import found from "dependent"`), "impostor")
        assert.strictEqual<unknown>(yield* foundBy(hostile, `${asked}; found[0] = "changed"`), "changed")
        assert.strictEqual<unknown>(yield* foundBy(neighbour.account, asked), "good")
        assert.strictEqual<unknown>(yield* foundBy(neighbour.account, `import found from "shared@1.0.0"`), "good")
        yield* neighbour.undisturbed
      }))
  }
)
