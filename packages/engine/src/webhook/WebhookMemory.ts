import type * as Id from "@headwater/domain/Id"
import { OnBehalfOf } from "@headwater/domain/OnBehalfOf"
import * as SigningKey from "@headwater/domain/SigningKey"
import type { SubscriptionBatch } from "@headwater/domain/SubscriptionBatch"
import type { Webhook } from "@headwater/domain/Webhook"
import type { WebhookRequest } from "@headwater/domain/WebhookRequest"
import * as TlsSettings from "@headwater/egress/TlsSettings"
import { type Fence, Fences } from "@headwater/log/logs/Fences"
import { Webhooks } from "@headwater/log/resources/Webhooks"
import { Deliveries } from "@headwater/log/work/Deliveries"
import { Clock, Effect, Option, Redacted } from "effect"
import type { KeyObject } from "node:crypto"
import { EngineLimits } from "../ground/EngineLimits.ts"
import { Inbox } from "../routing/Inbox.ts"
import { AttemptSlots } from "./AttemptSlots.ts"
import { DueRetries } from "./DueRetries.ts"
import { EchoedSecrets } from "./EchoedSecrets.ts"
import * as SentHeaders from "./SentHeaders.ts"

/** An account's settings for the requests to one of its webhooks, ready to be used. */
interface RequestSettings {
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

/** The memory of a webhook's owner: a cache of what the database says, dropped whole when a commit fails. */
export interface WebhookMemory {
  readonly accountId: string
  /** The fence that its commits are written under. */
  readonly fence: Fence
  webhook: Webhook
  /** Its URL, with the password. */
  readonly target: Redacted.Redacted
  /** None if it has no URL of its own. */
  readonly urlHeaders: SentHeaders.UrlHeaders | undefined
  /** Its account's settings for its requests, if any. */
  readonly requestSettings: RequestSettings | undefined
  /** The secrets of its requests. None if each request has its own. */
  readonly secrets: EchoedSecrets | undefined
  signingKeys: ReadonlyArray<KeyObject>
  /** The time at which the keys were read: one that is rotated out stops signing. */
  keysReadAt: number
  readonly inbox: Inbox
  readonly retries: DueRetries
  readonly slots: AttemptSlots
  failed: boolean
}

/** The batches that a subscription asks for, of which none is larger than the webhook takes. */
const fitting = (batch: SubscriptionBatch | undefined, most: number): SubscriptionBatch | undefined =>
  batch === undefined || batch.maxBytes <= most ? batch : { ...batch, maxBytes: most }

/** The keys that sign for a webhook. */
export const readSigningKeys = Effect.fnUntraced(function*(webhookId: Id.WebhookId) {
  const webhooks = yield* Webhooks
  const keys = yield* Effect.catchTag(webhooks.signingKeys(webhookId), "SealBroken", Effect.die)
  return keys.map(SigningKey.signer)
})

/** Reads the secrets of a webhook's settings, and adds them. */
const readRequestSettings = Effect.fnUntraced(function*(id: Id.WebhookId, request: WebhookRequest) {
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

/** Becomes the owner of a webhook and reads its memory; none if there is no such webhook. */
export const load = Effect.fnUntraced(function*(webhookId: Id.WebhookId) {
  const fence = yield* (yield* Fences).acquire(webhookId)
  return Option.isNone(fence)
    ? Option.none<WebhookMemory>()
    : yield* Effect.provideService(loadOwned(webhookId, fence.value), OnBehalfOf, fence.value.accountId)
})

const loadOwned = Effect.fnUntraced(function*(webhookId: Id.WebhookId, fence: Fence) {
  const webhooks = yield* Webhooks
  const webhook = yield* webhooks.getById(webhookId)
  const limits = yield* EngineLimits
  const target = yield* Effect.catchTag(webhooks.target(webhookId), "SealBroken", Effect.die)
  if (Option.isNone(webhook) || Option.isNone(target)) return Option.none<WebhookMemory>()
  const requestSettings = webhook.value.request === null
    ? undefined
    : yield* readRequestSettings(webhookId, webhook.value.request)
  const { accountId } = webhook.value
  const batchOf = (asked: SubscriptionBatch | undefined) => fitting(asked, requestSettings?.maxBytes ?? Infinity)
  const inbox = yield* Inbox.make({ id: webhookId, accountId, batchOf }, false)
  if (webhook.value.settings.ordering === "strict") {
    inbox.lanes.holdAll(yield* (yield* Deliveries).pendingByEmitter(webhookId))
  }
  return Option.some<WebhookMemory>({
    accountId,
    fence,
    webhook: webhook.value,
    target: target.value,
    urlHeaders: webhook.value.workflowId === null ? SentHeaders.ofUrl(webhook.value.url) : undefined,
    requestSettings,
    secrets: webhook.value.workflowId === null
      ? EchoedSecrets.of(Redacted.value(target.value), requestSettings?.headers, requestSettings?.secretHeaders)
      : undefined,
    signingKeys: yield* readSigningKeys(webhookId),
    keysReadAt: yield* Clock.currentTimeMillis,
    inbox,
    retries: new DueRetries(),
    slots: new AttemptSlots(webhook.value, inbox.lanes, limits.retries),
    failed: false
  })
})
