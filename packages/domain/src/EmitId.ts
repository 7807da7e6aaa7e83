import * as RandomBytes from "./RandomBytes.ts"

/** A fresh id under which an event is known wherever it is delivered (`metadata.emit_id`, `webhook-id`). */
export const make = (): string => Buffer.from(RandomBytes.take(18)).toString("base64url")
