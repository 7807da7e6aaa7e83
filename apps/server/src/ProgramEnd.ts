import * as Migrations from "@headwater/log/database/Migrations"
import * as OldestAllowed from "@headwater/log/database/OldestAllowed"
import { Context, Deferred, Effect, Layer } from "effect"

/** Failing it has the program stop in order, as if it was told to, and say why. */
export class ProgramEnd
  extends Context.Service<ProgramEnd, Deferred.Deferred<never, Error>>()("@headwater/server/ProgramEnd")
{}

/** Ends the program once its database no longer allows this version. */
export const layerWhenTooOld = Layer.effectDiscard(Effect.gen(function*() {
  const end = yield* ProgramEnd
  yield* OldestAllowed.untilTooOld(Migrations.schemaNumber).pipe(
    Effect.tapError(({ message }) => Effect.logWarning(`The server stops. ${message}`)),
    Effect.catch((error) => Deferred.fail(end, error)),
    Effect.forkScoped
  )
}))
