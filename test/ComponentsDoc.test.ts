import { assert, it, layer } from "@effect/vitest"
import * as FreePort from "@headwater/fixtures/FreePort"
import * as Json from "@headwater/fixtures/Json"
import * as ModuleServer from "@headwater/fixtures/ModuleServer"
import * as PackageRegistry from "@headwater/fixtures/PackageRegistry"
import { Context, Effect, Layer, Schema } from "effect"
import type { TestContext } from "vitest"
import * as DocumentServer from "./documents/DocumentServer.ts"
import * as Examples from "./documents/Examples.ts"
import * as Upstream from "./documents/Upstream.ts"
import * as Walkthrough from "./documents/Walkthrough.ts"
import * as ServerOnTestDatabase from "./ServerOnTestDatabase.ts"

/** What the document says is done with a component, and what comes of it. */
const Trial = Schema.Struct({
  ...Examples.trialFields,
  /** Credentials by app; the prop of that name gets the account. */
  accounts: Schema.optionalKey(Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Json))),
  issues: Schema.optionalKey(Schema.Array(Schema.Json)),
  configure: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  data: Schema.optionalKey(Schema.Json)
})
type Trial = typeof Trial.Type

const document = DocumentServer.read("components.md")
const { files, packaged, programs: components } = Examples.read(document, Trial)
const named = Object.fromEntries(
  [...components, ...files].flatMap(({ code, file }) => file === undefined ? [] : [[file, code]])
)

/** Serves the blocks that have a name. */
class Modules extends Context.Service<Modules, ModuleServer.ModuleServer>()("headwater/test/ComponentsDocModules") {
  static readonly layer = Layer.effect(
    Modules,
    ModuleServer.make(Object.fromEntries(Object.entries(named).map(([file, code]) => [`/${file}`, code])))
  )
}

/** Saves a component. Where it needs packages that can't be fetched, the test ends here and says so. */
const save = Effect.fnUntraced(function*(test: TestContext, body: Record<string, string>) {
  const { json, status } = yield* DocumentServer.send("POST", "/components", body)
  if (status === 503) test.skip(`npm packages can't be fetched: ${Json.textOf(json["detail"])}`)
  assert.strictEqual(status, 200, JSON.stringify(json))
  return Json.textOf(json["data"]!["id"])
})

const saveExample = Effect.fnUntraced(function*(test: TestContext, { code, file }: Examples.Example<Trial>) {
  const { origin } = yield* Modules
  return yield* save(test, file === undefined ? { component_code: code } : { component_url: `${origin}/${file}` })
})

/** How many runs the server has done. */
const invocations = Effect.gen(function*() {
  const process = yield* DocumentServer.DocumentServer
  return Number((yield* process.api("GET", "/users/me"))["data"]!["daily_invocations_used"])
})

/** The trial on this server, with accounts of its own. */
const here = Effect.fnUntraced(function*(trial: Trial, port: number) {
  const process = yield* DocumentServer.DocumentServer
  const { accounts, configure, configured_props, ...rest } = DocumentServer.atPort(trial, port)
  const chosen: Record<string, Json.Json> = {}
  for (const [app, credentials] of Object.entries(accounts ?? {})) {
    const { data } = yield* process.api("POST", "/accounts", { app, credentials })
    chosen[app] = Json.parse(JSON.stringify({ authProvisionId: data!["id"] }))
  }
  const withAccounts = (props: unknown) => ({ ...props as object, ...chosen })
  return {
    ...rest,
    props: withAccounts(configured_props),
    ...(configure === undefined
      ? {}
      : { configure: { ...configure, configured_props: withAccounts(configure["configured_props"]) } })
  }
})

