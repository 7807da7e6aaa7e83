import { Context, Effect, Layer } from "effect"

/** True while the node is shutting down, or an actor is leaving it: nothing new is taken on, and work under way may end. */
export class Draining extends Context.Service<Draining, {
  readonly isDraining: () => boolean
  readonly begin: Effect.Effect<void>
}>()("@headwater/engine/ground/Draining") {
  static readonly layer = Layer.sync(Draining, () => make(() => false))

  /** One actor's, which begins with the node's at the latest. */
  static readonly ofActor: Effect.Effect<Draining["Service"], never, Draining> = Effect.map(
    Draining,
    (node) => make(node.isDraining)
  )
}

const make = (isDrainingAnyway: () => boolean): Draining["Service"] => {
  let draining = false
  return {
    isDraining: () => draining || isDrainingAnyway(),
    begin: Effect.sync(() => {
      draining = true
    })
  }
}
