import type * as Id from "@headwater/domain/Id"
import type { WebhookRequest } from "@headwater/domain/WebhookRequest"
import { Webhooks } from "@headwater/log/Webhooks"
import { Effect } from "effect"
import * as SentHeaders from "./SentHeaders.ts"

/** What an account said of the requests to one of its webhooks, ready to be used. */
export interface RequestSettings {
  /** A larger payload is not sent. */
  readonly maxBytes: number | undefined
  /** By lower-case names, secret ones included. */
  readonly headers: Readonly<Record<string, string>>
  /** The same with a mask for secrets. */
  readonly shownHeaders: Readonly<Record<string, string>>
}

/** Reads what is secret of them. */
export const read = Effect.fnUntraced(function*(id: Id.WebhookId, request: WebhookRequest) {
  const { headers: secretHeaders = {} } = request.secretHeaders === undefined
    ? {}
    : yield* Effect.catchTag((yield* Webhooks).requestSecrets(id), "SealBroken", Effect.die)
  const masked = Object.keys(secretHeaders).map((name) => [name, SentHeaders.mask] as const)
  return {
    maxBytes: request.maxBytes,
    headers: { ...request.headers, ...secretHeaders },
    shownHeaders: { ...request.headers, ...Object.fromEntries(masked) }
  } satisfies RequestSettings as RequestSettings
})
