import { CurrentAccount } from "@headwater/api/Authorization"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import type { KeyResource, NewKeyResource } from "@headwater/api/KeysApi"
import * as Pagination from "@headwater/api/Pagination"
import * as Problem from "@headwater/api/Problem"
import { type ApiKey, defaultOverlapSeconds } from "@headwater/domain/ApiKey"
import { ApiKeys, type NewApiKey } from "@headwater/log/access/ApiKeys"
import { Effect, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { answerFailures } from "../conventions/FailureProblem.ts"

const resourceOf = (key: ApiKey): KeyResource => ({
  id: key.id,
  name: key.name,
  scope: key.scope,
  created_at: key.createdAt,
  expires_at: key.expiresAt
})

const newResourceOf = (key: NewApiKey): NewKeyResource => ({ ...resourceOf(key), key: Redacted.value(key.key) })

export const layer = HttpApiBuilder.group(
  HeadwaterApi,
  "keys",
  Effect.fnUntraced(function*(handlers) {
    const keys = yield* ApiKeys
    return handlers.handleAll({
      list: Effect.fnUntraced(function*({ query }) {
        const { items, totalCount } = yield* keys.page(yield* CurrentAccount, Pagination.pageRequest(query))
        return Pagination.page(items.map(resourceOf), totalCount)
      }, answerFailures),
      create: Effect.fnUntraced(function*({ payload }) {
        const created = yield* keys.create(yield* CurrentAccount, payload?.name ?? "", payload ?? {})
        return { data: newResourceOf(created) }
      }, answerFailures),
      rotate: Effect.fnUntraced(function*({ params, payload }) {
        const overlapSeconds = payload?.overlap_seconds ?? defaultOverlapSeconds
        const rotated = yield* keys.rotate(yield* CurrentAccount, params.id, overlapSeconds)
        const made = yield* Effect.mapError(Effect.fromOption(rotated), () => Problem.notFound("key", params.id))
        return { data: newResourceOf(made) }
      }, answerFailures),
      revoke: Effect.fnUntraced(function*({ params }) {
        if (!(yield* keys.revoke(yield* CurrentAccount, params.id))) return yield* Problem.notFound("key", params.id)
      }, answerFailures)
    })
  })
)
