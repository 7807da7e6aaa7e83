import { CurrentAccount } from "@headwater/api/Authorization"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import * as Problem from "@headwater/api/Problem"
import * as Id from "@headwater/domain/Id"
import { Components } from "@headwater/log/Components"
import { Effect, Option, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ComponentSaving, resourceOf } from "./ComponentSaving.ts"
import { answerFailures } from "./FailureProblem.ts"

export const layer = HttpApiBuilder.group(
  HeadwaterApi,
  "components",
  Effect.fnUntraced(function*(handlers) {
    const components = yield* Components
    const saving = yield* ComponentSaving
    return handlers.handleAll({
      create: Effect.fnUntraced(function*({ payload }) {
        const account = yield* CurrentAccount
        const { component_code: code, component_url: url } = payload
        if (code !== undefined) return { data: resourceOf((yield* saving.save(account, code, { url })).component) }
        if (url !== undefined) return { data: resourceOf((yield* saving.saveFrom(account, url, undefined)).component) }
        return yield* Problem.invalid([
          { path: "component_code", message: "one of component_code and component_url is required" }
        ])
      }),
      getPublished: Effect.fnUntraced(function*({ params }) {
        const found = yield* components.newestPublished(params.key)
        if (Option.isNone(found)) return yield* Problem.notFound("component in the registry", params.key)
        return { data: resourceOf(found.value) }
      }, answerFailures),
      get: Effect.fnUntraced(function*({ params }) {
        const account = yield* CurrentAccount
        const found = Schema.is(Id.ComponentId)(params.key)
          ? yield* components.get(account, params.key)
          : yield* components.newestByKey(account, params.key)
        if (Option.isNone(found)) return yield* Problem.notFound("component", params.key)
        return { data: resourceOf(found.value) }
      }, answerFailures)
    })
  })
)
