import { createHmac, type KeyObject, sign } from "node:crypto"

/**
 * The `webhook-signature` header (Standard Webhooks specification): over `id.timestamp.body` an HMAC-SHA256 by each live
 * secret, and an ed25519 signature by each live private key.
 */
export const signature = (
  keys: ReadonlyArray<KeyObject>,
  id: string,
  timestampSeconds: number,
  body: string
): string => {
  const signed = `${id}.${timestampSeconds}.${body}`
  return keys.map((key) =>
    key.type === "private"
      ? `v1a,${sign(null, Buffer.from(signed), key).toString("base64")}`
      : `v1,${createHmac("sha256", key).update(signed).digest("base64")}`
  ).join(" ")
}
