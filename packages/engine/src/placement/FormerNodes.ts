import { Effect, Layer } from "effect"
import { RunnerStorage, ShardingConfig, SqlRunnerStorage } from "effect/cluster"

/**
 * Forgets all nodes that the database knows of. Only for a process that has claimed the database and runs no node yet:
 * new nodes would leave former ones, which ended without a word, their share of the actors for some seconds.
 */
export const forget = Effect.gen(function*() {
  const storage = yield* RunnerStorage.RunnerStorage
  for (const [{ address }] of yield* storage.getRunners) yield* storage.unregister(address)
}).pipe(
  Effect.provide(SqlRunnerStorage.layer.pipe(Layer.provide(ShardingConfig.layer()))),
  Effect.scoped
)
