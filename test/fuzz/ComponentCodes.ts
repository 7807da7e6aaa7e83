import type { Schema } from "effect"
import * as FastCheck from "fast-check"
import * as Placeholder from "./Placeholder.ts"
import * as Texts from "./Texts.ts"

/** How many different keys an account's components have. */
export const keyCount = 4

/** Declared by every component that is to work, so that the same values fit all of them. */
const props = `
    text: { type: "string", optional: true, label: "${Placeholder.marker} label", default: "${Placeholder.marker} default" },
    count: { type: "integer", optional: true, min: 0, max: 1000 },
    flag: { type: "boolean", optional: true },
    list: { type: "string[]", optional: true },
    choice: { type: "string", optional: true, options: ["one", { label: "Two", value: "two" }] },
    shape: { type: "object", optional: true },
    any: { type: "any", optional: true },
    hidden: { type: "string", optional: true, secret: true },
    timer: { type: "$.interface.timer", default: { intervalSeconds: 86400 } },
    db: "$.service.db",`

/** What a run does with a request is in its path and query, so that one component does everything. */
const run = `
  async run(event) {
    // What other sources emit ends here, or sources that listen to each other would never come to rest.
    if (event.method === undefined && event.timestamp === undefined) return this.db.set("heard", 1)
    const path = event.path ?? "/tick"
    const query = event.query ?? {}
    const count = (this.db.get("count") ?? 0) + 1
    this.db.set("count", count)
    this.db.set("${Placeholder.marker}", event)
    console.log("${Placeholder.marker} log", count)
    if (path.startsWith("/throw")) throw new RangeError("${Placeholder.marker} thrown")
    if (path.startsWith("/many")) {
      for (let i = 0; i < 20; i++) this.$emit({ i, marker: "${Placeholder.marker}" }, { id: i, name: "s" + (i % 3) })
    }
    const summary = "${Placeholder.marker} " + (event.method ?? "TIMER")
    this.$emit(event, { id: query.id, summary, name: query.name, ts: Date.now() })
    if (path.startsWith("/big")) this.$emit({ filler: "${Placeholder.marker}" + "z".repeat(5000), text: this.text })
    if (path.startsWith("/silent") || this.http === undefined || this.http.respond === undefined) return
    const headers = { "x-component": "${Placeholder.marker}", "content-type": query.type ?? "text/plain" }
    await this.http.respond({ status: query.status ?? 200, headers, body: { marker: "${Placeholder.marker}", count } })
  },`

const key = FastCheck.nat({ max: keyCount - 1 }).map((index) => `"${Placeholder.marker}-k${index}"`)

const version = FastCheck.constantFrom("0.0.1", "1.0.0", "1.2.3-beta", "${}", "")

interface Shape {
  readonly key: string
  readonly version: string
  readonly http: "none" | "plain" | "custom"
  readonly dedupe: string
  readonly batch: string
  readonly hooks: string
  readonly description: string
}

const hooks = FastCheck.constantFrom(
  "",
  "",
  "",
  `hooks: { async deploy() { this.$emit({ deployed: "${Placeholder.marker}" }) } },`,
  `hooks: { async activate() { this.db.set("on", 1) }, async deactivate() { this.db.set("on", 0) } },`
)

const written = (shape: Shape): string =>
  `// ${Placeholder.marker}
export default {
  key: ${shape.key},
  name: "${Placeholder.marker} component",
  version: ${JSON.stringify(shape.version)},
  description: ${JSON.stringify(shape.description)},
  type: "source",
  ${shape.dedupe}
  ${shape.batch}
  props: {${props}
    ${shape.http === "none" ? "" : `http: { type: "$.interface.http", customResponse: ${shape.http === "custom"} },`}
  },
  ${shape.hooks}${run}
}
`

/** Code of components that load, and whose hooks succeed. */
export const working: FastCheck.Arbitrary<string> = FastCheck.record<Shape>({
  key,
  version,
  http: FastCheck.constantFrom("plain", "plain", "custom", "none"),
  dedupe: FastCheck.constantFrom("", "", `dedupe: "unique",`, `dedupe: "greatest",`, `dedupe: "last",`),
  batch: FastCheck.constantFrom("", "", "batch: true,", "batch: { maxEvents: 3, maxWaitMs: 50 },"),
  hooks,
  description: Texts.marked(100)
}).map(written)

/** A working component as it lies behind a URL, with placeholders for the marker. */
export const hosted: string = written({
  key: `"${Placeholder.marker}-k0"`,
  version: "1.0.0",
  http: "plain",
  dedupe: "",
  batch: "",
  hooks: "",
  description: `${Placeholder.marker} hosted`
})

