import * as RequestHeaders from "@headwater/domain/RequestHeaders"
import { WebhookSignature } from "@headwater/domain/WebhookRequest"
import { Schema } from "effect"
import * as Extension from "./Extension.ts"
import { textUpTo } from "./Text.ts"

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

/** Longest PEM text of certificates, and of a key, in characters. */
const maxCertificates = 16_384
const maxKey = 8_192

const Pem = (maxLength: number, description: string) => Schema.NullOr(textUpTo(maxLength)).annotate({ description })

const trust = "Certificates as PEM text. Only what they have signed is trusted, instead of the public authorities."
const identity = "The server's own certificate as PEM text, and behind it those between it and its authority."

const exampleTls = { ca: "-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----\n" }

const Tls = Schema.Struct({
  ca: Schema.optionalKey(Pem(maxCertificates, trust)),
  certificate: Schema.optionalKey(Pem(maxCertificates, identity)),
  key: Schema.optionalKey(
    Pem(
      maxKey,
      `The private key of the certificate as PEM text. Never shown again: ${mask} stands for it, and keeps it.`
    )
  )
}).annotate({
  description:
    "What TLS connections to the endpoint are made with. Default: the public authorities, and no certificate.",
  examples: [exampleTls],
  ...Extension.mark
})

const ShownTls = Schema.Struct({
  ca: Schema.optionalKey(Schema.String.annotate({ description: trust })),
  certificate: Schema.optionalKey(Schema.String.annotate({ description: identity })),
  key: Schema.optionalKey(Schema.String.annotate({ description: `${mask}, if there is a certificate.` }))
}).annotate({
  description: "What TLS connections to the endpoint are made with.",
  examples: [exampleTls],
  ...Extension.mark
})

/** How deliveries are requested. */
export const shown = {
  signature: Signature,
  max_bytes: Schema.NullOr(MaxBytes).annotate({ description: "Larger payloads are not sent; null for no such limit." }),
  headers: Headers,
  secret_headers: SecretHeaders,
  tls: Schema.NullOr(ShownTls).annotate({
    description: "What TLS connections to the endpoint are made with, if that is given."
  })
}

/** In a body: null is the default, and brings it back. */
export const changed = {
  signature: Schema.optionalKey(Schema.NullOr(Signature)),
  max_bytes: Schema.optionalKey(Schema.NullOr(MaxBytes)),
  headers: Schema.optionalKey(Schema.NullOr(Headers)),
  secret_headers: Schema.optionalKey(Schema.NullOr(SecretHeaders)),
  tls: Schema.optionalKey(Schema.NullOr(Tls))
}
export interface GivenWebhookRequest extends Schema.Struct.Type<typeof changed> {}

/** Whether anything of it is given. */
export const changesRequest = (given: GivenWebhookRequest): boolean =>
  Object.keys(changed).some((name) => given[name as keyof GivenWebhookRequest] !== undefined)
