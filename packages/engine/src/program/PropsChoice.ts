import * as AppAccount from "@headwater/domain/AppAccount"
import type { Component, ConfigurableProp } from "@headwater/domain/Component"
import * as ConfiguredProps from "@headwater/domain/ConfiguredProps"
import * as DataStore from "@headwater/domain/DataStore"
import type * as Id from "@headwater/domain/Id"
import { declaredProps, type Program } from "@headwater/domain/Program"
import { AppAccounts } from "@headwater/log/access/AppAccounts"
import { DataStores } from "@headwater/log/resources/DataStores"
import * as Expression from "@headwater/sandbox/Expression"
import type { Trial } from "@headwater/sandbox/Run"
import { Effect, Equal, Option, Result, Schema } from "effect"
import { ComponentConfiguration } from "./ComponentConfiguration.ts"

/** Configured props that do not fit the component's declared ones. */
export class InvalidProps extends Schema.TaggedError<InvalidProps>()("InvalidProps", {
  issues: Schema.Array(Schema.Struct({ path: Schema.String, message: Schema.String }))
}) {}

/** The expressions in the props of a workflow's steps. */
const expressionsOf = (steps: NonNullable<Component["steps"]>): ConfiguredProps.Expressions => {
  const names = steps.map(({ name }) => name)
  return (prop, value) => {
    const fault = Expression.faultIn(value, names, prop.slice(0, prop.indexOf(".")))
    return fault === undefined
      ? Result.succeed(Expression.isIn(value))
      : Result.fail(`{{ ${fault.source} }}: ${fault.message}`)
  }
}

const resolveProps = (
  declared: ReadonlyArray<ConfigurableProp>,
  existing: Program | undefined,
  given: Readonly<Record<string, Schema.Json>>,
  { steps }: Component,
  mayLack: boolean
): Effect.Effect<ConfiguredProps.ConfiguredProps, InvalidProps> => {
  const expressions = steps === null ? undefined : expressionsOf(steps)
  const resolved = ConfiguredProps.resolve(declared, existing, given, expressions, mayLack)
  return Result.isFailure(resolved)
    ? Effect.fail(new InvalidProps({ issues: resolved.failure }))
    : Effect.succeed(resolved.success)
}

/** Added props may lead to further ones; some that never come to an end are taken as they are then. */
const additionRounds = 8

/** Chooses the values of a program's props, with those that the component's code adds for these values. */
export const make = Effect.gen(function*() {
  const appAccounts = yield* AppAccounts
  const configuration = yield* ComponentConfiguration
  const dataStores = yield* DataStores

  /**
   * Refuses accounts that are not there, or are not accounts with the apps that they are given to. Those that the program has
   * from before for the same component are not looked at: an account that was removed since must not keep it from a change.
   */
  const checkAppAccounts = Effect.fnUntraced(function*(
    accountId: Id.AccountId,
    componentId: Id.ComponentId,
    declared: ReadonlyArray<ConfigurableProp>,
    props: Program["props"],
    before?: Program
  ) {
    const kept = before?.componentId === componentId ? AppAccount.appProps(declared, before.props) : []
    const isKept = ({ id, prop }: AppAccount.AppProp) => kept.some((one) => one.prop === prop && one.id === id)
    const chosen = AppAccount.appProps(declared, props).filter((one) => !isKept(one))
    if (chosen.length === 0) return
    const found = yield* appAccounts.find(accountId, chosen.map(({ id }) => id))
    const issues = chosen.flatMap(({ app, id, prop }): ReadonlyArray<ConfiguredProps.Issue> => {
      const path = `configured_props.${prop}.authProvisionId`
      const account = found.get(id)
      if (account === undefined) return [{ path, message: "there is no account with this id" }]
      return app === undefined || account.app === app
        ? []
        : [{ path, message: `is an account with ${account.app}, not with ${app}` }]
    })
    if (issues.length > 0) return yield* new InvalidProps({ issues })
  })

  /** The ids of the data stores that props name. Those that the program has from before may have been removed since. */
  const chooseDataStores = Effect.fnUntraced(function*(
    accountId: Id.AccountId,
    declared: ReadonlyArray<ConfigurableProp>,
    props: Program["props"],
    before?: Program
  ) {
    const chosen: Record<string, string> = {}
    const issues: Array<ConfiguredProps.Issue> = []
    for (const [prop, reference] of Object.entries(DataStore.referencesOf(declared, props))) {
      const found = yield* dataStores.get(accountId, reference)
      if (Option.isSome(found)) chosen[prop] = found.value.id
      else if (before?.props[prop] !== reference) {
        const message =
          `there is no data store ${reference}: POST /v1/data_stores and \`headwater stores create\` make one`
        issues.push({ path: ConfiguredProps.pathOf(prop), message })
      }
    }
    if (issues.length > 0) return yield* new InvalidProps({ issues })
    return chosen
  })

  return Effect.fnUntraced(function*(
    accountId: Id.AccountId,
    component: Component,
    given: Readonly<Record<string, Schema.Json>>,
    before?: Program,
    { mayLack = false, trial }: {
      /** True if props that need a value may be without one. */
      readonly mayLack?: boolean
      readonly trial?: Trial
    } = {}
  ) {
    const { configurableProps } = component
    // The props that they depend on stay, so they do too: a vendor that does not answer holds up no other change.
    const isUntouched = before?.componentId === component.id && Object.keys(given).length === 0
    let additionalProps = isUntouched ? before.additionalProps : []
    if (component.hasAdditionalProps && !isUntouched) {
      yield* checkAppAccounts(accountId, component.id, configurableProps, given, before)
      const known = { ...before?.props, ...before?.timers, ...given }
      // Without its account, an action can't ask its app which props there are: it is asked again with the next values.
      const lacks = mayLack && ConfiguredProps.missingOf(configurableProps, {
            props: { ...ConfiguredProps.defaultsOf(configurableProps), ...before?.props, ...given },
            timers: before?.timers ?? {}
          }).length > 0
      for (let round = 0; round < additionRounds; round++) {
        const declared = declaredProps(component, { additionalProps })
        const values = { ...ConfiguredProps.defaultsOf(declared), ...ConfiguredProps.ofDeclared(declared, known) }
        const added = yield* configuration.additionalProps({ accountId, component, values, trial }).pipe(
          Effect.catchIf(
            (error) => lacks && error._tag === "HookFailed",
            () => Effect.succeed(additionalProps)
          )
        )
        const isSame = Equal.equals(added.map(({ name }) => name), additionalProps.map(({ name }) => name))
        additionalProps = added
        if (isSame) break
      }
    }
    const declared = declaredProps(component, { additionalProps })
    const resolved = yield* resolveProps(declared, before, given, component, mayLack)
    yield* checkAppAccounts(accountId, component.id, declared, resolved.props, before)
    const stores = yield* chooseDataStores(accountId, declared, resolved.props, before)
    return { ...resolved, props: { ...resolved.props, ...stores }, additionalProps }
  })
})
