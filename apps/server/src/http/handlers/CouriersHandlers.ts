import { CurrentAccount } from "@headwater/api/Authorization"
import type { CourierResource } from "@headwater/api/CouriersApi"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import * as Pagination from "@headwater/api/Pagination"
import * as Problem from "@headwater/api/Problem"
import { type Arrival, type Courier, path, usualSeconds } from "@headwater/domain/Courier"
import { EngineConfig } from "@headwater/engine/EngineConfig"
import { Couriers } from "@headwater/log/resources/Couriers"
import { DataStores } from "@headwater/log/resources/DataStores"
import { Effect, Option, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { answerFailures } from "../conventions/FailureProblem.ts"
import { makeFind } from "./OwnProject.ts"

const resourceOf = (
  { createdAt, expiresAt, id, projectId, stores, takesFiles, variables }: Courier,
  arrived: ReadonlyArray<Arrival>
): CourierResource => ({
  id,
  stores,
  variables,
  files: takesFiles,
  project_id: projectId,
  created_at: createdAt,
  expires_at: expiresAt,
  arrived
})

const nothing = Problem.invalid([{ path: "", message: "name stores, variables or files that it is to bring" }])

export const layer = HttpApiBuilder.group(
  HeadwaterApi,
  "couriers",
  Effect.fnUntraced(function*(handlers) {
    const couriers = yield* Couriers
    const dataStores = yield* DataStores
    const findProject = yield* makeFind
    const { publicUrl } = yield* EngineConfig

    const storeOf = Effect.fnUntraced(function*([there, reference]: readonly [string, string]) {
      const found = yield* dataStores.get(yield* CurrentAccount, reference)
      if (Option.isNone(found)) return yield* Problem.notFound("data store", reference)
      return [there, found.value.id] as const
    })

    return handlers.handleAll({
      create: Effect.fnUntraced(function*({ payload }) {
        const { expires_in_seconds: lifeSeconds = usualSeconds, files = false, stores = {}, variables = [] } = payload
        if (!files && variables.length === 0 && Object.keys(stores).length === 0) return yield* nothing
        const projectId = payload.project_id === undefined ? null : (yield* findProject(payload.project_id)).id
        const found = yield* Effect.forEach(Object.entries(stores), storeOf)
        const { courier, token } = yield* couriers.create(yield* CurrentAccount, {
          lifeSeconds,
          projectId,
          stores: Object.fromEntries(found),
          takesFiles: files,
          variables: [...new Set(variables)]
        })
        return { data: { ...resourceOf(courier, []), url: `${publicUrl}${path}`, token: Redacted.value(token) } }
      }, answerFailures),
      list: Effect.fnUntraced(function*({ query }) {
        const { items, totalCount } = yield* couriers.page(yield* CurrentAccount, Pagination.pageRequest(query))
        const arrived = yield* couriers.arrivals(items.map(({ id }) => id))
        return Pagination.page(items.map((courier) => resourceOf(courier, arrived.get(courier.id) ?? [])), totalCount)
      }, answerFailures),
      delete: Effect.fnUntraced(function*({ params: { id } }) {
        if (!(yield* couriers.remove(yield* CurrentAccount, id))) return yield* Problem.notFound("courier", id)
      }, answerFailures)
    })
  })
)
