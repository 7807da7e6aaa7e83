/** The keys of the Standard Webhooks specification, as they are written: `whsec_`, `whsk_` and `whpk_` with base64. */
import { Redacted } from "effect"
import { createPrivateKey, createPublicKey, createSecretKey, type KeyObject } from "node:crypto"

const secretPrefix = "whsec_"
const privatePrefix = "whsk_"
const publicPrefix = "whpk_"

/** Bytes of randomness that a secret, and a key pair, is made of. */
export const randomBytes = 32

/** The bytes before an ed25519 seed in PKCS #8 (RFC 8410, section 7). */
const pkcs8 = Buffer.from("302e020100300506032b657004220420", "hex")

/** The number of bytes before an ed25519 public key in its SubjectPublicKeyInfo (RFC 8410, section 4). */
const spkiBytes = 12

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64")

/** The secret of symmetric signatures. */
export const secret = (random: Uint8Array): Redacted.Redacted => Redacted.make(secretPrefix + base64(random))

/**
 * The key pair of asymmetric signatures: `whsk_`, and in base64 the 32 bytes of the seed and the 32 of the public key.
 */
export const keyPair = (random: Uint8Array): Redacted.Redacted => {
  const spki = createPublicKey(privateKey(random)).export({ format: "der", type: "spki" })
  return Redacted.make(privatePrefix + base64(Buffer.concat([random, spki.subarray(spkiBytes)])))
}

/** The public part of a key pair: `whpk_` and the public key. */
export const publicKey = (pair: Redacted.Redacted): string =>
  publicPrefix + base64(Buffer.from(Redacted.value(pair).slice(privatePrefix.length), "base64").subarray(randomBytes))

/** The key object of a secret or a key pair, made once for many signatures: making it costs more than a signature. */
export const signer = (key: Redacted.Redacted): KeyObject => {
  const text = Redacted.value(key)
  if (text.startsWith(privatePrefix)) {
    return privateKey(Buffer.from(text.slice(privatePrefix.length), "base64").subarray(0, randomBytes))
  }
  return createSecretKey(text.startsWith(secretPrefix) ? text.slice(secretPrefix.length) : text, "base64")
}

const privateKey = (seed: Uint8Array): KeyObject =>
  createPrivateKey({ key: Buffer.concat([pkcs8, seed]), format: "der", type: "pkcs8" })
