import type * as Id from "@headwater/domain/Id"
import { OnBehalfOf } from "@headwater/domain/OnBehalfOf"
import * as SigningKey from "@headwater/domain/SigningKey"
import type { Webhook } from "@headwater/domain/Webhook"
import { type Fence, Fences } from "@headwater/log/logs/Fences"
import { Webhooks } from "@headwater/log/resources/Webhooks"
import { Deliveries } from "@headwater/log/work/Deliveries"
import { Clock, Effect, Option, Redacted } from "effect"
import type { KeyObject } from "node:crypto"
import { EngineLimits } from "../ground/EngineLimits.ts"
import { ListenerFilters } from "../routing/EventFilter.ts"
import { FeedReader } from "../routing/Feed.ts"
import { AttemptSlots } from "./AttemptSlots.ts"
import { DueRetries } from "./DueRetries.ts"
import { EchoedSecrets } from "./EchoedSecrets.ts"
import { Lanes } from "./Lanes.ts"
import * as RequestSettings from "./RequestSettings.ts"
import * as SentHeaders from "./SentHeaders.ts"

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
  readonly requestSettings: RequestSettings.RequestSettings | undefined
  /** The secrets of its requests. None if each request has its own. */
  readonly secrets: EchoedSecrets | undefined
  signingKeys: ReadonlyArray<KeyObject>
  /** The time at which the keys were read: one that is rotated out stops signing. */
  keysReadAt: number
  readonly lanes: Lanes
  readonly filters: ListenerFilters
  readonly retries: DueRetries
  readonly slots: AttemptSlots
  failed: boolean
}

/** The keys that sign for a webhook. */
export const readSigningKeys = Effect.fnUntraced(function*(webhookId: Id.WebhookId) {
  const webhooks = yield* Webhooks
  const keys = yield* Effect.catchTag(webhooks.signingKeys(webhookId), "SealBroken", Effect.die)
  return keys.map(SigningKey.signer)
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
  const reader = yield* FeedReader
  const target = yield* Effect.catchTag(webhooks.target(webhookId), "SealBroken", Effect.die)
  if (Option.isNone(webhook) || Option.isNone(target)) return Option.none<WebhookMemory>()
  const lanes = new Lanes(reader.room, limits.idle)
  if (webhook.value.settings.ordering === "strict") {
    lanes.holdAll(yield* (yield* Deliveries).pendingByEmitter(webhookId))
  }
  const requestSettings = webhook.value.request === null
    ? undefined
    : yield* RequestSettings.read(webhookId, webhook.value.request)
  return Option.some<WebhookMemory>({
    accountId: webhook.value.accountId,
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
    lanes,
    filters: new ListenerFilters(webhook.value.accountId, reader.documents, limits.filters),
    retries: new DueRetries(),
    slots: new AttemptSlots(webhook.value, lanes, limits.retries),
    failed: false
  })
})
