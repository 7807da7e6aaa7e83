/** The engine's parts over a real database, real sandbox processes and real sockets, for tests that hold the clock. */
import type { Component } from "@headwater/domain/Component"
import * as EmitId from "@headwater/domain/EmitId"
import type { LoggedEvent, NewEvent } from "@headwater/domain/Event"
import * as Id from "@headwater/domain/Id"
import type { Program } from "@headwater/domain/Program"
import * as SubscriptionBatch from "@headwater/domain/SubscriptionBatch"
import type { Timer } from "@headwater/domain/Timer"
import { defaultSettings, type WorkflowSettings } from "@headwater/domain/Workflow"
import * as EgressAllowList from "@headwater/egress/EgressAllowList"
import { EgressGuard } from "@headwater/egress/EgressGuard"
import { EgressHttp } from "@headwater/egress/EgressHttp"
import { realSandboxTogether } from "@headwater/fixtures/RealSandbox"
import * as TestTables from "@headwater/fixtures/TestTables"
import { EventLog } from "@headwater/log/logs/EventLog"
import { Heads } from "@headwater/log/logs/Heads"
import { Components } from "@headwater/log/resources/Components"
import { Deployments } from "@headwater/log/resources/Deployments"
import { Programs } from "@headwater/log/resources/Programs"
import { Sandbox } from "@headwater/sandbox/Sandbox"
import { Clock, type Duration, Effect, Layer, Option, Result } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { createHash, randomUUID } from "node:crypto"
import { AccountLifecycle } from "../src/AccountLifecycle.ts"
import { Draining } from "../src/ground/Draining.ts"
import { EmitterLog } from "../src/ground/EmitterLog.ts"
import { EngineConfig } from "../src/ground/EngineConfig.ts"
import { Environments } from "../src/ground/Environments.ts"
import { Suspensions } from "../src/ground/Suspensions.ts"
import { AccountTokens } from "../src/oauth/AccountTokens.ts"
import { TokenEndpoint } from "../src/oauth/TokenEndpoint.ts"
import { Quotas } from "../src/program/Quotas.ts"
import { RunTurns } from "../src/program/RunTurns.ts"
import { StoreRoom } from "../src/program/StoreRoom.ts"
import { FeedReader } from "../src/routing/Feed.ts"

const egress = EgressHttp.layer().pipe(Layer.provide(EgressGuard.layer(EgressAllowList.loopback)))

/** What looks at the database or at its connections each second does so by real time, and not for each second that a test skips. */
const onRealTime = Layer.provide(Layer.succeed(Clock.Clock, Clock.Clock.defaultValue()))

/** Everything an actor needs but the cluster and, for one that runs no code, the sandbox. */
export const layerNoSandbox = Layer.mergeAll(
  AccountLifecycle.layer,
  FeedReader.layer,
  Draining.layer,
  onRealTime(Environments.layer),
  Quotas.layer,
  StoreRoom.layer,
  RunTurns.layer,
  onRealTime(AccountTokens.layer.pipe(Layer.provideMerge(TokenEndpoint.layer)))
).pipe(
  Layer.provideMerge(Suspensions.layerNone),
  Layer.provideMerge(egress),
  Layer.provideMerge(onRealTime(TestTables.layer)),
  Layer.provideMerge(Layer.succeed(EngineConfig, { publicUrl: "http://127.0.0.1:1" }))
)

/**
 * Everything an actor needs but the cluster. Real processes live in real time, so tests build this on the live clock and
 * give the test's clock to the actors alone (`onTestClock`).
 */
export const layer = layerNoSandbox.pipe(
  Layer.provideMerge(
    realSandboxTogether({ allow: "loopback", limits: { maxHeapMebibytes: 512 } })
  )
)

/** Runs a test on a clock that only it moves. */
export const onTestClock = Effect.provide(TestClock.layer())

/** Lets time pass, a little at a time, until an effect has ended. */
export const whileTimePasses = <A, E, R>(effect: Effect.Effect<A, E, R>, step: Duration.Input = "20 millis") =>
  Effect.raceFirst(
    effect,
    Effect.forever(Effect.andThen(TestClock.withLive(Effect.sleep("2 millis")), TestClock.adjust(step)))
  )

