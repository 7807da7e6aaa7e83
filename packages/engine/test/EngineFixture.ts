/** The engine's parts over a real database, real sandbox processes and real sockets, for tests that hold the clock. */
import type { Component } from "@headwater/domain/Component"
import * as EmitId from "@headwater/domain/EmitId"
import type { LoggedEvent, NewEvent } from "@headwater/domain/Event"
import * as Id from "@headwater/domain/Id"
import { Seal } from "@headwater/domain/Seal"
import type { Source } from "@headwater/domain/Source"
import type { Timer } from "@headwater/domain/Timer"
import * as EgressAllowList from "@headwater/egress/EgressAllowList"
import { EgressGuard } from "@headwater/egress/EgressGuard"
import { EgressHttp } from "@headwater/egress/EgressHttp"
import { Accounts } from "@headwater/log/Accounts"
import { ApiKeys } from "@headwater/log/ApiKeys"
import { Components } from "@headwater/log/Components"
import { GroupCommit } from "@headwater/log/GroupCommit"
import { Heads } from "@headwater/log/Heads"
import { Sources } from "@headwater/log/Sources"
import { Subscriptions } from "@headwater/log/Subscriptions"
import { Webhooks } from "@headwater/log/Webhooks"
import { Sandbox } from "@headwater/sandbox/Sandbox"
import * as TestDatabase from "@headwater/testing/TestDatabase"
import { Effect, Layer, Option, Redacted } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import { createHash } from "node:crypto"
import { realSandbox } from "../../sandbox/test/RealSandbox.ts"
import { AccountLifecycle } from "../src/AccountLifecycle.ts"
import { Draining } from "../src/Draining.ts"
import * as EmitterLog from "../src/EmitterLog.ts"
import { EngineConfig } from "../src/EngineConfig.ts"
import { FeedReader } from "../src/Feed.ts"

const tables = Layer.mergeAll(
  Accounts.layer,
  ApiKeys.layer,
  Components.layer,
  Sources.layer,
  GroupCommit.layer,
  Layer.provideMerge(Webhooks.layer, Subscriptions.layer)
).pipe(
  Layer.provide(Seal.layer(Redacted.make(new Uint8Array(32).fill(7)))),
  Layer.provideMerge(Layer.merge(Digest.layerWebCrypto, SecureRandom.layerWebCrypto)),
  Layer.provideMerge(TestDatabase.layer)
)

const egress = EgressHttp.layer().pipe(
  Layer.provide(Layer.unwrap(Effect.map(EgressAllowList.fromString("loopback"), EgressGuard.layer)))
)

/** Everything an actor needs but the cluster and, for one that runs no code, the sandbox. */
export const layerNoSandbox = Layer.mergeAll(AccountLifecycle.layer, FeedReader.layer, Draining.layer, egress).pipe(
  Layer.provideMerge(tables),
  Layer.provideMerge(Layer.succeed(EngineConfig, { publicUrl: "http://127.0.0.1:1" }))
)

/**
 * Everything an actor needs but the cluster. Real processes live in real time, so tests build this on the live clock and
 * give the test's clock to the actors alone (`onTestClock`).
 */
export const layer = layerNoSandbox.pipe(
  Layer.provideMerge(realSandbox({ allow: "loopback", pool: { warmProcesses: 1 } }))
)

/** Runs a test on a clock that only it moves. */
export const onTestClock = Effect.provide(TestClock.layer())

export const account = Effect.map(
  Effect.flatMap(AccountLifecycle, ({ create }) => create({ username: "ann", email: "ann@example.com", plan: "free" })),
  ({ account }) => account
)

/** A ready source of the code, its timers not yet due. */
export const source = Effect.fnUntraced(function*(accountId: Id.AccountId, code: string, options: {
  readonly timers?: Record<string, Timer>
  readonly state?: Source["state"]
} = {}) {
  const description = yield* (yield* Sandbox).inspect({ accountId, code, codeHash: hashOf(code) })
  const component: Component = {
    id: Id.ComponentId.make(yield* Id.make("component")),
    accountId,
    key: null,
    code,
    codeHash: hashOf(code),
    name: "test",
    version: "1",
    type: null,
    description: null,
    url: null,
    dedupe: description.dedupe ?? null,
    hooks: description.hooks,
    configurableProps: description.props,
    createdAt: 0,
    updatedAt: 0
  }
  const source: Source = {
    id: Id.SourceId.make(yield* Id.make("source")),
    accountId,
    componentId: component.id,
    name: "test",
    nameSlug: `test-${component.id.toLowerCase()}`,
    props: {},
    timers: options.timers ?? {},
    active: true,
    state: options.state ?? "ready",
    endpointKey: component.id,
    createdAt: 0,
    updatedAt: 0
  }
  yield* (yield* Components).insert(component)
  yield* (yield* Sources).insert(source)
  yield* (yield* Heads).create(source.id, accountId)
  return source
})

const hashOf = (code: string): string => createHash("sha256").update(code).digest("hex")

/** An emitter with a log of its own and nothing that runs. */
export const emitter = Effect.fnUntraced(function*(accountId: Id.AccountId) {
  const emitterId = yield* Id.make("source")
  yield* (yield* Heads).create(emitterId, accountId)
  return Option.getOrThrow(yield* EmitterLog.acquire(emitterId))
})

export const newEvent = (payload: unknown, stream = "", hops = 1): NewEvent => ({
  stream,
  emitId: EmitId.make(),
  hops,
  meta: {},
  payload: JSON.stringify(payload)
})

/** Appends payloads to the default stream. */
export const append = (
  log: EmitterLog.EmitterLog,
  payloads: ReadonlyArray<unknown>
): Effect.Effect<ReadonlyArray<LoggedEvent>, unknown> => log.commit(payloads.map((payload) => newEvent(payload)), {})
