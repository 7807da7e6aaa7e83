import { assert, it, layer } from "@effect/vitest"
import * as FreePort from "@headwater/testing/FreePort"
import * as Json from "@headwater/testing/Json"
import * as ModuleServer from "@headwater/testing/ModuleServer"
import * as PackageRegistry from "@headwater/testing/PackageRegistry"
import * as TemporaryDirectory from "@headwater/testing/TemporaryDirectory"
import { Context, Effect, Layer, Schedule } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import type { TestContext } from "vitest"
import * as Examples from "./documents/Examples.ts"
import * as Upstream from "./documents/Upstream.ts"
import * as Walkthrough from "./documents/Walkthrough.ts"
import * as ServerProcess from "./ServerProcess.ts"

const document = Fs.readFileSync(Path.resolve(import.meta.dirname, "../docs/components.md"), "utf8")
const { components, files, packaged } = Examples.read(document)
const named = Object.fromEntries(
  [...components, ...files].flatMap(({ code, file }) => file === undefined ? [] : [[file, code]])
)

class Server extends Context.Service<Server, {
  readonly process: ServerProcess.ServerProcess
  /** Serves the blocks that have a name. */
  readonly modules: ModuleServer.ModuleServer
}>()("headwater/test/ComponentsDocServer") {
  static readonly layer = Layer.effect(
    Server,
    Effect.gen(function*() {
      const process = yield* ServerProcess.make
      yield* process.startWith(ServerProcess.registrySettings)
      const modules = yield* ModuleServer.make(
        Object.fromEntries(Object.entries(named).map(([file, code]) => [`/${file}`, code]))
      )
      return { process, modules }
    })
  )
}

const send = Effect.fnUntraced(function*(method: string, path: string, body: unknown) {
  const { process } = yield* Server
  return yield* Effect.promise(async () => {
    const response = await fetch(`${process.url}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${ServerProcess.key}`, "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    return { status: response.status, json: Json.parse(await response.text()) }
  })
})

/** Saves a component. Where it needs packages that can't be fetched, the test ends here and says so. */
const save = Effect.fnUntraced(function*(test: TestContext, body: Record<string, string>) {
  const { json, status } = yield* send("POST", "/components", body)
  if (status === 503) test.skip(`npm packages can't be fetched: ${Json.textOf(json["detail"])}`)
  assert.strictEqual(status, 200, JSON.stringify(json))
  return Json.textOf(json["data"]!["id"])
})

const saveExample = Effect.fnUntraced(function*(test: TestContext, { code, file }: Examples.Example) {
  const { modules } = yield* Server
  return yield* save(
    test,
    file === undefined ? { component_code: code } : { component_url: `${modules.origin}/${file}` }
  )
})

/** What is in a source's stream, oldest first. */
const stream = Effect.fnUntraced(function*(source: string, name: string) {
  const { process } = yield* Server
  const { data } = yield* process.api("GET", `/sources/${source}/event_summaries?event_name=${name}&expand=event`)
  return Json.listOf(data).toReversed().map(({ event }) => event!)
})

/** How many runs the server has done. */
const invocations = Effect.gen(function*() {
  const { process } = yield* Server
  return Number((yield* process.api("GET", "/users/me"))["data"]!["daily_invocations_used"])
})

const until = <A, E, R>(effect: Effect.Effect<A, E, R>, isDone: (value: A) => boolean) =>
  effect.pipe(
    Effect.repeat({ until: isDone, schedule: Schedule.spaced("20 millis") }),
    Effect.timeoutOption("15 seconds")
  )

const post = (url: string, body: unknown) =>
  Effect.promise(async () => {
    const headers = { "content-type": "application/json" }
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })
    const text = await response.text()
    const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false
    return { status: response.status, body: isJson ? JSON.parse(text) : text }
  })

