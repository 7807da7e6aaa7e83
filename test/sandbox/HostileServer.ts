import { assert } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { PackageRegistry } from "@headwater/fixtures/PackageRegistry"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Context, Effect, Layer, Schedule } from "effect"
import { randomBytes } from "node:crypto"
import * as OperatorAccount from "../OperatorAccount.ts"
import * as ServerProcess from "../ServerProcess.ts"
import * as Neighbour from "./Neighbour.ts"

/** An address of this machine's that the guard lets through: it stands for the public internet. */
export const outside = "127.0.0.9"

/** In the server's environment, and in its data directory: what no component may ever say. */
export const canary = `canary-${randomBytes(12).toString("hex")}`

export interface Answer {
  readonly status: number
  readonly json: Json.Json
  readonly text: string
}

export interface HttpAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export interface Account {
  readonly id: string
  readonly key: string
  readonly send: (method: string, path: string, body?: unknown) => Effect.Effect<Answer>
}

export interface Deployed {
  readonly id: string
  readonly endpoint: string
}

/** What there is to see of a source afterwards, the oldest first. */
export interface Traces {
  readonly emitted: ReadonlyArray<Json.Json>
  readonly errors: ReadonlyArray<{ readonly code: string; readonly message: string; readonly stack: string }>
  readonly logged: ReadonlyArray<Json.Json>
}

/** One real server with two accounts: one that deploys hostile code, and a neighbour whose source works all the time. */
export class HostileServer extends Context.Service<HostileServer, {
  readonly server: ServerProcess.ServerProcess
  readonly dataDirectory: string
  /** Where its npm packages come from. */
  readonly registry: PackageRegistry["Service"]
  readonly hostile: Account
  readonly neighbour: Neighbour.Neighbour
  /** Deploys code that must be accepted. */
  readonly deploy: (code: string, props?: Record<string, unknown>) => Effect.Effect<Deployed>
  /** Why code that must be refused is not accepted. */
  readonly refusal: (code: string) => Effect.Effect<string>
  /** Sends a request to a source. A run that answers none ends it. */
  readonly request: (deployed: Deployed, body?: unknown) => Effect.Effect<HttpAnswer>
  /** What a source has left, once there are so many events and errors: runs end before they are in the log. */
  readonly traces: (deployed: Deployed, count?: number) => Effect.Effect<Traces>
  /** Deploys, has it run once, and gives what it left. */
  readonly run: (
    code: string,
    options?: { readonly body?: unknown; readonly props?: Record<string, unknown> }
  ) => Effect.Effect<Traces>
}>()("headwater/test/HostileServer") {
  static readonly layer = Layer.effect(HostileServer, Effect.suspend(() => make)).pipe(
    Layer.provide(PackageRegistry.layer)
  )
}

/** A component whose `run` has this body, and whose requests are answered when it ends. */
export const componentOf = (body: string, before = ""): string => `
${before}
export default {
  props: { http: { type: "$.interface.http", customResponse: true }, db: "$.service.db" },
  async run(event) {
    ${body}
  }
}`

const accountOf = (url: string, { id, key }: OperatorAccount.OperatorAccount): Account => ({
  id,
  key,
  send: (method, path, body) =>
    Effect.promise(async () => {
      const answer = await fetch(`${url}/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      const text = await answer.text()
      return { status: answer.status, text, json: text.startsWith("{") ? Json.parse(text) : {} }
    })
})

const make = Effect.gen(function*() {
  const registry = yield* PackageRegistry
  const dataDirectory = yield* TemporaryDirectory.make("hostile")
  const server = yield* ServerProcess.makeIn(dataDirectory)
  yield* server.startWith({
    HEADWATER_EGRESS_ALLOW: outside,
    HEADWATER_NPM_REGISTRY: registry.url,
    SERVERS_OWN_SECRET: canary,
    // Long enough for a second of processor time on a machine with much else to do.
    HEADWATER_RUN_SECONDS: "100",
    HEADWATER_RUN_CPU_SECONDS: "1",
    HEADWATER_RUN_HEAP: "64",
    HEADWATER_RUN_OUTPUT: String(1024 * 1024)
  })
  const me = yield* server.api("GET", "/users/me")
  const hostile = accountOf(server.url, { id: Json.textOf(me["data"]!["id"]), key: ServerProcess.key })
  const other = yield* OperatorAccount.create(dataDirectory, { username: "neighbour", plan: "free" })
  const neighbour = yield* Neighbour.make(server, accountOf(server.url, other))

  const deploy = Effect.fnUntraced(function*(code: string, props: Record<string, unknown> = {}) {
    const { json, status, text } = yield* hostile.send("POST", "/sources", {
      component_code: code,
      configured_props: props
    })
    assert.strictEqual(status, 200, text)
    const source = json["data"]!
    const endpoint = source["configured_props"]!["http"]?.["endpoint_url"]
    return { id: Json.textOf(source["id"]), endpoint: endpoint === undefined ? "" : Json.textOf(endpoint) }
  })

  const list = (path: string) =>
    Effect.map(hostile.send("GET", path), ({ json }) => Json.listOf(json["data"]).toReversed())

  const traces = Effect.fnUntraced(function*({ id }: Deployed) {
    const [emitted, errors, logged] = yield* Effect.forEach(
      ["", "/$errors", "/$logs"],
      (stream) => list(`/sources/${id}${stream}/event_summaries?limit=100&expand=event`),
      { concurrency: "unbounded" }
    )
    return {
      emitted: emitted!.filter(({ metadata }) => !Json.textOf(metadata!["name"]).startsWith("$")).map(({ event }) =>
        event!["raw_event"]!
      ),
      errors: errors!.map(({ event }) => {
        const { code, message, stack } = event!["error"]!
        return { code: String(code), message: String(message), stack: String(stack) }
      }),
      logged: logged!.map(({ event }) => event!["raw_event"] ?? event!)
    }
  })

  const request = ({ endpoint }: Deployed, body: unknown = {}) =>
    Effect.promise(async () => {
      const answer = await fetch(endpoint, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
        redirect: "manual"
      })
      return { status: answer.status, headers: answer.headers, text: await answer.text() }
    })

  const settled = (deployed: Deployed, count = 1) =>
    traces(deployed).pipe(
      Effect.repeat({
        until: ({ emitted, errors }) => emitted.length + errors.length >= count,
        schedule: Schedule.spaced("20 millis")
      }),
      Effect.timeout("110 seconds"),
      Effect.orDie,
      // A commit may have come between the looks at two streams.
      Effect.andThen(traces(deployed))
    )

  return HostileServer.of({
    server,
    dataDirectory,
    registry,
    hostile,
    neighbour,
    deploy,
    refusal: Effect.fnUntraced(function*(code) {
      const { json, status, text } = yield* hostile.send("POST", "/sources", { component_code: code })
      assert.strictEqual(status, 422, text)
      return Json.textOf(json["detail"])
    }),
    request,
    traces: settled,
    run: Effect.fnUntraced(function*(code, { body, props } = {}) {
      const deployed = yield* deploy(code, props)
      yield* request(deployed, body)
      return yield* settled(deployed)
    })
  })
})
