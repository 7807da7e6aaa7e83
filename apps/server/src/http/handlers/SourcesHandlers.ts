import { CurrentAccount } from "@headwater/api/Authorization"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import * as Pagination from "@headwater/api/Pagination"
import * as Problem from "@headwater/api/Problem"
import type { InitialState, SourceResource } from "@headwater/api/SourcesApi"
import type { CodelessComponent, Component } from "@headwater/domain/Component"
import type * as Id from "@headwater/domain/Id"
import type { Program } from "@headwater/domain/Program"
import type { HookFailed } from "@headwater/engine/ActorCalls"
import { ProgramLifecycle } from "@headwater/engine/ProgramLifecycle"
import { Components } from "@headwater/log/resources/Components"
import { Programs } from "@headwater/log/resources/Programs"
import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { componentInvalid, inCode } from "../../CodeFault.ts"
import { ComponentSaving, sourceFault } from "../../ComponentSaving.ts"
import { answerFailures } from "../conventions/FailureProblem.ts"
import * as GivenJson from "./GivenJson.ts"
import * as GivenList from "./GivenList.ts"
import { answerGone, makeFind } from "./OwnProgram.ts"
import * as OwnProject from "./OwnProject.ts"
import * as ProgramHandling from "./ProgramHandling.ts"

interface ComponentParameters {
  readonly component_id?: string
  readonly component_code?: string
  readonly component_url?: string
  readonly key?: string
}

/** The state of a request, with the numbers of its store as they were sent. */
const stateOf = Effect.fnUntraced(function*(given: InitialState) {
  const { db = {} } = (yield* GivenJson.exactly("initial_state", given)) as Pick<InitialState, "db">
  return {
    db: Object.fromEntries(Object.entries(db).map(([key, value]) => [key, JSON.stringify(value)])),
    emittedIds: given.emitted_ids ?? [],
    polledAt: given.polled_at_ms,
    emitFrom: given.emit_from_ms
  }
})

type ConfiguredProps = Effect.Success<typeof ProgramHandling.make>["configuredProps"]

const resourceOf = (
  source: Program,
  component: CodelessComponent,
  configuredProps: ConfiguredProps
): SourceResource => ({
  id: source.id,
  component_id: source.componentId,
  configured_props: configuredProps(source, component),
  active: source.active,
  created_at: source.createdAt,
  updated_at: source.updatedAt,
  name: source.name,
  name_slug: source.nameSlug,
  ...(source.projectId === null ? {} : { project_id: source.projectId }),
  ...(source.shadow ? { shadow: true } : {}),
  ...(source.emitFrom === null ? {} : { emit_from_ms: source.emitFrom })
})

