/** Runs the database of the data directory given as its argument until it is stopped, and prints its process id. */
import { NodeRuntime } from "@effect/platform-node"
import { DataDirectory } from "@headwater/postgres/DataDirectory"
import { EmbeddedPostgres } from "@headwater/postgres/EmbeddedPostgres"
import { Console, Effect, Layer } from "effect"

const [directory = ""] = process.argv.slice(2)

Effect.gen(function*() {
  const postgres = yield* EmbeddedPostgres
  yield* Console.log(`postgres ${yield* postgres.pid}`)
  return yield* Effect.never
}).pipe(
  Effect.provide(EmbeddedPostgres.layer().pipe(Layer.provide(DataDirectory.layer(directory)))),
  NodeRuntime.runMain
)
