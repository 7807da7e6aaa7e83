import type { Effect, Layer, Scope } from "effect"
import { type Sharding, Singleton } from "effect/cluster"

/** Runs on one node of all, for as long as there is one. */
export const make: <R>(
  name: string,
  run: Effect.Effect<void, never, R>
) => Layer.Layer<never, never, Sharding.Sharding | Exclude<R, Scope.Scope>> = Singleton.make
