import { assert } from "@effect/vitest"
import type { Plan } from "@headwater/domain/Account"
import * as EgressAllowList from "@headwater/egress/EgressAllowList"
import { EgressGuard } from "@headwater/egress/EgressGuard"
import { EgressHttp } from "@headwater/egress/EgressHttp"
import { AccountErasure } from "@headwater/engine/AccountErasure"
import { AccountLifecycle } from "@headwater/engine/AccountLifecycle"
import { Draining } from "@headwater/engine/Draining"
import * as Engine from "@headwater/engine/Engine"
import { EngineConfig } from "@headwater/engine/EngineConfig"
import * as Json from "@headwater/fixtures/Json"
import * as PackageRegistry from "@headwater/fixtures/PackageRegistry"
import { realSandbox, realSandboxTogether } from "@headwater/fixtures/RealSandbox"
import * as TestTables from "@headwater/fixtures/TestTables"
import * as WheelIndex from "@headwater/fixtures/WheelIndex"
import { Effect, Layer, Redacted, References, Schedule } from "effect"
import { HttpServer } from "effect/http"
import { randomUUID } from "node:crypto"
import { tmpdir } from "node:os"
import { Diagnosis } from "../src/Diagnosis.ts"
import { HttpSettings } from "../src/http/conventions/HttpSettings.ts"
import { NodeServer } from "../src/http/conventions/NodeServer.ts"
import * as HttpApp from "../src/http/HttpApp.ts"

export const publicUrl = "https://events.example.com"
export const mailDomain = "mail.example.com"
export const maxBody = 2_000

export const settings = {
  maxBody,
  rateLimit: 0,
  byteRateLimit: 0,
  maxCode: 1024 * 1024,
  maxProp: 64 * 1024,
  maxStoredValue: 1024 * 1024,
  maxHeapMebibytes: 256
}

interface SandboxSettings {
  /** Processor time in which a module has to load, in milliseconds: as in a server, unless said otherwise. */
  readonly inspectCpuMillis?: number
  /** True for processes of each account, and of each inspection, as in a server. */
  readonly isApart?: boolean
}

/** Where every test has processes of its own account, they are given up soon and new ones kept ready. */
const sandbox = ({ inspectCpuMillis = 10_000, isApart = false }: SandboxSettings) =>
  (isApart ? realSandbox : realSandboxTogether)({
    allow: "loopback",
    limits: { inspectCpuMillis },
    pool: isApart ? { warmProcesses: 1, idleMillis: 3_000 } : { idleMillis: 60_000 }
  })

const engine = (settings: SandboxSettings) =>
  Layer.mergeAll(Engine.layer, AccountLifecycle.layer, AccountErasure.layer).pipe(
    Layer.provideMerge(sandbox(settings)),
    Layer.provideMerge(PackageRegistry.packages),
    Layer.provideMerge(WheelIndex.packages),
    Layer.provideMerge(WheelIndex.WheelIndex.layer),
    Layer.provideMerge(PackageRegistry.PackageRegistry.layer),
    Layer.provideMerge(EgressHttp.layer()),
    Layer.provideMerge(EgressGuard.layer(EgressAllowList.loopback)),
    Layer.provideMerge(TestTables.layer),
    Layer.provideMerge(Layer.succeed(EngineConfig, { publicUrl, mailDomain }))
  )

const diagnosis = Layer.unwrap(
  Effect.map(PackageRegistry.PackageRegistry, ({ url }) => Diagnosis.layer({ dataDirectory: tmpdir(), registry: url }))
)

const drainFirst = Layer.effectDiscard(
  Effect.flatMap(Draining, (draining) => Effect.addFinalizer(() => draining.begin))
)

/**
 * The server's HTTP side on a port of its own, before the real engine, sandbox and database.
 *
 * @param options in place of the tests' own settings
 */
export const layerWith = (options: Partial<HttpSettings["Service"]>, sandbox: SandboxSettings = {}) =>
  Layer.merge(HttpApp.layer, drainFirst).pipe(
    // As in a server that nobody traces: only there requests are answered before the router.
    Layer.provide(Layer.succeed(References.TracerEnabled, false)),
    Layer.provide(Layer.succeed(HttpSettings, { ...settings, ...options })),
    Layer.provide(diagnosis),
    Layer.provideMerge(engine(sandbox)),
    Layer.provideMerge(NodeServer.layer({ port: 0, host: "127.0.0.1" }))
  )

export const layer = layerWith({})

export interface RequestOptions {
  readonly body?: unknown
  /** Sent as it is, in place of `body`. */
  readonly raw?: string | Uint8Array<ArrayBuffer>
  readonly headers?: Record<string, string>
  /** In place of the account's own; null for none. */
  readonly key?: string | null
}

