import { CurrentAccount } from "@headwater/api/Authorization"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import * as Problem from "@headwater/api/Problem"
import * as Id from "@headwater/domain/Id"
import { declaredProps } from "@headwater/domain/Program"
import { ComponentConfiguration } from "@headwater/engine/ComponentConfiguration"
import { Components } from "@headwater/log/Components"
import { Effect, Option, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ComponentSaving, inCode, resourceOf } from "./ComponentSaving.ts"
import { answerFailures } from "./FailureProblem.ts"
import { hookProblem } from "./HookProblem.ts"

export const layer = HttpApiBuilder.group(
  HeadwaterApi,
  "components",
  Effect.fnUntraced(function*(handlers) {
    const components = yield* Components
    const saving = yield* ComponentSaving
    const configuration = yield* ComponentConfiguration
    const find = (account: Id.AccountId, key: string) =>
      Schema.is(Id.ComponentId)(key) ? components.get(account, key) : components.newestByKey(account, key)
    return handlers.handleAll({
      create: Effect.fnUntraced(function*({ payload }) {
        const account = yield* CurrentAccount
        const { component_code: code, component_url: url } = payload
        if (code !== undefined) return { data: resourceOf((yield* saving.save(account, code, { url })).component) }
        if (url !== undefined) return { data: resourceOf((yield* saving.saveFrom(account, url, {})).component) }
        return yield* Problem.invalid([
          { path: "component_code", message: "one of component_code and component_url is required" }
        ])
      }),
      configure: Effect.fnUntraced(function*({ params, payload }) {
        const accountId = yield* CurrentAccount
        const own = yield* find(accountId, params.key)
        const component = Option.isSome(own) ? own : yield* components.newestPublished(params.key)
        if (Option.isNone(component)) return yield* Problem.notFound("component", params.key)
        const { configured_props: values = {}, page = 0, prev_context: prevContext, prop_name: prop, query } = payload
        const configured = { accountId, component: component.value, values }
        if (prop !== undefined) {
          const request = { page, prevContext: prevContext ?? {}, ...(query === undefined ? {} : { query }) }
          return { data: yield* configuration.options(configured, prop, request) }
        }
        const additionalProps = component.value.hasAdditionalProps
          ? yield* configuration.additionalProps(configured)
          : []
        return { data: { configurable_props: declaredProps(component.value, { additionalProps }) } }
      }, (effect) =>
        effect.pipe(
          Effect.catchTag("HookFailed", (failure) => Effect.fail(hookProblem(inCode, failure))),
          answerFailures
        )),
      getPublished: Effect.fnUntraced(function*({ params }) {
        const found = yield* components.shownPublished(params.key)
        if (Option.isNone(found)) return yield* Problem.notFound("component in the registry", params.key)
        return { data: resourceOf(found.value) }
      }, answerFailures),
      get: Effect.fnUntraced(function*({ params }) {
        const found = yield* components.shown(yield* CurrentAccount, params.key)
        if (Option.isNone(found)) return yield* Problem.notFound("component", params.key)
        return { data: resourceOf(found.value) }
      }, answerFailures)
    })
  })
)