/** Values that fit the props of every working component. */
export const configuredProps: FastCheck.Arbitrary<Schema.JsonObject> = FastCheck.record<Record<string, Schema.Json>>({
  text: Texts.marked(200),
  count: FastCheck.oneof(FastCheck.constantFrom(0, 1_000), FastCheck.integer({ min: 0, max: 1_000 })),
  flag: FastCheck.boolean(),
  list: FastCheck.array(Texts.marked(30), { maxLength: 4 }),
  choice: FastCheck.constantFrom("one", "two"),
  shape: FastCheck.dictionary(FastCheck.oneof(Texts.plain(10), Texts.prototypeName), Texts.marked(20), { maxKeys: 4 }),
  any: FastCheck.oneof(
    FastCheck.dictionary(Texts.prototypeName, Texts.marked(20), { maxKeys: 3 }),
    FastCheck.array(Texts.marked(20), { maxLength: 3 }),
    FastCheck.constantFrom<Schema.Json>(0, false, "", {})
  ),
  hidden: FastCheck.constant(Placeholder.secret),
  timer: FastCheck.constantFrom<Schema.Json>(
    { intervalSeconds: 3_600 },
    { intervalSeconds: 1 },
    { interval_seconds: 60, cron: null },
    { cron: "0 9 * * 1-5", timezone: "Europe/Berlin" },
    { cron: "*/5 * * * *" },
    { intervalSeconds: 366 * 86_400 }
  )
}, { requiredKeys: [], noNullPrototype: true })

/** Values that fit no prop, or fit none well. */
export const hostileProps: FastCheck.Arbitrary<Schema.JsonObject> = FastCheck.dictionary(
  FastCheck.oneof(
    FastCheck.constantFrom("text", "count", "flag", "list", "choice", "shape", "any", "hidden", "timer", "db", "http"),
    Texts.prototypeName,
    Texts.hostile
  ),
  FastCheck.oneof(
    FastCheck.constantFrom<Schema.Json>(
      null,
      -1,
      1_001,
      1.5,
      1e300,
      "",
      [],
      {},
      [[[[]]]],
      { __lv: { label: "x", value: "y" } },
      { cron: "* * * * * * *" },
      { cron: "61 25 32 13 8" },
      { cron: "0 0 31 2 *" },
      { cron: "* * * * *", timezone: "Nowhere/None" },
      { cron: "* * * * *", intervalSeconds: 1 },
      { intervalSeconds: 0 },
      { intervalSeconds: -1 },
      { intervalSeconds: 1e15 },
      { intervalSeconds: 0.1 },
      { intervalSeconds: "60" },
      { endpoint_url: "http://169.254.169.254/" },
      { authProvisionId: "apn_1" }
    ),
    Texts.hostile,
    FastCheck.integer({ min: 60_000, max: 70_000 }).map((length) => "p".repeat(length))
  ),
  { maxKeys: 5 }
)

const runs = (body: string): string => `export default { props: { http: "$.interface.http" }, run() { ${body} } }`

const exported = (fields: string): string => `export default { props: {}, ${fields} }`

/** Loads until it is stopped, which takes its time: a rare one. */
const endless = FastCheck.constantFrom(
  "for (;;) {}",
  "await new Promise(() => {})",
  "export default (() => { while (1) {} })()"
)

