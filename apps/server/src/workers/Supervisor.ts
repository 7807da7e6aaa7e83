import * as RandomBytes from "@headwater/domain/RandomBytes"
import { AccountLifecycle } from "@headwater/engine/AccountLifecycle"
import * as FormerNodes from "@headwater/engine/FormerNodes"
import { Accounts } from "@headwater/log/access/Accounts"
import { ApiKeys } from "@headwater/log/access/ApiKeys"
import { SealCheck } from "@headwater/log/access/SealCheck"
import { Heads } from "@headwater/log/logs/Heads"
import { AutoSubscriptions } from "@headwater/log/resources/AutoSubscriptions"
import { Programs } from "@headwater/log/resources/Programs"
import { Subscriptions } from "@headwater/log/resources/Subscriptions"
import { Webhooks } from "@headwater/log/resources/Webhooks"
import { Clock, Effect, Layer, Option } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import * as Database from "../Database.ts"
import * as DevClockDatabase from "../DevClockDatabase.ts"
import { FirstStart, greeting } from "../FirstStart.ts"
import * as ListenAddress from "../ListenAddress.ts"
import * as Logging from "../Logging.ts"
import * as ProgramEnd from "../ProgramEnd.ts"
import * as RunningSettings from "../RunningSettings.ts"
import * as SecretKey from "../SecretKey.ts"
import { ServerConfig } from "../ServerConfig.ts"
import * as Telemetry from "../Telemetry.ts"
import * as UnknownSettings from "../UnknownSettings.ts"
import { Workers } from "./Workers.ts"

/**
 * Sources and workflows that a crash left half-made or half-removed. If other nodes share the database, all nodes find
 * them in time.
 */
const abandoned = Effect.gen(function*() {
  const { node } = yield* ServerConfig
  if (Option.isSome(node)) return []
  yield* FormerNodes.forget
  const now = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
  return (yield* (yield* Programs).unready(now + 1)).map(({ id }) => id as string)
})

const workers = Layer.unwrap(Effect.map(abandoned, Workers.layer))

/** Greets once all workers serve. */
const greet = Layer.effectDiscard(Effect.gen(function*() {
  const { published, serving } = yield* Workers
  yield* serving
  yield* published
  yield* greeting
}))

const tables = Layer.mergeAll(
  Accounts.layer,
  ApiKeys.layer,
  Heads.layer,
  Programs.layer,
  SealCheck.layer,
  Webhooks.layer
).pipe(Layer.provideMerge(Subscriptions.layer), Layer.provideMerge(AutoSubscriptions.layer))

/**
 * The program in several processes on one port. This one has the database, the data directory and the first start, and
 * starts the workers, each of which is a node. Its workers end with it, however it ends.
 */
export const layer = greet.pipe(
  Layer.provideMerge(workers),
  Layer.provideMerge(FirstStart.layer),
  Layer.provideMerge(AccountLifecycle.layer),
  Layer.provideMerge(tables),
  Layer.provideMerge(RunningSettings.layer),
  Layer.provide(SecretKey.seal),
  Layer.provide(DevClockDatabase.layer),
  Layer.provide(ProgramEnd.layerWhenTooOld),
  Layer.provide(Database.layer),
  Layer.provide(Database.dataDirectory),
  Layer.provide([ListenAddress.layer, UnknownSettings.layer]),
  Layer.provide([Digest.layerWebCrypto, RandomBytes.layer, SecureRandom.layerWebCrypto]),
  Layer.provide(Telemetry.layer),
  Layer.provide(Logging.layer),
  Layer.provide(ServerConfig.layer)
)
