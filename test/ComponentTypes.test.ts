import { assert, it, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as ModuleServer from "@headwater/fixtures/ModuleServer"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect, Schema } from "effect"
import { spawnSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as DocumentServer from "./documents/DocumentServer.ts"
import * as Examples from "./documents/Examples.ts"

const root = Path.resolve(import.meta.dirname, "..")

/** A folder of its own that finds packages, and `@headwater/component` among them, as an author's project does. */
const projectOf = Effect.fnUntraced(function*(
  files: Readonly<Record<string, string>>,
  options: Readonly<Record<string, unknown>> = {}
) {
  const folder = yield* TemporaryDirectory.make("types")
  Fs.symlinkSync(Path.join(root, "node_modules"), Path.join(folder, "node_modules"))
  const compilerOptions = {
    target: "ES2024",
    module: "NodeNext",
    lib: ["ES2024"],
    types: ["node"],
    strict: true,
    allowJs: true,
    checkJs: true,
    skipLibCheck: false,
    noEmit: true,
    allowImportingTsExtensions: true,
    ...options
  }
  const written = {
    "tsconfig.json": JSON.stringify({ compilerOptions }),
    "package.json": `{"type":"module"}`,
    ...files
  }
  for (const [name, text] of Object.entries(written)) {
    Fs.mkdirSync(Path.dirname(Path.join(folder, name)), { recursive: true })
    Fs.writeFileSync(Path.join(folder, name), text)
  }
  return folder
})

/** What the compiler says of a folder, a line for each fault. */
const compile = (folder: string): ReadonlyArray<string> => {
  const { stdout } = spawnSync(process.execPath, [Path.join(root, "node_modules/.bin/tsc"), "--pretty", "false"], {
    cwd: folder,
    encoding: "utf8"
  })
  return stdout.split("\n").filter((line) => line !== "" && !line.startsWith(" "))
}

/** Where each is wrong is marked by a comment in front of it. */
const mark = "/*!*/"

const source = (props: string, more = ""): string =>
  `import { defineSource } from "@headwater/component"

interface Order {
  readonly order: number
}

export default defineSource({${more}
  props: {
    http: "$.interface.http",
    ${props}
  },
  run(event) {
    const order: Order = event.body
    this.$emit(order)
  }
})
`

const app = `import { defineApp, defineSource } from "@headwater/component"

const shop = defineApp({
  type: "app",
  app: "shop",
  propDefinitions: {
    branch: { type: "string", label: "Branch" }
  }
})
`

const wrong: Readonly<Record<string, string>> = {
  "a type that there is not": source(`limit: { ${mark}type: "strng", label: "Limit" }`),
  "a type that there is not, by itself": source(`${mark}limit: "strng"`),
  "what is neither a type nor an object": source(`${mark}limit: 5`),
  "a default of another type": source(`limit: { type: "integer", ${mark}default: "five" }`),
  "a default that is not among the options": source(
    `unit: { type: "string", options: ["a", "b"], ${mark}default: "c" }`
  ),
  "an option of another type": source(`unit: { type: "string", options: ["a", ${mark}5] }`),
  "a label that is no text": source(`limit: { type: "integer", ${mark}label: 5 }`),
  "a flag that is not true or false": source(`limit: { type: "integer", ${mark}optional: "yes" }`),
  "a bound that is no number": source(`limit: { type: "integer", ${mark}min: "1" }`),
  "an endpoint whose answers are a text": source(`hook: { type: "$.interface.http", ${mark}customResponse: "yes" }`),
  "a fault behind right props": source(`a: { type: "string" },
    b: "boolean",
    c: {
      type: "string[]",
      label: "Each",
      ${mark}default: "one"
    }`),
  "a dedupe that there is not": source(`a: "string"`, `\n  ${mark}dedupe: "uniqe",`),
  "a member that there is not": source(`a: "string"`, `\n  ${mark}hook: { deploy() {} },`),
  "a hook that there is not": source(`a: "string"`, `\n  hooks: { ${mark}actvate() {} },`),
  "a hook that is no function": source(`a: "string"`, `\n  hooks: { ${mark}deploy: "now" },`),
  "a name that is no text": source(`a: "string"`, `\n  ${mark}name: 7,`),
  "a propDefinition that its app does not have": `${app}
export default defineSource({
  props: { shop, branch: { propDefinition: [shop, ${mark}"brunch"] } },
  run() {}
})
`,
  "a prop of an app": `${app.replace(`{ type: "string", label`, `{ ${mark}type: "strng", label`)}
export default defineSource({
  props: { shop, http: "$.interface.http" },
  run() {}
})
`
}

const ofWorkflow: Readonly<Record<string, string>> = {
  "a prop of a workflow": `import { defineWorkflow } from "@headwater/component"

export default defineWorkflow({
  props: { limit: { type: "integer", ${mark}default: "five" } },
  steps: { check: { run() {} } }
})
`,
  "a step without run": `import { defineWorkflow } from "@headwater/component"

export default defineWorkflow({
  steps: {
    first: { run() {} },
    ${mark}second: { props: { limit: "integer" } }
  }
})
`,
  "a member of a workflow that there is not": `import { defineWorkflow } from "@headwater/component"

export default defineWorkflow({
  ${mark}hooks: {},
  run() {}
})
`
}

/** To the compiler it may be a step without code. */
const { "a step without run": _, ...ofCompiler } = ofWorkflow

const all = { ...wrong, ...ofCompiler }

const markedIn = (code: string) => {
  const lines = code.slice(0, code.indexOf(mark) + mark.length).split("\n")
  return { line: lines.length, column: lines.at(-1)!.length + 1 }
}

const fileOf = (title: string) => `${title.replaceAll(/\W+/g, "-")}.ts`

it.live("the compiler refuses what is wrong with a definition, at its place", () =>
  Effect.gen(function*() {
    const folder = yield* projectOf(
      Object.fromEntries(Object.entries(all).map(([title, code]) => [fileOf(title), code]))
    )
    const first = new Map<string, string>()
    for (const line of compile(folder)) {
      const [, file = "", row, column] = /^(.*)\((\d+),(\d+)\): error/.exec(line) ?? []
      if (!first.has(file)) first.set(file, `${row}:${column}`)
    }
    const expected = Object.entries(all).map(([title, code]) => {
      const { column, line } = markedIn(code)
      return [fileOf(title), `${line}:${column}`] as const
    })
    assert.deepStrictEqual(Object.fromEntries(first), Object.fromEntries(expected))
  }).pipe(Effect.scoped))

layer(DocumentServer.DocumentServer.layer, { excludeTestServices: true })(
  "what the compiler refuses",
  (it) => {
    for (const [title, code] of Object.entries(all)) {
      it.effect(`${title}: the server refuses it too, at the same place`, () =>
        Effect.gen(function*() {
          const answer = yield* (title in wrong
            ? DocumentServer.send("POST", "/components", { component_code: code })
            : DocumentServer.send("POST", "/workflows", { workflow_code: code }))
          assert.strictEqual(answer.status, 422, JSON.stringify(answer.json))
          const { column, line, message } = answer.json["details"]!
          assert.deepStrictEqual<unknown>({ line, column }, markedIn(code), Json.textOf(message))
        }))
    }

    it.effect("is refused in the file that it is in", () =>
      Effect.gen(function*() {
        const component = `import { shop } from "./shop.ts"
import { defineSource } from "@headwater/component"
export default defineSource({ props: { shop }, run() {} })
`
        const app = `import { defineApp } from "@headwater/component"

export const shop = defineApp({ type: "app", app: "shop", propDefinitions: { a: { ${mark}type: "strng" } } })
`
        const { origin } = yield* ModuleServer.make({ "/orders.ts": component, "/shop.ts": app })
        const { json } = yield* DocumentServer.send("POST", "/components", { component_url: `${origin}/orders.ts` })
        const { column, file, line } = json["details"]!
        assert.deepStrictEqual<unknown>({ file, line, column }, { file: "/shop.ts", ...markedIn(app) })
      }))

    it.effect("passes where the component knows nothing of the types", () =>
      Effect.gen(function*() {
        const component_code =
          `export default { props: { a: "$.vendor.thing", b: { type: "strng" } }, hook: 1, run() {} }`
        const { json, status } = yield* DocumentServer.send("POST", "/components", { component_code })
        assert.strictEqual(status, 200, JSON.stringify(json))
      }))

    it.effect("a workflow is not taken for a source, nor a source for a workflow", () =>
      Effect.gen(function*() {
        const codeOf = (define: string) =>
          `import { ${define} } from "@headwater/component"\nexport default ${define}({ run() {} })`
        const source = yield* DocumentServer.send("POST", "/components", { component_code: codeOf("defineWorkflow") })
        assert.match(Json.textOf(source.json["details"]!["message"]), /defines a workflow, not a source/)
        const workflow = yield* DocumentServer.send("POST", "/workflows", { workflow_code: codeOf("defineSource") })
        assert.match(Json.textOf(workflow.json["details"]!["message"]), /defines a source, not a workflow/)
      }))
  }
)

/** Code whose definition is given to a function of `@headwater/component`. */
const defined = (code: string, define: string): string => {
  const wrapped = code
    .replace(/^(export default) \{\n([\s\S]*?)^\}$/m, `$1 ${define}({\n$2})`)
    .replace(/^(module\.exports =) \{\n([\s\S]*?)^\}$/m, `$1 require("@headwater/component").${define}({\n$2})`)
    .replace(`"@pipedream/types"`, `"@headwater/component"`)
  assert.include(wrapped, `${define}({`, code)
  return wrapped.includes("import { defineSource }") || wrapped.includes("require(")
    ? wrapped
    : `import { ${define} } from "@headwater/component"\n${wrapped}`
}

const defineFor = (code: string, otherwise: string): string =>
  /^ {2}type: "app",$/m.test(code) ? "defineApp" : otherwise

const ofDocument = (name: string, define: string): Readonly<Record<string, string>> => {
  const { files, programs } = Examples.read(DocumentServer.read(name), Schema.Any)
  const all = [...programs, ...files].map(({ code, file, title }) => {
    const type = /^interface /m.test(code) ? "ts" : /^module\.exports/m.test(code) ? "cjs" : "mjs"
    const path = `${Path.basename(name, ".md")}/${file ?? `${title.replaceAll(/\W+/g, "-")}.${type}`}`
    const isDefinition = /^(export default|module\.exports =) (?!defineComponent\(|\{ lang: "python")/m.test(code)
    return [path, isDefinition ? defined(code, defineFor(code, define)) : code] as const
  })
  return Object.fromEntries(all)
}

const firstParty = (): Readonly<Record<string, string>> => {
  const folder = Path.join(root, "packages/components/src")
  const names = Fs.readdirSync(folder).filter((name) => name.endsWith(".mjs"))
  return Object.fromEntries(names.map((name) => {
    const code = Fs.readFileSync(Path.join(folder, name), "utf8")
    const isDefinition = /^export default/m.test(code)
    return [`first-party/${name}`, isDefinition ? defined(code, "defineSource") : `// @ts-nocheck\n${code}`]
  }))
}

/** What two components that come with the server hand from one method to another, and do not say the type of. */
const ofMethods = ["first-party/imap.mjs(217", "'secretEncoding' is missing in type '{ secret: any; }'"]

/** Streams that Node's fetch takes and gives: the library of browsers, which has other types for them, stands for it here. */
const ofStreams = ["archive.mjs(14,41): error TS2345", "archive.mjs(20,79): error TS2769"]

it.live("components and workflows of the documents, and those that come with the server, compile", () =>
  Effect.gen(function*() {
    const files = {
      ...ofDocument("components.md", "defineSource"),
      ...ofDocument("workflows.md", "defineWorkflow"),
      ...firstParty(),
      // Packages with a version in their name, and those that the server has in place of others.
      "modules.d.ts": `declare module "*"\n`
    }
    assert.isAbove(Object.keys(files).length, 50)
    // They are JavaScript that was not written for the compiler: only what it knows of `this` and of events counts.
    const folder = yield* projectOf(files, { strict: false, noImplicitThis: true, lib: ["ES2024", "DOM"] })
    assert.deepStrictEqual(
      compile(folder).filter((line) => ![...ofMethods, ...ofStreams].some((known) => line.includes(known))),
      []
    )
  }).pipe(Effect.scoped))

it.live("what the types of a definition say holds, and the compiler refuses wrong uses of them", () =>
  Effect.gen(function*() {
    const tests = Path.join(root, "packages/component/test")
    const files = Object.fromEntries(
      Fs.readdirSync(tests).map((name) => [name, Fs.readFileSync(Path.join(tests, name), "utf8")])
    )
    const folder = yield* projectOf(files, { exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true })
    assert.deepStrictEqual(compile(folder), [])
  }).pipe(Effect.scoped))
