import type { CurrentAccount } from "@headwater/api/Authorization"
import * as Problem from "@headwater/api/Problem"
import { type GivenWebhookRequest, mask } from "@headwater/api/WebhookRequestSettings"
import type { WebhookDetails } from "@headwater/api/WebhooksApi"
import * as RequestHeaders from "@headwater/domain/RequestHeaders"
import type { Webhook } from "@headwater/domain/Webhook"
import * as WebhookRequest from "@headwater/domain/WebhookRequest"
import { Webhooks } from "@headwater/log/Webhooks"
import { Effect } from "effect"

type Shown = Pick<WebhookDetails, "signature" | "max_bytes" | "headers" | "secret_headers">

/** What is shown of a webhook's request. */
export const shownOf = ({ request }: Webhook): Shown => {
  const { headers = {}, maxBytes = null, secretHeaders = [], signature = "hmac" } = request ?? {}
  return {
    signature,
    max_bytes: maxBytes,
    headers,
    secret_headers: Object.fromEntries(secretHeaders.map((name) => [name, mask]))
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

/** What is wrong with all headers together. */
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

/**
 * What a client asks to change of a webhook's request. Refuses what can't be sent, naming the field.
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
  const { headers, max_bytes, secret_headers, signature } = given
  const secrets =
    before === undefined || before.request === null || headers === undefined && secret_headers === undefined
      ? {}
      : yield* (yield* Webhooks).requestSecrets(before.id)
  const plain = headersOf(headers ?? {}, "headers", undefined)
  const secret = headersOf(secret_headers ?? {}, "secret_headers", secrets.headers)
  const change: WebhookRequest.WebhookRequestChange = {
    signature,
    maxBytes: max_bytes,
    headers: headers && plain.headers as Record<string, string>,
    secretHeaders: secret_headers && secret.headers
  }
  const after = WebhookRequest.changed({ request: before?.request ?? {}, secrets }, change)
  const faults = [
    ...plain.faults,
    ...secret.faults,
    ...faultsTogether(after, secret_headers === undefined ? "headers" : "secret_headers")
  ]
  return faults.length === 0 ? change : yield* Problem.invalid(faults)
})