/** The trial on this server, with accounts of its own. */
const here = Effect.fnUntraced(function*(trial: Examples.Trial, port: number) {
  const { process } = yield* Server
  const { accounts, configure, configured_props, ...rest }: Examples.Trial = JSON.parse(
    JSON.stringify(trial).replaceAll("127.0.0.1:9000", `127.0.0.1:${port}`)
  )
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

const endpointOf = (source: Json.Json): string =>
  Object.values(source["configured_props"]!).flatMap((prop) => {
    const url: unknown = prop?.["endpoint_url"]
    return typeof url === "string" ? [url] : []
  })[0] ?? ""

/** Holds each stream of a source that the trial speaks of against what it says. */
const assertStreams = Effect.fnUntraced(function*(source: string, trial: Examples.Trial) {
  const { errors, events = [], logs, streams = {} } = trial
  const raw = (event: Json.Json): unknown => event["raw_event"]
  const expected = [
    ...Object.entries({ default: events, ...streams }).map(([name, list]) => ({ name, list, of: raw })),
    { name: "$errors", list: errors ?? [], of: (event: Json.Json): unknown => event["error"]?.["message"] },
    ...(logs === undefined
      ? []
      : [{ name: "$logs", list: logs, of: (event: Json.Json): unknown => event["raw_event"]?.["message"] }])
  ]
  for (const { list, name, of } of expected) {
    yield* until(stream(source, name), (found) => found.length >= list.length)
    assert.deepStrictEqual((yield* stream(source, name)).map(of), [...list], name)
  }
})

const perform = Effect.fnUntraced(function*(component: string, given: Examples.Trial) {
  const { process } = yield* Server
  const upstream = yield* Upstream.make(given.upstream ?? {})
  const { configure, props, ...trial } = yield* here(given, upstream.port)
  if (configure !== undefined) {
    const { json } = yield* send("POST", `/components/${component}/configure`, configure)
    return assert.deepStrictEqual<unknown>(json["data"], trial.data, JSON.stringify(json))
  }
  const created = yield* send("POST", "/sources", { component_id: component, configured_props: props })
  if (trial.issues !== undefined) {
    return assert.deepStrictEqual<unknown>(created.json["details"], trial.issues, JSON.stringify(created.json))
  }
  assert.strictEqual(created.status, 200, JSON.stringify(created.json))
  const source = created.json["data"]!
  const id = Json.textOf(source["id"])

  const before = yield* invocations
  const answers = yield* Effect.forEach(trial.requests ?? [], (request) => post(endpointOf(source), request))
  for (const [index, answer] of (trial.answers ?? []).entries()) assert.deepInclude(answers[index], answer)
  if (trial.requests !== undefined) {
    yield* until(invocations, (used) => used >= before + trial.requests!.length)
  } else if (trial.upstream !== undefined) {
    // A third call means that what came of the first two is handed over: the second has emitted nothing again.
    yield* until(Effect.sync(() => upstream.calls.length), (count) => count >= 3)
  }
  yield* assertStreams(id, trial)
  yield* process.api("DELETE", `/sources/${id}`)
  if (trial.calls !== undefined) assert.deepStrictEqual(upstream.calls, trial.calls)
})

layer(Server.layer, { excludeTestServices: true, timeout: "60 seconds" })("docs/components.md", (it) => {
  it.effect("commands print what is shown", () =>
    Effect.gen(function*() {
      const { process } = yield* Server
      const directory = yield* TemporaryDirectory.make("components-doc")
      for (const [file, code] of Object.entries(named)) {
        Fs.mkdirSync(Path.dirname(Path.join(directory, file)), { recursive: true })
        Fs.writeFileSync(Path.join(directory, file), code)
      }
      const port = yield* FreePort.find
      assert.isAbove(yield* Walkthrough.walk(document, { server: process, directory, port }), 10)
    }), 60_000)

  for (const example of components) {
    it.effect(
      `${example.title}: ${example.file ?? "a component"} does what is shown`,
      (test) =>
        Effect.gen(function*() {
          const component = yield* saveExample(test, example)
          for (const trial of example.trials) yield* Effect.scoped(perform(component, trial))
        }),
      60_000
    )
  }

  for (const body of packaged) {
    it.effect(`${body.component_url} is a component`, (test) => save(test, body), 120_000)
  }

  it.effect("files that are shown are imported by what is shown", () =>
    Effect.gen(function*() {
      const { modules } = yield* Server
      for (const { file } of files) assert.include(modules.asked, `/${file}`)
    }))
})

it.live("docs/components.md: versions of packages change when it says so", () =>
  Effect.gen(function*() {
    const registry = yield* PackageRegistry.PackageRegistry
    const { api, startWith } = yield* ServerProcess.make
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
  }).pipe(Effect.provide(PackageRegistry.PackageRegistry.layer)), 60_000)
