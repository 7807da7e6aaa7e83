import { Seal } from "@headwater/domain/Seal"
import { SealCheck } from "@headwater/log/access/SealCheck"
import { DataDirectory } from "@headwater/postgres/DataDirectory"
import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { Base64 } from "effect/encoding"
import * as Database from "./Database.ts"
import { ServerConfig } from "./ServerConfig.ts"

/** Secrets sealed in the database do not open under this server's secret. */
export class SecretKeyMismatch extends Schema.TaggedError<SecretKeyMismatch>()("SecretKeyMismatch", {}) {
  override get message() {
    return "HEADWATER_SECRET_KEY: is not the key that sealed this database's secrets. Set it to that key"
  }
}

const sealUnder = Effect.fnUntraced(function*(key: Redacted.Redacted) {
  const bytes = yield* Effect.orDie(Effect.fromResult(Base64.decode(Redacted.value(key))))
  return Seal.layer(Redacted.make(bytes))
}, Layer.unwrap)

const sealOfDataDirectory = Layer.unwrap(
  Effect.map(Effect.flatMap(DataDirectory, (directory) => directory.secret("secret-key")), sealUnder)
).pipe(Layer.provide(Database.dataDirectory))

/** Seals under `HEADWATER_SECRET_KEY`, or where that is not set under the secret in the data directory. */
export const seal = Layer.unwrap(
  Effect.map(
    ServerConfig,
    ({ secretKey }) => Option.isSome(secretKey) ? sealUnder(secretKey.value) : sealOfDataDirectory
  )
)

/** Fails where the database was sealed under another secret, before more is sealed under this one. */
export const verify = Effect.flatMap(SealCheck, (check) => check.verify).pipe(
  Effect.catchTag("SealBroken", () => Effect.fail(new SecretKeyMismatch()))
)

/** Verifies, and ties a database that was not sealed under any secret yet to this one. */
export const claim = Effect.flatMap(SealCheck, (check) => check.keep).pipe(
  Effect.catchTag("SealBroken", () => Effect.fail(new SecretKeyMismatch()))
)
