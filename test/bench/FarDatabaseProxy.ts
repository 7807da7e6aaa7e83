/** The way to a database that is far away. */
import { DatabaseProxy } from "@headwater/fixtures/DatabaseProxy"
import { Effect, Scope } from "effect"
import { farDatabase } from "./FarDatabaseCall.ts"
import * as Program from "./Program.ts"

Program.serve(farDatabase, async ({ path, roundTripMs }) => {
  const proxy = DatabaseProxy.make(() => ({ path }), { roundTripMs })
  const { port } = await Effect.runPromise(Scope.provide(proxy, Scope.makeUnsafe()))
  return { port }
})