export const layer = HttpApiBuilder.group(
  HeadwaterApi,
  "sources",
  Effect.fnUntraced(function*(handlers) {
    const components = yield* Components
    const find = yield* makeFind
    const projectOf = yield* OwnProject.makeGiven
    const programs = yield* Programs
    const lifecycle = yield* ProgramLifecycle
    const saving = yield* ComponentSaving
    const { checkSizes, componentOf, codelessOf, configuredProps: renderProps, filterOf, inTime, using: useComponent } =
      yield* ProgramHandling
        .make

    const render = (source: Program) =>
      Effect.map(codelessOf(source), (component) => resourceOf(source, component, renderProps))

    /** @param previous the component that the source has until now */
    const choose = Effect.fnUntraced(function*(
      accountId: Id.AccountId,
      given: ComponentParameters,
      previous?: Component
    ) {
      const { component_code: code, component_id: id, component_url: url, key } = given
      if (id !== undefined) {
        const found = yield* components.get(accountId, id)
        if (Option.isNone(found)) return yield* Problem.notFound("component", id)
        return Option.some<ProgramHandling.ChosenComponent>({ component: found.value, place: inCode, fresh: false })
      }
      if (code !== undefined) {
        return Option.some<ProgramHandling.ChosenComponent>({
          ...yield* saving.save(accountId, code, { url, previous }),
          fresh: true
        })
      }
      if (url !== undefined) {
        return Option.some<ProgramHandling.ChosenComponent>({
          ...yield* saving.saveFrom(accountId, url, { previous }),
          fresh: true
        })
      }
      if (key !== undefined) {
        const found = yield* components.newestPublished(key)
        if (Option.isNone(found)) return yield* Problem.notFound("component in the registry", key)
        return Option.some<ProgramHandling.ChosenComponent>({ component: found.value, place: inCode, fresh: false })
      }
      return Option.none<ProgramHandling.ChosenComponent>()
    })

    const using = <A, E, R>(
      chosen: Option.Option<ProgramHandling.ChosenComponent>,
      change: Effect.Effect<A, E | HookFailed, R>
    ) => {
      const usable = Option.match(Option.flatMap(chosen, sourceFault), {
        onNone: () => Effect.void,
        onSome: (fault) => Effect.fail(componentInvalid(fault))
      })
      return useComponent(chosen, Effect.andThen(usable, change))
    }

    return handlers.handleAll({
      list: Effect.fnUntraced(function*({ query }) {
        const { projectId } = yield* projectOf(query)
        const request = yield* GivenList.pageRequest(query)
        const filter = { ...(yield* filterOf(query)), projectId, componentId: query.component_id }
        const { items, totalCount } = yield* programs.page(yield* CurrentAccount, "source", request, filter)
        return Pagination.page(yield* Effect.forEach(items, render), totalCount, GivenList.placeOf(query))
      }, answerFailures),
      create: Effect.fnUntraced(function*({ payload }) {
        const accountId = yield* CurrentAccount
        const configuredProps = payload.configured_props ?? {}
        yield* checkSizes(configuredProps)
        const project = yield* projectOf(payload)
        const chosen = yield* choose(accountId, payload)
        if (Option.isNone(chosen)) {
          return yield* Problem.invalid([{
            path: "component_id",
            message: "one of component_id, component_code, component_url and key is required"
          }])
        }
        const { component } = chosen.value
        const source = yield* using(
          chosen,
          lifecycle.create({
            accountId,
            component,
            name: payload.name,
            configuredProps,
            ...project,
            shadow: payload.shadow,
            active: payload.active ?? true,
            emitOnDeploy: payload.emit_on_deploy ?? true,
            initialState: payload.initial_state === undefined ? undefined : yield* stateOf(payload.initial_state)
          })
        )
        return { data: { ...resourceOf(source, component, renderProps), user_id: accountId } }
      }, (effect) =>
        effect.pipe(
          Effect.catchTags({
            ComponentGone: ({ id }) => Effect.fail(Problem.notFound("component", id)),
            InvalidInitialState: ({ issues }) => Effect.fail(Problem.invalid(issues)),
            InvalidProps: ({ issues }) => Effect.fail(Problem.invalid(issues)),
            ProjectGone: ({ id }) => Effect.fail(Problem.notFound("project", id))
          }),
          answerFailures
        )),
      get: Effect.fnUntraced(function*({ params }) {
        return { data: yield* render(yield* find("source", params.id)) }
      }, answerFailures),
      update: Effect.fnUntraced(function*({ params, payload }) {
        const accountId = yield* CurrentAccount
        const source = yield* find("source", params.id)
        const configuredProps = payload.configured_props ?? {}
        yield* checkSizes(configuredProps)
        const project = yield* projectOf(payload)
        const chosen = yield* choose(accountId, payload, yield* componentOf(source))
        const updated = yield* inTime(using(
          chosen,
          lifecycle.update(source, {
            component: Option.isSome(chosen) ? chosen.value.component : undefined,
            name: payload.name,
            configuredProps,
            ...project,
            shadow: payload.shadow,
            active: payload.active ?? true
          })
        ))
        return { data: yield* render(updated) }
      }, (effect, { params }) =>
        effect.pipe(
          Effect.catchTag("InvalidProps", ({ issues }) => Effect.fail(Problem.invalid(issues))),
          answerGone("source", params.id),
          answerFailures
        )),
      delete: Effect.fnUntraced(function*({ params }) {
        yield* inTime(lifecycle.remove(yield* find("source", params.id)))
      }, (effect, { params }) => effect.pipe(answerGone("source", params.id), answerFailures))
    })
  })
)
