import { Schema } from "effect"

const maxLength = 2048

/** Characters that the URL parser drops or that no URL holds, half a surrogate pair among them. */
const unwritable = /[\s\p{Cc}\p{Cs}]/u

/**
 * The URL that a webhook's events go to, with a protocol, http or https, and a hostname (rest-api.md, "Webhooks"). Kept
 * as written; whether the address may be reached is decided at each attempt.
 */
export const WebhookUrl = Schema.String.pipe(
  Schema.check(
    Schema.isMaxLength(maxLength),
    Schema.makeFilter(
      (text) => /^https?:\/\/[^/?#]/i.test(text) && !unwritable.test(text) && URL.canParse(text),
      {
        expected: "a URL with the protocol http or https and a hostname, such as https://example.com/events",
        toJsonSchema: () => ({ pattern: "^[Hh][Tt][Tt][Pp][Ss]?://[^/?#]" })
      }
    )
  )
)
