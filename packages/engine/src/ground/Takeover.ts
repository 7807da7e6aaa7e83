import { Context, Effect, Latch, Layer } from "effect"
import { RunnerStorage } from "effect/cluster"

/**
 * Open since this node came to own actors that nobody has looked after yet: what they had still to do may be known to
 * a node alone that is gone.
 */
export class Takeover extends Context.Service<Takeover, Latch.Latch>()("@headwater/engine/ground/Takeover") {
  static readonly layer = Layer.effect(Takeover, Latch.make())

  /** The same storage, of which it is noted what this node takes. */
  static readonly noting = <E, R>(storage: Layer.Layer<RunnerStorage.RunnerStorage, E, R>) =>
    Layer.effect(
      RunnerStorage.RunnerStorage,
      Effect.gen(function*() {
        const takeover = yield* Takeover
        const inner = yield* RunnerStorage.RunnerStorage
        return RunnerStorage.RunnerStorage.of({
          ...inner,
          acquire: (address, shards) =>
            Effect.tap(inner.acquire(address, shards), (acquired) => acquired.length > 0 ? takeover.open : Effect.void)
        })
      })
    ).pipe(Layer.provide(storage))
}
