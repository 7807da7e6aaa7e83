import { Redacted } from "effect"
import { createHmac } from "node:crypto"

const prefix = "whsec_"

const keyOf = (secret: Redacted.Redacted): Buffer => {
  const text = Redacted.value(secret)
  return Buffer.from(text.startsWith(prefix) ? text.slice(prefix.length) : text, "base64")
}

/**
 * The `webhook-signature` header: HMAC-SHA256 over `id.timestamp.body` by each live secret (Standard Webhooks
 * specification, symmetric signatures).
 */
export const signature = (
  secrets: ReadonlyArray<Redacted.Redacted>,
  id: string,
  timestampSeconds: number,
  body: string
): string =>
  secrets
    .map((secret) =>
      `v1,${createHmac("sha256", keyOf(secret)).update(`${id}.${timestampSeconds}.${body}`).digest("base64")}`
    )
    .join(" ")
