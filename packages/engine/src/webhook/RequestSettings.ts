import type * as Id from "@headwater/domain/Id"
import type { WebhookRequest } from "@headwater/domain/WebhookRequest"
import * as TlsSettings from "@headwater/egress/TlsSettings"
import { Webhooks } from "@headwater/log/resources/Webhooks"
import { Effect, Redacted } from "effect"
import * as SentHeaders from "./SentHeaders.ts"

/** An account's settings for the requests to one of its webhooks, ready to be used. */
export interface RequestSettings {
  /** A larger payload is not sent. */
  readonly maxBytes: number | undefined
  /** False if HTTP/2 is not to be spoken. */
  readonly http2: boolean | undefined
  /** By lower-case names, secret ones included. */
  readonly headers: Readonly<Record<string, string>>
  /** The same with a mask for secrets. */
  readonly shownHeaders: Readonly<Record<string, string>>
  readonly tls: TlsSettings.TlsSettings | undefined
  readonly secretHeaders: Readonly<Record<string, string>>
}

/** Reads the secrets of a webhook's settings, and adds them. */
export const read = Effect.fnUntraced(function*(id: Id.WebhookId, request: WebhookRequest) {
  const { headers: secretHeaders = {}, tlsKey } = request.secretHeaders === undefined && request.tls === undefined
    ? {}
    : yield* Effect.catchTag((yield* Webhooks).requestSecrets(id), "SealBroken", Effect.die)
  const masked = Object.keys(secretHeaders).map((name) => [name, SentHeaders.mask] as const)
  return {
    maxBytes: request.maxBytes,
    http2: request.http2,
    headers: { ...request.headers, ...secretHeaders },
    secretHeaders,
    shownHeaders: { ...request.headers, ...Object.fromEntries(masked) },
    tls: request.tls === undefined
      ? undefined
      : TlsSettings.make({ ...request.tls, ...(tlsKey === undefined ? {} : { key: Redacted.make(tlsKey) }) })
  } satisfies RequestSettings as RequestSettings
})
