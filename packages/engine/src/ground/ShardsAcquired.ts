import { Context, Effect, Latch, Layer } from "effect"
import { RunnerStorage } from "effect/cluster"

/**
 * Open since this node came to own actors that nobody has looked after yet: what they had still to do may be known to
 * a node alone that is gone.
 */
export class ShardsAcquired
  extends Context.Service<ShardsAcquired, Latch.Latch>()("@headwater/engine/ground/ShardsAcquired")
{
  static readonly layer = Layer.effect(ShardsAcquired, Latch.make())

  /** The same storage, of which it is noted what this node takes. */
  static readonly noting = <E, R>(storage: Layer.Layer<RunnerStorage.RunnerStorage, E, R>) =>
    Layer.effect(
      RunnerStorage.RunnerStorage,
      Effect.gen(function*() {
        const shardsAcquired = yield* ShardsAcquired
        const inner = yield* RunnerStorage.RunnerStorage
        return RunnerStorage.RunnerStorage.of({
          ...inner,
          acquire: (address, shards) =>
            Effect.tap(inner.acquire(address, shards), (acquired) =>
              acquired.length > 0 ? shardsAcquired.open : Effect.void)
        })
      })
    ).pipe(Layer.provide(storage))
}