const perform = Effect.fnUntraced(function*(component: string, given: Trial) {
  const process = yield* DocumentServer.DocumentServer
  const upstream = yield* Upstream.make(given.upstream ?? {})
  const { configure, props, ...trial } = yield* here(given, upstream.port)
  if (configure !== undefined) {
    const { json } = yield* DocumentServer.send("POST", `/components/${component}/configure`, configure)
    return assert.deepStrictEqual<unknown>(json["data"], trial.data, JSON.stringify(json))
  }
  const created = yield* DocumentServer.send("POST", "/sources", { component_id: component, configured_props: props })
  if (trial.issues !== undefined) {
    return assert.deepStrictEqual<unknown>(created.json["details"], trial.issues, JSON.stringify(created.json))
  }
  assert.strictEqual(created.status, 200, JSON.stringify(created.json))
  const source = created.json["data"]!
  const path = `/sources/${Json.textOf(source["id"])}`

  const before = yield* invocations
  const endpoint = DocumentServer.endpointOf(source)
  const answers = yield* Effect.forEach(trial.requests ?? [], (request) => DocumentServer.post(endpoint, request))
  for (const [index, answer] of (trial.answers ?? []).entries()) assert.deepInclude(answers[index], answer)
  if (trial.requests !== undefined) {
    yield* DocumentServer.until(invocations, (used) => used >= before + trial.requests!.length)
  } else if (trial.upstream !== undefined) {
    // A third call means that what came of the first two is handed over: the second has emitted nothing again.
    yield* DocumentServer.until(Effect.sync(() => upstream.calls.length), (count) => count >= 3)
  }
  yield* DocumentServer.assertStreams(path, trial)
  yield* process.api("DELETE", path)
  if (trial.calls !== undefined) assert.deepStrictEqual(upstream.calls, trial.calls)
})

const server = Layer.mergeAll(DocumentServer.DocumentServer.layer, Modules.layer)

layer(server, { excludeTestServices: true })("docs/components.md", (it) => {
  it.effect("commands print what is shown", () =>
    Effect.gen(function*() {
      const process = yield* DocumentServer.DocumentServer
      const directory = yield* DocumentServer.folderOf(named)
      const port = yield* FreePort.find
      assert.isAbove(yield* Walkthrough.walk(document, { server: process, directory, port }), 10)
    }))

  for (const example of components) {
    it.effect(
      `${example.title}: ${example.file ?? "a component"} does what is shown`,
      (test) =>
        Effect.gen(function*() {
          const component = yield* saveExample(test, example)
          for (const trial of example.trials) yield* Effect.scoped(perform(component, trial))
        })
    )
  }

  for (const body of packaged) {
    it.effect(`${body.component_url} is a component`, (test) => save(test, body))
  }

  it.effect("files that are shown are imported by what is shown", () =>
    Effect.gen(function*() {
      const { asked } = yield* Modules
      for (const { file } of files) assert.include(asked, `/${file}`)
    }))
})

it.live("docs/components.md: versions of packages change when it says so", () =>
  Effect.gen(function*() {
    const registry = yield* PackageRegistry.PackageRegistry
    const { api, startWith } = yield* ServerOnTestDatabase.make
    yield* startWith({ HEADWATER_NPM_REGISTRY: registry.url })
    const publish = (version: string) =>
      registry.publish({
        name: "steady",
        version,
        files: { "index.js": `module.exports = ${JSON.stringify(version)}` }
      })
    const code = (name: string, specifier = "steady") =>
      `import version from "${specifier}"
export default { name: "${name}", hooks: { activate() { this.$emit(version) } }, run() {} }`
    const newest = Effect.fnUntraced(function*(answer: Json.Json) {
      const id = Json.textOf(answer["data"]!["id"])
      const [summary] = Json.listOf((yield* api("GET", `/sources/${id}/event_summaries?limit=1`))["data"])
      return [id, Json.textOf(summary!["event"]!["raw_event"])] as const
    })
    const create = (component_code: string) => Effect.flatMap(api("POST", "/sources", { component_code }), newest)
    const change = (id: string, body: unknown) => Effect.flatMap(api("PUT", `/sources/${id}`, body), newest)

    publish("1.0.0")
    const [id, first] = yield* create(code("first"))
    publish("1.1.0")
    const [, again] = yield* create(code("first"))
    const [, other] = yield* create(code("other"))
    const [, unchanged] = yield* change(id, { configured_props: {} })
    const [, changed] = yield* change(id, { component_code: code("changed") })
    assert.deepStrictEqual(
      { first, again, other, unchanged, changed },
      { first: "1.0.0", again: "1.0.0", other: "1.1.0", unchanged: "1.0.0", changed: "1.0.0" }
    )
    registry.up = false
    assert.strictEqual((yield* create(code("first")))[1], "1.0.0")
    const refused = yield* Effect.flip(create(code("unknown")))
    assert.match(refused.message, /: 503 .*registry/)
    registry.up = true
    assert.strictEqual((yield* change(id, { component_code: code("changed", "steady@^1.1") }))[1], "1.1.0")
  }).pipe(Effect.provide(PackageRegistry.PackageRegistry.layer)))
