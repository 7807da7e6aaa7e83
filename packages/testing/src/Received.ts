import { createHmac, timingSafeEqual } from "node:crypto"
import type { ParsedJson } from "./ParsedJson.ts"

/** A request that a webhook's endpoint received, whose signature is right. */
export interface Received {
  /** The time at which it came, by the test's clock. */
  readonly at: string
  /** The same for all attempts to deliver one event. */
  readonly id: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: ParsedJson
  /** The status that it was answered with. */
  readonly status: number
}

/** The most that a signature's time may differ from that of the endpoint, in seconds (Standard Webhooks). */
const toleranceSeconds = 300

const prefix = "whsec_"

/**
 * Says what is wrong with the signature of a request (Standard Webhooks specification); undefined where it is right.
 *
 * @param now the time of who receives it, in Unix milliseconds
 */
export const faultOf = (
  secret: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  now: number
): string | undefined => {
  const { "webhook-id": id, "webhook-signature": signatures, "webhook-timestamp": timestamp } = headers
  if (id === undefined || signatures === undefined || timestamp === undefined) return "A webhook header is missing"
  if (Math.abs(now / 1_000 - Number(timestamp)) > toleranceSeconds) return "The timestamp is too far from the time"
  const key = Buffer.from(secret.slice(prefix.length), "base64")
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest()
  const isRight = signatures.split(" ").some((signature) => {
    const [version, text = ""] = signature.split(",")
    const given = Buffer.from(text, "base64")
    return version === "v1" && given.length === expected.length && timingSafeEqual(given, expected)
  })
  return isRight ? undefined : "No signature fits the secret"
}