const unusable = FastCheck.constantFrom(
  "",
  " ",
  "export default { run( }",
  "export default",
  "export default null",
  "export default 42",
  "export default []",
  "export default () => {}",
  "export default class {}",
  "export const x = 1",
  "throw new Error('at load')",
  "throw null",
  "throw { toString() { throw 1 } }",
  "throw new Proxy({}, { get() { throw 1 } })",
  "export default { get props() { throw new Error('getter') } }",
  "export default new Proxy({}, { get() { throw new Error('trap') }, ownKeys() { return ['a', 'a'] } })",
  "export default { props: null, run: 1 }",
  "export default { props: { a: null }, run() {} }",
  "export default { props: { a: { type: 1 } }, run() {} }",
  "export default { props: { a: { type: 'string', default: 1n } }, run() {} }",
  "export default { props: { a: { type: 'string', default: () => 1 } }, run() {} }",
  "const p = {}; p.p = p; export default { props: { a: { type: 'object', default: p } }, run() {} }",
  "export default { props: { __proto__: { type: 'string' }, ['__proto__']: { type: 'string' } }, run() {} }",
  "export default { props: { constructor: 'string', toString: '$.interface.http', then: 'integer' }, run() {} }",
  "import x from './missing.mjs'; export default x",
  "import x from 'file:///etc/passwd'; export default x",
  "import fs from 'node:fs'; fs.readFileSync('/etc/passwd'); export default { props: {}, run() {} }",
  "Deno.exit(0)",
  "process.exit(1)",
  "globalThis.close?.(); self.postMessage?.(1); export default { props: {}, run() {} }",
  "console.log('{\"type\":\"described\"}'); export default { props: {}, run() {} }",
  "Deno.stdout.writeSync(new TextEncoder().encode('{}\\n\\n{\"a\":')); export default { props: {}, run() {} }",
  "Object.prototype.toJSON = () => 1; export default { props: {}, run() {} }",
  "JSON.stringify = () => 'x'; JSON.parse = () => { throw 1 }; export default { props: {}, run() {} }",
  "Array.prototype.map = Map.prototype.get = () => { throw 1 }; export default { props: {}, run() {} }",
  "Promise.prototype.then = () => {}; export default { props: {}, run() {} }",
  "globalThis.TextEncoder = undefined; globalThis.Error = undefined; export default { props: {}, run() {} }",
  "new Array(2 ** 27).fill(1); export default { props: {}, run() {} }",
  "export default { then(resolve) { resolve(1) } }",
  exported(`name: 1, run() {}`),
  exported(`name: "n".repeat(501), run() {}`),
  exported(`name: "\\u0000", run() {}`),
  exported(`name: "\\ud800", key: "\\udfff", run() {}`),
  exported(`key: "", name: "", version: "", run() {}`),
  exported(`key: "__proto__", name: "constructor", version: "toString", run() {}`),
  exported(`key: "../../x", name: "a/b?c#d", run() {}`),
  exported(`key: "registry", name: "me", run() {}`),
  exported(`description: "d".repeat(300000), run() {}`),
  exported(`version: {}, type: [], dedupe: "nothing", run() {}`),
  exported(`hooks: 1, run() {}`),
  exported(`hooks: { deploy: 1, activate: null }, run() {}`),
  exported(`hooks: { deploy() { throw new Error("deploy") } }, run() {}`),
  exported(`hooks: { activate() { throw null } }, run() {}`),
  exported(`hooks: { activate() { throw { stack: 1, message: {} } } }, run() {}`),
  exported(`hooks: { deactivate() { throw new Error("deactivate") } }, run() {}`),
  exported(`hooks: { deploy() { Deno.exit(3) } }, run() {}`),
  exported(`hooks: { deploy() { this.$emit("x".repeat(7 * 1024 * 1024)) } }, run() {}`),
  `export default { props: { ${Array.from({ length: 2_000 }, (_, i) => `p${i}: "string"`).join(", ")} }, run() {} }`,
  runs(`this.$emit(undefined); this.$emit(1n); this.$emit(() => {}); this.$emit(Symbol("x"))`),
  runs(`this.$emit("\\u0000\\ud800"); this.$emit({ "\\u0000": "\\udfff" }, { name: "\\u0000", summary: "\\ud800" })`),
  runs(`this.$emit(1, { id: {}, ts: "never", name: "$requests" }); this.$emit(1, { name: "n".repeat(201) })`),
  runs(`this.$emit(1, { ts: 1e300, delivery_ts: -1 }); this.$emit(1, { delivery_ts: 1e300 })`),
  runs(`let d = 1; for (let i = 0; i < 20000; i++) d = [d]; this.$emit(d)`),
  runs(`this.$emit(JSON.parse('{"__proto__": {"a": 1}, "constructor": 1}'))`),
  runs(`throw undefined`),
  runs(`throw Object.assign(new Error("\\u0000"), { stack: "\\ud800", name: 1 })`),
  runs(`Promise.reject(new Error("floating")); setTimeout(() => { throw 1 }, 0)`),
  runs(`Deno.exit(7)`),
  runs(`console.log("\\u0000\\ud800", { a: 1n }, new Proxy({}, { get() { throw 1 } }))`),
  runs(`console.log("x".repeat(7 * 1024 * 1024))`),
  `export default { props: { http: { type: "$.interface.http", customResponse: true } }, run(event) {
    this.http.respond({ status: event.query.status ?? "abc", headers: { "a b": "c", "x": "\\r\\ny: z", "Content-Length": "5" }, body: 1n })
  } }`,
  `export default { props: { http: { type: "$.interface.http", customResponse: true } }, run(event) {
    this.http.respond(JSON.parse(event.bodyRaw || "{}"))
  } }`,
  `export default { props: { http: { type: "$.interface.http", customResponse: true } }, run() { throw new Error("no answer") } }`
)

/** Code that does not load, or tries to do harm at load, in its hooks, or in its runs. */
export const hostile: FastCheck.Arbitrary<string> = FastCheck.oneof(
  { weight: 400, arbitrary: unusable },
  { weight: 40, arbitrary: Texts.hostile },
  { weight: 20, arbitrary: FastCheck.string({ unit: "binary", maxLength: 200 }) },
  {
    weight: 4,
    arbitrary: FastCheck.constantFrom(1_048_570, 1_048_577, 1_400_000).map((length) => `//${"c".repeat(length)}`)
  },
  { weight: 1, arbitrary: endless }
)
