import { Schema } from "effect"
import * as OwnMember from "./OwnMember.ts"

/** The signature of a delivery: HMAC-SHA256 with the secret (`v1`), ed25519 with the private key (`v1a`), or both. */
export const WebhookSignature = Schema.Literals(["hmac", "ed25519", "both"])
export type WebhookSignature = typeof WebhookSignature.Type

/** PEM text: authorities that are trusted instead of the public ones, and the certificate that the server presents. */
export const WebhookTls = Schema.Struct({
  ca: Schema.optionalKey(Schema.String),
  /** With the certificates between it and its authority. Its private key is among the secrets. */
  certificate: Schema.optionalKey(Schema.String)
})
export type WebhookTls = typeof WebhookTls.Type

/** The settings of requests to a webhook, without secrets. A field that is left out has the server's default. */
export const WebhookRequest = Schema.Struct({
  /** HMAC if it is left out. */
  signature: Schema.optionalKey(WebhookSignature),
  /** A larger payload is not sent. */
  maxBytes: Schema.optionalKey(Schema.Int),
  /** False if HTTP/2 is not to be spoken though the endpoint offers it. */
  http2: Schema.optionalKey(Schema.Literal(false)),
  /** By lower-case names. */
  headers: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  /** Lower-case names of those whose values are secret. */
  secretHeaders: Schema.optionalKey(Schema.Array(Schema.String)),
  tls: Schema.optionalKey(WebhookTls)
})
export type WebhookRequest = typeof WebhookRequest.Type

/** The secrets of requests to a webhook, which nobody is shown. */
export const WebhookRequestSecrets = Schema.Struct({
  /** By lower-case names. */
  headers: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  /** PEM text: the private key of the certificate. */
  tlsKey: Schema.optionalKey(Schema.String)
})
export type WebhookRequestSecrets = typeof WebhookRequestSecrets.Type

/** A change of a webhook's request settings: an undefined field stays, null sets the server's default. */
export interface WebhookRequestChange {
  readonly signature?: WebhookSignature | null | undefined
  readonly maxBytes?: number | null | undefined
  readonly http2?: boolean | null | undefined
  readonly headers?: Readonly<Record<string, string>> | null | undefined
  /** A null value keeps the present one. */
  readonly secretHeaders?: Readonly<Record<string, string | null>> | null | undefined
  /** A null key keeps the present one. */
  readonly tls?: (WebhookTls & { readonly key?: string | null }) | null | undefined
}

/** True if anything is to change. */
export const changesAnything = (change: WebhookRequestChange): boolean =>
  Object.values(change).some((field) => field !== undefined)

/** The settings of requests to a webhook, with their secrets. */
export interface WholeWebhookRequest {
  readonly request: WebhookRequest
  readonly secrets: WebhookRequestSecrets
}

/** The settings of a webhook for which none were given. */
export const standard: WholeWebhookRequest = { request: {}, secrets: {} }

export const changed = (before: WholeWebhookRequest, change: WebhookRequestChange): WholeWebhookRequest => {
  const { request, secrets } = before
  const signature = chosen(change.signature, request.signature)
  const maxBytes = chosen(change.maxBytes, request.maxBytes)
  const http2 = chosen(change.http2, request.http2)
  const headers = chosen(change.headers, request.headers)
  const secretHeaders = change.secretHeaders === undefined
    ? secrets.headers
    : joined(change.secretHeaders ?? {}, secrets.headers ?? {})
  const { key, ...givenTls } = change.tls ?? {}
  const tls = change.tls === undefined ? request.tls : givenTls
  const tlsKey = change.tls === undefined || key === null ? secrets.tlsKey : key
  const secretNames = Object.keys(secretHeaders ?? {})
  return {
    request: {
      ...(signature === undefined || signature === "hmac" ? {} : { signature }),
      ...(maxBytes === undefined ? {} : { maxBytes }),
      ...(http2 === false ? { http2 } : {}),
      ...(isEmpty(headers) ? {} : { headers: headers! }),
      ...(secretNames.length === 0 ? {} : { secretHeaders: secretNames }),
      ...(isEmpty(tls) ? {} : { tls: tls! })
    },
    secrets: {
      ...(secretNames.length === 0 ? {} : { headers: secretHeaders! }),
      ...(tls?.certificate === undefined || tlsKey === undefined ? {} : { tlsKey })
    }
  }
}

/**
 * Paths of the secrets that a change keeps, as the API names them: those that would go on to be used without being
 * given again.
 */
export const keptSecrets = ({ secrets }: WholeWebhookRequest, change: WebhookRequestChange): ReadonlyArray<string> => {
  const { secretHeaders, tls } = change
  const names = Object.keys(secrets.headers ?? {}).filter((name) =>
    secretHeaders === undefined || secretHeaders?.[name] === null
  )
  const keepsKey = secrets.tlsKey !== undefined && (tls === undefined || tls?.key === null)
  return [...names.map((name) => `secret_headers.${name}`), ...(keepsKey ? ["tls.key"] : [])]
}

const chosen = <A>(given: A | null | undefined, before: A | undefined): A | undefined =>
  given === undefined ? before : given ?? undefined

const isEmpty = (object: object | undefined): boolean => object === undefined || Object.keys(object).length === 0

/** The given values, with the present ones in place of null. */
const joined = (
  given: Readonly<Record<string, string | null>>,
  before: Readonly<Record<string, string>>
): Record<string, string> => {
  const after: Record<string, string> = {}
  for (const [name, value] of Object.entries(given)) {
    const text = value ?? OwnMember.get(before, name)
    if (text !== undefined) OwnMember.set(after, name, text)
  }
  return after
}
