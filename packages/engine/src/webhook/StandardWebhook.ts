import { Redacted } from "effect"
import { createHmac, createSecretKey, type KeyObject } from "node:crypto"

const prefix = "whsec_"

/** What a secret signs with. Made once for many signatures: making one costs more than the signature does. */
export const signingKey = (secret: Redacted.Redacted): KeyObject => {
  const text = Redacted.value(secret)
  return createSecretKey(text.startsWith(prefix) ? text.slice(prefix.length) : text, "base64")
}

/**
 * The `webhook-signature` header: HMAC-SHA256 over `id.timestamp.body` by each live secret (Standard Webhooks
 * specification, symmetric signatures).
 */
export const signature = (
  keys: ReadonlyArray<KeyObject>,
  id: string,
  timestampSeconds: number,
  body: string
): string =>
  keys
    .map((key) => `v1,${createHmac("sha256", key).update(`${id}.${timestampSeconds}.${body}`).digest("base64")}`)
    .join(" ")
