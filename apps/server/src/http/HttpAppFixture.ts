import { NodeHttpServer } from "@effect/platform-node"
import * as ConfiguredProps from "@headwater/domain/ConfiguredProps"
import * as Id from "@headwater/domain/Id"
import { Seal } from "@headwater/domain/Seal"
import { slugOf, type Source } from "@headwater/domain/Source"
import * as EgressAllowList from "@headwater/egress/EgressAllowList"
import { EgressGuard } from "@headwater/egress/EgressGuard"
import { HookFailed } from "@headwater/engine/HookFailed"
import { EndpointNotFound, type HttpReply, type HttpRequestEvent } from "@headwater/engine/HttpExchange"
import { Ingest } from "@headwater/engine/Ingest"
import { InvalidProps, SourceLifecycle } from "@headwater/engine/SourceLifecycle"
import { SubscriptionLifecycle, SubscriptionNotFound, UnknownParty } from "@headwater/engine/SubscriptionLifecycle"
import { Unavailable } from "@headwater/engine/Unavailable"
import { Accounts } from "@headwater/log/Accounts"
import { ApiKeys } from "@headwater/log/ApiKeys"
import { Components } from "@headwater/log/Components"
import { EventLog } from "@headwater/log/EventLog"
import { Sources } from "@headwater/log/Sources"
import { Subscriptions } from "@headwater/log/Subscriptions"
import { Webhooks } from "@headwater/log/Webhooks"
import { ComponentInvalid } from "@headwater/sandbox/ComponentDescription"
import { Sandbox } from "@headwater/sandbox/Sandbox"
import * as TestDatabase from "@headwater/testing/TestDatabase"
import { Clock, Context, Effect, Layer, Option, Redacted } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { HttpServer } from "effect/http"
import { createServer } from "node:http"
import * as HttpApp from "./HttpApp.ts"
import { HttpSettings } from "./HttpSettings.ts"

/** A message under which the stand-ins answer that they are not available. */
export const unavailableName = "unavailable"

const away = new Unavailable({ message: "shutting down", retryAfterSeconds: 7 })

/** Reads code that is the JSON of its description; the text `throws` stands for code that does not load. */
const sandbox = Layer.succeed(Sandbox, {
  inspect: ({ code }) =>
    code === "throws"
      ? Effect.fail(
        new ComponentInvalid({
          reason: "syntax",
          message: "Unexpected token",
          line: 3,
          column: 7,
          file: "component.mjs"
        })
      )
      : Effect.sync(() => JSON.parse(code) as Effect.Success<ReturnType<Sandbox["Service"]["inspect"]>>),
  run: () => Effect.die(new Error("nothing runs in these tests"))
})

/** Keeps sources in their table, without an engine behind them. A component called `failing` fails its deploy. */
const sourceLifecycle = Layer.effect(
  SourceLifecycle,
  Effect.gen(function*() {
    const sources = yield* Sources
    const random = yield* SecureRandom.SecureRandom
    const resolve = (...input: Parameters<typeof ConfiguredProps.resolve>) =>
      Effect.mapError(Effect.fromResult(ConfiguredProps.resolve(...input)), (issues) => new InvalidProps({ issues }))
    return SourceLifecycle.of({
      create: Effect.fnUntraced(function*({ accountId, component, configuredProps, name }) {
        if (name === unavailableName) return yield* away
        const { hasHttp, props, timers } = yield* resolve(component.configurableProps, undefined, configuredProps)
        if (component.name === "failing") return yield* new HookFailed({ hook: "deploy", message: "no", line: 2 })
        const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
        const nameSlug = yield* sources.freeSlug(accountId, slugOf(name ?? component.name)).pipe(Effect.orDie)
        const source: Source = {
          id: Id.SourceId.make(yield* Id.make("source")),
          accountId,
          componentId: component.id,
          name: name ?? nameSlug,
          nameSlug,
          props,
          timers,
          active: true,
          state: "ready",
          endpointKey: hasHttp ? yield* Id.randomText(24) : null,
          createdAt: now,
          updatedAt: now
        }
        yield* sources.insert(source).pipe(Effect.orDie)
        return source
      }, Effect.provideService(SecureRandom.SecureRandom, random)),
      update: Effect.fnUntraced(function*(source, input) {
        const changed = { ...source, active: input.active, name: input.name ?? source.name }
        return Option.getOrThrow(yield* sources.update(changed).pipe(Effect.orDie))
      }),
      remove: (source) => Effect.asVoid(Effect.orDie(sources.delete(source.id)))
    })
  })
)

