import { CurrentAccount } from "@headwater/api/Authorization"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import * as Pagination from "@headwater/api/Pagination"
import * as Problem from "@headwater/api/Problem"
import type { WebhookHealth } from "@headwater/api/WebhookHealth"
import { changesRequest, type GivenWebhookRequest } from "@headwater/api/WebhookRequestSettings"
import type { WebhookResource } from "@headwater/api/WebhooksApi"
import type * as Id from "@headwater/domain/Id"
import * as SigningKey from "@headwater/domain/SigningKey"
import * as UrlPassword from "@headwater/domain/UrlPassword"
import { stateOf, type Webhook } from "@headwater/domain/Webhook"
import { EgressGuard } from "@headwater/egress/EgressGuard"
import { WebhookNotFound } from "@headwater/engine/ActorCalls"
import { TestSend } from "@headwater/engine/TestSend"
import { WebhookLifecycle } from "@headwater/engine/WebhookLifecycle"
import { type Health, isFailing, type SpanHealth, unknown, within } from "@headwater/log/commit/FigureHealth"
import { Figures } from "@headwater/log/commit/Figures"
import { type SecretsKept, Webhooks } from "@headwater/log/resources/Webhooks"
import { Clock, Effect, Option, Redacted, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { attemptOf } from "../answers/AttemptAnswer.ts"
import { boundOf } from "../answers/EventSummaries.ts"
import { answerFailures } from "../conventions/FailureProblem.ts"
import { makeEmitterId, makeFindAny } from "./EmitterIdOf.ts"
import * as GivenJson from "./GivenJson.ts"
import * as GivenList from "./GivenList.ts"
import * as GivenSettings from "./GivenSettings.ts"
import * as WebhookRequests from "./WebhookRequests.ts"

const resourceOf = (webhook: Webhook): WebhookResource => ({
  id: webhook.id,
  name: webhook.name,
  description: webhook.description,
  url: webhook.url,
  active: webhook.active,
  created_at: webhook.createdAt,
  updated_at: webhook.updatedAt
})

const spanOf = ({ done, failed, latencies }: SpanHealth): WebhookHealth["last_1h"] => ({
  attempts: done,
  failed_attempts: failed,
  success_rate: done === 0 ? null : Math.round((done - failed) / done * 10_000) / 10_000,
  p50_ms: within(0.5, latencies),
  p95_ms: within(0.95, latencies)
})

const healthOf = (webhook: Webhook, health: Health, now: number) => {
  const [hour, day, week] = health.spans
  return {
    state: stateOf(webhook, isFailing(health), now),
    health: {
      last_1h: spanOf(hour!),
      last_24h: spanOf(day!),
      last_7d: spanOf(week!),
      last_delivered_at_ms: health.lastSuccessAt
    }
  }
}

const missing = (id: string) => <A, E>(effect: Effect.Effect<A, E | WebhookNotFound>) =>
  Effect.catchIf(effect, Schema.is(WebhookNotFound), () => Effect.fail(Problem.notFound("webhook", id)))

const elsewhere = ({ paths }: SecretsKept) =>
  Effect.fail(Problem.invalid(paths.map((path) => ({
    path,
    message: "was given for the origin of the URL before: give it again, or remove it"
  }))))

const orNotFound = <A>(id: string, found: Option.Option<A>): Effect.Effect<A, Problem.NotFound> =>
  Effect.mapError(Effect.fromOption(found), () => Problem.notFound("webhook", id))

/** So many an account can have: each that hears an event sends a request for it. */
const mostWebhooks = 10_000

const tooMany = Problem.invalid([{
  path: "",
  message: `The account has ${mostWebhooks} webhooks, which is as many as one can have. Delete one first.`
}])

/** The URLs that clients give. */
const makeGivenUrls = Effect.gen(function*() {
  const guard = yield* EgressGuard
  const webhooks = yield* Webhooks

  const checkUrl = Effect.fnUntraced(function*(url: string) {
    if (UrlPassword.isMasked(url)) {
      return yield* Problem.invalid([{
        path: "url",
        message: "contains *** instead of its password: give the password"
      }])
    }
    yield* Effect.mapError(guard.checkUrl(url), ({ message }) => Problem.invalid([{ path: "url", message }]))
  })

  /** The URL to change to. One that is sent back as it was shown changes nothing. */
  const newUrl = Effect.fnUntraced(function*(id: string, url: string | undefined) {
    if (url === undefined) return undefined
    if (UrlPassword.isMasked(url)) {
      const before = yield* orNotFound(id, yield* webhooks.get(yield* CurrentAccount, id))
      if (url === before.url) return undefined
    }
    yield* checkUrl(url)
    return url
  })

  return { checkUrl, newUrl }
})

export const layer = HttpApiBuilder.group(
  HeadwaterApi,
  "webhooks",
  Effect.fnUntraced(function*(handlers) {
    const webhooks = yield* Webhooks
    const lifecycle = yield* WebhookLifecycle
    const { checkUrl, newUrl } = yield* makeGivenUrls
    const emitterIdOf = yield* makeEmitterId
    const findOwn = yield* makeFindAny
    const tests = yield* TestSend
    const figures = yield* Figures

    /** The health of webhooks of the account. */
    const healthsOf = Effect.fnUntraced(function*(accountId: Id.AccountId, ids: ReadonlyArray<string>) {
      const now = yield* Clock.currentTimeMillis
      const found = yield* figures.health(accountId, ids, now)
      return (webhook: Webhook) => healthOf(webhook, found.get(webhook.id) ?? unknown, now)
    })

    const detailsOf = Effect.fnUntraced(function*(webhook: Webhook) {
      const health = yield* healthsOf(webhook.accountId, [webhook.id])
      return {
        ...resourceOf(webhook),
        ...health(webhook),
        ...(yield* GivenSettings.shown(webhook)),
        ...WebhookRequests.shownOf(webhook)
      }
    })

    const sampleOf = Effect.fnUntraced(function*(
      accountId: Id.AccountId,
      given: { readonly payload?: Schema.Json; readonly emitter_id?: string; readonly event_id?: string }
    ) {
      const { emitter_id, event_id, payload } = given
      const text = payload === undefined
        ? undefined
        : JSON.stringify(yield* GivenJson.exactly("payload", payload))
      if (emitter_id === undefined && event_id === undefined) return { payload: text, event: undefined }
      if (emitter_id === undefined) return yield* Problem.invalid([{ path: "emitter_id", message: "is required" }])
      if (event_id === undefined) return yield* Problem.invalid([{ path: "event_id", message: "is required" }])
      return { payload: text, event: { emitterId: yield* findOwn(accountId, emitter_id), id: boundOf(event_id)! } }
    })

    const requestOf = (given: GivenWebhookRequest, before: Webhook | undefined) =>
      Effect.provideService(WebhookRequests.changeOf(given, before), Webhooks, webhooks)

    const newRequest = Effect.fnUntraced(function*(id: string, given: GivenWebhookRequest) {
      if (!changesRequest(given)) return {}
      return yield* requestOf(given, yield* orNotFound(id, yield* webhooks.get(yield* CurrentAccount, id)))
    })

    return handlers.handleAll({
      create: Effect.fnUntraced(function*({ payload, query }) {
        const accountId = yield* CurrentAccount
        const url = payload?.url ?? query.url
        if (url === undefined) return yield* Problem.invalid([{ path: "url", message: "is required" }])
        yield* checkUrl(url)
        if (yield* webhooks.areAsManyAs(accountId, mostWebhooks)) return yield* tooMany
        const webhook = yield* webhooks.insert({
          accountId,
          url,
          name: payload?.name ?? query.name ?? null,
          description: payload?.description ?? query.description ?? null,
          settings: GivenSettings.read(payload ?? {}),
          request: yield* requestOf(payload ?? {}, undefined)
        })
        return { data: { ...resourceOf(webhook), user_id: accountId } }
      }, answerFailures),
      list: Effect.fnUntraced(function*({ query }) {
        const accountId = yield* CurrentAccount
        const request = yield* GivenList.pageRequest(query)
        const now = yield* Clock.currentTimeMillis
        const { active, q: text, state } = query
        const failing = state === undefined
          ? new Set<string>()
          : yield* figures.failing(accountId, yield* webhooks.activeIds(accountId, mostWebhooks), now)
        const { items, totalCount } = yield* webhooks.page(accountId, request, { active, failing, now, state, text })
        const health = query.expand === undefined ? undefined : yield* healthsOf(accountId, items.map(({ id }) => id))
        const data = items.map((webhook) => ({ ...resourceOf(webhook), ...health?.(webhook) }))
        return Pagination.page(data, totalCount, GivenList.placeOf(query))
      }, answerFailures),
      get: Effect.fnUntraced(function*({ params }) {
        const found = yield* webhooks.get(yield* CurrentAccount, params.id)
        return { data: yield* detailsOf(yield* orNotFound(params.id, found)) }
      }, answerFailures),
      update: Effect.fnUntraced(function*({ params, payload }) {
        const url = yield* newUrl(params.id, payload.url)
        const updated = yield* lifecycle.update(yield* CurrentAccount, params.id, {
          name: payload.name,
          description: payload.description,
          url,
          active: payload.active ?? true,
          settings: GivenSettings.read(payload),
          request: yield* newRequest(params.id, payload)
        }).pipe(missing(params.id), Effect.catchTag("SecretsKept", elsewhere))
        return { data: yield* detailsOf(updated) }
      }, answerFailures),
      delete: Effect.fnUntraced(function*({ params }) {
        yield* lifecycle.remove(yield* CurrentAccount, params.id).pipe(missing(params.id))
      }, answerFailures),
      getSecret: Effect.fnUntraced(function*({ params }) {
        const webhook = yield* orNotFound(params.id, yield* webhooks.get(yield* CurrentAccount, params.id))
        const [secret] = yield* webhooks.secrets(webhook.id)
        return { data: { secret: Redacted.value(yield* orNotFound(params.id, Option.fromUndefinedOr(secret))) } }
      }, answerFailures),
      test: Effect.fnUntraced(function*({ params, payload }) {
        const accountId = yield* CurrentAccount
        const sample = yield* sampleOf(accountId, payload ?? {})
        const attempt = yield* tests.send(accountId, params.id, sample).pipe(
          missing(params.id),
          Effect.catchTag("EventNotFound", () => Effect.fail(Problem.notFound("event", payload?.event_id ?? "")))
        )
        return { data: { emit_id: attempt.emitId, attempt: attemptOf(attempt) } }
      }, answerFailures),
      pause: Effect.fnUntraced(function*({ params }) {
        const paused = yield* lifecycle.pause(yield* CurrentAccount, params.id).pipe(missing(params.id))
        return { data: resourceOf(paused) }
      }, answerFailures),
      resume: Effect.fnUntraced(function*({ params, payload }) {
        const accountId = yield* CurrentAccount
        const resumed = yield* lifecycle.resume(accountId, params.id, payload?.from ?? "place").pipe(missing(params.id))
        return { data: resourceOf(resumed) }
      }, answerFailures),
      forceNext: Effect.fnUntraced(function*({ params, payload }) {
        const accountId = yield* CurrentAccount
        const emitter = payload?.emitter_id
        const emitterId = emitter === undefined ? undefined : yield* emitterIdOf(accountId, emitter)
        const count = yield* lifecycle.forceNext(accountId, params.id, emitterId).pipe(missing(params.id))
        return { data: { delivery_count: count } }
      }, answerFailures),
      rotateSecret: Effect.fnUntraced(function*({ params }) {
        const secret = yield* lifecycle.rotateSecret(yield* CurrentAccount, params.id).pipe(missing(params.id))
        return { data: { secret: Redacted.value(secret) } }
      }, answerFailures),
      getPublicKey: Effect.fnUntraced(function*({ params }) {
        const pair = yield* orNotFound(params.id, yield* webhooks.keyPair(yield* CurrentAccount, params.id))
        return { data: { public_key: SigningKey.publicKey(pair) } }
      }, answerFailures),
      rotatePublicKey: Effect.fnUntraced(function*({ params }) {
        const pair = yield* lifecycle.rotateKeyPair(yield* CurrentAccount, params.id).pipe(missing(params.id))
        return { data: { public_key: SigningKey.publicKey(pair) } }
      }, answerFailures)
    })
  })
)
