import type { AppAccountResource } from "@headwater/api/AppAccountsApi"
import { CurrentAccount } from "@headwater/api/Authorization"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import * as Pagination from "@headwater/api/Pagination"
import * as Problem from "@headwater/api/Problem"
import type { AppAccount, Credentials } from "@headwater/domain/AppAccount"
import * as ConfiguredProps from "@headwater/domain/ConfiguredProps"
import { AppAccounts } from "@headwater/log/access/AppAccounts"
import { Effect, type Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { answerFailures } from "../conventions/FailureProblem.ts"
import { HttpSettings } from "../conventions/HttpSettings.ts"

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

    const checkSize = (credentials: Credentials) =>
      ConfiguredProps.oversized({ credentials }, maxProp) === undefined
        ? Effect.void
        : Effect.fail(Problem.tooLarge("credentials", maxProp, "HEADWATER_MAX_PROP"))
    const orNotFound = <A>(id: string, found: Option.Option<A>) =>
      Effect.mapError(Effect.fromOption(found), () => Problem.notFound("account", id))

    return handlers.handleAll({
      create: Effect.fnUntraced(function*({ payload: { app, credentials, name } }) {
        yield* checkSize(credentials)
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
        return { data: resourceOf(yield* orNotFound(params.id, found)) }
      }, answerFailures),
      update: Effect.fnUntraced(function*({ params, payload: { credentials, name } }) {
        if (credentials !== undefined) yield* checkSize(credentials)
        const updated = yield* appAccounts.update(yield* CurrentAccount, params.id, { name, credentials })
        return { data: resourceOf(yield* orNotFound(params.id, updated)) }
      }, answerFailures),
      delete: Effect.fnUntraced(function*({ params }) {
        const removed = yield* appAccounts.remove(yield* CurrentAccount, params.id)
        if (!removed) return yield* Problem.notFound("account", params.id)
      }, answerFailures)
    })
  })
)