const subscriptionLifecycle = Layer.effect(
  SubscriptionLifecycle,
  Effect.gen(function*() {
    const subscriptions = yield* Subscriptions
    return SubscriptionLifecycle.of({
      create: (key) =>
        key.emitterId.includes("unknown")
          ? Effect.fail(new UnknownParty({ parameter: "emitter_id", id: key.emitterId }))
          : Effect.orDie(subscriptions.create(key)),
      remove: (key) =>
        Effect.flatMap(
          Effect.orDie(subscriptions.remove(key)),
          (removed) => Option.isSome(removed) ? Effect.void : Effect.fail(new SubscriptionNotFound())
        )
    })
  })
)

/** What a source's endpoint took, and what it answers with. */
export class TakenRequests extends Context.Service<TakenRequests, {
  readonly taken: Array<{ readonly event: HttpRequestEvent; readonly hops: number }>
  reply: HttpReply
}>()("@headwater/server/TakenRequests") {}

/** The one endpoint that the stand-in for the engine knows. */
export const endpointKey = "knownEndpoint"

const ingest = Layer.effect(
  Ingest,
  Effect.map(TakenRequests, (requests) =>
    Ingest.of({
      request: (key, event, { hops }) => {
        if (key !== endpointKey) return Effect.fail(new EndpointNotFound())
        if (event.path === `/${unavailableName}`) return Effect.fail(away)
        requests.taken.push({ event, hops })
        return Effect.succeed(requests.reply)
      }
    }))
)

const crypto = Layer.merge(Digest.layerWebCrypto, SecureRandom.layerWebCrypto)

const tables = Layer.mergeAll(
  Accounts.layer,
  ApiKeys.layer,
  Components.layer,
  EventLog.layer,
  Sources.layer,
  Layer.provideMerge(Webhooks.layer, Subscriptions.layer)
).pipe(
  Layer.provide(Seal.layer(Redacted.make(new Uint8Array(32).fill(7)))),
  Layer.provideMerge(crypto),
  Layer.provideMerge(TestDatabase.layer)
)

/** A free account with a key, and one more beside it. */
export class Tenants extends Context.Service<Tenants, {
  readonly accountId: Id.AccountId
  readonly key: string
  readonly otherKey: string
}>()("@headwater/server/Tenants") {
  static readonly layer = Layer.effect(
    Tenants,
    Effect.gen(function*() {
      const accounts = yield* Accounts
      const keys = yield* ApiKeys
      const account = yield* accounts.create({ username: "ann", email: "ann@example.com", plan: "free" })
      const other = yield* accounts.create({ username: "bob", email: "bob@example.com", plan: "paid" })
      return {
        accountId: account.id,
        key: Redacted.value((yield* keys.create(account.id, "test")).key),
        otherKey: Redacted.value((yield* keys.create(other.id, "test")).key)
      }
    })
  )
}

export const publicUrl = "https://events.example.com"
export const maxBody = 1_000

/** The whole HTTP side on a port of its own over a database of its own; only the engine and the sandbox stand in. */
export const layer = HttpApp.layer.pipe(
  Layer.provide(Layer.mergeAll(
    sandbox,
    sourceLifecycle,
    subscriptionLifecycle,
    ingest,
    Layer.succeed(HttpSettings, { publicUrl, maxBody }),
    EgressGuard.layer(EgressAllowList.empty)
  )),
  Layer.provideMerge(Tenants.layer),
  Layer.provideMerge(tables),
  Layer.provideMerge(
    Layer.sync(TakenRequests, () => ({
      taken: [],
      reply: { status: 200, headers: {}, body: new Uint8Array() }
    }))
  ),
  Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" }))
)

/** Sends a request with the first account's key; headers and body as given. */
export const request = Effect.fnUntraced(function*(method: string, path: string, options: {
  readonly body?: unknown
  /** Sent as it is, in place of `body`. */
  readonly raw?: string | Uint8Array<ArrayBuffer>
  readonly headers?: Record<string, string>
  readonly key?: string | null
} = {}) {
  const { key } = yield* Tenants
  const server = yield* HttpServer.HttpServer
  const token = options.key === undefined ? key : options.key
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
    json: (isJson && text !== "" ? JSON.parse(text) : undefined) as JsonAnswer
  }
})

/** A JSON answer, to be looked into. */
export interface JsonAnswer {
  readonly [name: string]: JsonAnswer
  readonly [index: number]: JsonAnswer
}

/** Component code as the sandbox's stand-in reads it. */
export const code = (key: string, props: ReadonlyArray<unknown> = []) =>
  JSON.stringify({ name: "My Feed!", key, version: "1.2.3", hooks: [], props })

/** Posts what must succeed, and gives its `data`. */
export const created = Effect.fnUntraced(function*(path: string, body: unknown) {
  const answer = yield* request("POST", path, { body })
  if (answer.status !== 200) return yield* Effect.die(new Error(answer.text))
  return answer.json["data"] as JsonAnswer & { readonly id: string }
})

export const textOf = (answer: JsonAnswer | undefined): string => answer as unknown as string