export type Answer = Effect.Success<ReturnType<Tenant["request"]>>

const sendWith = (accountKey: string) =>
  Effect.fnUntraced(function*(method: string, path: string, options: RequestOptions = {}) {
    const server = yield* HttpServer.HttpServer
    const token = options.key === undefined ? accountKey : options.key
    const response = yield* Effect.promise(() =>
      fetch(HttpServer.formatAddress(server.address) + path, {
        method,
        redirect: "manual",
        headers: {
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...(options.body === undefined ? {} : { "content-type": "application/json" }),
          ...options.headers
        },
        ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
        ...(options.raw === undefined ? {} : { body: options.raw })
      })
    )
    const text = yield* Effect.promise(() => response.text())
    const isJson = /json/.test(response.headers.get("content-type") ?? "")
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson && text !== "" ? Json.parse(text) : {}
    }
  })

export interface Tenant extends Effect.Success<ReturnType<typeof tenant>> {}

/** A new account, and requests in its name. */
export const tenant = Effect.fnUntraced(function*(plan: Plan = "free") {
  const accounts = yield* AccountLifecycle
  const username = `ann-${randomUUID()}`
  const { account, key } = yield* Effect.orDie(accounts.create({ username, email: "ann@example.com", plan }))
  const request = sendWith(Redacted.value(key))
  return {
    accountId: account.id,
    username,
    key: Redacted.value(key),
    /** Sends a request with the account's key; headers and body as given. */
    request,
    /** Posts what must succeed, and gives its `data`. */
    created: Effect.fnUntraced(function*(path: string, body: unknown) {
      const answer = yield* request("POST", path, { body })
      const { data } = answer.json
      if (answer.status !== 200 || !hasId(data)) return yield* Effect.die(new Error(`${path}: ${answer.text}`))
      return data
    }),
    /** A run of a workflow over an event, once it has ended. */
    ran: Effect.fnUntraced(function*(workflowId: string, event: unknown) {
      const path = `/v1/workflows/${workflowId}`
      const started = yield* request("POST", `${path}/invocations`, { body: { event } })
      const run = yield* request("GET", `${path}/runs/${Json.textOf(started.json["data"]!["id"])}`).pipe(
        Effect.repeat({
          until: ({ json }) => json["data"]?.["ended_at_ms"] !== null,
          schedule: Schedule.spaced("10 millis")
        }),
        Effect.timeout("60 seconds")
      )
      return run.json["data"]!
    }),
    /** The summaries of a list, newest first, once there are so many. */
    summaries: (path: string, atLeast: number) =>
      request("GET", path).pipe(
        Effect.map(({ json }) => Json.listOf(json["data"])),
        Effect.repeat({ until: (found) => found.length >= atLeast, schedule: Schedule.spaced("10 millis") }),
        Effect.timeout("60 seconds")
      )
  }
})

const hasId = (json: Json.Json | undefined): json is Json.Json & { readonly id: string } =>
  typeof json?.["id"] === "string"

/** The path of the endpoint that a source's `http` prop shows. */
export const endpointOf = (source: Json.Json): string =>
  Json.textOf(source["configured_props"]!["http"]!["endpoint_url"]).slice(publicUrl.length)

/** That an answer is an error in its one shape. */
export const assertProblem = (answer: Answer, status: number, code: string): void => {
  assert.strictEqual(answer.status, status, answer.text)
  assert.match(answer.headers.get("content-type") ?? "", /^application\/problem\+json/)
  assert.hasAllKeys(answer.json, ["type", "title", "status", "detail", "error", "code", "details"])
  Json.assertHolds(answer.json, { status, code, error: answer.json["detail"] })
  assert.isNotEmpty(answer.json["detail"])
  assert.isNotEmpty(answer.headers.get("x-request-id"))
}

/** The fields that an `invalid_request` names. */
export const issuePaths = (answer: Answer): ReadonlyArray<string> =>
  Json.listOf(answer.json["details"]).map(({ path }) => Json.textOf(path))

/** Code of a component that does nothing. */
export const code = (key: string, props: Record<string, unknown> = {}): string =>
  `export default {
  name: "My Feed!", key: ${JSON.stringify(key)}, version: "1.2.3",
  props: ${JSON.stringify(props)},
  async run() {}
}`

/** Code of a workflow that emits what it hears. */
export const workflowCode = "export default { run({ steps, $ }) { $.emit(steps.trigger.event) } }"

/** Code of a component with an HTTP interface and this body of `run(event)`. */
export const httpCode = (body: string, more = ""): string =>
  `export default {
  props: { http: "$.interface.http", db: "$.service.db" },
  ${more}
  async run(event) {
${body}
  }
}`
