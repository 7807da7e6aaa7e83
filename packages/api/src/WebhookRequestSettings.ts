import * as RequestHeaders from "@headwater/domain/RequestHeaders"
import { WebhookSignature } from "@headwater/domain/WebhookRequest"
import { Schema } from "effect"
import * as Extension from "./Extension.ts"
import { textUpTo } from "./Text.ts"

/** Stands for a secret where it is shown. Given back, it is the secret that there is. */
export const mask = "***"

/** Bounds of a webhook's own limit on payloads, in bytes. */
export const maxBytesBounds = { minimum: 1, maximum: 100 * 1024 * 1024 } as const

const MaxBytes = Schema.Int.check(Schema.isBetween(maxBytesBounds))

const Headers = Schema.Record(Schema.String, Schema.String)

const { bytes, count } = RequestHeaders.limits

const said = {
  signature: "What signs deliveries: the secret (hmac, as v1), the private key (ed25519, as v1a), or both.",
  max_bytes: "Larger payloads are not sent: their deliveries are exhausted, with the error class too_large.",
  http2: "Whether HTTP/2 is spoken with the endpoint if it offers it over TLS.",
  headers:
    "Sent with each delivery. Not host, content-length, webhook-* and others that the server sends. Together with " +
    `secret_headers at most ${count}, and ${bytes} bytes.`,
  secret_headers:
    `As headers, with values that are never shown again: ${mask} stands for each, and given back keeps it.`,
  tls:
    "Certificates for TLS connections to the endpoint. Default: the public authorities, and no certificate of its own."
}

/** Longest PEM text of certificates, and of a key, in characters. */
const maxCertificates = 16_384
const maxKey = 8_192

const Pem = (maxLength: number, description: string) => Schema.NullOr(textUpTo(maxLength)).annotate({ description })

const trust = "The certificates of authorities, as PEM text, that are trusted instead of the public ones."
const identity =
  "The certificate with which the server identifies itself, as PEM text, followed by the intermediate certificates."

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
}).annotate({ identifier: "GivenWebhookTls", examples: [exampleTls] })

const ShownTls = Schema.Struct({
  ca: Schema.optionalKey(Schema.String.annotate({ description: trust })),
  certificate: Schema.optionalKey(Schema.String.annotate({ description: identity })),
  key: Schema.optionalKey(Schema.String.annotate({ description: `${mask}, if there is a certificate.` }))
}).annotate({ identifier: "WebhookTls", examples: [exampleTls] })

/** The settings of the requests of deliveries. */
export const shown = {
  signature: WebhookSignature.annotate({ description: said.signature }),
  max_bytes: Schema.NullOr(MaxBytes).annotate({ description: said.max_bytes }),
  http2: Schema.Boolean.annotate({ description: said.http2 }),
  headers: Headers.annotate({ description: said.headers }),
  secret_headers: Headers.annotate({ description: said.secret_headers }),
  tls: Schema.NullOr(ShownTls).annotate({ description: said.tls })
}

const setting = <S extends Schema.Top>(schema: S, description: string) =>
  Schema.optionalKey(Schema.NullOr(schema).annotate({ description, ...Extension.mark }))

/** In a body: null is the default, and brings it back. */
export const changed = {
  signature: setting(WebhookSignature, `${said.signature} Default: hmac.`),
  max_bytes: setting(MaxBytes, `${said.max_bytes} Default: only the limit on events.`),
  http2: setting(Schema.Boolean, `${said.http2} Default: true.`),
  headers: setting(Headers, said.headers),
  secret_headers: setting(Headers, said.secret_headers),
  tls: setting(Tls, said.tls)
}
export interface GivenWebhookRequest extends Schema.Struct.Type<typeof changed> {}

/** True if any of these settings is given. */
export const changesRequest = (given: GivenWebhookRequest): boolean =>
  Object.keys(changed).some((name) => given[name as keyof GivenWebhookRequest] !== undefined)