export const account = Effect.gen(function*() {
  const { create } = yield* AccountLifecycle
  const input = { username: `ann-${randomUUID()}`, email: "ann@example.com", plan: "free" } as const
  const { account } = yield* Effect.orDie(create(input))
  return account
})

/** A ready source of the code, or a workflow where it has settings, its timers not yet due. */
export const program = Effect.fnUntraced(function*(accountId: Id.AccountId, code: string, options: {
  readonly props?: Program["props"]
  readonly timers?: Record<string, Timer>
  readonly state?: Program["state"]
  readonly workflow?: Partial<WorkflowSettings>
  readonly emitFrom?: number
  readonly shadow?: boolean
} = {}) {
  const kind = options.workflow === undefined ? "source" : "workflow"
  const description = yield* (yield* Sandbox).inspect({
    accountId,
    kind,
    isOwn: true,
    module: { code, hash: hashOf(code) }
  })
  const component: Component = {
    id: Id.ComponentId.make(yield* Id.make("component")),
    accountId,
    key: null,
    code,
    codeHash: hashOf(code),
    linked: null,
    name: "test",
    version: "1",
    type: null,
    description: null,
    url: null,
    dedupe: description.dedupe ?? null,
    hooks: description.hooks,
    batch: description.batch === undefined ? null : Result.getOrThrow(SubscriptionBatch.declared(description.batch)),
    hasAdditionalProps: false,
    steps: options.workflow === undefined
      ? null
      : yield* Effect.forEach(
        description.steps ?? [],
        (step) => Effect.map(Id.make("step"), (id) => ({ id: Id.StepId.make(id), ...step }))
      ),
    configurableProps: description.props,
    createdAt: 0,
    updatedAt: 0
  }
  const program: Program = {
    id: options.workflow === undefined
      ? Id.SourceId.make(yield* Id.make("source"))
      : Id.WorkflowId.make(yield* Id.make("workflow")),
    accountId,
    componentId: component.id,
    name: "test",
    nameSlug: `test-${component.id.toLowerCase()}`,
    props: options.props ?? {},
    timers: options.timers ?? {},
    additionalProps: [],
    active: true,
    state: options.state ?? "ready",
    endpointKey: component.id,
    projectId: null,
    emitFrom: options.emitFrom ?? null,
    shadow: options.shadow ?? false,
    workflow: options.workflow === undefined ? null : {
      deploymentId: Id.DeploymentId.make(yield* Id.make("deployment")),
      settings: { ...defaultSettings, ...options.workflow }
    },
    createdAt: 0,
    updatedAt: 0
  }
  yield* (yield* Components).insert(component)
  yield* (yield* Programs).insert(program)
  yield* (yield* Deployments).putOf(program)
  yield* (yield* Heads).create(program.id, accountId)
  return program
})

const hashOf = (code: string): string => createHash("sha256").update(code).digest("hex")

/** So many emitters, without an owner yet, by one statement: as `Heads.create` makes each. */
export const emitterIds = Effect.fnUntraced(function*(accountId: Id.AccountId, count: number) {
  const ids = yield* Effect.replicateEffect(Id.make("source"), count)
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    WITH made AS (
      INSERT INTO fences (owner_id, account_id, epoch)
      SELECT id, ${accountId}, 0 FROM json_array_elements_text(${JSON.stringify(ids)}::json) AS id
      RETURNING owner_id, account_id
    )
    INSERT INTO heads_folded (emitter_id, account_id, last_id, streams)
    SELECT owner_id, account_id, 0, '{}' FROM made`
  return ids
})

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
  log: EmitterLog,
  payloads: ReadonlyArray<unknown>
): Effect.Effect<ReadonlyArray<LoggedEvent>, unknown> => appendTo(log, "", payloads)

export const appendTo = (
  log: EmitterLog,
  stream: string,
  payloads: ReadonlyArray<unknown>
): Effect.Effect<ReadonlyArray<LoggedEvent>, unknown> =>
  log.commit(payloads.map((payload) => newEvent(payload, stream)), {})

/** The newest event of a stream. */
export const newest = Effect.fnUntraced(function*(emitterId: string, stream: string) {
  const [event] = yield* (yield* EventLog).latest({ emitterId, stream, limit: 1 })
  return yield* Effect.fromNullishOr(event)
})
