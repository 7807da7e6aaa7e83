import { assert, it } from "@effect/vitest"
import { Clock, Context, Effect, Layer } from "effect"
import { lean } from "./Cluster.ts"

class OfEngine extends Context.Service<OfEngine, string>()("@headwater/test/OfEngine") {}
class Built extends Context.Service<Built, ReadonlyMap<string, unknown>>()("@headwater/test/Built") {}

it.effect("a lean layer is built with Effect's own services and none of the engine's, and adds what it makes", () =>
  Effect.gen(function*() {
    const clock = yield* Clock.Clock
    const seen = Layer.effect(Built, Effect.map(Effect.context<never>(), ({ mapUnsafe }) => mapUnsafe))
    const context = yield* Layer.build(lean(seen))
    const built = Context.get(context, Built)
    assert.strictEqual(built.get(Clock.Clock.key), clock)
    assert.isFalse(built.has(OfEngine.key))
  }).pipe(Effect.provideService(OfEngine, "here"), Effect.scoped))
