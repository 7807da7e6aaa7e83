import type { AppAccountResource } from "@headwater/api/AppAccountsApi"
import { CurrentAccount } from "@headwater/api/Authorization"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import * as Pagination from "@headwater/api/Pagination"
import * as Problem from "@headwater/api/Problem"
import type { AppAccount } from "@headwater/domain/AppAccount"
import * as ConfiguredProps from "@headwater/domain/ConfiguredProps"
import { AppAccounts } from "@headwater/log/AppAccounts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { answerFailures } from "./FailureProblem.ts"
import { HttpSettings } from "./HttpSettings.ts"

const resourceOf = ({ app, createdAt, id, name }: AppAccount): AppAccountResource => ({
  id,
  app,
  name,
  created_at: createdAt
})

export const layer = HttpApiBuilder.group(
  HeadwaterApi,
  "appAccounts",
  Effect.fnUntraced(function*(handlers) {
    const appAccounts = yield* AppAccounts
    const { maxProp } = yield* HttpSettings

    return handlers.handleAll({
      create: Effect.fnUntraced(function*({ payload: { app, credentials, name } }) {
        if (ConfiguredProps.oversized({ credentials }, maxProp) !== undefined) {
          return yield* Problem.tooLarge("credentials", maxProp)
        }
        const created = yield* appAccounts.create({
          accountId: yield* CurrentAccount,
          app,
          name: name ?? "",
          credentials
        })
        return { data: resourceOf(created) }
      }, answerFailures),
      list: Effect.fnUntraced(function*({ query }) {
        const { items, totalCount } = yield* appAccounts.page(yield* CurrentAccount, Pagination.pageRequest(query))
        return Pagination.page(items.map(resourceOf), totalCount)
      }, answerFailures),
      get: Effect.fnUntraced(function*({ params }) {
        const found = yield* appAccounts.get(yield* CurrentAccount, params.id)
        const account = yield* Effect.mapError(Effect.fromOption(found), () => Problem.notFound("account", params.id))
        return { data: resourceOf(account) }
      }, answerFailures),
      delete: Effect.fnUntraced(function*({ params }) {
        const removed = yield* appAccounts.remove(yield* CurrentAccount, params.id)
        if (!removed) return yield* Problem.notFound("account", params.id)
      }, answerFailures)
    })
  })
)
