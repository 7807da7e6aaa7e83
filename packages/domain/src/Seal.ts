import { Context, Effect, Layer, Redacted, Schema } from "effect"
import { Aead, SecureRandom } from "effect/crypto"
import { createHmac } from "node:crypto"

/** A sealed value can't be opened: it was sealed under another server secret, for another place, or was changed. */
export class SealBroken extends Schema.TaggedError<SealBroken>()("SealBroken", {
  place: Schema.String
}) {}

/** The server secret is not 32 bytes long. */
export class InvalidSecretKey extends Schema.TaggedError<InvalidSecretKey>()("InvalidSecretKey", {
  message: Schema.String
}) {}

/**
 * Encrypts secrets at rest under the server secret: AES-256-GCM, a random 96-bit nonce before the ciphertext. The
 * `place` (which row and column) is authenticated with it, so a sealed value moved elsewhere does not open.
 */
export class Seal extends Context.Service<Seal, {
  readonly seal: (place: string, secret: Redacted.Redacted) => Effect.Effect<Uint8Array>
  readonly open: (place: string, sealed: Uint8Array) => Effect.Effect<Redacted.Redacted, SealBroken>
  /** A secret of the place's own that is kept nowhere: the same each time, and no help to find another place's. */
  readonly derive: (place: string) => Redacted.Redacted
}>()("@headwater/domain/Seal") {
  /** @param secretKey the server secret, 32 bytes */
  static readonly layer = (secretKey: Redacted.Redacted<Uint8Array>): Layer.Layer<Seal, InvalidSecretKey> =>
    Layer.effect(Seal, make(secretKey)).pipe(
      Layer.provide(Aead.layerWebCrypto),
      Layer.provide(SecureRandom.layerWebCrypto)
    )
}

const algorithm = Aead.aes256Gcm

const make = Effect.fnUntraced(function*(secretKey: Redacted.Redacted<Uint8Array>) {
  const aead = yield* Aead.Aead
  const random = yield* SecureRandom.SecureRandom
  const key = yield* Aead.key(algorithm, Redacted.value(secretKey)).pipe(
    Effect.mapError((error) => new InvalidSecretKey({ message: error.message }))
  )
  const utf8 = new TextEncoder()

  const seal = Effect.fnUntraced(function*(place: string, secret: Redacted.Redacted) {
    const nonce = yield* random.randomBytes(algorithm.nonceLength)
    // Encryption fails only on arguments of the wrong size, which are fixed here.
    const ciphertext = yield* aead.encrypt(key, utf8.encode(Redacted.value(secret)), {
      nonce,
      aad: utf8.encode(place)
    }).pipe(Effect.orDie)
    const sealed = new Uint8Array(nonce.length + ciphertext.length)
    sealed.set(nonce)
    sealed.set(ciphertext, nonce.length)
    return sealed
  })

  const open = (place: string, sealed: Uint8Array) =>
    aead.decrypt(key, sealed.slice(algorithm.nonceLength), {
      nonce: sealed.slice(0, algorithm.nonceLength),
      aad: utf8.encode(place)
    }).pipe(
      Effect.map((plaintext) => Redacted.make(new TextDecoder().decode(plaintext))),
      Effect.mapError(() => new SealBroken({ place }))
    )

  const derive = (place: string) =>
    Redacted.make(createHmac("sha256", Redacted.value(secretKey)).update(`secret of ${place}`).digest("base64url"))

  return Seal.of({ seal, open, derive })
})
