/** Trials of the workflows of a document: they are deployed, run, and held against what it says of them. */
import { assert } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect, Option, Schema } from "effect"
import * as DocumentServer from "./DocumentServer.ts"
import * as Examples from "./Examples.ts"
import * as Upstream from "./Upstream.ts"

/** A run of a workflow: how it ended, and the steps that were run to their end, in order. */
const Run = Schema.Struct({
  status: Schema.String,
  steps: Schema.Array(Schema.String),
  /** The results of some of the steps, by their names. */
  results: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json))
})

/** What the document says is done with a workflow, and what comes of it. */
export const Trial = Schema.Struct({
  ...Examples.trialFields,
  /** Beside the code and the props, such as `retry_delays`. */
  settings: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  /** The entries of data stores, by their names. */
  data_stores: Schema.optionalKey(Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Json))),
  /** Credentials by app. A prop has them as `{"authProvisionId": "<app>"}`. */
  accounts: Schema.optionalKey(Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.String))),
  /** Environment variables. */
  variables: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  /** The JSON bodies of `calls` that had one, in order. */
  sent: Schema.optionalKey(Schema.Array(Schema.Json)),
  subscriptions: Schema.optionalKey(
    Schema.Array(Schema.Struct({ emitter_id: Schema.String, event_name: Schema.optionalKey(Schema.String) }))
  ),
  /** Events of sources that the workflow listens to, by the names of these. */
  emits: Schema.optionalKey(Schema.Array(Schema.Struct({ source: Schema.String, event: Schema.Json }))),
  /** Events that other workflows of the document are invoked with, by the names of their files. */
  others: Schema.optionalKey(Schema.Record(Schema.String, Schema.Array(Schema.Json))),
  invocations: Schema.optionalKey(Schema.Array(Schema.Json)),
  /** Bodies that are sent to the URLs by which its runs are resumed, which it emits on a stream. */
  resumes: Schema.optionalKey(Schema.Array(Schema.Json)),
  /** Oldest first. */
  runs: Schema.optionalKey(Schema.Array(Run))
})
export type Trial = typeof Trial.Type

/** Emits what it is sent. */
const emitting = `export default { props: { http: "$.interface.http" }, run(event) { this.$emit(event.body) } }`

/** Creates what is there while the scope is open. */
const make = Effect.fnUntraced(function*(path: string, body: object) {
  const process = yield* DocumentServer.DocumentServer
  const { json, status } = yield* DocumentServer.send("POST", path, body)
  assert.strictEqual(status, 200, JSON.stringify(json))
  const data = json["data"]!
  yield* Effect.addFinalizer(() => Effect.ignore(process.api("DELETE", `${path}/${Json.textOf(data["id"])}`)))
  return data
})

/** Runs, oldest first. */
const runsOf = Effect.fnUntraced(function*(path: string) {
  const process = yield* DocumentServer.DocumentServer
  return Json.listOf((yield* process.api("GET", `${path}/runs`))["data"]).toReversed()
})

const invoke = Effect.fnUntraced(function*(path: string, event: unknown) {
  const { json, status } = yield* DocumentServer.send("POST", `${path}/invocations`, { event })
  assert.strictEqual(status, 202, JSON.stringify(json))
})

/** Has so many runs begun, and none of them at a step. */
const rested = (path: string, count: number) =>
  DocumentServer.until(
    runsOf(path),
    (runs) => runs.length >= count && runs.every(({ status }) => Json.textOf(status) !== "running")
  )

const assertRuns = Effect.fnUntraced(function*(path: string, expected: NonNullable<Trial["runs"]>) {
  const process = yield* DocumentServer.DocumentServer
  const ended = yield* DocumentServer.until(
    runsOf(path),
    (runs) => runs.length >= expected.length && runs.every((run) => typeof run["ended_at_ms"] === "number")
  )
  assert.isTrue(Option.isSome(ended), JSON.stringify(yield* runsOf(path)))
  const found = yield* Effect.forEach(
    yield* runsOf(path),
    ({ id }, index) =>
      Effect.map(process.api("GET", `${path}/runs/${Json.textOf(id)}`), ({ data }) => {
        const steps = Json.listOf(data!["steps"])
        const told = Object.keys(expected[index]?.results ?? {})
        const results = told.map((name) => [name, steps.find((step) => Json.textOf(step["name"]) === name)?.["result"]])
        return {
          status: Json.textOf(data!["status"]),
          // The paths of branches that run at once, one after the other.
          steps: steps.toSorted((one, other) =>
            one["path"] === null || other["path"] === null
              ? 0
              : Json.textOf(one["path"]) < Json.textOf(other["path"])
              ? -1
              : 1
          ).map(({ name }) => Json.textOf(name)),
          ...(told.length === 0 ? {} : { results: Object.fromEntries(results) })
        }
      })
  )
  assert.deepStrictEqual<unknown>(found, expected)
})

