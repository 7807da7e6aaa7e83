import { Effect, Redacted } from "effect"
import { Digest } from "effect/crypto"

/** The SHA-256 of a secret in hex: what the database and the memory know it by. */
export const make = Effect.map(
  Digest.Digest,
  (digest) => (secret: Redacted.Redacted): Effect.Effect<string> =>
    Effect.map(
      digest.digest(Digest.sha256, new TextEncoder().encode(Redacted.value(secret))),
      (bytes) => Buffer.from(bytes).toString("hex")
    )
)
