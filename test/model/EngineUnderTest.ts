import type { PgClient } from "@effect/sql-pg"
import { Seal } from "@headwater/domain/Seal"
import * as EgressAllowList from "@headwater/egress/EgressAllowList"
import { EgressGuard } from "@headwater/egress/EgressGuard"
import { EgressHttp } from "@headwater/egress/EgressHttp"
import { AccountLifecycle } from "@headwater/engine/AccountLifecycle"
import { Draining } from "@headwater/engine/Draining"
import * as Engine from "@headwater/engine/Engine"
import { EngineConfig } from "@headwater/engine/EngineConfig"
import * as Tables from "@headwater/log/Tables"
import type { Sandbox } from "@headwater/sandbox/Sandbox"
import { Context, type Duration, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"

const crypto = Layer.merge(Digest.layerWebCrypto, SecureRandom.layerWebCrypto)

const tables = Tables.layer.pipe(
  Layer.provide(Seal.layer(Redacted.make(new Uint8Array(32).fill(7)))),
  Layer.provideMerge(crypto)
)

const egress = EgressHttp.layer().pipe(Layer.provide(EgressGuard.layer(EgressAllowList.loopback)))

/** The whole engine on one node, but for the sandbox and the database, which outlive it. */
const layer = Layer.merge(Engine.layer, AccountLifecycle.layer).pipe(
  Layer.provideMerge(egress),
  Layer.provideMerge(tables),
  Layer.provideMerge(Layer.succeed(EngineConfig, { publicUrl: "http://127.0.0.1:1" }))
)

export type EngineServices = Layer.Success<typeof layer>

/** What an engine needs around it. */
export type Surroundings = PgClient.PgClient | Sandbox | Layer.Services<typeof layer>

const tickMs = 100

/** The test's clock goes on at a pace in real time. */
const timePasses = (pace: Duration.Input) =>
  Effect.forever(Effect.andThen(TestClock.withLive(Effect.sleep(pace)), TestClock.adjust(tickMs)))

/** Lets the test's clock go on until an effect ends, for what waits for time to pass and for the outside too. */
export const whileTimePasses = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.raceFirst(effect, timePasses("2 millis"))

/** How long what is asked of the engine may take in real time before the test's clock goes on. */
const patience = "5 seconds"

/** On a busy machine the database may refuse a commit, which is tried again when some time has passed. */
const whereStuck = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.raceFirst(effect, Effect.andThen(TestClock.withLive(Effect.sleep(patience)), timePasses(tickMs)))

/** An engine that can be stopped, or cut off, and started again on the same database. */
export interface EngineUnderTest {
  readonly use: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, Exclude<R, EngineServices>>
  readonly restart: (options: { readonly drain: boolean }) => Effect.Effect<void, unknown>
}

export const make = Effect.gen(function*() {
  const surroundings = yield* Effect.context<Surroundings>()
  const start = Effect.gen(function*() {
    const scope = yield* Scope.make()
    // A memo map of its own: nothing of the engine before this one is used again.
    const built = Layer.buildWithMemoMap(layer, Layer.makeMemoMapUnsafe(), scope)
    const context = yield* whileTimePasses(built).pipe(Effect.provideContext(surroundings))
    return { scope, context }
  })
  let current = yield* start
  const stop = Effect.suspend(() => whileTimePasses(Scope.close(current.scope, Exit.void)))
  yield* Effect.addFinalizer(() => stop)
  return {
    use: (effect) => Effect.suspend(() => whereStuck(Effect.provideContext(effect, current.context))),
    restart: Effect.fnUntraced(function*({ drain }) {
      if (drain) yield* Context.get(current.context, Draining).begin
      yield* stop
      current = yield* start
    })
  } satisfies EngineUnderTest as EngineUnderTest
})
