import type { ComponentResource } from "@headwater/api/ComponentsApi"
import * as Problem from "@headwater/api/Problem"
import { WebhookUrl } from "@headwater/api/WebhookUrl"
import type { Component } from "@headwater/domain/Component"
import type * as Id from "@headwater/domain/Id"
import { OnBehalfOf } from "@headwater/domain/OnBehalfOf"
import { version } from "@headwater/domain/Version"
import { Components, type ShownComponent } from "@headwater/log/resources/Components"
import type { ProgramKind } from "@headwater/log/resources/Programs"
import { ModuleLinker } from "@headwater/sandbox/ModuleLinker"
import * as PackageSpecifier from "@headwater/sandbox/PackageSpecifier"
import { RemoteModules } from "@headwater/sandbox/RemoteModules"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { CodeFault, componentInvalid, inCode, unlinkable, unusable } from "./CodeFault.ts"
import * as CodeReading from "./CodeReading.ts"
import { answerFailures } from "./http/conventions/FailureProblem.ts"
import { HttpSettings } from "./http/conventions/HttpSettings.ts"

const isWebUrl = Schema.is(WebhookUrl)

/** Files of one component together, in sizes of the largest code: comments and what is not used don't reach the code. */
const filesPerCode = 4

type LoadingProblem =
  | Problem.InvalidRequest
  | Problem.PayloadTooLarge
  | Problem.Unavailable
  | Problem.InternalError

type SavingProblem = LoadingProblem | Problem.ComponentInvalid

/** Details of code, beside its text. */
export interface CodeDetails {
  /** The URL where the code is hosted, kept as metadata. */
  readonly url?: string | undefined
  /** The component in whose place this one comes; packages that both import stay in their versions. */
  readonly previous?: Component | undefined
  /** The kind of program that the code is for; a source where left out. */
  readonly kind?: ProgramKind
}

