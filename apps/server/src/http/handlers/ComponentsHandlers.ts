import { CurrentAccount } from "@headwater/api/Authorization"
import type { ListedComponent } from "@headwater/api/ComponentsApi"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import * as Pagination from "@headwater/api/Pagination"
import * as Problem from "@headwater/api/Problem"
import * as Id from "@headwater/domain/Id"
import { declaredProps } from "@headwater/domain/Program"
import { ComponentConfiguration } from "@headwater/engine/ComponentConfiguration"
import { type ComponentOutline, Components } from "@headwater/log/resources/Components"
import { Programs } from "@headwater/log/resources/Programs"
import { Effect, Option, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { inCode } from "../../CodeFault.ts"
import { ComponentSaving, resourceOf } from "../../ComponentSaving.ts"
import { answerFailures } from "../conventions/FailureProblem.ts"
import { hookProblem } from "./HookProblem.ts"

/** The most sources that a refusal names. */
const mostUsersShown = 100

const listed = (component: ComponentOutline): ListedComponent => ({
  id: component.id,
  key: component.key,
  name: component.name,
  version: component.version,
  description: component.description,
  code_hash: component.codeHash,
  created_at: component.createdAt,
  updated_at: component.updatedAt
})

export const layer = HttpApiBuilder.group(
  HeadwaterApi,
  "components",
  Effect.fnUntraced(function*(handlers) {
    const components = yield* Components
    const programs = yield* Programs
    const saving = yield* ComponentSaving
    const configuration = yield* ComponentConfiguration
    const find = (account: Id.AccountId, key: string) =>
      Schema.is(Id.ComponentId)(key) ? components.get(account, key) : components.newestByKey(account, key)
    const inUse = (sources: ReadonlyArray<string>) => {
      const sentence = `The component is the code of ${sources.slice(0, 3).join(", ")}${
        sources.length > 3 ? " and others" : ""
      }: delete what has it, or give it another component, first.`
      return new Problem.ComponentInUse({ detail: sentence, error: sentence, details: { sources } })
    }

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
      list: Effect.fnUntraced(function*({ query }) {
        const { items, totalCount } = yield* components.page(yield* CurrentAccount, Pagination.pageRequest(query))
        return Pagination.page(items.map(listed), totalCount)
      }, answerFailures),
      listPublished: Effect.fnUntraced(function*({ query }) {
        const { items, totalCount } = yield* components.publishedPage(Pagination.pageRequest(query))
        return Pagination.page(items.map(listed), totalCount)
      }, answerFailures),
      delete: Effect.fnUntraced(function*({ params }) {
        const account = yield* CurrentAccount
        const found = Schema.is(Id.ComponentId)(params.key) ? yield* components.get(account, params.key) : Option.none()
        if (Option.isNone(found) || found.value.accountId !== account) {
          return yield* Problem.notFound("component", params.key)
        }
        const { id } = found.value
        const users = yield* programs.idsOfComponent(id, mostUsersShown)
        if (users.length > 0) return yield* inUse(users)
        yield* components.delete(id).pipe(
          // A source took it in between.
          Effect.catchIf(
            (error) => error.reason._tag === "ConstraintError",
            () => Effect.flatMap(programs.idsOfComponent(id, mostUsersShown), (users) => Effect.fail(inUse(users)))
          )
        )
      }, answerFailures),
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
