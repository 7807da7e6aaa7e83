import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Path from "node:path"
import * as Files from "../../test/Files.ts"
import { ComponentFiles } from "./ComponentFiles.ts"

const bundled = Effect.fnUntraced(function*(entry: string, files: Readonly<Record<string, string>>) {
  const folder = yield* Files.make(files)
  const looked = new Set<string>()
  const bundle = yield* (yield* ComponentFiles).bundle(Path.join(folder, entry), looked)
  return { ...bundle, looked: [...looked].map((path) => Path.relative(folder, path)), folder }
})

const refusal = (entry: string, files: Readonly<Record<string, string>>) =>
  Effect.map(
    Effect.flip(bundled(entry, files)),
    ({ message }) => message.replace(/^\S*headwater-component-[^/]+\//, "")
  )

/** The specifiers of the imports that a module has, in their order. */
const importsOf = (code: string) => [...code.matchAll(/^import .*?"(.*)";$/gm)].map(([, specifier]) => specifier)

layer(ComponentFiles.layer.pipe(Layer.provideMerge(NodeServices.layer)), { excludeTestServices: true })(
  "a component's files",
  (it) => {
    it.effect("become one module, found as Node and TypeScript find them", () =>
      Effect.gen(function*() {
        const { code, looked } = yield* bundled("a/source.ts", {
          "a/source.ts": `
            import { exact } from "../lib/exact.mjs"
            import { compiled } from "../lib/compiled.js"
            import { short } from "../lib/short"
            import { folder } from "../lib"
            import { above } from ".."
            import data from "../lib/data.json" with { type: "json" }
            import type { Gone } from "./gone.ts"
            export default { values: [exact, compiled, short, folder, above, data.value] as Array<Gone> }`,
          "lib/exact.mjs": "export const exact = 1",
          "lib/compiled.ts": "export const compiled: number = 2",
          "lib/short.mts": "export const short: number = 3",
          "lib/index.js": "export const folder = 4",
          "index.mjs": "export { above } from \"./lib/above.cjs\"",
          "lib/above.cjs": "exports.above = 5",
          "lib/data.json": "{\"value\": 6}"
        })
        const { default: component }: { readonly default: unknown } = yield* Effect.promise(() =>
          import(`data:text/javascript,${encodeURIComponent(code)}`)
        )
        assert.deepStrictEqual(component, { values: [1, 2, 3, 4, 5, 6] })
        assert.sameMembers(looked, [
          "a/source.ts",
          "lib/exact.mjs",
          "lib/compiled.ts",
          "lib/short.mts",
          "lib/index.js",
          "index.mjs",
          "lib/above.cjs",
          "lib/data.json"
        ])
      }))

    it.effect("stay as they are where there is one and nothing of it changes", () =>
      Effect.gen(function*() {
        const text = `import "axios"\n// what was written\nexport default {} as object\n`
        const { code, folder, place } = yield* bundled("a.ts", { "a.ts": text })
        assert.strictEqual(code, text)
        const file = Path.join(folder, "a.ts")
        assert.deepStrictEqual(place(3, 5), { file, line: 3, column: 5 })
      }))

    it.effect("ask for packages at the ranges of the package.json above, where those are plain", () =>
      Effect.gen(function*() {
        const names = ["@a/b", "git", "work", "@pipedream/platform", "fs", "axios@1.0.0", "unknown", "either", "dev"]
        const { code } = yield* bundled("src/deep/a.mjs", {
          "src/deep/a.mjs": `${names.map((name) => `import ${JSON.stringify(name)}`).join("\n")}
            import "@a/b/lib/x.js"
            export { y } from "./nested/b.mjs"
            export default {}`,
          "src/deep/nested/b.mjs": "import x from \"@a/b\"\nexport const y = x",
          "src/deep/nested/package.json": JSON.stringify({ dependencies: { "@a/b": "3.x" } }),
          "package.json": JSON.stringify({
            dependencies: {
              "@a/b": "^1.2.0",
              git: "github:a/b",
              work: "workspace:*",
              "@pipedream/platform": "^3",
              fs: "1.0.0",
              axios: "^2",
              either: " 1.x || >=3 <4 "
            },
            devDependencies: { dev: "~4.0.1" }
          })
        })
        assert.sameMembers(importsOf(code), [
          "@a/b@^1.2.0",
          "git",
          "work",
          "@pipedream/platform",
          "node:fs",
          "axios@1.0.0",
          "unknown",
          "either@1.x || >=3 <4",
          "dev@~4.0.1",
          "@a/b@^1.2.0/lib/x.js",
          "@a/b@3.x"
        ])
      }))

    it.effect("import what CommonJS among them requires, under the pinned name", () =>
      Effect.gen(function*() {
        const { code } = yield* bundled("a.cjs", {
          "a.cjs": "const axios = require(\"axios\")\nmodule.exports = { run() { axios.get(\"\") } }",
          "package.json": JSON.stringify({ dependencies: { axios: "^1.0.0" } })
        })
        assert.deepStrictEqual(importsOf(code), ["axios@^1.0.0"])
        assert.notInclude(code, "require(\"")
      }))

    it.effect("are steps where they are written in Python, also by themselves", () =>
      Effect.gen(function*() {
        const python = "def handler(pd):\n    return \"ü`${x}`\"\n"
        const step = { lang: "python", code: python }
        const load = async (code: string) =>
          (await import(`data:text/javascript,${encodeURIComponent(code)}`) as { readonly default: unknown }).default
        const { code } = yield* bundled("a.mjs", {
          "a.mjs": "import total from \"./total.py\"\nexport default { steps: { total: { ...total, props: {} } } }",
          "total.py": python
        })
        assert.deepStrictEqual(yield* Effect.promise(() => load(code)), { steps: { total: { ...step, props: {} } } })
        const alone = yield* bundled("total.py", { "total.py": python })
        assert.deepStrictEqual(yield* Effect.promise(() => load(alone.code)), step)
      }))

    it.effect("are refused with the place of what is wrong", () =>
      Effect.gen(function*() {
        const missing = { "a.mjs": "import \"./b.mjs\"", "b.mjs": "\nexport * from \"./c/d.ts\"" }
        assert.strictEqual(yield* refusal("a.mjs", missing), "b.mjs:2:15: There is no file \"./c/d.ts\"")
        const text = { "a.mjs": "import \"./b.sql\"", "b.sql": "select 1" }
        assert.match(yield* refusal("a.mjs", text), /^b\.sql:1:1: The file is neither code/)
        const broken = { "a.mjs": "import \"./b.mjs\"", "b.mjs": "export const x =\n  ]" }
        assert.strictEqual(yield* refusal("a.mjs", broken), "b.mjs:2:3: Unexpected \"]\"")
      }))
  }
)
