import * as RequestHeaders from "@headwater/domain/RequestHeaders"
import { WebhookSignature } from "@headwater/domain/WebhookRequest"
import { Schema } from "effect"
import * as Extension from "./Extension.ts"

/** Stands for a secret where it is shown. Given back, it is the secret that there is. */
export const mask = "***"

/** Bounds of a webhook's own limit on payloads, in bytes. */
export const maxBytesBounds = { minimum: 1, maximum: 100 * 1024 * 1024 } as const

const Signature = WebhookSignature.annotate({
  description:
    "What signs deliveries: the secret (hmac, as v1), the private key (ed25519, as v1a), or both. Default: hmac.",
  ...Extension.mark
})

const MaxBytes = Schema.Int.pipe(Schema.check(Schema.isBetween(maxBytesBounds))).annotate({
  description:
    "Larger payloads are not sent: their deliveries are exhausted, with the error class too_large. Default: no " +
    "limit beside that on events.",
  examples: [262_144],
  ...Extension.mark
})

const { bytes, count } = RequestHeaders.limits

const Headers = Schema.Record(Schema.String, Schema.String).annotate({
  description:
    "Headers sent with each delivery. Not host, content-length, webhook-* and others that the server sends. " +
    `Together with secret_headers at most ${count} and ${bytes} bytes.`,
  examples: [{ "x-team": "orders" }],
  ...Extension.mark
})

const SecretHeaders = Schema.Record(Schema.String, Schema.String).annotate({
  description: `As headers, with values that are never shown again: ${mask} stands for each, and given back keeps it.`,
  examples: [{ authorization: "Bearer 7Yb2" }],
  ...Extension.mark
})

/** How deliveries are requested. */
export const shown = {
  signature: Signature,
  max_bytes: Schema.NullOr(MaxBytes).annotate({ description: "Larger payloads are not sent; null for no such limit." }),
  headers: Headers,
  secret_headers: SecretHeaders
}

/** In a body: null is the default, and brings it back. */
export const changed = {
  signature: Schema.optionalKey(Schema.NullOr(Signature)),
  max_bytes: Schema.optionalKey(Schema.NullOr(MaxBytes)),
  headers: Schema.optionalKey(Schema.NullOr(Headers)),
  secret_headers: Schema.optionalKey(Schema.NullOr(SecretHeaders))
}
export interface GivenWebhookRequest extends Schema.Struct.Type<typeof changed> {}

/** Whether anything of it is given. */
export const changesRequest = (given: GivenWebhookRequest): boolean =>
  Object.keys(changed).some((name) => given[name as keyof GivenWebhookRequest] !== undefined)