/** Sends bodies to the URLs that the workflow asks its questions with, one each. */
const resume = Effect.fnUntraced(function*(path: string, bodies: ReadonlyArray<Schema.Json>) {
  const process = yield* DocumentServer.DocumentServer
  const { data } = yield* process.api("GET", `${path}/event_summaries?event_name=questions&expand=event`)
  const urls = Json.listOf(data).toReversed().map(({ event }) => Json.textOf(event!["raw_event"]!["resume_url"]))
  assert.strictEqual(urls.length, bodies.length)
  for (const [index, url] of urls.entries()) {
    const run = (yield* runsOf(path))[index]!
    assert.deepStrictEqual<unknown>(yield* DocumentServer.post(url, bodies[index]), {
      status: 200,
      body: { run_id: run["id"], status: "resumed" }
    })
    assert.strictEqual((yield* DocumentServer.post(url, bodies[index])).status, 404)
  }
})

/** What a document says, with the ids of app accounts in place of the names of their apps. */
const withAccounts = (given: Trial, ids: ReadonlyMap<string, string>): Trial => ({
  ...given,
  configured_props: JSON.parse(
    JSON.stringify(given.configured_props ?? {}),
    (key, value) => key === "authProvisionId" ? ids.get(value) : value
  )
})

/**
 * Does with a workflow what the document says, and holds what comes of it against that.
 *
 * @param named the other workflows of the document, by their files
 */
export const perform = Effect.fnUntraced(function*(
  workflow_code: string,
  given: Trial,
  named: Readonly<Record<string, string>>
) {
  const upstream = yield* Upstream.make(given.upstream ?? {})
  const ids = new Map<string, string>()
  for (const [app, credentials] of Object.entries(given.accounts ?? {})) {
    ids.set(app, Json.textOf((yield* make("/accounts", { app, credentials }))["id"]))
  }
  const trial = DocumentServer.atPort(withAccounts(given, ids), upstream.port)
  for (const [name, value] of Object.entries(trial.variables ?? {})) {
    yield* DocumentServer.send("PUT", `/environment_variables/${name}`, { value })
  }
  const { configured_props = {}, emits = [], invocations = [], others = {}, requests = [] } = trial
  for (const [name, entries] of Object.entries(trial.data_stores ?? {})) {
    const store = yield* make("/data_stores", { name })
    for (const [key, value] of Object.entries(entries)) {
      yield* DocumentServer.send("PUT", `/data_stores/${Json.textOf(store["id"])}/entry`, { key, value })
    }
  }
  const workflow = yield* make("/workflows", { workflow_code, configured_props, ...trial.settings })
  const id = Json.textOf(workflow["id"])
  const path = `/workflows/${id}`
  const listen = (to: object) => DocumentServer.send("POST", "/subscriptions", { ...to, listener_id: id })
  for (const subscription of trial.subscriptions ?? []) yield* listen(subscription)

  let begun = 0
  const one = <A, E, R>(input: Effect.Effect<A, E, R>) => Effect.tap(input, () => rested(path, ++begun))
  const endpoints = new Map<string, string>()
  for (const { event, source: name } of emits) {
    if (!endpoints.has(name)) {
      const source = yield* make("/sources", { component_code: emitting, name })
      yield* listen({ emitter_id: Json.textOf(source["id"]) })
      endpoints.set(name, DocumentServer.endpointOf(source))
    }
    yield* one(DocumentServer.post(endpoints.get(name)!, event))
  }
  for (const [file, events] of Object.entries(others)) {
    const other = yield* make("/workflows", { workflow_code: named[file] })
    for (const event of events) yield* one(invoke(`/workflows/${Json.textOf(other["id"])}`, event))
  }
  for (const event of invocations) yield* one(invoke(path, event))
  const endpoint = DocumentServer.endpointOf(workflow)
  const answers = yield* Effect.forEach(requests, (request) => one(DocumentServer.post(endpoint, request)))
  if (trial.resumes !== undefined) yield* resume(path, trial.resumes)
  for (const [index, answer] of (trial.answers ?? []).entries()) assert.deepInclude(answers[index], answer)

  if (trial.runs !== undefined) yield* assertRuns(path, trial.runs)
  yield* DocumentServer.assertStreams(path, trial)
  if (trial.calls !== undefined) assert.deepStrictEqual(upstream.calls, trial.calls)
  if (trial.sent !== undefined) assert.deepStrictEqual<unknown>(upstream.sent, trial.sent)
})
