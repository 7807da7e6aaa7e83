import { Effect, Layer, Schema } from "effect"
import * as Program from "../Program.ts"
import * as Server from "../Server.ts"
import * as Correspondence from "./Correspondence.ts"
import * as Machine from "./Machine.ts"
import { WorkerPlaceText } from "./WorkerPlace.ts"

/**
 * Nobody would start or stop a worker without a supervisor. The next worker takes over what it was doing, as after a
 * crash. A worker that stands still then is killed (`WorkerProcess`).
 */
const endAlone = (): never => process.exit(1)

process.on("disconnect", endAlone)
if (!process.connected) endAlone()

Program.run(Layer.unwrap(Effect.gen(function*() {
  const place = yield* Effect.orDie(Schema.decodeUnknownEffect(WorkerPlaceText)(process.argv[2]))
  return Server.layerWorker(place, yield* Machine.link(Correspondence.portOf(process)))
})))
