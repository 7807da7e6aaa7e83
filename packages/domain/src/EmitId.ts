import { SecureRandom } from "effect/crypto"

/** A fresh id under which an event is known wherever it is delivered (`metadata.emit_id`, `webhook-id`). */
export const make = (): string => Buffer.from(SecureRandom.randomBytesUnsafe(18)).toString("base64url")
