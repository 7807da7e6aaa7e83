import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import * as TestTables from "@headwater/fixtures/TestTables"
import { Effect, type Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import * as ServerProcess from "./ServerProcess.ts"

/**
 * A real server on a database of its own in the Postgres of the test run, which goes when the scope closes. It starts in a
 * part of the time that one takes with an embedded database. Like that one, it reaches what listens on this machine.
 */
export const make: Effect.Effect<ServerProcess.ServerProcess, never, Scope.Scope> = Effect.gen(function*() {
  const database = yield* TestDatabase.database.pipe(Effect.provide(Reactivity.layer))
  return yield* ServerProcess.makeIn(yield* TemporaryDirectory.make("e2e"), {
    ...TestTables.environmentOf(database),
    HEADWATER_EGRESS_ALLOW: "loopback"
  })
})
