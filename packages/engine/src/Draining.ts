import { Context, Effect, Latch, Layer } from "effect"

/** Whether the node is shutting down: nothing new is taken on, and what is under way may end. */
export class Draining extends Context.Service<Draining, {
  readonly isDraining: () => boolean
  readonly begin: Effect.Effect<void>
  /** Returns when draining has begun. */
  readonly await: Effect.Effect<void>
}>()("@headwater/engine/Draining") {
  static readonly layer = Layer.effect(
    Draining,
    Effect.gen(function*() {
      const latch = yield* Latch.make()
      return Draining.of({
        isDraining: () => latch.isOpen(),
        begin: Effect.asVoid(latch.open),
        await: latch.await
      })
    })
  )
}
