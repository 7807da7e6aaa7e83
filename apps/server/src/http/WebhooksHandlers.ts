import { CurrentAccount } from "@headwater/api/Authorization"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import * as Pagination from "@headwater/api/Pagination"
import * as Problem from "@headwater/api/Problem"
import type { WebhookResource } from "@headwater/api/WebhooksApi"
import type { Webhook } from "@headwater/domain/Webhook"
import { EgressGuard } from "@headwater/egress/EgressGuard"
import { Webhooks } from "@headwater/log/Webhooks"
import { Effect, Option, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { answerFailures } from "./FailureProblem.ts"

const resourceOf = (webhook: Webhook): WebhookResource => ({
  id: webhook.id,
  name: webhook.name,
  description: webhook.description,
  url: webhook.url,
  active: webhook.active,
  created_at: webhook.createdAt,
  updated_at: webhook.updatedAt
})

const orNotFound = <A>(id: string, found: Option.Option<A>): Effect.Effect<A, Problem.NotFound> =>
  Effect.mapError(Effect.fromOption(found), () => Problem.notFound("webhook", id))

export const layer = HttpApiBuilder.group(
  HeadwaterApi,
  "webhooks",
  Effect.fnUntraced(function*(handlers) {
    const webhooks = yield* Webhooks
    const guard = yield* EgressGuard

    const checkUrl = (url: string) =>
      guard.checkUrl(url).pipe(
        Effect.mapError(({ message }) => Problem.invalid([{ path: "url", message }]))
      )

    return handlers.handleAll({
      create: Effect.fnUntraced(function*({ payload, query }) {
        const accountId = yield* CurrentAccount
        const url = payload?.url ?? query.url
        if (url === undefined) return yield* Problem.invalid([{ path: "url", message: "is required" }])
        yield* checkUrl(url)
        const webhook = yield* webhooks.insert({
          accountId,
          url,
          name: payload?.name ?? query.name ?? null,
          description: payload?.description ?? query.description ?? null
        })
        return { data: { ...resourceOf(webhook), user_id: accountId } }
      }, answerFailures),
      list: Effect.fnUntraced(function*({ query }) {
        const page = yield* webhooks.page(yield* CurrentAccount, {
          limit: query.limit ?? Pagination.defaultLimit,
          after: query.after,
          before: query.before
        })
        return {
          page_info: Pagination.pageInfo(page.items.map(({ id }) => Pagination.cursorOf(id)), page.totalCount),
          data: page.items.map(resourceOf)
        }
      }, answerFailures),
      get: Effect.fnUntraced(function*({ params }) {
        const found = yield* webhooks.get(yield* CurrentAccount, params.id)
        return { data: resourceOf(yield* orNotFound(params.id, found)) }
      }, answerFailures),
      update: Effect.fnUntraced(function*({ params, payload }) {
        const accountId = yield* CurrentAccount
        yield* orNotFound(params.id, yield* webhooks.get(accountId, params.id))
        if (payload.url !== undefined) yield* checkUrl(payload.url)
        const updated = yield* webhooks.update(accountId, params.id, {
          name: payload.name,
          description: payload.description,
          url: payload.url,
          active: payload.active ?? true
        })
        return { data: resourceOf(yield* orNotFound(params.id, updated)) }
      }, answerFailures),
      delete: Effect.fnUntraced(function*({ params }) {
        const existed = yield* webhooks.delete(yield* CurrentAccount, params.id)
        if (!existed) return yield* Problem.notFound("webhook", params.id)
      }, answerFailures),
      getSecret: Effect.fnUntraced(function*({ params }) {
        const webhook = yield* orNotFound(params.id, yield* webhooks.get(yield* CurrentAccount, params.id))
        const [secret] = yield* webhooks.secrets(webhook.id)
        return { data: { secret: Redacted.value(yield* orNotFound(params.id, Option.fromUndefinedOr(secret))) } }
      }, answerFailures),
      rotateSecret: Effect.fnUntraced(function*({ params }) {
        const secret = yield* webhooks.rotate(yield* CurrentAccount, params.id)
        return { data: { secret: Redacted.value(yield* orNotFound(params.id, secret)) } }
      }, answerFailures)
    })
  })
)