/** Saves component code, after the sandbox has loaded it and said what it is. */
export class ComponentSaving extends Context.Service<ComponentSaving, {
  /** Says what code is, and saves nothing. */
  readonly load: (
    accountId: Id.AccountId,
    code: string,
    details: CodeDetails
  ) => Effect.Effect<CodeReading.LoadedComponent, CodeFault | LoadingProblem>
  /** The same of code that is fetched as by `saveFrom`. */
  readonly loadFrom: (
    accountId: Id.AccountId,
    url: string,
    details: Omit<CodeDetails, "url">
  ) => Effect.Effect<CodeReading.LoadedComponent, CodeFault | LoadingProblem>
  readonly save: (
    accountId: Id.AccountId,
    code: string,
    details: CodeDetails
  ) => Effect.Effect<CodeReading.SavedComponent, SavingProblem>
  /** Fetches the code, with what it imports from the same origin, or takes it from an npm package (`npm:name@version/path`). */
  readonly saveFrom: (
    accountId: Id.AccountId,
    url: string,
    details: Omit<CodeDetails, "url">
  ) => Effect.Effect<CodeReading.SavedComponent, SavingProblem>
  /** Adds code to the registry under its key, unless it is there as the newest version. */
  readonly publish: (key: string, code: string) => Effect.Effect<Component, SavingProblem>
}>()("@headwater/server/ComponentSaving") {
  static readonly layer = Layer.effect(
    ComponentSaving,
    Effect.gen(function*() {
      const components = yield* Components
      const modules = yield* RemoteModules
      const linker = yield* ModuleLinker
      const { hashOf, read } = yield* CodeReading.make
      const { maxCode } = yield* HttpSettings

      const checkSize = (field: string, text: string) =>
        new TextEncoder().encode(text).length > maxCode
          ? Effect.fail(Problem.tooLarge(field, maxCode, "HEADWATER_MAX_CODE"))
          : Effect.void

      const load: ComponentSaving["Service"]["load"] = Effect.fnUntraced(
        function*(accountId, text, { kind = "source", previous, url }) {
          yield* checkSize(`${parameterOf[kind]}_code`, text)
          return yield* read(accountId, { text, url: url ?? null, place: inCode, previous, kind })
        },
        onBehalf,
        answerFailures
      )

      const loadFrom: ComponentSaving["Service"]["loadFrom"] = Effect.fnUntraced(
        function*(accountId, url, { kind = "source", previous }) {
          const parameter = `${parameterOf[kind]}_url`
          const invalidUrl = (message: string) => Problem.invalid([{ path: parameter, message }])
          if (url.startsWith("npm:")) {
            const specifier = PackageSpecifier.parse(url)
            if (specifier === undefined) return yield* invalidUrl("expected npm:<package>[@version]/<path>")
            const text = yield* Effect.mapError(linker.pin(specifier), unlinkable(inCode))
            return yield* read(accountId, { text, url, place: inCode, previous, kind })
          }
          if (!isWebUrl(url)) {
            return yield* invalidUrl(
              "expected a URL with the protocol http or https and a hostname, or npm:<package>[@version]/<path>"
            )
          }
          const { code, place } = yield* modules.load({
            accountId,
            url,
            maxBytes: filesPerCode * maxCode,
            userAgent: `Headwater/${version}`
          }).pipe(Effect.catchTags({
            RemoteUrlRefused: ({ message }) => Effect.fail(invalidUrl(message)),
            RemoteModulesTooLarge: ({ limitBytes }) =>
              Effect.fail(Problem.tooLarge(`The module at ${parameter}, with its imports,`, limitBytes)),
            ModuleFaulty: ({ at, message }) => Effect.fail(new CodeFault({ message, ...at, reason: "import" })),
            ModuleUnread: ({ at, message }) => Effect.fail(new CodeFault({ message, ...at, reason: "import" }))
          }))
          yield* checkSize(`The code of ${parameter}`, code)
          return yield* read(accountId, { text: code, url, place, previous, kind })
        },
        onBehalf,
        answerFailures
      )

      const keep = (loading: Effect.Effect<CodeReading.LoadedComponent, CodeFault | LoadingProblem>) =>
        loading.pipe(
          Effect.tap(({ component }) => components.insert(component)),
          answerFailures,
          Effect.catchTag("CodeFault", (fault) => Effect.fail(componentInvalid(fault)))
        )

      return ComponentSaving.of({
        load,
        loadFrom,
        save: (accountId, text, details) => keep(load(accountId, text, details)),
        saveFrom: (accountId, url, details) => keep(loadFrom(accountId, url, details)),
        publish: Effect.fnUntraced(
          function*(key, code) {
            const newest = yield* components.newestPublished(key)
            if (Option.isSome(newest) && newest.value.codeHash === (yield* hashOf(code))) return newest.value
            const { component } = yield* read(null, { text: code, url: null, place: inCode, previous: undefined })
            if (component.key !== key) return yield* unusable({ message: `its key is not ${key}` }, inCode, "label")
            return (yield* components.publish({ ...component, accountId: null, key })).component
          },
          (effect) =>
            effect.pipe(answerFailures, Effect.catchTag("CodeFault", (fault) => Effect.fail(componentInvalid(fault))))
        )
      })
    })
  ).pipe(Layer.provide([RemoteModules.layer(), ModuleLinker.layer]))
}

const onBehalf = <A, E, R>(effect: Effect.Effect<A, E, R>, accountId: Id.AccountId): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, OnBehalfOf, accountId)

/** The first part of the names of parameters with code in requests. */
const parameterOf = { source: "component", workflow: "workflow" } as const

/** The reason why no source can be made of a valid component; none if one can. */
export const sourceFault = ({ component, place }: CodeReading.SavedComponent): Option.Option<CodeFault> =>
  component.type !== "action" ? Option.none() : Option.some(unusable(
    {
      message: `its type is "action": an action does one thing as a step of a workflow, or is run by itself with ` +
        "`headwater actions run`. A source runs on requests, timers and events: leave type out, give it an interface or a " +
        "subscription, and take the event as run(event)"
    },
    place,
    "definition"
  ))

export const resourceOf = (component: ShownComponent): ComponentResource => ({
  id: component.id,
  code: component.code,
  code_hash: component.codeHash,
  key: component.key,
  name: component.name,
  version: component.version,
  description: component.description,
  configurable_props: component.configurableProps,
  created_at: component.createdAt,
  updated_at: component.updatedAt
})
