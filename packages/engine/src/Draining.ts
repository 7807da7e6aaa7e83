import { Context, Effect, Layer } from "effect"

/** Whether the node is shutting down: nothing new is taken on, and what is under way may end. */
export class Draining extends Context.Service<Draining, {
  readonly isDraining: () => boolean
  readonly begin: Effect.Effect<void>
}>()("@headwater/engine/Draining") {
  static readonly layer = Layer.sync(Draining, () => {
    let draining = false
    return Draining.of({
      isDraining: () => draining,
      begin: Effect.sync(() => {
        draining = true
      })
    })
  })
}
