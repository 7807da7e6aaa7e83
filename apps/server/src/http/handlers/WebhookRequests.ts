import type { CurrentAccount } from "@headwater/api/Authorization"
import * as Problem from "@headwater/api/Problem"
import { type GivenWebhookRequest, mask } from "@headwater/api/WebhookRequestSettings"
import type { WebhookDetails } from "@headwater/api/WebhooksApi"
import * as RequestHeaders from "@headwater/domain/RequestHeaders"
import type { Webhook } from "@headwater/domain/Webhook"
import * as WebhookRequest from "@headwater/domain/WebhookRequest"
import * as TlsSettings from "@headwater/egress/TlsSettings"
import { Webhooks } from "@headwater/log/resources/Webhooks"
import { Effect, Redacted } from "effect"

type Shown = Pick<WebhookDetails, "signature" | "max_bytes" | "http2" | "headers" | "secret_headers" | "tls">

/** The settings of a webhook's request, as they are shown. */
export const shownOf = ({ request }: Webhook): Shown => {
  const { headers = {}, http2 = true, maxBytes = null, secretHeaders = [], signature = "hmac", tls = null } = request ??
    {}
  return {
    signature,
    max_bytes: maxBytes,
    http2,
    headers,
    secret_headers: Object.fromEntries(secretHeaders.map((name) => [name, mask])),
    tls: tls && { ...tls, ...(tls.certificate === undefined ? {} : { key: mask }) }
  }
}

/** Headers as they are kept, and what is wrong with them. */
const headersOf = (
  given: Readonly<Record<string, string>>,
  field: "headers" | "secret_headers",
  known: WebhookRequest.WebhookRequestSecrets["headers"]
) => {
  const headers: Record<string, string | null> = {}
  const faults: Array<Problem.Issue> = []
  for (const [name, value] of Object.entries(given)) {
    const key = name.toLowerCase()
    const path = `${field}.${name}`
    const isKept = field === "secret_headers" && value === mask
    const fault = RequestHeaders.faultOf({ name, value })
    if (fault !== undefined) faults.push({ path, message: fault })
    else if (Object.hasOwn(headers, key)) faults.push({ path, message: "is there twice" })
    else if (isKept && !Object.hasOwn(known ?? {}, key)) {
      faults.push({ path, message: `contains ${mask} instead of its value: give the value` })
    }
    headers[key] = isKept ? null : value
  }
  return { faults, headers }
}

/** Issues of all headers together. */
const faultsTogether = (
  { request, secrets }: WebhookRequest.WholeWebhookRequest,
  field: "headers" | "secret_headers"
): ReadonlyArray<Problem.Issue> => {
  const plain = Object.entries(request.headers ?? {})
  const all = [...plain, ...Object.entries(secrets.headers ?? {})]
  const twice = plain.filter(([name]) => Object.hasOwn(secrets.headers ?? {}, name))
  const bytes = all.reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  return [
    ...twice.map(([name]) => ({ path: `${field}.${name}`, message: "is among headers and among secret_headers" })),
    ...(all.length > RequestHeaders.limits.count
      ? [{ path: field, message: `there are more than ${RequestHeaders.limits.count} headers` }]
      : []),
    ...(bytes > RequestHeaders.limits.bytes
      ? [{ path: field, message: `the headers have more than ${RequestHeaders.limits.bytes} bytes` }]
      : [])
  ]
}

/** PEM text as it is kept, and what is wrong with it. */
const tlsOf = (
  { ca, certificate, key }: NonNullable<GivenWebhookRequest["tls"]>,
  known: WebhookRequest.WebhookRequestSecrets
) => {
  const isKept = key === mask
  const text = isKept ? known.tlsKey : key
  const given = { ...(ca == null ? {} : { ca }), ...(certificate == null ? {} : { certificate }) }
  const faults = isKept && text === undefined
    ? [{ path: "key", message: `is ${mask} instead of the key: give the key` }]
    : TlsSettings.faultsOf({ ...given, ...(text == null ? {} : { key: Redacted.make(text) }) })
  return {
    faults: faults.map(({ message, path }) => ({ path: `tls.${path}`, message })),
    tls: { ...given, ...(key == null ? {} : { key: isKept ? null : key }) }
  }
}

/**
 * The change of a webhook's request that a client asks for. Refuses one that can't be sent, naming the field.
 *
 * @param before none where the webhook is to be made
 */
export const changeOf: (
  given: GivenWebhookRequest,
  before: Webhook | undefined
) => Effect.Effect<
  WebhookRequest.WebhookRequestChange,
  Problem.InvalidRequest | Effect.Error<ReturnType<Webhooks["Service"]["requestSecrets"]>>,
  Webhooks | CurrentAccount
> = Effect.fnUntraced(function*(given, before) {
  const { headers, http2, max_bytes, secret_headers, signature, tls } = given
  const asksForSecrets = [headers, secret_headers, tls].some((field) => field !== undefined)
  const secrets = before === undefined || before.request === null || !asksForSecrets
    ? {}
    : yield* (yield* Webhooks).requestSecrets(before.id)
  const plain = headersOf(headers ?? {}, "headers", undefined)
  const secret = headersOf(secret_headers ?? {}, "secret_headers", secrets.headers)
  const pem = tls && tlsOf(tls, secrets)
  const change: WebhookRequest.WebhookRequestChange = {
    signature,
    maxBytes: max_bytes,
    http2,
    headers: headers && plain.headers as Record<string, string>,
    secretHeaders: secret_headers && secret.headers,
    tls: pem === undefined || pem === null ? pem : pem.tls
  }
  const after = WebhookRequest.changed({ request: before?.request ?? {}, secrets }, change)
  const faults = [
    ...plain.faults,
    ...secret.faults,
    ...(pem?.faults ?? []),
    ...faultsTogether(after, secret_headers === undefined ? "headers" : "secret_headers")
  ]
  return faults.length === 0 ? change : yield* Problem.invalid(faults)
})
