import { Seal } from "@headwater/domain/Seal"
import * as Tables from "@headwater/log/Tables"
import { Layer, Redacted } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import * as TestDatabase from "./TestDatabase.ts"

/** Every table's service over a database of the test's own. */
export const layer = Tables.layer.pipe(
  Layer.provide(Seal.layer(Redacted.make(new Uint8Array(32).fill(7)))),
  Layer.provideMerge(Layer.merge(Digest.layerWebCrypto, SecureRandom.layerWebCrypto)),
  Layer.provideMerge(TestDatabase.layer)
)
